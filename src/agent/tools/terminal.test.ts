/** Real processes, each in a folder of its own. What must end is awaited; a test that waits forever fails by itself. */

import { randomInt } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextRound } from "node:timers/promises";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { aCall } from "../../../test/support/a-call.js";
import type { Danger } from "../agent.js";
import { openSandbox } from "../sandbox/open-sandbox.js";
import type { Confinement, Sandbox } from "../sandbox/sandbox.js";
import { type TerminalToolOptions, terminalTool } from "./terminal.js";

const PATH = "/usr/local/bin:/usr/bin:/bin";

const root = mkdtempSync(join(tmpdir(), "baton-terminal-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const walls = {
  folders: [root],
  hidden: [],
  home: homedir(),
  path: PATH,
  temporary: tmpdir(),
  network: false,
};
const found = await openSandbox(walls);
if (found.sandbox === null) console.warn(`NOT TESTED in a sandbox: ${found.why} ${found.fix}`);

let folder: string;
const kept = (name: string) => readFileSync(join(folder, name), "utf8").trim();

beforeEach(() => {
  folder = mkdtempSync(join(root, "work-"));
});

let confinement: Confinement = { kind: "none" };

function terminal(options: Partial<TerminalToolOptions> = {}) {
  return terminalTool({ cwd: folder, environment: { PATH }, confinement, ...options });
}

function run(
  command: unknown,
  options?: Partial<TerminalToolOptions>,
  signal = new AbortController().signal,
) {
  return terminal(options).run({ command }, { call: aCall, signal });
}

/** Runs the command, and stops it once it has made the file `ready`. */
async function runAndStop(command: string, options?: Partial<TerminalToolOptions>): Promise<string> {
  const controller = new AbortController();
  const result = run(command, options, controller.signal);
  await vi.waitFor(() => expect(existsSync(join(folder, "ready"))).toBe(true), { timeout: 10_000 });
  controller.abort();
  return await result;
}

/** Whether a `sleep` of that many seconds runs, in whatever namespace; a zombie has no command line any more. */
function isAsleep(seconds: number): boolean {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8") === `sleep\0${seconds}\0`;
      } catch {
        return false; // It has just ended.
      }
    });
}

/** A time that no other test sleeps for. */
const longTime = () => 1_000_000 + randomInt(1_000_000_000);

const isGone = (seconds: number) =>
  vi.waitFor(() => expect(isAsleep(seconds)).toBe(false), { timeout: 20_000 });

const places = found.sandbox ? (["outside", "in a sandbox"] as const) : (["outside"] as const);

describe.each(places)("terminal %s", (place) => {
  const isWalled = place !== "outside";

  beforeEach(() => {
    const { sandbox } = found;
    confinement = isWalled && sandbox ? { kind: "sandbox", sandbox, mayLeave: true } : { kind: "none" };
  });

  it("tells the exit code and what was printed, in the order it was", async () => {
    expect(await run("echo one; echo two >&2; echo three")).toBe("Exit code 0.\n\none\ntwo\nthree");
    expect(await run("exit 3")).toBe("Exit code 3.\n\n(no output)");
    expect(await run("no-such-command-here")).toMatch(/^Exit code 127\.\n\n.*not found/);
    expect(await run("echo 'unended")).toMatch(/^Exit code [12]\.\n\n.*line 1/s);
  });

  it("tells the signal that ended it", async () => {
    expect(await run("echo before; kill -9 $$")).toBe("Killed by SIGKILL.\n\nbefore");
  });

  it("runs where it was told to, without input", async () => {
    expect(await run("pwd -P")).toContain(folder.split("/").at(-1));
    expect(await run("cat; echo end")).toBe("Exit code 0.\n\nend");
    expect(await run("pwd", { cwd: join(folder, "nowhere") })).toMatch(
      /^Error: no shell could be started in /,
    );
  });

  it("takes what is wrong with the arguments as a result", async () => {
    const { signal } = new AbortController();
    for (const args of [null, "ls", {}, { command: 7 }, { command: " " }, { command: "a\0b" }]) {
      expect(await terminal().run(args, { call: aCall, signal })).toMatch(/^Error: `command` /);
    }
    expect(await run(`: ${"x".repeat(3_000_000)}`)).toMatch(/^Error: no shell could be started/);
  });

  it("runs in the folder that the command names, where that is one of those it may name", async () => {
    mkdirSync(join(folder, "deep/er"), { recursive: true });
    symlinkSync("/", join(folder, "out"));
    const { signal } = new AbortController();
    const inside = (workdir: unknown) =>
      terminal().run({ command: "pwd -P", workdir }, { call: aCall, signal });
    expect(await inside("deep/er")).toMatch(/^Exit code 0\.\n\n.*\/deep\/er$/);
    expect(await inside(join(folder, "deep"))).toMatch(/\/deep$/);
    expect(await inside("nowhere")).toMatch(/^Error: there is no /);
    for (const workdir of ["/", "..", "/etc", "out", "deep/../..", "~", 7]) {
      expect(await inside(workdir)).toMatch(/^Error: /);
    }
  });

  it.skipIf(isWalled || process.platform !== "linux").each(["sub", undefined])(
    "runs in the folder that was checked, though another takes its name as it starts (%s)",
    async (workdir) => {
      for (const name of ["sub", "other"]) mkdirSync(join(folder, name));
      const cwd = join(folder, workdir === undefined ? "sub" : "");
      const get = () => {
        if (existsSync(join(folder, "away"))) return PATH;
        renameSync(join(folder, "sub"), join(folder, "away"));
        symlinkSync("other", join(folder, "sub"));
        return PATH;
      };
      // It is read last of all, when the process is made.
      const environment = Object.defineProperty({}, "PATH", { enumerable: true, get });
      const { signal } = new AbortController();
      const args = { command: "touch made; pwd -P", workdir };
      expect(await terminal({ cwd, environment }).run(args, { call: aCall, signal })).toMatch(/\/away$/);
      expect(existsSync(join(folder, "away/made"))).toBe(true);
      expect(existsSync(join(folder, "other/made"))).toBe(false);
    },
  );

  it("ends after the time that the command asks for, within its limit", async () => {
    const { signal } = new AbortController();
    const result = await terminal().run({ command: "sleep 1000", timeout: "0.2" }, { call: aCall, signal });
    expect(result).toBe("Timed out after 0.2 s. Killed by SIGTERM.\n\n(no output)");
    const limited = terminal({ maxTimeoutMs: 300 });
    expect(await limited.run({ command: "sleep 1000", timeout: 86_400 }, { call: aCall, signal })).toBe(
      "(Its time-out was limited to 0.3 s.) Timed out after 0.3 s. Killed by SIGTERM.\n\n(no output)",
    );
    expect(await limited.run({ command: "sleep 1000" }, { call: aCall, signal })).toMatch(
      /^Timed out after 0\.3 s\./,
    );
    expect(await limited.run({ command: "true", timeout: -1 }, { call: aCall, signal })).toMatch(
      /^Error: `timeout` must be/,
    );
  });

  it("tells what it prints while it runs, without escape sequences", async () => {
    const told: string[] = [];
    const { signal } = new AbortController();
    writeFileSync(join(folder, "lines"), "one\n\u001b[1mtwo\n"); // `cat` writes it at once; a shell may not.
    const context = { call: aCall, signal, output: (text: string) => told.push(text) };
    await terminal().run({ command: "cat lines; cat lines >&2" }, context);
    expect(told.join("")).toBe("one\ntwo\none\ntwo\n");
  });

  it.skipIf(isWalled)("says which commands are to be asked about", async () => {
    const environment = { PATH, TERM: "xterm", LC_ALL: "C", HOME: "/root" };
    expect(await terminal({ environment }).danger?.({ command: "rm -rf /" })).toEqual({
      reason: expect.stringMatching(/deletes/),
      what: `rm -rf /\n\nin ${realpathSync(folder)}`,
      variables: { PATH, HOME: "/root" },
      isStillSo: expect.any(Function),
      place: realpathSync(folder),
      identity: expect.any(String),
    });
    mkdirSync(join(folder, "precious"));
    mkdirSync(join(folder, "junk"));
    symlinkSync("junk", join(folder, "build"));
    const danger = await terminal().danger?.({ command: "rm -rf ./*", workdir: "build" });
    expect(danger?.what).toBe(`rm -rf ./*\n\nin ${join(realpathSync(folder), "junk")}`);
    expect(danger?.isStillSo?.()).toBe(true);
    rmSync(join(folder, "build"));
    symlinkSync("precious", join(folder, "build"));
    expect(danger?.isStillSo?.()).toBe(false);
    for (const args of [{ command: "ls" }, {}, null, "rm -rf /", { command: 7 }]) {
      expect(await terminal().danger?.(args)).toBeNull();
    }
  });

  it("gives the command the environment it was given, and nothing of ours", async () => {
    expect(process.env.HOME).toBeDefined();
    const output = await run("env", { environment: { PATH, GREETING: "hello" } });
    const names = output
      .match(/^\w+(?==)/gm)
      ?.filter((name) => !["PWD", "OLDPWD", "SHLVL", "TMPDIR", "_"].includes(name));
    expect(names?.sort()).toEqual(["GREETING", "PATH"]);
    expect(output).toContain("GREETING=hello");
  });

  it("keeps the beginning and the end of much output", async () => {
    const output = await run("seq 1 200000", { maxOutput: 100 });
    expect(output).toMatch(
      /^Exit code 0\.\n\n1\n2\n3\n[\s\S]*\n… \d+ characters not shown …\n[\s\S]*199999\n200000$/,
    );
    expect(output.length).toBeLessThan(200);
  });

  it("leaves no escape sequence and no broken character in the output", async () => {
    expect(await run("printf '\\033[31mred\\033[0m \\033]0;title\\007\\342\\202 \\360\\237\\230\\200'")).toBe(
      "Exit code 0.\n\nred \ufffd 😀",
    );
  });

  it.each(["", ">/dev/null 2>&1 "])("does not wait for what it leaves running (%s)", async (elsewhere) => {
    const time = longTime();
    const output = await run(`sleep ${time} ${elsewhere}& echo $! > child; echo started`);
    if (isWalled) {
      expect(output).toBe("Exit code 0.\n\nstarted");
      await isGone(time);
    } else {
      expect(output).toBe("Exit code 0. Something that it started is still running.\n\nstarted");
      expect(isAsleep(time)).toBe(true);
      process.kill(Number(kept("child")));
    }
  });

  it("ends the whole group at the time-out", async () => {
    const time = longTime();
    const output = await run(`echo partly; (sleep ${time} & wait); echo no`, { timeoutMs: 1_500 });
    expect(output).toBe("Timed out after 1.5 s. Killed by SIGTERM.\n\npartly");
    await isGone(time);
  });

  it("ends when it is stopped, and tells what there was", async () => {
    const time = longTime();
    const output = await runAndStop(`echo partly; touch ready; sleep ${time}; echo no`);
    expect(output).toBe("Stopped. Killed by SIGTERM.\n\npartly");
    await isGone(time);
  });

  it("ends when it is stopped as it starts", async () => {
    const controller = new AbortController();
    const result = run("sleep 1000", {}, controller.signal);
    controller.abort();
    expect(await result).toBe("Stopped. Killed by SIGTERM.\n\n(no output)");
  });

  it("leaves nothing behind, whenever it is stopped", async () => {
    for (let steps = 0; steps < 12; steps += 1) {
      const controller = new AbortController();
      const time = longTime();
      const result = run(`sleep ${time}`, {}, controller.signal);
      for (let step = 0; step < steps * 40; step += 1) await nextRound(); // Each time a little later.
      controller.abort();
      expect(await result).toMatch(/^Stopped\. Killed by SIG(?:TERM|KILL)\.\n/);
      await isGone(time);
    }
  });

  it("lets a command end in its own way when it is stopped", async () => {
    const output = await runAndStop("trap 'echo tidied; exit 4' TERM; touch ready; sleep 1000 & wait");
    // Shells say of a child that it was terminated, if it was before they were.
    expect(output).toMatch(/^Stopped\. Exit code 4\.\n\n(?:Terminated\n)?tidied$/);
  });

  it("kills what does not listen, also where only a child does not", async () => {
    const time = longTime();
    const deaf = `trap '' TERM; touch ready; sleep ${time}; sleep ${time}`;
    expect(await runAndStop(deaf)).toBe("Stopped. Killed by SIGKILL.\n\n(no output)");
    await isGone(time);
    rmSync(join(folder, "ready"));
    const deafChild = `(trap '' TERM; sleep ${time} & touch ready; wait) & wait`;
    expect(await runAndStop(deafChild)).toMatch(/^Stopped\. Killed by SIGTERM\./);
    await isGone(time);
  });

  it("runs nothing in a turn that is stopped already", async () => {
    expect(await run("touch made", {}, AbortSignal.abort())).toBe("Not run: the turn was stopped.");
    expect(existsSync(join(folder, "made"))).toBe(false);
  });

  it("leaves nothing behind on the signal of a long session", async () => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, "addEventListener");
    const removed = vi.spyOn(signal, "removeEventListener");
    await run("true", {}, signal);
    expect(added.mock.calls.length).toBe(1);
    expect(removed.mock.calls[0]?.[1]).toBe(added.mock.calls[0]?.[1]);
  });
});

it.runIf(process.platform === "linux")(
  "says who leads a command, so that one that outlives us is found",
  async () => {
    confinement = { kind: "none" };
    const leaders: number[] = [];
    const context = {
      call: aCall,
      signal: new AbortController().signal,
      leads: (pid: number) => leaders.push(pid),
    };
    const printed = await terminal().run({ command: "cut -d' ' -f5 /proc/self/stat" }, context); // Its group.
    expect(printed).toContain(String(leaders[0]));
    expect(leaders).toHaveLength(1);
  },
);

describe.runIf(found.sandbox)("a command in the sandbox", () => {
  const inSandbox = (mayLeave: boolean) =>
    terminal({ confinement: { kind: "sandbox", sandbox: found.sandbox as Sandbox, mayLeave } });
  const { signal } = new AbortController();

  it("is not asked about, whatever it does", async () => {
    expect(await inSandbox(true).danger?.({ command: "rm -rf ~ / ." })).toBeNull();
    expect(await inSandbox(false).danger?.({ command: "rm -rf ~ / ." })).toBeNull();
    const listed = terminal({
      confinement: { kind: "sandbox", sandbox: found.sandbox as Sandbox, mayLeave: true },
      allow: ["ls"],
    });
    expect(await listed.danger?.({ command: "ls" })).toBeNull();
    expect(await listed.danger?.({ command: "pwd" })).not.toBeNull();
  });

  it("is still asked about if its working folder could do harm", async () => {
    const { sandbox } = await openSandbox({ ...walls, folders: [root], home: folder });
    expect(sandbox?.doubt).toMatch(/contains your whole home folder/);
    const doubtful = terminal({
      confinement: { kind: "sandbox", sandbox: sandbox as Sandbox, mayLeave: true },
    });
    expect(await doubtful.danger?.({ command: "rm -rf /" })).not.toBeNull();
  });

  it.each([true, "true"])("asks the owner when it wants to leave, each time (%j)", async (outside) => {
    const args = { command: "echo $TMPDIR; ls /", outside, reason: "It needs the printer." };
    const danger = await inSandbox(true).danger?.(args);
    expect(danger).toMatchObject({ onlyOwner: true, reason: expect.stringMatching(/^leaves the sandbox/) });
    expect(danger?.what).toBe(
      `${args.command}\n\nin ${realpathSync(folder)}, outside the sandbox\n\nThe agent's reason: It needs the printer.`,
    );
    expect(await inSandbox(true).run(args, { call: aCall, signal })).toContain("\nhome\n");
  });

  it("runs outside in the folder that was shown, or not at all", async () => {
    const args = { command: "touch made", workdir: "sub", outside: true };
    for (const name of ["sub", "other"]) mkdirSync(join(folder, name));
    const approved = (await inSandbox(true).danger?.(args)) as Danger;
    renameSync(join(folder, "sub"), join(folder, "away"));
    renameSync(join(folder, "other"), join(folder, "sub"));
    const result = await inSandbox(true).run(args, { call: aCall, signal, approved });
    expect(result).toMatch(/^Error: not run: the folder has changed since this was approved/);
    expect(existsSync(join(folder, "sub/made"))).toBe(false);
  });

  it("cannot leave where the sandbox is required", async () => {
    const args = { command: "touch left", outside: true };
    expect(await inSandbox(false).danger?.(args)).toBeNull();
    expect(await inSandbox(false).run(args, { call: aCall, signal })).toMatch(
      /^Error: not run: commands can't leave/,
    );
    expect(existsSync(join(folder, "left"))).toBe(false);
    expect(JSON.stringify(inSandbox(false).parameters)).not.toContain("outside");
  });

  it("is told where it may write", () => {
    expect(inSandbox(true).description).toContain(`it can write in ${realpathSync(root)} and /tmp`);
    expect(inSandbox(true).description).toContain("It has no network.");
    expect(terminal({ confinement: { kind: "none" } }).description).not.toContain("sandbox");
  });

  it("says what a sandbox that does not start complains of", async () => {
    const { launch, ...rest } = found.sandbox as Sandbox;
    const broken: Sandbox = {
      ...rest,
      launch: (command, _, environment) => launch(command, "/nowhere", environment),
    };
    const result = await terminal({ confinement: { kind: "sandbox", sandbox: broken, mayLeave: true } }).run(
      { command: "echo no" },
      { call: aCall, signal },
    );
    expect(result).toMatch(/^Error: not run: the sandbox could not be started: .*nowhere/);
  });
});

it("runs nothing where a sandbox is required and there is none", async () => {
  const tool = terminal({ confinement: { kind: "missing", why: "not run: no sandbox." } });
  expect(await tool.danger?.({ command: "rm -rf /" })).toBeNull();
  const context = { call: aCall, signal: new AbortController().signal };
  expect(await tool.run({ command: "touch made" }, context)).toBe("Error: not run: no sandbox.");
  expect(existsSync(join(folder, "made"))).toBe(false);
});
