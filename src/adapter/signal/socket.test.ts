/** What the socket has that HTTP has not: lines, one connection for all, and a place that others must not reach. */
import { chmod, chown, lchown, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SignalSocket } from "../../../test/support/signal-socket.js";
import { ACCOUNT, ANN, SignalWorld } from "../../../test/support/signal-world.js";
import { KeptAdapter, type KeptSetting } from "../../testing/kept-adapter.js";
import { ConnectError, type InboundMessage, type Receive } from "../adapter.js";
import { SignalAdapter } from "./adapter.js";
import { check } from "./check.js";
import { LineSplitter } from "./line-splitter.js";
import { SocketLine } from "./socket-line.js";
import { trustedSocket } from "./socket-trust.js";

const ROOT = process.getuid?.() === 0;
const STRANGER = 54_321;

describe("signal by a socket", () => {
  let world: SignalWorld;
  let socket: SignalSocket;
  let adapter: KeptAdapter;
  let received: InboundMessage[];
  /** Ends what a test holds up. */
  let letGo = (): void => {};
  const told: unknown[] = [];
  const surroundings: KeptSetting = {
    tell: (state) => told.push(state),
  };
  const receive: Receive = async (message) => {
    received.push(message);
    return "accepted";
  };
  const texts = () => received.map(({ text }) => text);
  const until = (count: number) => vi.waitUntil(() => received.length >= count, { timeout: 20_000 });
  const spoken = (text: string, timestamp: number, account = ACCOUNT) => {
    const from = { sourceNumber: ANN.number, sourceUuid: ANN.uuid, sourceName: ANN.name };
    const envelope = { ...from, timestamp, dataMessage: { timestamp, message: text } };
    return `${JSON.stringify({ jsonrpc: "2.0", method: "receive", params: { envelope, account } })}\n`;
  };

  beforeEach(async () => {
    world = await SignalWorld.open();
    socket = await SignalSocket.open(world.baseUrl);
    adapter = new KeptAdapter(new SignalAdapter({ baseUrl: socket.url, account: ACCOUNT }));
    received = [];
    told.length = 0;
  });
  afterEach(async () => {
    letGo();
    await adapter.disconnect();
    await socket.close();
    await world.close();
  });

  it("receives and sends by one connection, which goes with the adapter", async () => {
    await adapter.connect(receive, surroundings);
    await world.write("hello");
    await until(1);
    const address = { platform: "signal", chatId: ANN.number };
    await Promise.all([1, 2, 3].map((n) => adapter.send({ address, text: `to ${n}`, deliveryId: `${n}` })));
    expect(world.sentTo(ANN.number).map(({ params }) => params.message)).toHaveLength(3);
    expect(socket.clients).toBe(1);
    await adapter.disconnect();
    await vi.waitUntil(() => socket.clients === 0, { timeout: 20_000 });
  });

  it("goes on when the daemon died and is back, and says so", async () => {
    await adapter.connect(receive, surroundings);
    await socket.stop();
    await vi.waitUntil(() => told.length === 2, { timeout: 20_000 });
    const address = { platform: "signal", chatId: ANN.number };
    await expect(adapter.send({ address, text: "lost?", deliveryId: "1" })).rejects.toMatchObject({
      outcome: "retryable",
      message: "Signal is not connected.",
    });
    await socket.start();
    await vi.waitUntil(() => told.length === 3, { timeout: 20_000 });
    await world.write("after the death");
    await until(1);
    const mended = { lost: expect.stringContaining("daemon --socket") };
    expect(told).toEqual([{ lost: expect.any(String) }, mended, "connected"]);
    await adapter.send({ address, text: "again", deliveryId: "1" });
    expect(world.sentTo(ANN.number)).toHaveLength(1);
  });

  it("does not know what became of a call that the daemon died with", async () => {
    await adapter.connect(receive, surroundings);
    world.failNext("swallow");
    const address = { platform: "signal", chatId: ANN.number };
    const sent = adapter.send({ address, text: "hi", deliveryId: "1" });
    const failed = expect(sent).rejects.toMatchObject({ outcome: "unknown" });
    await vi.waitUntil(() => world.sentTo(ANN.number).length === 1, { timeout: 20_000 });
    await socket.stop();
    await failed;
  });

  it("reads a line that comes in pieces, cut inside a letter", async () => {
    await adapter.connect(receive, surroundings);
    const bytes = Buffer.from(spoken("ein Gruß 👋", 1) + spoken("two", 2));
    for (let at = 0; at < bytes.length; at += 7) await socket.say(bytes.subarray(at, at + 7));
    await until(2);
    expect(texts()).toEqual(["ein Gruß 👋", "two"]);
  });

  it("passes over lines that are none of the daemon's", async () => {
    await adapter.connect(receive, surroundings);
    const odd = ["", "{", "null", "[]", '"id"', '{"id":99,"result":1}', '{"id":1,"method":"other"}'];
    const odder = ['{"method":"receive"}', '{"method":"receive","params":{"subscription":0}}', "\ud800\0"];
    await socket.say(`${[...odd, ...odder].join("\n")}\n${spoken("sound", 1)}`);
    await until(1);
    expect(texts()).toEqual(["sound"]);
    expect(told).toEqual([]);
  });

  it("takes what comes without a subscription, but not another account's", async () => {
    world.accounts = [ACCOUNT, "+15559999999"];
    await adapter.connect(receive, surroundings);
    await socket.say(spoken("theirs", 1, "+15559999999") + spoken("ours", 2));
    await until(1);
    expect(texts()).toEqual(["ours"]);
  });

  it("reads no further than it can take, unless an answer waits behind", async () => {
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await adapter.connect(async (message) => {
      await held;
      return receive(message);
    }, surroundings);
    const pause = vi.spyOn(Socket.prototype, "pause");
    const isHalted = () =>
      (pause.mock.contexts as Socket[]).some((each) => each.remoteAddress === undefined && each.isPaused());
    const filler = "x".repeat(20_000);
    const many = Array.from({ length: 1_000 }, (_, n) => spoken(`${n} ${filler}`, n + 1));
    let isWritten = false;
    const writing = socket.say(many.join("")).then(() => {
      isWritten = true;
    });
    await vi.waitUntil(isHalted, { timeout: 20_000 });
    expect(isWritten).toBe(false); // 20 MB fit into no buffer between the two.
    await adapter.typing({ platform: "signal", chatId: ANN.number }); // Its answer comes behind all of them.
    letGo();
    await writing;
    await until(1_000);
    pause.mockRestore();
    expect(texts().map((text) => Number(text.split(" ")[0]))).toEqual(many.map((_, n) => n));
  });

  it("takes what was handed over, though the daemon has died since", async () => {
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const opened = vi.spyOn(SocketLine, "open");
    await adapter.connect(async (message) => {
      await held;
      return receive(message);
    }, surroundings);
    const line = await opened.mock.results[0]?.value;
    opened.mockRestore();
    const many = Array.from({ length: 150 }, (_, n) => `${n}`);
    await socket.say(many.map((text, n) => spoken(text, n + 1)).join(""));
    await socket.stop();
    await line.over;
    letGo();
    await until(many.length);
    expect(texts()).toEqual(many);
  });

  it("says that no daemon is there, and how to start it", async () => {
    await socket.stop();
    await expect(adapter.connect(receive, surroundings)).rejects.toMatchObject({
      outcome: "retryable",
      message: expect.stringMatching(
        /daemon --socket '.*signal\.sock' --receive-mode=manual.*SIGNAL_HTTP_URL/,
      ),
    });
  });

  it("does not connect to a socket that others can have put there", async () => {
    await chmod(socket.folder, 0o777);
    const error = await adapter.connect(receive, surroundings).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConnectError);
    expect(error).toMatchObject({
      outcome: "permanent",
      message: expect.stringContaining(`chmod go-w '${await realpath(socket.folder)}'`),
    });
    await chmod(socket.folder, 0o700);
    await adapter.connect(receive, surroundings);
  });

  it("looks again before it reconnects, and stops where it is not to be trusted", async () => {
    await adapter.connect(receive, surroundings);
    await chmod(socket.folder, 0o777);
    socket.cut();
    await vi.waitUntil(() => told.length === 2, { timeout: 20_000 });
    expect(told).toEqual([{ lost: expect.any(String) }, { failed: expect.stringContaining("chmod go-w") }]);
  });

  it("is checked by the set-up, which leaves nothing open and takes no message", async () => {
    world.accounts = [ACCOUNT];
    const { who } = await check({ url: socket.url, account: ACCOUNT });
    expect(who).toContain(socket.url);
    await vi.waitUntil(() => socket.clients === 0, { timeout: 20_000 });
    expect(world.between.listeners).toBe(0);
  });
});

describe("a socket that can be trusted", () => {
  let base: string;
  let folder: string;
  let path: string;
  const servers: ReturnType<typeof createServer>[] = [];
  const us = process.getuid?.() ?? 0;
  const listen = async (at: string) => {
    const server = createServer();
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(at, resolve));
  };
  const refusal = (at = path, uid: number | undefined = us) =>
    trustedSocket(at, uid).then(
      () => expect.unreachable("It was trusted."),
      (error: ConnectError) => error.message,
    );

  beforeEach(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), "baton-trust-")));
    folder = join(base, "in");
    path = join(folder, "s");
    await mkdir(folder, { mode: 0o700 });
    await listen(path);
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
    await rm(base, { recursive: true, force: true });
  });

  it("lies in folders that nobody else can write to, below one like /tmp", async () => {
    expect(await trustedSocket(path, us)).toBe(path);
    await chmod(base, 0o1777);
    expect(await trustedSocket(path, us)).toBe(path);
  });

  it.each([0o777, 0o770, 0o702, 0o1777])("does not lie in a folder of mode %o", async (mode) => {
    await chmod(folder, mode);
    expect(await refusal()).toMatch(mode === 0o1777 ? /private folder \(chmod 700\)/ : /Run: chmod go-w '/);
  });

  it("does not lie below a folder that others can write to", async () => {
    await chmod(base, 0o777);
    expect(await refusal()).toContain(`chmod go-w '${base}'`);
  });

  it("is a socket", async () => {
    const file = join(folder, "file");
    await writeFile(file, "");
    expect(await refusal(file)).toContain("it is not a socket");
    expect(await refusal(folder)).toContain("it is not a socket");
    await expect(trustedSocket(join(folder, "none"), us)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("is found by links, whose way is looked at too", async () => {
    await symlink("in", join(base, "link"));
    await symlink("../in/s", join(folder, "again"));
    expect(await trustedSocket(join(base, "link", "again"), us)).toBe(path);
    const open = join(base, "open");
    await mkdir(open);
    await chmod(open, 0o777);
    await symlink(path, join(open, "s"));
    await symlink(join(open, "s"), join(folder, "around"));
    expect(await refusal(join(folder, "around"))).toContain(`chmod go-w '${open}'`);
    await symlink("circle", join(folder, "circle"));
    expect(await refusal(join(folder, "circle"))).toContain("circle");
  });

  it("cannot be told where files have no owners", async () => {
    await expect(trustedSocket(path, undefined)).rejects.toMatchObject({ outcome: "permanent" });
  });

  it.runIf(ROOT).each([
    ["the socket", () => path, () => chown(path, STRANGER, STRANGER)],
    ["the folder", () => folder, () => chown(folder, STRANGER, STRANGER)],
    ["the folder", () => base, () => chown(base, STRANGER, STRANGER)],
  ])("does not trust %s of a stranger", async (what, where, give) => {
    await give();
    const said = await refusal();
    expect(said).toContain(`${what} ${where()} belongs to user ${STRANGER}`);
    expect(said).toContain(`chown -h ${us} '`);
    expect(await trustedSocket(path, STRANGER)).toBe(path); // Root's and their own.
  });

  it.runIf(ROOT)("does not follow a stranger's link", async () => {
    await chmod(base, 0o1777);
    await symlink("in", join(base, "link"));
    await lchown(join(base, "link"), STRANGER, STRANGER);
    expect(await refusal(join(base, "link", "s"))).toContain("the link");
  });
});

describe("lines", () => {
  it("are the same however they are cut, and the longest are passed over", () => {
    const bytes = Buffer.from("one\n\nzwölf\n0123456789\nlast\nrest");
    for (let size = 1; size <= bytes.length; size += 1) {
      const lines = new LineSplitter(9);
      const found: string[] = [];
      for (let at = 0; at < bytes.length; at += size)
        found.push(...lines.push(bytes.subarray(at, at + size)));
      expect(found).toEqual(["one", "", "zwölf", "last"]);
    }
  });
});
