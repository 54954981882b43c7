/** A client of a host that is slow, hangs or cannot start. The host is a stand-in that answers what the test lets it. */
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ProcessId } from "../session/ids.js";
import { lockText } from "../util/file-lock.js";
import { processHolder } from "../util/holder.js";
import { SILENT_MS } from "../util/life-sign.js";
import { HostClient, type HostClientOptions } from "./host-client.js";
import { readJsonLines, writeJsonLine } from "./json-lines.js";
import { lockFileOf, writeSocket } from "./places.js";
import type { HostRequest } from "./protocol.js";
import { type StartedHost, startHost } from "./start-host.js";

const id = "p_0000000001" as ProcessId;
const HOST = new URL("../../dist/process-host.js", import.meta.url).pathname;

let folder: string;
let servers: Server[];
let clients: HostClient[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "baton-host-client-"));
  servers = [];
  clients = [];
});

afterEach(() => {
  vi.useRealTimers();
  for (const client of clients) client.close();
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true });
});

/** A host that hears requests; null if it does not even say hello. */
async function standIn(onRequest: ((request: HostRequest, socket: Socket) => void) | null): Promise<Server> {
  const server = createServer((socket) => {
    let isGreeted = false;
    readJsonLines(socket, (value) => {
      if (!onRequest) return void server.emit("hello");
      if (isGreeted) return onRequest(value as HostRequest, socket);
      isGreeted = true;
      writeJsonLine(socket, { baton: "process host", protocol: 1, protocols: [1], version: "test" });
    });
  });
  servers.push(server);
  const path = join(folder, "host-test.sock");
  await once(server.listen(path), "listening");
  writeSocket(folder, path);
  return server;
}

function clientWith(options: Partial<HostClientOptions> = {}): HostClient {
  const client = new HostClient({
    folder,
    version: "test",
    start: async () => null,
    onEvent: () => {},
    onConnected: () => {},
    onLost: () => {},
    ...options,
  });
  clients.push(client);
  return client;
}

const environment = { PATH: process.env.PATH ?? "" };

/** Time passes only if the test says so. */
function holdTime(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
}

test("a request that is not answered fails alone, if the host answers others", async () => {
  const asked: HostRequest[] = [];
  let answerLater = (): void => {};
  await standIn((request, socket) => {
    asked.push(request);
    if (request.do === "list") writeJsonLine(socket, { n: request.n, ok: [] });
    if (request.do === "read") answerLater = () => writeJsonLine(socket, { n: request.n, ok: "output" });
  });
  const onLost = vi.fn();
  const client = clientWith({ onLost });
  await client.request("list", {});
  holdTime();
  const slow = expect(client.request("status", { id })).rejects.toMatchObject({ code: "process_host_slow" });
  await expect.poll(() => asked.length).toBe(2);
  await vi.advanceTimersByTimeAsync(30_000);
  await client.request("list", {});
  const later = client.request("read", { id, from: 0, limit: 1 });
  await expect.poll(() => asked.length).toBe(4);
  await vi.advanceTimersByTimeAsync(30_000);
  await slow;
  answerLater();
  expect(await later).toBe("output");
  expect(onLost).not.toHaveBeenCalled();
});

test("a host that answers nothing is left, and the request is asked again", async () => {
  const asked: HostRequest[] = [];
  await standIn((request, socket) => {
    asked.push(request);
    if (asked.length > 1) writeJsonLine(socket, { n: request.n, ok: [] });
  });
  const onLost = vi.fn();
  const client = clientWith({ onLost });
  await client.helloIfRunning();
  holdTime();
  const listed = client.request("list", {});
  await expect.poll(() => asked.length).toBe(1);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await listed).toEqual([]);
  expect(onLost).toHaveBeenCalledTimes(1);
});

test.each([
  ["status", { id }, ["status", "status"]],
  ["write", { id, text: "x" }, ["write"]],
] as const)(
  "if the host ends before it answers, %s is asked as often as it may be",
  async (verb, takes, all) => {
    const asked: string[] = [];
    await standIn((request, socket) => {
      asked.push(request.do);
      if (asked.length === 1) socket.destroy();
      else writeJsonLine(socket, { n: request.n, ok: "answered" });
    });
    const answer = clientWith().request(verb, takes);
    if (verb === "write") await expect(answer).rejects.toMatchObject({ code: "process_host_lost" });
    else expect(await answer).toBe("answered");
    expect(asked).toEqual(all); // Input that is written again may be read twice.
  },
);

test("what a host may have done before it ended stays open, though no other can be started", async () => {
  const server = await standIn((_, socket) => {
    server.close();
    socket.destroy();
  });
  const start = vi.fn(() => Promise.reject(new Error("no memory")));
  await expect(clientWith({ start }).request("status", { id })).rejects.toMatchObject({
    code: "process_host_lost",
    message: expect.stringContaining("no memory"),
  });
  expect(start).toHaveBeenCalledTimes(1);
});

test("a host that does not say hello is named, so that somebody can end it", async () => {
  const server = await standIn(null);
  const start = vi.fn(async () => null);
  const client = clientWith({ start });
  const greeted = once(server, "hello");
  holdTime();
  const listed = expect(client.request("list", {})).rejects.toMatchObject({
    code: "process_host_unavailable",
    message: expect.stringContaining(lockFileOf(folder)),
  });
  await greeted;
  await vi.advanceTimersByTimeAsync(30_000);
  await listed;
  expect(start).not.toHaveBeenCalled();
});

test("a client that is closed while it connects tries no more", async () => {
  let started = (): void => {};
  const starting = new Promise<void>((resolve) => {
    started = resolve;
  });
  const client = clientWith({
    start: async () => {
      started();
      return null;
    },
  });
  const listed = expect(client.request("list", {})).rejects.toMatchObject({
    code: "process_host_unavailable",
    message: "Baton is stopping, so it does not ask the process host.",
  });
  await starting;
  client.close();
  await listed;
});

test("a client that is closed before the host says hello waits no longer", async () => {
  const server = await standIn(null);
  const client = clientWith();
  const greeted = once(server, "hello");
  const listed = expect(client.request("list", {})).rejects.toMatchObject({
    code: "process_host_unavailable",
  });
  await greeted;
  client.close();
  await listed;
});

test.each([
  [
    "whose program is missing",
    () => join(folder, "missing.js"),
    /can't start: Error: Cannot find module '\S+missing\.js'/,
  ],
  ["that cannot listen", () => HOST, /can't start: Error: EISDIR: .*host\.socket\.tmp/],
])("a host %s says why at once", async (_, program, message) => {
  mkdirSync(join(folder, "host.socket.tmp"));
  const start = vi.fn(() =>
    startHost({ program: program(), folder, environment, surroundings: { kind: "free" } }),
  );
  const client = clientWith({ start });
  const why = { code: "process_host_unavailable", message: expect.stringMatching(message) };
  await expect(client.request("list", {})).rejects.toMatchObject(why);
  holdTime();
  await expect(client.request("list", {})).rejects.toMatchObject(why);
  expect(start).toHaveBeenCalledTimes(1); // The next one is tried a little later.
});

const GAVE_WAY: StartedHost = { failure: null, gaveWay: true, leave: () => {} };

test("a host that gives way to one of before a restart is tried again until that one counts as ended", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const begunAt = performance.now();
  const start = vi.fn(async () => {
    if (performance.now() - begunAt <= SILENT_MS) return GAVE_WAY;
    await standIn((request, socket) => writeJsonLine(socket, { n: request.n, ok: [] }));
    return { ...GAVE_WAY, gaveWay: false };
  });
  const listed = clientWith({ start }).request("list", {});
  for (let tries = 1; performance.now() - begunAt <= SILENT_MS; tries++) {
    await expect.poll(() => start.mock.calls.length).toBe(tries);
    vi.advanceTimersByTime(5_000);
  }
  expect(await listed).toEqual([]);
});

test("a host that has the lock and never listens is named, so that somebody can end it", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const start = vi.fn(async () => GAVE_WAY);
  const client = clientWith({ start });
  const why = { code: "process_host_unavailable", message: expect.stringContaining(lockFileOf(folder)) };
  const listed = expect(client.request("list", {})).rejects.toMatchObject(why);
  await expect.poll(() => start.mock.calls.length).toBe(1);
  vi.advanceTimersByTime(10 * SILENT_MS);
  await listed;
  await expect(client.request("list", {})).rejects.toMatchObject(why);
  expect(start).toHaveBeenCalledTimes(1);
});

test("a host that ends because another one has the lock has given way", async () => {
  const server = { program: HOST, folder, environment, surroundings: { kind: "free" } } as const;
  writeFileSync(
    lockFileOf(folder),
    lockText({ process: processHolder(), pid: process.pid, host: "", since: "" }),
  );
  const started = await startHost(server);
  await expect.poll(() => started.gaveWay).toBe(true);
  expect(started.failure).toBeNull();
});
