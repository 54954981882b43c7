/** `baton gateway`: one a home folder, what it says of itself, and how it stops. */

import { type ChildProcess, fork, spawnSync } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test, vi } from "vitest";
import { offlineAgent } from "../src/agent/offline.js";
import type { Cli } from "../src/cli/cli.js";
import { run } from "../src/cli/run.js";
import type { Terminal } from "../src/cli/terminal.js";
import { readEnvironment } from "../src/config/environment.js";
import { loadConfig } from "../src/config/load.js";
import { homeLockFile, takeHome } from "../src/gateway/home-lock.js";
import { type RunOptions, runGateway } from "../src/gateway/run-gateway.js";
import { logLine } from "../src/log/log.js";
import { openGateway } from "../src/open-gateway.js";
import { StoreError } from "../src/session/errors.js";
import { ScriptedAdapter } from "../src/testing/scripted-adapter.js";
import { lockText, successionFile } from "../src/util/file-lock.js";
import { baton, makeHome } from "./support/baton.js";
import { endedHolder } from "./support/ended-holder.js";
import { twoBots } from "./support/two-bots.js";

describe.concurrent("baton gateway", () => {
  test("without a platform says what works now, and makes nothing", async () => {
    const home = makeHome();
    const run = await baton(home, ["gateway"]);
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toBe(
      "baton: No chat platform is set up. Run `baton setup <platform>` to set one up, `baton web` to chat in your browser, or `baton` to chat in this terminal.\n",
    );
    expect(existsSync(homeLockFile(home))).toBe(false);
  });

  test("status says whether one runs, by its exit code too", async () => {
    const home = makeHome();
    const none = await baton(home, ["gateway", "status"]);
    expect(none).toEqual({
      code: 1,
      stdout: "",
      stderr: `baton: No gateway is running for ${home}. Start one with \`baton gateway\`.\n`,
    });
    const noneJson = await baton(home, ["gateway", "status", "--json"]);
    expect(noneJson.code).toBe(1);
    expect(JSON.parse(noneJson.stdout)).toEqual({
      running: false,
      pid: null,
      host: null,
      since: null,
      home,
      platforms: [],
      sharing: [],
    });
    expect(JSON.parse(noneJson.stderr).error.code).toBe("not_running");

    takeHome(home, Date.UTC(2026, 0, 10, 12));
    const since = "2026-01-10T12:00:00.000Z";
    const { pid } = process;
    const one = await baton(home, ["gateway", "status"]);
    expect(one).toMatchObject({ code: 0, stderr: "" });
    expect(one.stdout).toBe(
      `A gateway is running for ${home}: process ${pid} on ${hostname()}, since ${since}.\n`,
    );
    const oneJson = await baton(home, ["gateway", "status", "--json"]);
    expect(oneJson).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(oneJson.stdout)).toEqual({
      running: true,
      pid,
      host: hostname(),
      since,
      home,
      platforms: [],
      sharing: [],
    });
    expect((await baton(home, ["doctor"])).stdout).toContain(
      `process ${pid} on ${hostname()}, since ${since}`,
    );
  });

  test("status warns of two bots of one platform that share conversations", async () => {
    const home = makeHome();
    takeHome(home, Date.now());
    await twoBots(home);
    const { stdout } = await baton(home, ["gateway", "status"]);
    expect(stdout).toMatch(
      /^Warning: 2 Telegram accounts \(one, two\) use this store for the agent "main".*scopes\.agent <name>/m,
    );
    const { sharing } = JSON.parse((await baton(home, ["gateway", "status", "--json"])).stdout);
    expect(sharing).toEqual([expect.stringMatching(/^2 Telegram accounts \(one, two\)/)]);
    const [, advice = ""] = /`baton (config set [\w.]+) <name>`/.exec(sharing[0]) ?? [];
    expect(await baton(home, [...advice.split(" "), "second"])).toMatchObject({ code: 0, stderr: "" });
  });

  test("a lock that is none is said by status and doctor", async () => {
    const home = makeHome();
    writeFileSync(homeLockFile(home), "\u001b]0;x\u0007");
    expect((await baton(home, ["gateway", "status"])).stderr).toContain("can't read the gateway's lock");
    const doctor = await baton(home, ["doctor"]);
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toMatch(
      /✗ gateway .*can't read the gateway's lock \S+\. If no gateway is running here, delete it$/m,
    );
  });
});

test("a second gateway is told who has the home folder, and opens nothing", async () => {
  const home = makeHome();
  takeHome(home, Date.UTC(2026, 0, 10, 12));
  const problems: string[] = [];
  const given: Pick<Cli, "version" | "home" | "loadConfig" | "openPlatforms"> & {
    terminal: Pick<Terminal, "problem">;
  } = {
    version: "0",
    home,
    loadConfig: () => loadConfig(readEnvironment({ BATON_HOME: home }), home),
    openPlatforms: async () => ({ adapters: [new ScriptedAdapter()], problems: [] }),
    terminal: { problem: (text) => problems.push(text) },
  };
  expect(await run(["gateway"], given as Cli)).toBe(1);
  expect(problems).toEqual([
    `baton: A gateway is already running for ${home}: process ${process.pid} on ${hostname()}, since 2026-01-10T12:00:00.000Z. Stop it first, or set BATON_HOME.`,
  ]);
});

describe("a gateway as a process", () => {
  const path = fileURLToPath(new URL("./support/gateway-cli-child.mjs", import.meta.url));
  const children: ChildProcess[] = [];
  afterAll(() => {
    for (const child of children) child.kill("SIGKILL");
  });

  function start(home: string) {
    const env = { PATH: process.env.PATH ?? "", BATON_HOME: home };
    const child = fork(path, { env, cwd: home, silent: true });
    children.push(child);
    let said = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        said += text;
        child.emit("said");
      });
    }
    const ended = once(child, "close").then(([code, signal]) => code ?? signal);
    const told: string[] = [];
    child.on("message", ({ text }: { text: string }) => told.push(text));
    const until = async (holds: () => boolean) => {
      const closed = ended.then((how) => Promise.reject(new Error(`It ended with ${how}: ${said}`)));
      closed.catch(() => {}); // Where nobody waits any more.
      while (!holds()) await Promise.race([once(child, "said"), once(child, "message"), closed]);
    };
    return {
      child,
      told,
      ended,
      until,
      said: () => said,
      running: () => until(() => said.includes("The gateway is running")),
      toldTimes: (count: number) => until(() => told.length >= count),
      write: (text: string, messageId: string) => child.send({ userId: "7", text, messageId }),
    };
  }

  test("serves its platform, keeps others out, is killed, goes on, and stops when it is told to", async () => {
    const home = makeHome();
    writeFileSync(
      join(home, "config.yaml"),
      "people: { allow: { telegram: [7] } }\nbusy: { default: queue, momentSeconds: 0 }\n",
    );
    const one = start(home);
    await one.running();
    one.write("hello", "m1");
    await one.toldTimes(1);
    expect(one.said()).toMatch(
      / info Telegram is connected\.\n.* info The gateway is running\. Press Ctrl-C to stop it\.\n/,
    );
    expect(one.said()).toMatch(/ info Telegram: message from 7 in chat 7: accepted\.\n/);
    const status = await baton(home, ["gateway", "status", "--json"]);
    expect(JSON.parse(status.stdout)).toMatchObject({
      running: true,
      pid: one.child.pid,
      platforms: [{ platform: "telegram", account: "bot", state: { kind: "connected" }, lastError: null }],
    });
    expect((await baton(home, ["gateway", "status"])).stdout).toContain("telegram (bot): connected just now");

    const two = start(home);
    expect(await two.ended).toBe(1);
    expect(two.said()).toContain(`A gateway is already running for ${home}: process ${one.child.pid} on`);
    // The terminal has its own lane beside it, in the same store.
    expect(await baton(home, ["chat", "--message", "hi"])).toMatchObject({ code: 0 });

    one.write("slow 1", "m2");
    one.write("and then", "m3");
    await one.until(() => one.said().match(/accepted\./g)?.length === 3);
    one.child.kill("SIGKILL");
    expect(await one.ended).toBe("SIGKILL");

    const three = start(home); // Takes the home folder over, and goes on.
    await three.toldTimes(2);
    expect(three.told).toEqual([expect.stringMatching(/Done\.$/), expect.stringContaining("and then")]);
    three.child.kill("SIGTERM");
    expect(await three.ended).toBe(0);
    expect(three.said()).toContain("The gateway has stopped.");
    expect((await baton(home, ["gateway", "status"])).code).toBe(1);
  }, 60_000);

  test("says which ids can match nobody, and ends when another has taken its home folder", async () => {
    const home = makeHome();
    writeFileSync(
      join(home, "config.yaml"),
      "people: { allow: { telegram: ['@alice'] } }\nbusy: { byChat: { 'matrix:#room': queue } }\n",
    );
    const gateway = start(home);
    await gateway.running();
    expect(gateway.said()).toContain('warn people.allow.telegram: "@alice" matches nobody on Telegram');
    expect(gateway.said()).toContain('warn busy.byChat.matrix:#room: "#room" is not a chat id on Matrix.');
    const other = { owner: "elsewhere 1 1 a", pid: 1, host: "elsewhere", since: "" };
    writeFileSync(homeLockFile(home), JSON.stringify(other));
    expect(await gateway.ended).toBe(0);
    expect(gateway.said()).toContain(`error This gateway was paused, and another one took over ${home}.`);
    expect(JSON.parse(readFileSync(homeLockFile(home), "utf8"))).toEqual(other);
  }, 60_000);

  test("status says who has the account: to the gateway that has it, and to one that stands by", async () => {
    const [here, there] = [makeHome(), makeHome()];
    const url = join(here, "baton.db");
    for (const home of [here, there]) writeFileSync(join(home, "config.yaml"), `store: ${url}\n`);
    const holder = start(here);
    await holder.running();
    const standby = start(there);
    await standby.running();

    const time = "\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z";
    const lease = `has the account since ${time}, with a lease until ${time}\\.\n`;
    const first = await baton(here, ["gateway", "status"]);
    expect(first.stdout).toMatch(new RegExp(`telegram \\(bot\\): .*; this gateway ${lease}`));
    const second = await baton(there, ["gateway", "status"]);
    expect(second).toMatchObject({ code: 0, stderr: "" });
    expect(second.stdout).toContain(`A gateway is running for ${there}: process ${standby.child.pid} on`);
    const who = `process ${holder.child.pid} on ${hostname()}`;
    expect(second.stdout).toMatch(new RegExp(`this gateway stands by: ${who} ${lease}`));
    expect(standby.said()).toContain(`warn Telegram: standing by: ${who} has the account\n`);
    const json = await baton(there, ["gateway", "status", "--json"]);
    expect(JSON.parse(json.stdout).platforms).toMatchObject([{ account: "bot", isHere: false }]);

    for (const { child, ended } of [standby, holder]) {
      child.kill("SIGTERM");
      expect(await ended).toBe(0);
    }
  }, 60_000);
});

describe("of many who want a home folder at once", () => {
  const contenders: ChildProcess[] = [];
  afterAll(() => {
    for (const child of contenders) child.disconnect();
  });

  const path = fileURLToPath(new URL("./support/lock-child.mjs", import.meta.url));

  test("one has it and the others are told who, whatever was left in it", { timeout: 60_000 }, async () => {
    for (let n = 0; n < 12; n++) contenders.push(fork(path));
    const root = makeHome();
    const { pid = 0 } = spawnSync(process.execPath, ["--version"]);
    for (let round = 0; round < 60; round++) {
      const home = join(root, String(round));
      mkdirSync(home);
      const lock = homeLockFile(home);
      const [dead, heir] = ["a", "b"].map(() => {
        return { process: endedHolder({ pid }), pid, host: hostname(), since: "" };
      });
      if (!dead || !heir) throw new Error("Two were made.");
      if (round % 3 > 0) writeFileSync(lock, lockText(dead));
      if (round % 3 > 1) writeFileSync(successionFile(lock, dead), lockText(heir));
      const answers = await Promise.all(
        contenders.map(async (child) => {
          child.send(home);
          const [answer] = (await once(child, "message")) as [{ kind: string; pid: number }];
          return answer;
        }),
      );
      const kinds = answers.map(({ kind }) => kind).sort();
      expect(kinds).toEqual([...Array<string>(contenders.length - 1).fill("held"), "taken"]);
      const pids = contenders.map((child) => child.pid);
      for (const answer of answers) expect(pids).toContain(answer.pid);
    }
  });
});

describe("a gateway in the foreground", () => {
  const adapter = new ScriptedAdapter();

  function runWith(open: RunOptions["open"]) {
    const signals = new EventEmitter();
    const said = new EventEmitter();
    const lines: string[] = [];
    const ending = runGateway({
      open,
      adapters: [adapter],
      signals,
      log: (level, text) => {
        lines.push(logLine(0, level, text));
        said.emit("line");
      },
    });
    const until = async (words: string) => {
      while (!lines.some((line) => line.includes(words))) await once(said, "line");
    };
    return { signals, lines, until, ending, signal: (name: string) => signals.emit(name, name) };
  }

  test("logs who comes and what goes, on clean lines and without what was said, until it is stopped", async () => {
    const run = runWith((adapters, onProblem) => {
      const people = { allow: { [adapter.platform]: ["ann"] }, pairing: "off" } as const;
      const agent = offlineAgent();
      return openGateway({ url: "sqlite::memory:", agent, adapters, commands: [], people, onProblem });
    });
    await run.until("running");
    await adapter.write({ userId: "ann", userName: "A\u001b]0;x\u0007nn\nfake" }, "my secret");
    await run.until("sent");
    await adapter.write({ userId: "eve" }, "let me in");
    run.signal("SIGTERM");
    expect(await run.ending).toBe("stopped");
    expect(run.lines.map((line) => line.replace("1970-01-01T00:00:00.000Z ", ""))).toEqual([
      "info Telegram is connected.",
      "info The gateway is running. Press Ctrl-C to stop it.",
      "info Telegram: message from Ann fake (ann) in chat ann: accepted.",
      "info Telegram: to chat ann: sent.",
      "warn Telegram: message from eve in chat eve: refused.",
      "info SIGTERM: stopping; running turns have 10 s to finish. Another signal stops at once.",
      "info The gateway has stopped.",
    ]);
    expect(run.signals.eventNames()).toEqual([]);
  });

  const idle = { start: async () => {}, platforms: () => [] };

  test("gives running turns ten seconds, and leaves at once when told again", async () => {
    const drains: number[] = [];
    const close = ({ drainMs }: { drainMs: number }) => {
      drains.push(drainMs);
      return new Promise<void>(() => {});
    };
    const run = runWith(async () => ({ gateway: idle, close }));
    await run.until("running");
    run.signal("SIGINT");
    run.signal("SIGINT");
    expect(await run.ending).toBe("left");
    expect(run.lines.at(-1)).toContain("SIGINT again: stopping now");
    expect(drains).toEqual([10_000]);
    expect(run.signals.eventNames()).toEqual([]);
  });

  test("leaves by itself where stopping has no end", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const close = () => new Promise<void>(() => {}); // A store that does not answer.
      const run = runWith(async () => ({ gateway: idle, close }));
      await run.until("running");
      run.signal("SIGTERM");
      await vi.advanceTimersByTimeAsync(25_000);
      expect(await run.ending).toBe("left");
      expect(run.lines.at(-1)).toContain("Stopping takes too long: stopping now");
    } finally {
      vi.useRealTimers();
    }
  });

  test("waits for a store that is away, says so, and starts when it is there", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const away = new StoreError("store_unreachable", "No server answers there.", { mayPass: true });
      let [opened, closed] = [0, 0];
      const run = runWith(async () => {
        opened += 1;
        if (opened === 1) throw away;
        const start = async () => {
          if (opened === 2) throw away; // It was there for a moment.
        };
        const close = async () => {
          closed += 1;
        };
        return { gateway: { ...idle, start }, close };
      });
      await run.until("tries again in 1 s.");
      await vi.advanceTimersByTimeAsync(1_000);
      await run.until("tries again in 2 s.");
      await vi.advanceTimersByTimeAsync(2_000);
      await run.until("running");
      run.signal("SIGTERM");
      expect([await run.ending, opened, closed]).toEqual(["stopped", 3, 2]);
      expect(run.lines[0]).toContain("No server answers there. Baton waits for it and tries again in 1 s.");
    } finally {
      vi.useRealTimers();
    }
  });

  test("does not wait for what will not pass, and stops while it waits", async () => {
    const wrong = new StoreError("store_unreachable", "The password is wrong.");
    await expect(runWith(() => Promise.reject(wrong)).ending).rejects.toBe(wrong);
    const away = new StoreError("store_unreachable", "No server answers there.", { mayPass: true });
    const run = runWith(() => Promise.reject(away));
    await run.until("tries again");
    run.signal("SIGTERM");
    expect(await run.ending).toBe("stopped");
  });

  test("closes what it opened where a platform cannot be reached, and tells problems", async () => {
    let closed = 0;
    const run = runWith(async (_, onProblem) => {
      onProblem("The outbox\ncannot be read");
      const start = () => Promise.reject(new Error("no route"));
      const close = async () => {
        closed += 1;
      };
      return { gateway: { ...idle, start }, close };
    });
    await expect(run.ending).rejects.toThrow("no route");
    expect(closed).toBe(1);
    expect(run.lines).toEqual(["1970-01-01T00:00:00.000Z warn The outbox cannot be read"]);
  });
});
