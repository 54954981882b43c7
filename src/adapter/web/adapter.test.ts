import { readdir } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { WebBrowser } from "../../../test/support/web-browser.js";
import { WebWorld } from "../../../test/support/web-world.js";
import type { SessionId } from "../../session/ids.js";
import type { Address } from "../../session/source.js";
import type { AdapterFixture, Written } from "../../testing/adapter/fixture.js";
import { adapterContract } from "../../testing/adapter-contract.js";
import { KeptAdapter, memoryOf } from "../../testing/kept-adapter.js";
import type { InboundMessage, Letter } from "../adapter.js";
import { URL_MEMORY } from "./adapter.js";
import { WEB } from "./web-source.js";
import { PATHS, type WireCall, type WireEvent } from "./wire.js";
import { wirePost } from "./wire-post.js";

const CHAT = "telegram/1";
const ADDRESS: Address = { platform: WEB, chatId: CHAT };

async function fixture(): Promise<AdapterFixture> {
  const world = await WebWorld.open();
  const browser = world.browser();
  browser.open();
  let last = "";
  let threadId = "";
  const said = new Map<string, Parameters<WebBrowser["say"]>[0]>();
  const confirmed = async (id: string): Promise<{ messageId: string }> => {
    last = id;
    return { messageId: id };
  };
  /** What the store has by now is what the browser shows. */
  const shown = async (address: Address = ADDRESS) => {
    const { chatId, threadId = null } = address;
    if (world.url === null) return (await world.posts.inThread(chatId, threadId, 0, null, 100)).map(wirePost);
    const position = await world.posts.last(chatId);
    await expect.poll(() => browser.position).toBeGreaterThanOrEqual(position);
    return browser.shown(threadId);
  };
  const post = (id: string) => browser.posts.get(id) ?? expect.unreachable("There is no such post.");
  const say = async (what: Parameters<WebBrowser["say"]>[0]) => {
    const id = what.id ?? `message-${said.size}-`.padEnd(22, "x");
    said.set(id, what);
    try {
      await browser.say({ ...what, id });
    } catch (error) {
      last = id;
      if (world.url === null) throw error; // Nobody is there: it stays in the outbox.
    }
    return confirmed(id);
  };
  return {
    adapter: world.taking(world.adapter()),
    address: ADDRESS,
    nowhere: { platform: WEB, chatId: "nobody" },
    lacks: {
      replies: "The page has no answers to single messages.",
      names: "People are called what they are called where they come from.",
      "empty texts": "The page sends no empty messages.",
      "rate limited": "The store has no such limit.",
      refused: "The store refuses nobody.",
      "revoked token": "There is no token.",
    },
    again: () => world.taking(world.adapter()),
    write: async (written: Written) => {
      threadId = written.threadId ?? threadId;
      const files = written.files ? await browser.upload(written.files) : [];
      const { text } = written;
      return say({
        text,
        thread: written.in === "thread" ? threadId : null,
        ...(files.length > 0 ? { files } : {}),
      });
    },
    redeliver: () =>
      browser.send(last, { thread: null, text: "", ...said.get(last), id: last }).catch(() => {}),
    isAcknowledged: (id) => browser.confirmed.has(id),
    shown: async (address) => (await shown(address)).map(({ text }) => text).filter((text) => text !== ""),
    files: async (address) => {
      const files = (await shown(address)).flatMap((each) => each.files);
      return Promise.all(
        files.map(async ({ name, url, voice = false }) => ({
          name,
          voice,
          bytes: (await browser.call({ path: url })).body,
        })),
      );
    },
    press: async (id, label) => {
      await shown();
      const command = post(id).buttons.find((button) => button.label === label)?.command ?? "";
      return say({ text: command, press: true });
    },
    buttonsOn: async (id) => {
      await shown();
      return post(id).buttons.map(({ label }) => label);
    },
    trouble: (what) => {
      world.trouble = what === "swallowed" ? "swallows" : "fails";
    },
    dispose: () => world.close(),
  };
}

adapterContract("web", fixture);

describe("web", () => {
  let world: WebWorld;
  let adapter: KeptAdapter;
  let received: InboundMessage[];
  beforeEach(async () => {
    world = await WebWorld.open();
    adapter = new KeptAdapter(world.adapter());
    received = [];
  });
  afterEach(async () => {
    await adapter.disconnect();
    await world.close();
  });

  const connect = (setting: Parameters<KeptAdapter["connect"]>[1] = {}) =>
    adapter.connect(async (message) => {
      received.push(message);
      return "accepted";
    }, setting);
  const letter = (text: string, more: Partial<Letter> = {}): Letter => ({
    address: ADDRESS,
    text,
    deliveryId: text,
    ...more,
  });
  const opened = async (browser: WebBrowser): Promise<WebBrowser> => {
    browser.open();
    await expect.poll(() => browser.isConnected).toBe(true);
    return browser;
  };
  const told = (browser: WebBrowser, kind: WireEvent["kind"]) =>
    browser.events.filter((event) => event.kind === kind);

  it("remembers where people find it", async () => {
    const memory = new Map<string, string>();
    await connect({ memory: memoryOf(memory) });
    expect(JSON.parse(memory.get(URL_MEMORY) ?? "")).toEqual({ url: world.url, isLocal: true });
  });

  it("says which setting to change if the port is taken", async () => {
    const other = createServer();
    const port = await new Promise<number>((resolve) => {
      other.listen(0, "127.0.0.1", () => resolve((other.address() as { port: number }).port));
    });
    adapter = new KeptAdapter(world.adapter({ port }));
    await expect(connect()).rejects.toMatchObject({
      outcome: "retryable",
      message: `Another program uses port ${port} on 127.0.0.1. Set web.port to another one.`,
    });
    await new Promise((resolve) => other.close(resolve));
  });

  it("serves no other machine without TLS or a proxy", async () => {
    adapter = new KeptAdapter(world.adapter({ host: "0.0.0.0" }));
    await expect(connect()).rejects.toMatchObject({
      outcome: "permanent",
      message: expect.stringContaining("web.publicUrl"),
    });
  });

  it("hears people as who they are, in their own chat and thread", async () => {
    await connect();
    const [ann, bob] = [world.browser("telegram:1"), world.browser("telegram:2")];
    await ann.say({ text: "hello", thread: "a-thread-of-mine" });
    await bob.say({ text: "/status" });
    await bob.say({ text: "/approve 3", press: true });
    expect(received).toMatchObject([
      {
        kind: "message",
        source: { chatId: CHAT, userId: CHAT, userName: "Ann", threadId: "a-thread-of-mine" },
      },
      { kind: "command", source: { chatId: "telegram/2", userName: "Bob" } },
      { kind: "button", text: "/approve 3" },
    ]);
    expect(received[1]?.source.threadId).toBeUndefined();
  });

  it("tells the browser when something came, by its own clock", async () => {
    adapter = new KeptAdapter(world.adapter({ clock: () => 1_234 }));
    await connect();
    const body = JSON.stringify({ id: "a".repeat(22), thread: null, text: "hello" });
    const headers = { "content-type": "application/json" };
    const answer = await world.browser().call({ method: "POST", path: PATHS.say, headers, body });
    expect(answer.json).toEqual({ received: "accepted", at: 1_234 });
  });

  it("tells only who has access", async () => {
    await connect({ knows: async ({ userId }) => userId === CHAT });
    expect(await adapter.place(ADDRESS)).toMatchObject({ chatId: CHAT, userId: CHAT });
    expect(await adapter.place({ platform: WEB, chatId: "telegram/2" })).toBeNull();
    expect(await adapter.place({ ...ADDRESS, threadId: "no such thread" })).toBeNull();
  });

  it("shows a secret to whoever has the page open, and to nobody later", async () => {
    await connect();
    const secret = letter("Your code is 1234.", { isSecret: true });
    await expect(adapter.send(secret)).rejects.toMatchObject({ outcome: "permanent" });
    const browser = await opened(world.browser());
    await adapter.send(secret);
    await expect.poll(() => told(browser, "secret")).toMatchObject([{ text: "Your code is 1234." }]);
    expect(await world.posts.last(CHAT)).toBe(0);
  });

  it("keeps with a letter whose transcript says the same", async () => {
    await connect();
    await adapter.send(letter("as I said", { transcript: "20261119-a" as SessionId }));
    const browser = await opened(world.browser());
    await expect.poll(() => browser.shown()).toMatchObject([{ transcript: "20261119-a" }]);
  });

  it("shows a turn as it runs, to two tabs, and as far as it got to a third", async () => {
    await connect();
    const [one, two] = [await opened(world.browser()), await opened(world.browser())];
    const live = adapter.speaker?.live?.(ADDRESS, null) ?? expect.unreachable();
    live.text("Hello, ");
    live.text("world");
    const call = { id: "call-1", name: "terminal", arguments: '{"command":"ls"}' };
    live.toolCall(call);
    live.toolProgress?.(call, { kind: "started" });
    live.toolProgress?.(call, { kind: "output", text: "a file\n", skipped: 0 });
    const three = await opened(world.browser());
    await expect
      .poll(() => [...three.turns.values()])
      .toMatchObject([
        { thread: null, text: "Hello, world", calls: [{ state: "running", output: "a file\n" }] },
      ]);
    for (const browser of [one, two])
      await expect.poll(() => [...browser.turns.values()].map(({ text }) => text)).toEqual(["Hello, world"]);
    live.toolResult(call, "a file");
    live.saved?.();
    live.end("done");
    for (const browser of [one, two, three]) {
      await expect.poll(() => told(browser, "end")).toMatchObject([{ outcome: "done", thread: null }]);
      const calls = told(browser, "call") as { readonly call: WireCall }[];
      expect(calls.at(-1)?.call).toMatchObject({ state: "done", result: "a file" });
      const turns = told(browser, "turn") as { readonly turn: { readonly text: string } }[];
      expect(turns.at(-1)?.turn).toMatchObject({ text: "", calls: [] });
    }
  });

  it("ends all streams with its line, and they go on with the next one", async () => {
    await connect();
    const browser = await opened(world.browser());
    await adapter.send(letter("one"));
    await adapter.disconnect();
    await expect.poll(() => browser.isConnected).toBe(false);
    await connect();
    await adapter.send(letter("two"));
    await expect.poll(() => browser.shown().map(({ text }) => text)).toEqual(["one", "two"]);
    expect(told(browser, "post")).toHaveLength(2);
  });

  it("refuses what is no message, with a reason", async () => {
    await connect();
    const browser = world.browser();
    const said = { id: "a".repeat(22), thread: null, text: "hello" };
    for (const wrong of [
      [],
      { ...said, id: "short" },
      { ...said, id: 7 },
      { ...said, thread: "../../etc" },
      { ...said, text: 7 },
      { ...said, text: " " },
      { ...said, press: true },
      { ...said, files: [{}] },
      { ...said, files: [{ ref: "x", name: "y" }] },
    ]) {
      const headers = { "content-type": "application/json" };
      const answer = await browser.call({
        method: "POST",
        path: "/api/say",
        headers,
        body: JSON.stringify(wrong),
      });
      expect([wrong, answer.status]).toEqual([wrong, 400]);
      expect(answer.json).toMatchObject({
        error: { code: "bad_request", message: expect.stringMatching(/\S+ \S+/) },
      });
    }
    expect(received).toEqual([]);
  });

  it("fetches an upload again by its reference, in the next process", async () => {
    await connect();
    const browser = world.browser();
    const bytes = new TextEncoder().encode("notes");
    const files = await browser.upload([{ name: "notes.txt", mediaType: "text/plain", bytes }]);
    await browser.say({ text: "look", files });
    const { ref = "" } = received[0]?.files?.[0] ?? {};
    adapter = new KeptAdapter(world.adapter());
    await connect();
    const file = { ref, mediaType: "text/plain" };
    const { signal } = new AbortController();
    expect(Buffer.from((await adapter.speaker?.fetch?.(file, 100, signal)) ?? []).toString()).toBe("notes");
    await expect(
      adapter.speaker?.fetch?.({ ...file, ref: `${ref.slice(0, -1)}!` }, 100, signal),
    ).rejects.toThrow();
  });

  it("removes old uploads when it begins to listen, and then each hour", async () => {
    let now = Date.now();
    let eachHour: (() => void)[] = [];
    const later = (call: () => void, ms: number) => {
      if (ms === 3_600_000) eachHour.push(call);
      return () => {
        eachHour = eachHour.filter((each) => each !== call);
      };
    };
    const kept = async () => (await readdir(join(world.folder, "uploads"), { recursive: true })).length;
    const upload = async () =>
      world.browser().upload([{ name: "x", mediaType: "text/plain", bytes: Buffer.from("notes") }]);
    adapter = new KeptAdapter(world.adapter({ clock: () => now, later }));
    await connect();
    await upload();
    const there = await kept();
    for (let n = 0; n < 2; n++) {
      now += 13 * 3_600_000;
      for (const sweep of eachHour.splice(0)) sweep();
      await expect.poll(() => eachHour).toHaveLength(1); // The next one is to come.
      expect(await kept()).toBe(n === 0 ? there : there - 1);
    }
    now = Date.now();
    await upload();
    now += 25 * 3_600_000;
    await adapter.disconnect();
    expect([await kept(), eachHour]).toEqual([there, []]);
    await connect();
    expect(await kept()).toBe(there - 1);
  });
});
