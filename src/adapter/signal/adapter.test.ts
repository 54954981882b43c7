import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SignalSocket } from "../../../test/support/signal-socket.js";
import {
  ACCOUNT,
  ANN,
  GROUP,
  rpcAnswer,
  type SignalPerson,
  SignalWorld,
} from "../../../test/support/signal-world.js";
import type { AdapterFixture, DoorFault, Fault, Trouble, Written } from "../../testing/adapter/fixture.js";
import { adapterContract } from "../../testing/adapter-contract.js";
import { KeptAdapter, type KeptSetting, memoryOf } from "../../testing/kept-adapter.js";
import { ConnectError, type InboundMessage, type Line, type Receive } from "../adapter.js";
import { SignalAdapter } from "./adapter.js";
import { formatText } from "./format.js";
import { messageIdOf, messageRefOf } from "./ids.js";

/** The pipe has no acknowledgement: what was dealt with is all that there is to be told. */
class Watched extends SignalAdapter {
  #done = new Set<string>();
  #waiting = new Map<string, () => void>();
  #isOn = false;

  override async serve(line: Line): Promise<void> {
    const receive: Receive = async (message) => {
      try {
        return await line.receive(message);
      } finally {
        this.#done.add(message.messageId);
        this.#waiting.get(message.messageId)?.();
      }
    };
    const up: Line["up"] = (speaker) => {
      this.#isOn = true;
      line.up(speaker);
    };
    line.end.addEventListener("abort", () => {
      this.#isOn = false;
    });
    await super.serve({ ...line, receive, up });
  }

  /** The next time that it is dealt with is waited for. */
  forget(messageId: string): void {
    this.#done.delete(messageId);
  }

  async dealtWith(messageId: string): Promise<void> {
    if (!this.#isOn) throw new Error("Nobody listens.");
    if (!this.#done.has(messageId))
      await new Promise<void>((resolve) => this.#waiting.set(messageId, resolve));
  }
}

const TROUBLES: Readonly<Record<Trouble, Parameters<SignalWorld["failNext"]>[0]>> = {
  "rate limited": rpcAnswer({
    error: {
      code: -5,
      message: "Rate limited",
      data: { response: { results: [{ type: "RATE_LIMIT_FAILURE", retryAfterSeconds: 7 }] } },
    },
  }),
  "server error": { status: 500, body: "" },
  refused: rpcAnswer({ error: { code: -1, message: "Invalid recipient" } }),
  swallowed: "swallow",
  "revoked token": rpcAnswer({ error: { code: -1, message: `User ${ACCOUNT} is not registered.` } }),
};

const NO_PROXY = "No proxy is before a socket.";

function personNamed(name: string | undefined): SignalPerson {
  if (!name) return ANN;
  const digits = [...name]
    .map((letter) => (letter.codePointAt(0) ?? 0) % 10)
    .join("")
    .padEnd(6, "0")
    .slice(0, 6);
  return { name, number: `+1555${digits}`, uuid: `b0000000-0000-4000-8000-000000${digits}` };
}

async function fixture(way: "http" | "socket"): Promise<AdapterFixture> {
  const world = await SignalWorld.open();
  const socket = way === "socket" ? await SignalSocket.open(world.baseUrl) : null;
  const baseUrl = socket?.url ?? world.baseUrl;
  const make = () => new Watched({ baseUrl, account: ACCOUNT, timeoutMs: 4_000 });
  let adapter = make();
  const address = { platform: "signal", chatId: ANN.number };
  const group = { platform: "signal", chatId: GROUP };
  let last = "";
  let spoken = Date.now() + 10_000;

  const envelope = (written: Written, timestamp: number) => {
    const files = written.files ?? [];
    for (const file of files) world.keep(`${timestamp}-${file.name}`, file.bytes);
    const quoted = written.replyTo ? messageRefOf(written.replyTo) : null;
    return {
      timestamp,
      dataMessage: {
        timestamp,
        message: written.mentions ? `\ufffc ${written.text}` : written.text,
        ...(written.in === "group" ? { groupInfo: { groupId: GROUP, type: "DELIVER" } } : {}),
        ...(written.mentions ? { mentions: [{ number: ACCOUNT, start: 0, length: 1 }] } : {}),
        ...(quoted
          ? {
              quote: {
                id: quoted.timestamp,
                [quoted.author ? "authorUuid" : "authorNumber"]: quoted.author ?? ACCOUNT,
              },
            }
          : {}),
        attachments: files.map(({ name, mediaType, bytes }) => ({
          id: `${timestamp}-${name}`,
          filename: name,
          contentType: mediaType,
          size: bytes.byteLength,
        })),
      },
    };
  };

  const write = async (written: Written & { readonly name?: string }) => {
    const from = { ...personNamed(written.from), ...(written.name ? { name: written.name } : {}) };
    const isPlain = !written.mentions && !written.replyTo && !written.files;
    const timestamp = isPlain
      ? await world.write(written.text, from, written.in === "group" ? GROUP : undefined)
      : spoken++;
    if (!isPlain) world.speak(envelope(written, timestamp), from);
    last = messageIdOf({ timestamp, author: from.uuid });
    await adapter.dealtWith(last);
    return { messageId: last };
  };

  const reacted = (messageId: string, mark: object, { in: where, from }: Pick<Written, "in" | "from">) => {
    const timestamp = spoken++;
    const reaction = {
      ...{ ...mark, targetAuthorNumber: ACCOUNT, targetSentTimestamp: messageRefOf(messageId)?.timestamp },
    };
    const place = where === "group" ? { groupInfo: { groupId: GROUP, type: "DELIVER" } } : {};
    world.speak(
      { timestamp, dataMessage: { timestamp, message: null, reaction, ...place } },
      personNamed(from),
    );
  };

  const fixture = {
    adapter,
    address,
    group,
    nowhere: { platform: "signal", chatId: "+15550009999" },
    lacks: {
      bots: "Signal has no bots.",
      ...(socket ? { pages: NO_PROXY, "pages at the door": NO_PROXY } : {}),
    },
    again: () => {
      adapter = make();
      return adapter;
    },
    write,
    amend: async (messageId: string, text: string) => {
      const ref = messageRefOf(messageId);
      adapter.forget(messageId);
      const timestamp = spoken++;
      world.speak({
        timestamp,
        editMessage: { targetSentTimestamp: ref?.timestamp, dataMessage: { timestamp, message: text } },
      });
      await adapter.dealtWith(messageId);
    },
    react: async (messageId: string, emoji: string, by: Pick<Written, "in" | "from"> = {}) =>
      reacted(messageId, { emoji, isRemove: false }, by),
    takeOff: (messageId: string, emoji: string) => reacted(messageId, { emoji, isRemove: true }, {}),
    redeliver: async () => {
      adapter.forget(last);
      world.speakAgain();
      await adapter.dealtWith(last);
    },
    shown: (where = address) =>
      world
        .sentTo(where.chatId)
        .flatMap(({ params: { message, attachments } }) =>
          attachments && message === "" ? [] : String(message),
        ),
    answeredBy: (messageId: string) => {
      const { params } = world.sent.find(({ timestamp }) => `${timestamp}` === messageId) ?? {};
      const [timestamp, author] = [Number(params?.quoteTimestamp), String(params?.quoteAuthor)];
      return timestamp ? messageIdOf({ timestamp, author }) : null;
    },
    files: async (where = address) =>
      world.sentTo(where.chatId).flatMap(({ params }) =>
        ((params.attachments ?? []) as string[]).map((uri) => {
          const [, name = "", base64 = ""] = /filename=([^;]*);base64,(.*)$/s.exec(uri) ?? [];
          const bytes = new Uint8Array(Buffer.from(base64, "base64"));
          return { name: decodeURIComponent(name), bytes, voice: params.voiceNote === true };
        }),
      ),
    typed: () => world.calls.filter(({ method }) => method === "sendTyping").length,
    marks: (messageId: string) =>
      world.calls
        .filter(
          ({ method, params }) =>
            method === "sendReaction" && params.targetTimestamp === messageRefOf(messageId)?.timestamp,
        )
        .map(({ params }) => String(params.emoji)),
    trouble: (what: Trouble) => {
      world.failNext(TROUBLES[what]);
      if (what === "revoked token") world.accounts = ["+15559999999"];
    },
    way: (fault: Fault) => (socket ?? world.between.faults).play(fault),
    door: (fault: DoorFault) => (socket ?? world.between.faults).door(fault),
    cut: () => (socket ?? world.between).cut(),
    asShown: (text: string) => formatText(text).text,
    dispose: async () => {
      await socket?.close();
      await world.close();
    },
  };
  return fixture;
}

adapterContract("signal", () => fixture("http"));
adapterContract("signal by a socket", () => fixture("socket"));

describe("signal", () => {
  let world: SignalWorld;
  let adapter: KeptAdapter;
  let received: InboundMessage[];
  const told: unknown[] = [];
  const remembered = new Map<string, string>();
  const surroundings: KeptSetting = {
    memory: memoryOf(remembered),
    tell: (state) => told.push(state),
  };
  const receive: Receive = async (message) => {
    received.push(message);
    return "accepted";
  };

  beforeEach(async () => {
    world = await SignalWorld.open();
    adapter = new KeptAdapter(
      new SignalAdapter({ baseUrl: world.baseUrl, account: ACCOUNT, timeoutMs: 4_000 }),
    );
    received = [];
    told.length = 0;
    remembered.clear();
  });
  afterEach(async () => {
    await adapter.disconnect();
    await world.close();
  });

  it("says that no daemon is there, and which setting names it", async () => {
    await world.between.close();
    const error = await adapter.connect(receive, surroundings).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConnectError);
    expect(error).toMatchObject({
      outcome: "retryable",
      message: expect.stringContaining("SIGNAL_HTTP_URL"),
    });
    world = await SignalWorld.open();
  });

  it("does not try again where the account is not the daemon's", async () => {
    world.accounts = ["+15559999999"];
    await expect(adapter.connect(receive, surroundings)).rejects.toMatchObject({
      outcome: "permanent",
      message: expect.stringContaining("SIGNAL_ACCOUNT"),
    });
    world.accounts = [ACCOUNT];
    await adapter.connect(receive, surroundings);
  });

  it("holds a message that could not be received until it was", async () => {
    let failures = 2;
    await adapter.connect(async (message) => {
      if (failures-- > 0) throw new Error("no room");
      return receive(message);
    }, surroundings);
    await world.write("one");
    await world.write("two");
    await vi.waitUntil(() => received.length === 2, { timeout: 20_000 });
    expect(received.map(({ text }) => text)).toEqual(["one", "two"]);
  });

  it("answers notes to self if it should, and never its own", async () => {
    const settings = { baseUrl: world.baseUrl, account: ACCOUNT, timeoutMs: 4_000 };
    adapter = new KeptAdapter(new SignalAdapter({ ...settings, noteToSelf: true }));
    await adapter.connect(receive, surroundings);
    const me = { number: ACCOUNT, uuid: "b0000000-0000-4000-8000-000000000002", name: "Me" };
    const note = (message: string, timestamp: number, to = ACCOUNT) =>
      world.speak({ syncMessage: { sentMessage: { destinationNumber: to, timestamp, message } } }, me);
    note("remind me", 1_750_000_000_001);
    const address = { platform: "signal", chatId: ACCOUNT };
    const { messageId } = await adapter.send({ address, text: "an answer", deliveryId: "1" });
    note("an answer", Number(messageId));
    note("to Ann", 1_750_000_000_002, ANN.number);
    note("and another", 1_750_000_000_003);
    await vi.waitUntil(() => received.at(-1)?.text === "and another", { timeout: 20_000 });
    expect(received.map(({ text }) => text)).toEqual(["remind me", "and another"]);
    expect(received[0]?.source).toMatchObject({ chatType: "dm", chatId: ACCOUNT, userId: ACCOUNT });
  });

  it("goes on after the line was cut, and says so", async () => {
    await adapter.connect(receive, surroundings);
    world.between.cut();
    await world.write("after the cut");
    await vi.waitUntil(() => received.length === 1, { timeout: 20_000 });
    expect(told).toEqual([{ lost: expect.any(String) }, "connected"]);
  });

  it("takes a daemon for gone that no longer shows that it is there, and goes on", async () => {
    adapter = new KeptAdapter(new SignalAdapter({ baseUrl: world.baseUrl, account: ACCOUNT, silenceMs: 50 }));
    await adapter.connect(receive, surroundings);
    world.between.speak(":\n");
    await vi.waitUntil(() => told.length === 2, { timeout: 20_000 });
    expect(told).toEqual([
      { lost: expect.stringContaining("no longer shows that it is there") },
      "connected",
    ]);
    await world.write("after the silence");
    await vi.waitUntil(() => received.length > 0, { timeout: 20_000 });
    expect(received.map(({ text }) => text)).toEqual(["after the silence"]);
  });

  it("does not wait forever for a stream of events that does not begin", async () => {
    adapter = new KeptAdapter(
      new SignalAdapter({ baseUrl: world.baseUrl, account: ACCOUNT, timeoutMs: 1_000 }),
    );
    world.holdsEvents = true;
    await expect(adapter.connect(receive, surroundings)).rejects.toMatchObject({
      outcome: "retryable",
      message: expect.stringContaining("it took too long"),
    });
    world.holdsEvents = false;
    await adapter.connect(receive, surroundings);
  });

  it("asks for what it missed, where the daemon numbers its events", async () => {
    await adapter.connect(receive, surroundings);
    world.speak({ timestamp: 5, dataMessage: { timestamp: 5, message: "numbered" } }, ANN, "41");
    await vi.waitUntil(() => remembered.get("last event") === "41", { timeout: 20_000 });
    await adapter.disconnect();
    const asked: string[] = [];
    vi.spyOn(world, "answer").mockImplementation(({ path, headers }) => {
      if (path.includes("events")) asked.push(headers["last-event-id"] ?? "");
      return null;
    });
    adapter = new KeptAdapter(new SignalAdapter({ baseUrl: world.baseUrl, account: ACCOUNT }));
    await adapter.connect(receive, surroundings);
    expect(asked).toEqual(["41"]);
  });

  it("sends styles and quotes in one message, and a file in another", async () => {
    await adapter.connect(receive, surroundings);
    const folder = await mkdtemp(join(tmpdir(), "baton-file-"));
    const path = join(folder, "a.txt");
    await writeFile(path, "hello");
    const address = { platform: "signal", chatId: GROUP };
    const text = "**two** words";
    await adapter.send({ address, text, deliveryId: "1", replyTo: `77.${ANN.uuid}` });
    const file = { path, name: "a;b.txt", mediaType: "text/plain" };
    await adapter.send({ address, text: "", deliveryId: "2", files: [file] });
    await rm(folder, { recursive: true });
    const [said, shared] = world.sent.map(({ params }) => params);
    expect(said).toMatchObject({
      account: ACCOUNT,
      groupId: GROUP,
      message: "two words",
      textStyle: ["0:3:BOLD"],
      quoteTimestamp: 77,
      quoteAuthor: ANN.uuid,
    });
    expect(said).not.toHaveProperty("attachments");
    const attachments = ["data:text/plain;filename=a%3Bb.txt;base64,aGVsbG8="];
    expect(shared).toMatchObject({ account: ACCOUNT, groupId: GROUP, message: "", attachments });
  });

  it.each([
    ["rate limited", { outcome: "retryable", retryAfterMs: 7_000 }],
    ["server error", { outcome: "unknown" }],
    ["refused", { outcome: "permanent" }],
    ["swallowed", { outcome: "unknown" }],
    ["revoked token", { outcome: "permanent", message: expect.stringContaining("SIGNAL_ACCOUNT") }],
  ] as const)("knows what %s means", async (what, expected) => {
    await adapter.connect(receive, surroundings);
    world.failNext(TROUBLES[what]);
    const address = { platform: "signal", chatId: ANN.number };
    await expect(adapter.send({ address, text: "hi", deliveryId: "1" })).rejects.toMatchObject(expected);
  });

  it.each([
    [["UNREGISTERED_FAILURE"], "permanent", "not on Signal"],
    [["IDENTITY_FAILURE"], "permanent", "signal-cli trust"],
    [["INVALID_PRE_KEY_FAILURE"], "permanent", "INVALID_PRE_KEY_FAILURE"],
    [["NETWORK_FAILURE"], "retryable", "could not reach"],
    [["RATE_LIMIT_FAILURE"], "retryable", "asks to wait"],
    [["UNREGISTERED_FAILURE", "NETWORK_FAILURE"], "retryable", "could not reach"],
    [["NETWORK_FAILURE", "SUCCESS"], null, ""],
  ])("knows from what became of it for each what %j means", async (types, outcome, words) => {
    await adapter.connect(receive, surroundings);
    const response = { timestamp: 9, results: types.map((type) => ({ type })) };
    const message = { address: { platform: "signal", chatId: GROUP }, text: "hi", deliveryId: "1" };
    // A daemon calls it an error where nobody has it; older ones did not.
    const error = { code: -1, message: "Failed to send message", data: { response } };
    for (const answer of outcome === null ? [{ result: response }] : [{ result: response }, { error }]) {
      world.failNext(rpcAnswer(answer));
      const sending = adapter.send(message);
      if (outcome === null) expect(await sending).toEqual({ messageId: "9" });
      else await expect(sending).rejects.toMatchObject({ outcome, message: expect.stringContaining(words) });
    }
  });

  it.each([
    [-32603, "Failed to send message: chat.signal.org (UnknownHostException)", "retryable"],
    [-32603, "Failed to send message: Connection refused (ConnectException)", "retryable"],
    [-32603, "Failed to send message: timeout (SocketTimeoutException)", "unknown"],
    [-3, "Failed to send message", "unknown"],
    [-1, "The user +15550001111 is not registered.", "permanent"],
  ])("takes code %i (%s) for %s", async (code, words, outcome) => {
    await adapter.connect(receive, surroundings);
    world.failNext(rpcAnswer({ error: { code, message: words } }));
    const address = { platform: "signal", chatId: ANN.number };
    const failure = await adapter.send({ address, text: "hi", deliveryId: "1" }).catch((error) => error);
    expect(failure).toMatchObject({ outcome });
    expect(failure.message).not.toContain("SIGNAL_ACCOUNT"); // It is not about our own account.
  });

  describe("a daemon for one account", () => {
    const identity = (number: string, safetyNumber: string) => ({ number, uuid: ANN.uuid, safetyNumber });
    const own = (number: string) => identity(number, `${"12345 ".repeat(6)}${"12345 ".repeat(6)}`.trim());
    const other = identity(ANN.number, `${"12345 ".repeat(6)}${"67890 ".repeat(6)}`.trim());

    it("is found out to be another's when it is connected, by its own safety number", async () => {
      world.identities = [other, own("+15559999999")];
      await expect(adapter.connect(receive, surroundings)).rejects.toMatchObject({
        outcome: "permanent",
        message: expect.stringMatching(/SIGNAL_ACCOUNT.*\+15559999999/),
      });
      world.identities = [other, own(ACCOUNT)];
      await adapter.connect(receive, surroundings);
    });

    it("is found out by the first message, if it does not tell", async () => {
      await adapter.connect(receive, surroundings);
      const envelope = {
        sourceNumber: ANN.number,
        timestamp: 5,
        dataMessage: { timestamp: 5, message: "hi" },
      };
      world.between.speak(`data:${JSON.stringify({ account: "+15559999999", envelope })}\n\n`);
      await vi.waitUntil(() => told.length > 0, { timeout: 20_000 });
      expect(told).toEqual([{ failed: expect.stringContaining("SIGNAL_ACCOUNT") }]);
      expect(received).toEqual([]);
    });
  });

  it("does not hear what is written to another account of the daemon's", async () => {
    world.accounts = [ACCOUNT, "+15559999999"];
    await adapter.connect(receive, surroundings);
    const envelope = { sourceNumber: ANN.number, timestamp: 5, dataMessage: { timestamp: 5, message: "hi" } };
    world.between.speak(`data:${JSON.stringify({ account: "+15559999999", envelope })}\n\n`);
    await world.write("to us");
    await vi.waitUntil(() => received.length > 0, { timeout: 20_000 });
    expect(received.map(({ text }) => text)).toEqual(["to us"]);
    expect(told).toEqual([]);
  });

  it("does not take an answer that breaks off for one", async () => {
    await adapter.connect(receive, surroundings);
    vi.spyOn(world, "answer").mockReturnValue({ status: 200, body: '{"jsonrpc":"2.0","res' });
    await expect(adapter.place({ platform: "signal", chatId: ANN.number })).rejects.toMatchObject({
      outcome: "retryable",
    });
  });

  it("gives a file up to the size that is asked for", async () => {
    await adapter.connect(receive, surroundings);
    world.keep("f1", new Uint8Array([1, 2, 3]));
    world.speak({
      timestamp: 6,
      dataMessage: { timestamp: 6, attachments: [{ id: "f1", contentType: "image/png" }, { id: "f2" }] },
    });
    await vi.waitUntil(() => received.length === 1, { timeout: 20_000 });
    const [file, missing] = received[0]?.files ?? [];
    expect(await file?.read(3, new AbortController().signal)).toEqual(Buffer.from([1, 2, 3]));
    await expect(file?.read(2, new AbortController().signal)).rejects.toThrow("larger");
    await expect(missing?.read(2, new AbortController().signal)).rejects.toThrow("Could not find");
  });

  describe("tells of a place", () => {
    const BOB = { number: "+15557654321", uuid: "b0000000-0000-4000-8000-000000000002" };
    const place = (chatId: string, threadId?: string) =>
      adapter.place({ platform: "signal", chatId, ...(threadId === undefined ? {} : { threadId }) });
    const chatWith = ({ number, uuid }: typeof BOB) => ({
      platform: "signal",
      chatType: "dm",
      chatId: number,
      chatIdAlt: uuid,
      userId: number,
      userIdAlt: uuid,
    });
    beforeEach(() => adapter.connect(receive, surroundings));

    it("by the number where it is known, whichever id was given", async () => {
      for (const id of [ANN.number, ANN.uuid])
        expect(await place(id)).toEqual({ ...chatWith(ANN), userName: "Ann" });
      const hidden = { number: null, uuid: BOB.uuid, profile: { givenName: "Bob", familyName: "Ray" } };
      world.contacts = [hidden];
      const told = { platform: "signal", chatType: "dm", chatId: BOB.uuid, userId: BOB.uuid };
      expect(await place(BOB.uuid)).toEqual({ ...told, userName: "Bob Ray", userIdAlt: BOB.uuid });
      world.contacts = [];
      expect(await place(BOB.uuid)).toEqual({ ...told, userIdAlt: BOB.uuid });
    });

    it("with whoever is on Signal, though nobody has written yet", async () => {
      world.registered.set(BOB.number, BOB.uuid);
      expect(await place(BOB.number)).toEqual(chatWith(BOB));
      expect(await place("+15550009999")).toBeNull();
    });

    it("that is a group, where we are in it", async () => {
      world.groups = [{ id: GROUP, name: "Team", isMember: true }];
      const group = { platform: "signal", chatType: "group", chatId: GROUP, chatName: "Team" };
      expect(await place(GROUP)).toEqual(group);
      for (const groups of [[], [{ id: GROUP, name: "Team", isMember: false }]]) {
        world.groups = groups;
        expect(await place(GROUP)).toBeNull();
      }
    });

    it("never with ourselves, nor in a thread", async () => {
      world.contacts = [{ number: ACCOUNT, uuid: ANN.uuid }];
      expect(await place(ACCOUNT)).toBeNull();
      expect(await place(ANN.number, "1")).toBeNull();
      await expect(place("nobody")).rejects.toMatchObject({ outcome: "permanent" });
    });

    it("later, where the daemon is gone", async () => {
      await world.close();
      await expect(place(ANN.number)).rejects.toMatchObject({ outcome: "retryable" });
      world = await SignalWorld.open();
    });
  });
});
