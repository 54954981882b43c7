/**
 * The reference servers from npm, used in turns of a real gateway, killed in the middle of a call, and back again. The
 * agent is scripted: it calls the tool that the message names, and says what came of it.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Agent } from "../src/agent/agent.js";
import { McpServers, type ServerOptions } from "../src/agent/mcp/mcp-servers.js";
import { runToolCall } from "../src/agent/tool-call.js";
import { aCall } from "./support/a-call.js";
import { type Chat, World } from "./support/gateway-world.js";

const require = createRequire(import.meta.url);
const EVERYTHING = require.resolve("@modelcontextprotocol/server-everything/dist/index.js");
const FILESYSTEM = require.resolve("@modelcontextprotocol/server-filesystem/dist/index.js");
const env = { PATH: "/usr/local/bin:/usr/bin:/bin" };

const LOST =
  /^got Error: the connection to the MCP server everything was lost during the call; it may or may not have taken effect\.$/;
const LONG = 'everything_trigger-long-running-operation {"duration":600,"steps":600}';

/** How many calls of the agent have begun. */
let calls = 0;
const agent: Agent = {
  name: "scripted",
  async *run({ history, tools, signal }) {
    const [, name = "", json = ""] = /^(\S+) (.*)$/s.exec(history.at(-1)?.content ?? "") ?? [];
    const call = { id: `call-${history.length}`, name, arguments: json };
    yield { kind: "tool call", call };
    calls += 1;
    const content = await runToolCall(call, tools, signal);
    yield { kind: "tool result", call, content };
    yield {
      kind: "message",
      message: { role: "assistant", content: "", toolCalls: [call] },
      results: [{ role: "tool", toolCallId: call.id, name, content }],
    };
    yield { kind: "message", message: { role: "assistant", content: `got ${content}` }, results: [] };
    yield { kind: "done", stopped: false };
  },
};

let folder: string;
let mcp: McpServers;
let world: World;
let ann: Chat;
let web: ChildProcess | undefined;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "baton-mcp-")));
  writeFileSync(join(folder, "note.txt"), "water the garden");
});
afterEach(async () => {
  await world.close();
  await mcp.close();
  web?.kill("SIGKILL");
  web = undefined;
  rmSync(folder, { recursive: true, force: true });
});

/** A reference server over stdio, which leaves its process id in the folder. */
function stdio(name: string, ...args: string[]): ServerOptions {
  const script = ["-c", 'echo $$ > "$0"; exec "$@"', join(folder, `${name}.pid`), process.execPath, ...args];
  const reach = { kind: "process", command: "/bin/sh", args: script, env, cwd: folder } as const;
  return { name, reach, timeoutMs: 60_000, tools: null };
}

async function serve(...servers: ServerOptions[]): Promise<void> {
  const said: string[] = [];
  mcp = new McpServers(servers, {
    version: "0",
    reserved: [],
    clock: Date.now,
    retryMs: () => 50,
    patienceMs: 55_000,
    log: (line) => said.push(line),
    onProblem: (problem) => said.push(problem),
  });
  mcp.start();
  const info = { mcp: () => mcp.states(), clock: Date.now };
  world = await World.open({
    gateway: { agent, tools: () => mcp.tools() },
    people: { owners: { telegram: ["ann"] } },
    info,
  });
  ann = world.chat("ann");
}

const ready = () =>
  vi.waitFor(() => expect(mcp.states().every(({ kind }) => kind === "ready")).toBe(true), {
    timeout: 55_000,
    interval: 10,
  });

/** Begins the long operation, and makes sure that the server is at it: it answers in order what comes later. */
async function amidACall(): Promise<number> {
  const before = ann.told.length;
  const begun = calls;
  await ann.write(LONG);
  await vi.waitFor(async () => {
    expect(calls).toBe(begun + 1); // A turn that is stopped earlier makes no call.
    const echo = (await mcp.tools()).find(({ name }) => name === "everything_echo");
    const { signal } = new AbortController();
    expect(await echo?.run({ message: "there?" }, { call: aCall, signal })).toBe("Echo: there?");
  }, 20_000);
  return before;
}

async function checkTranscript(begins: number): Promise<void> {
  const messages = await world.sessions.load((await ann.session()).sessionId);
  const turn = messages.slice(begins, begins + 4);
  expect(turn.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
  const [, asked, result, said] = turn;
  const [call] = asked?.role === "assistant" ? (asked.toolCalls ?? []) : [];
  expect(result?.role === "tool" && result.toolCallId).toBe(call?.id);
  expect(said?.content).toBe(`got ${result?.content}`);
}

describe("the reference servers", () => {
  it("over stdio are used in a turn, killed in the middle of a call, and back", async () => {
    await serve(stdio("everything", EVERYTHING, "stdio"), stdio("files", FILESYSTEM, folder));
    const path = JSON.stringify({ path: join(folder, "note.txt") });
    expect(await ann.ask('everything_get-sum {"a":2,"b":3}')).toBe("got The sum of 2 and 3 is 5.");
    expect(await ann.ask(`files_read_text_file ${path}`)).toBe("got water the garden");
    expect(await ann.ask('files_read_text_file {"path":"/etc/passwd"}')).toMatch(/^got Error: Access denied/);
    expect(await ann.ask("/status")).toMatch(
      /\nMCP server everything: ready, \d+ tools\.\nMCP server files: ready, \d+ tools\.$/,
    );

    const before = await amidACall();
    process.kill(Number(readFileSync(join(folder, "everything.pid"), "utf8")), "SIGKILL");
    expect(await ann.next(before)).toMatch(LOST);
    await checkTranscript(12);
    expect(await ann.ask(`files_read_text_file ${path}`)).toBe("got water the garden");

    await ready();
    expect(await ann.ask('everything_echo {"message":"back"}')).toBe("got Echo: back");
    expect(world.problems).toEqual([]);
  });

  it("over streamable HTTP likewise", async () => {
    const port = await freePort();
    await startWeb(port);
    const reach = { kind: "http", url: `http://127.0.0.1:${port}/mcp`, headers: {} } as const;
    const everything = { name: "everything", reach, timeoutMs: 60_000, tools: null };
    await serve(everything, stdio("files", FILESYSTEM, folder));
    expect(await ann.ask('everything_get-sum {"a":2,"b":3}')).toBe("got The sum of 2 and 3 is 5.");
    expect(await ann.ask("everything_get-tiny-image {}")).toMatch(
      /\n\[image, image\/png, \d+ bytes, not shown\]\n/,
    );

    const before = await amidACall();
    web?.kill("SIGKILL");
    expect(await ann.next(before)).toMatch(LOST);
    await checkTranscript(8);
    expect(await ann.ask("/status")).toMatch(
      /\nMCP server everything: (?:failed, (?:nothing answers at its URL|the connection was lost)|connecting)/,
    );
    const files = await ann.ask('files_list_directory {"path":"."}');
    expect(files).toContain("[FILE] note.txt");

    await startWeb(port);
    await ready();
    expect(await ann.ask('everything_echo {"message":"back"}')).toBe("got Echo: back");
    expect(world.problems).toEqual([]);
  });

  it("are told when the turn is stopped, and go on", async () => {
    await serve(stdio("everything", EVERYTHING, "stdio"));
    await amidACall();
    world.gateway.lane(ann.key).stop("stopped");
    await vi.waitFor(() => expect(world.gateway.lane(ann.key).run).toBeUndefined(), { timeout: 20_000 });
    const [, asked, result] = await ann.transcript();
    expect(asked).toBe("assistant: ");
    expect(result).toMatch(/^tool: .*topped before it finished; it may or may not have taken effect\.$/);
    expect(await ann.ask('everything_echo {"message":"next"}')).toBe("got Echo: next");
  });
});

async function startWeb(port: number): Promise<void> {
  web = spawn(process.execPath, [EVERYTHING, "streamableHttp"], {
    env: { ...env, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [said] = await once(web.stderr as NodeJS.ReadableStream, "data");
  expect(String(said)).toContain(`listening on port ${port}`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address ? address.port : 0;
}
