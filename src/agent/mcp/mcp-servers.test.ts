/** Real processes that do not behave. What must come about is awaited; a test that waits forever fails by itself. */

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { aCall } from "../../../test/support/a-call.js";
import type { Tool } from "../agent.js";
import { type McpOptions, McpServers, type McpState, pauseAfter, type ServerOptions } from "./mcp-servers.js";

const SERVER = fileURLToPath(new URL("../../../test/support/mcp-server.mjs", import.meta.url));

/** Longer than any server takes to start, however busy the machine is: nothing waits so long if all is well. */
const GENEROUS_MS = 55_000;

let folder: string;
let open: McpServers[];
let lines: string[];
let problems: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "baton-mcp-"));
  open = [];
  lines = [];
  problems = [];
});
afterEach(async () => {
  await Promise.all(open.map((servers) => servers.close()));
  expect(noted("starts").filter((pid) => exists(pid))).toEqual([]);
  rmSync(folder, { recursive: true, force: true });
});

function child(mode: string, more: Partial<ServerOptions> = {}): ServerOptions {
  return {
    name: mode,
    reach: { kind: "process", command: process.execPath, args: [SERVER, mode, folder], env: {}, cwd: folder },
    timeoutMs: 10_000,
    tools: null,
    ...more,
  };
}

function serve(servers: readonly ServerOptions[], options: Partial<McpOptions> = {}): McpServers {
  const mcp = new McpServers(servers, {
    version: "0",
    reserved: ["terminal"],
    clock: Date.now,
    retryMs: () => 10,
    patienceMs: GENEROUS_MS,
    log: (line) => lines.push(line),
    onProblem: (problem) => problems.push(problem),
    ...options,
  });
  open.push(mcp);
  mcp.start();
  return mcp;
}

const noted = (name: string): string[] =>
  existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8").split("\n").filter(Boolean) : [];

function exists(pid: string): boolean {
  try {
    return process.kill(Number(pid), 0) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

const never = new AbortController().signal;

async function call(mcp: McpServers, name: string, args: unknown = {}, signal = never): Promise<string> {
  return await (await toolOf(mcp, name)).run(args, { call: aCall, signal });
}

async function toolOf(mcp: McpServers, name: string): Promise<Tool> {
  const tool = (await mcp.tools()).find((each) => each.name === name);
  if (!tool) throw new Error(`There is no tool ${name}.`);
  return tool;
}

const until = (holds: () => unknown) =>
  vi.waitFor(() => expect(holds()).toBeTruthy(), { timeout: GENEROUS_MS, interval: 5 });
const stateOf = (mcp: McpServers) => mcp.states()[0] as McpState;
const reason = (mcp: McpServers) => {
  const state = stateOf(mcp);
  return state.kind === "failed" ? state.reason : state.kind;
};

describe("a server", () => {
  it("gives its tools, under its name, and runs them", async () => {
    const mcp = serve([child("plain")]);
    expect(stateOf(mcp)).toEqual({ server: "plain", kind: "connecting" });
    expect((await mcp.tools()).slice(0, 2).map(({ name, description }) => [name, description])).toEqual([
      ["plain_echo", "does echo"],
      ["plain_wait", "does wait"],
    ]);
    expect(stateOf(mcp)).toEqual({ server: "plain", kind: "ready", tools: 11, missing: [] });
    expect(await call(mcp, "plain_echo", { text: "hello" })).toBe("hello");
  });

  it("gives only the tools that were asked for, and says which it does not have", async () => {
    const mcp = serve([child("plain", { tools: ["echo", "fly"] })]);
    expect((await mcp.tools()).map(({ name }) => name)).toEqual(["plain_echo"]);
    expect(stateOf(mcp)).toMatchObject({ kind: "ready", tools: 1, missing: ['"fly"'] });
    expect(problems).toEqual(['MCP server plain has no tool "fly": correct its `tools` in config.yaml.']);
  });

  it("says once which tools it does not have, also if it is connected again", async () => {
    const mcp = serve([child("plain", { tools: ["die", "fly"] })]);
    await call(mcp, "plain_die");
    await until(() => stateOf(mcp).kind === "ready" && noted("starts").length === 2);
    expect(problems.filter((problem) => problem.includes("fly"))).toHaveLength(1);
  });

  it("is told what fails as a result", async () => {
    const mcp = serve([child("plain")]);
    expect(await call(mcp, "plain_fail")).toBe("Error: it is broken");
    expect(await call(mcp, "plain_refuse")).toBe("Error: no such thing");
    expect(await call(mcp, "plain_odd")).toMatch(
      /^Error: the MCP server plain sent an answer that is not a valid tool result/,
    );
    expect(await call(mcp, "plain_echo", [1])).toBe("Error: the arguments must be an object.");
    expect(await call(mcp, "plain_echo", {}, AbortSignal.abort())).toBe("Not run: the turn was stopped.");
  });

  it("mentions what is not text", async () => {
    const text = await call(serve([child("plain")]), "plain_media");
    expect(text.split("\n")).toEqual([
      "look:",
      "[image, image/png, 3 bytes, not shown]",
      "[audio, audio/wav, 6 bytes, not shown]",
      "[link to a: file:///a]",
      "[resource file:///b]",
      "the text of b",
      "[resource file:///c, x/y, not shown]",
      "[content of type hologram, not shown]",
      "[content of type unknown, not shown]",
    ]);
  });

  it("may say much, of which the beginning and the end are kept", async () => {
    const text = await call(serve([child("plain")]), "plain_big", { size: 3_000_000 });
    expect(text).toMatch(/^b{15000}\n… 2970000 characters not shown …\nb{15000}$/);
  });

  it("that says too much at once is lost, and comes back", async () => {
    const mcp = serve([child("plain")]);
    expect(await call(mcp, "plain_big", { size: 11 * 2 ** 20 })).toMatch(
      /was lost during the call; it may or may not/,
    );
    await until(() => stateOf(mcp).kind === "ready");
    expect(problems).toEqual(["Can't use the MCP server plain: it sent a message larger than 10 MB."]);
    expect(await call(mcp, "plain_echo", { text: "back" })).toBe("back");
  });

  it("is given up at the time-out, and told so", async () => {
    const mcp = serve([child("plain", { timeoutMs: 100 })]);
    expect(await call(mcp, "plain_wait")).toBe(
      "Error: the MCP server plain sent no answer and no progress for 0.1 s; it may or may not have taken effect.",
    );
    await until(() => noted("cancelled").length === 1);
    expect(noted("cancelled")).toEqual(noted("calls"));
    expect(await call(mcp, "plain_echo", { text: "still here" })).toBe("still here");
  });

  it("has time while it makes progress", async () => {
    const mcp = serve([child("plain", { timeoutMs: 1_500 })]);
    expect(await call(mcp, "plain_progress", { everyMs: 500 })).toBe("done after 4 steps");
  });

  it("is told when the turn is stopped", async () => {
    const mcp = serve([child("plain", { timeoutMs: 600_000 })]);
    const stop = new AbortController();
    const result = call(mcp, "plain_wait", {}, stop.signal);
    await until(() => noted("calls").length === 1);
    stop.abort();
    expect(await result).toBe("Error: stopped before it finished; it may or may not have taken effect.");
    await until(() => noted("cancelled").length === 1);
  });

  it("may have other tools by and by", async () => {
    const mcp = serve([child("plain")]);
    await call(mcp, "plain_grow");
    await until(() => stateOf(mcp).kind === "ready" && (stateOf(mcp) as { tools: number }).tools === 12);
    expect(await toolOf(mcp, "plain_grown")).toBeDefined();
  });

  it("that says without end that its tools have changed is asked now and then", async () => {
    const mcp = serve([child("restless")]);
    await mcp.tools();
    await until(() => noted("lists").length >= 3);
    expect(noted("lists").length).toBeLessThan(6);
  });

  it("that has no tools has none", async () => {
    const mcp = serve([child("toolless")]);
    expect(await mcp.tools()).toEqual([]);
    expect(stateOf(mcp)).toEqual({ server: "toolless", kind: "ready", tools: 0, missing: [] });
  });

  it("with a list without end is not followed forever", async () => {
    expect(await serve([child("pages")]).tools()).toHaveLength(64);
  });
});

describe("names and schemas", () => {
  it("that no model takes are changed or left out, each by itself", async () => {
    const mcp = serve([child("hostile")]);
    const tools = await mcp.tools();
    const names = tools.map(({ name }) => name);
    expect(names.map((name) => name.replace(/_[0-9a-f]{8}$/, "_#"))).toEqual([
      "hostile_a_b_c_31m_#",
      "hostile_a_b_c",
      "hostile_a_b_c_#",
      `hostile_${"x".repeat(47)}_#`,
      `hostile_${"x".repeat(47)}_#`,
      "hostile_echo",
      "hostile_terminal",
      "hostile_untyped",
    ]);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(tools[0]?.description).toBe("see this");
    expect(tools.at(-1)?.parameters).toEqual({ type: "object", properties: { text: { type: "string" } } });
    expect(
      await tools
        .find(({ name }) => name === "hostile_echo")
        ?.run({ text: "me" }, { call: aCall, signal: never }),
    ).toBe("me");
    expect(
      lines.filter((line) => /sent an (?:invalid definition|argument schema)|twice/.test(line)),
    ).toHaveLength(10);
  });

  it("that are other tools' are not taken", async () => {
    const mcp = serve([child("plain", { tools: ["echo"] })], { reserved: ["plain_echo"] });
    expect((await mcp.tools())[0]?.name).toMatch(/^plain_echo_[0-9a-f]{8}$/);
  });

  it("are not more than models take", async () => {
    const mcp = serve([child("many")]);
    expect(await mcp.tools()).toHaveLength(128);
    expect(lines).toContain(
      "MCP server many has 500 tools, and Baton uses the first 128: choose which with `tools`.",
    );
  });
});

describe("a server that is lost", () => {
  it("ends the call in flight, takes its own tools, and brings them back", async () => {
    const mcp = serve([child("plain"), child("garbage")], { retryMs: () => 200 });
    const echo = await toolOf(mcp, "plain_echo");
    const result = call(mcp, "plain_wait");
    await until(() => noted("calls").length === 1);
    const [pid] = noted("starts").filter((each) =>
      readFileSync(`/proc/${each}/cmdline`, "utf8").includes("plain"),
    );
    process.kill(Number(pid), "SIGKILL");
    expect(await result).toBe(
      "Error: the connection to the MCP server plain was lost during the call; it may or may not have taken effect.",
    );
    expect(reason(mcp)).toBe("it was killed by SIGKILL");
    expect(await echo.run({ text: "gone" }, { call: aCall, signal: never })).toBe(
      "Error: the MCP server plain is not connected now: it was killed by SIGKILL. The tool was not run.",
    );
    const names = (await mcp.tools()).map(({ name }) => name);
    expect(names.some((name) => name.startsWith("plain_"))).toBe(false);
    expect(await call(mcp, "garbage_echo", { text: "unharmed" })).toBe("unharmed");
    await until(() => stateOf(mcp).kind === "ready");
    expect(await echo.run({ text: "back" }, { call: aCall, signal: never })).toBe("back");
    expect(problems).toEqual(["Can't use the MCP server plain: it was killed by SIGKILL."]);
  });

  it("says how it ended", async () => {
    const mcp = serve([child("plain")], { retryMs: () => 60_000 });
    expect(await call(mcp, "plain_die")).toMatch(/lost during the call/);
    expect(reason(mcp)).toBe("it exited with code 5");
  });

  it("is tried again and again, after pauses that grow to a minute", async () => {
    const failures: number[] = [];
    const mcp = serve([child("dies")], { retryMs: (count) => failures.push(count) && 5 });
    await until(() => failures.length >= 4);
    expect(failures.slice(0, 4)).toEqual([1, 2, 3, 4]);
    expect(problems).toEqual([
      "Can't use the MCP server dies: it exited with code 3. It printed:\n  no licence found",
    ]);
    expect(lines).toContain("MCP server dies: no licence found");
    expect(await mcp.tools()).toEqual([]);
    expect([1, 2, 3, 7, 50].map(pauseAfter)).toEqual([1_000, 2_000, 4_000, 60_000, 60_000]);
  });
});

describe("a server that does not behave", () => {
  it("never keeps a turn waiting for more than a moment, nor a second time", async () => {
    const mcp = serve([child("silent"), child("plain")], { patienceMs: 20 });
    await mcp.tools();
    await until(() => mcp.states()[1]?.kind === "ready");
    expect(await mcp.tools()).toHaveLength(11);
    expect(stateOf(mcp)).toEqual({ server: "silent", kind: "connecting" });
  });

  it("gets longer if it may be installing itself, and the person is told", async () => {
    const mcp = serve([{ ...child("silent"), patienceMs: 120_000 }, child("plain")], { patienceMs: 20 });
    let isDone = false;
    const tools = mcp.tools().then(() => {
      isDone = true;
    });
    await until(() => problems.length > 0);
    expect(problems).toEqual([
      "Waiting for MCP server silent, up to 2 minutes: it is still starting, perhaps installing itself.",
    ]);
    expect(isDone).toBe(false);
    await mcp.close();
    await tools;
  });

  it("may greet before it speaks", async () => {
    expect(await call(serve([child("garbage")]), "garbage_echo", { text: "hi" })).toBe("hi");
  });

  it.each([
    ["babble", "it printed something that is not an MCP message"],
    ["endless", "it sent a message larger than 10 MB"],
    ["shut", "it closed its output"],
  ])("is given up: %s", async (mode, why) => {
    const mcp = serve([child(mode)], { retryMs: () => 60_000 });
    await until(() => stateOf(mcp).kind === "failed");
    expect(reason(mcp)).toBe(why);
  });

  it("does not fill the log", async () => {
    const mcp = serve([child("noisy")]);
    expect(await call(mcp, "noisy_echo", { text: "heard" })).toBe("heard");
    expect(lines).toContain("MCP server noisy: noise red");
    expect(lines).toContain("MCP server noisy: … more lines in this minute are not shown");
    expect(lines.length).toBeLessThan(140); // Twice sixty, where the minute turned meanwhile.
  });

  it("that cannot be started says so", async () => {
    const reach = {
      kind: "process",
      command: "no-such-command-here",
      args: [],
      env: {},
      cwd: folder,
    } as const;
    const mcp = serve([child("absent", { reach })], { retryMs: () => 60_000 });
    expect(await mcp.tools()).toEqual([]);
    expect(reason(mcp)).toBe("its command or its folder was not found");
  });
});

describe("closing", () => {
  it.each(["deaf", "silent", "listless", "babble", "noisy"])("ends a server that is %s", async (mode) => {
    const mcp = serve([child(mode)], { patienceMs: 0 });
    await until(() => noted("starts").length === 1);
    await mcp.close();
    await until(() => !exists(noted("starts")[0] as string));
  });

  it("ends what a server has started, too", async () => {
    const mcp = serve([child("family")]);
    await mcp.tools();
    expect(exists(noted("child")[0] as string)).toBe(true);
    await mcp.close();
    await until(() => !exists(noted("child")[0] as string));
  });

  it("and what a server that died left behind", async () => {
    const mcp = serve([child("family")], { retryMs: () => 60_000 });
    await call(mcp, "family_die");
    await until(() => !exists(noted("child")[0] as string));
    expect(reason(mcp)).toBe("it exited with code 5");
  });

  it("is not even needed where the process leaves in a hurry", async () => {
    const built = new URL("../../../dist/agent/mcp/mcp-servers.js", import.meta.url);
    const hurried = `
      const { McpServers } = await import(${JSON.stringify(built.href)});
      const [server] = ${JSON.stringify([child("deaf")])};
      const say = () => {};
      const mcp = new McpServers([server], { version: "0", reserved: [], clock: Date.now, log: say, onProblem: say });
      mcp.start();
      await mcp.tools();
      process.exit(mcp.states()[0].tools);`;
    const { status } = spawnSync(process.execPath, ["--input-type=module", "-e", hurried]);
    expect(status).toBe(11);
    await until(() => !exists(noted("starts")[0] as string));
  });

  it("ends the calls in flight, and starts nothing again", async () => {
    const mcp = serve([child("plain")]);
    const result = call(mcp, "plain_wait");
    await until(() => noted("calls").length === 1);
    await mcp.close();
    expect(await result).toMatch(/lost during the call/);
    expect(await mcp.tools()).toEqual([]);
    expect(noted("starts")).toHaveLength(1);
  });
});

describe("what a server is told", () => {
  const PATH = "/usr/bin:/bin";

  it("is the environment that was given, and nothing of ours", async () => {
    const reach = {
      kind: "process",
      command: process.execPath,
      args: [SERVER, "plain"],
      cwd: folder,
    } as const;
    const env = { PATH, GREETING: "hello" };
    const mcp = serve([child("plain", { reach: { ...reach, env } })]);
    expect(JSON.parse(await call(mcp, "plain_environment"))).toEqual(env);
  });

  it("in confidence does not come back", async () => {
    const reach = {
      kind: "process",
      command: process.execPath,
      args: [SERVER, "plain"],
      cwd: folder,
    } as const;
    const env = { PATH, KEY: { reveal: () => "canary-1234" } };
    const mcp = serve([child("plain", { reach: { ...reach, env } })]);
    expect(JSON.parse(await call(mcp, "plain_environment"))).toEqual({ PATH, KEY: "***" });
  });
});
