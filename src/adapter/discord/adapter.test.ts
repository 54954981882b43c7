/** The adapter over discord.js, against crabline's Discord and a wire in front of it. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  ANN,
  type Answer,
  type ApiMessage,
  type Call,
  CHANNEL,
  DiscordServer,
  GUILD,
  newId,
} from "../../../test/support/discord-server.js";
import { buildSessionKey } from "../../session/session-key.js";
import type { Address } from "../../session/source.js";
import type { AdapterFixture, Trouble, Written } from "../../testing/adapter/fixture.js";
import { adapterContract } from "../../testing/adapter-contract.js";
import { KeptAdapter, memoryOf } from "../../testing/kept-adapter.js";
import {
  ConnectError,
  type InboundMessage,
  type Line,
  type Memory,
  type Receive,
  type Speaker,
  ThreadRefused,
} from "../adapter.js";
import { speakerWith } from "../speaker.js";
import { DiscordAdapter } from "./adapter.js";
import { formatMarkdown } from "./format.js";
import { before } from "./snowflake.js";

const TIMEOUT_MS = 4_000;

adapterContract("discord", fixture);

/** Everybody and everything that a message names, as far as it lets Discord notify them. */
function notifiedBy({ content = "", allowed_mentions }: Partial<ApiMessage>): readonly string[] {
  const { parse, users = [] } = (allowed_mentions ?? {}) as { parse?: string[]; users?: string[] };
  const isSilent = parse?.length === 0 || (allowed_mentions !== undefined && parse === undefined);
  return isSilent ? users : (content.match(/<@[&!]?\d+>|@everyone|@here/g) ?? []);
}

const TROUBLES: Readonly<Record<Trouble, Answer>> = {
  "rate limited": { status: 429, body: { message: "slow", retry_after: 1 }, headers: { "retry-after": "1" } },
  "server error": { status: 502, body: {} },
  refused: { status: 403, body: { code: 50_013, message: "Missing Permissions" } },
  swallowed: "swallowed",
  "revoked token": { status: 401, body: { code: 0, message: "401: Unauthorized" } },
};

/** What people write, as later versions of the suite have it. */
type Words = Written & { readonly threadId?: string; readonly name?: string };

async function fixture(): Promise<AdapterFixture> {
  const server = await DiscordServer.start();
  server.hidesNonces = true;
  const chatId = await server.directChannel();
  const heard = new Heard();
  const settings = { token: () => server.token, baseUrl: server.baseUrl, timeoutMs: TIMEOUT_MS };
  const inServer = { channelId: CHANNEL, guildId: GUILD };
  const { id: begun } = await server.inject({ ...inServer, content: "a thread begins here" });
  const placeOf = ({ in: where = "dm", threadId = heard.threads.at(-1) ?? begun }: Words): Place => {
    if (where === "dm") return { channelId: chatId };
    return where === "group" ? inServer : { channelId: threadId, guildId: GUILD, parentChannelId: CHANNEL };
  };
  const channelOf = (address?: Address): string => address?.threadId ?? address?.chatId ?? chatId;
  const everything = async (): Promise<ApiMessage[]> =>
    (await Promise.all([chatId, CHANNEL, ...heard.threads].map((id) => server.messages(id)))).flat();

  const write = async (written: Words): Promise<{ messageId: string }> => {
    const place = placeOf(written);
    if (heard.isListening) await server.up();
    const content = written.mentions ? `<@${server.botId}> ${written.text}` : written.text;
    const senderId = personNamed(written.from);
    if (written.isBot) return heard.progress((await server.injectFromBot(place.channelId, content)).id);
    if (place.guildId && content.startsWith("/"))
      return heard.message(server.command(place.channelId, senderId, content));
    if (written.files)
      return heard.message(playFiles(server, place, senderId, { ...written, text: content }));
    const { id } = await server.inject({
      ...place,
      senderId,
      content,
      senderName: written.name ?? `user-${senderId.slice(-6)}`, // As crabline calls them elsewhere.
      ...(written.replyTo ? { replyTo: written.replyTo } : {}),
    });
    return heard.message(id);
  };

  const since = {
    menu: async () => (await server.commands()).map(({ name }) => name),
    answeredBy: async (messageId: string) => {
      const answer = (await everything()).find(({ id }) => id === messageId);
      return answer?.message_reference?.message_id ?? null;
    },
  };
  return {
    adapter: heard.over(new DiscordAdapter(settings)),
    again: () => heard.over(new DiscordAdapter(settings)),
    address: { platform: "discord", chatId },
    group: { platform: "discord", chatId: CHANNEL },
    nowhere: { platform: "discord", chatId: newId() },
    write,
    amend: async (messageId, content) => {
      const message = (await everything()).find(({ id }) => id === messageId);
      server.say("MESSAGE_UPDATE", { ...message, content, edited_timestamp: new Date().toISOString() });
      return heard.message(messageId, "edit");
    },
    shown: async (address) =>
      (await server.sent(channelOf(address)))
        .filter(({ content, attachments }) => content !== "" || attachments.length === 0)
        .map(({ content }) => content),
    files: async (address) => {
      const sent = await server.sent(channelOf(address));
      const attachments = sent.flatMap((message) => message.attachments);
      return Promise.all(
        attachments.map(async ({ filename, url }) => ({
          name: filename,
          bytes: new Uint8Array(await (await fetch(url)).arrayBuffer()),
        })),
      );
    },
    notified: () => server.posts().flatMap(({ body }) => notifiedBy(JSON.parse(body))),
    typed: () => server.calls.filter(({ path }) => path.endsWith("/typing")).length,
    marks: async (messageId) => {
      const marked = (await everything()).find(({ id }) => id === messageId);
      return marked?.reactions.map(({ emoji }) => emoji.name) ?? [];
    },
    press: async (messageId, label, { in: where = "dm", from } = {}) => {
      const { channelId } = placeOf({ text: "", in: where });
      const button = buttonsIn(server).find((each) => each.label === label);
      const pressed = server.press(
        channelId,
        personNamed(from),
        messageId,
        button?.custom_id ?? "",
        where === "dm",
      );
      return heard.message(pressed);
    },
    react: async (messageId, emoji, { in: where = "dm", from } = {}) => {
      server.react(placeOf({ text: "", in: where }).channelId, personNamed(from), messageId, emoji);
    },
    takeOff: (message_id, name) =>
      server.say("MESSAGE_REACTION_REMOVE", {
        ...{ user_id: personNamed(undefined), channel_id: chatId, message_id, emoji: { id: null, name } },
      }),
    buttonsOn: (messageId) => buttonsIn(server, messageId).map(({ label }) => label),
    trouble: (what) => {
      server.answer = troubled(what);
    },
    way: (fault) => server.faults.play(fault),
    door: (fault) => server.faults.door(fault),
    cut: () => server.cut(),
    asShown: formatMarkdown,
    dispose: () => server.close(),
    ...since,
  };
}

interface Place {
  readonly channelId: string;
  readonly guildId?: string;
  readonly parentChannelId?: string;
}

/** Holds for the next call that sends. */
function troubled(what: Trouble): DiscordServer["answer"] {
  let isOver = false;
  return ({ method, path }) => {
    if (what === "revoked token") return TROUBLES[what];
    if (isOver || method !== "POST" || !path.endsWith("/messages")) return null;
    isOver = true;
    return TROUBLES[what];
  };
}

function personNamed(name: string | undefined): string {
  if (name === undefined) return ANN;
  const digits = [...name].map((letter) => letter.charCodeAt(0) % 10).join("");
  return `136${digits.padEnd(15, "0").slice(0, 15)}`;
}

function playFiles(server: DiscordServer, place: Place, userId: string, { text, files = [] }: Words): string {
  const id = newId();
  server.say("MESSAGE_CREATE", {
    id,
    type: 0,
    channel_id: place.channelId,
    content: text,
    author: { id: userId, username: "ann" },
    attachments: files.map(({ name, mediaType, bytes }) => ({
      filename: name,
      content_type: mediaType,
      size: bytes.byteLength,
      url: server.host(bytes, name),
    })),
  });
  return id;
}

/** Listens along, so that whoever writes knows when the adapter is done with it. */
class Heard {
  readonly #settled = new Set<string>();
  #mark = 0n;
  #waiting: (() => void)[] = [];
  isListening = false;
  /** The threads that were made, in order. */
  readonly threads: string[] = [];

  over(adapter: DiscordAdapter): DiscordAdapter {
    const serve = adapter.serve.bind(adapter);
    adapter.serve = async (line) => {
      line.end.addEventListener("abort", () => {
        this.isListening = false;
        this.#stir();
      });
      const up = (speaker: Speaker): void => {
        this.isListening = true;
        line.up(speakerWith(speaker, { createThread: this.#threaded(speaker) }));
      };
      await serve({ ...line, up, receive: this.#watch(line.receive), memory: this.#along(line.memory) });
    };
    return adapter;
  }

  #threaded(speaker: Speaker): NonNullable<Speaker["createThread"]> {
    return async (...asked) => {
      const thread = (await speaker.createThread?.(...asked)) ?? null;
      if (thread?.threadId) this.threads.push(thread.threadId);
      return thread;
    };
  }

  /** It was taken, or not, or is none. */
  message(messageId: string, kind = ""): Promise<{ messageId: string }> {
    const isRead = (): boolean => kind === "" && this.#mark >= BigInt(messageId);
    return this.#until(messageId, () => this.#settled.has(kind + messageId) || isRead());
  }

  progress(messageId: string): Promise<{ messageId: string }> {
    return this.#until(messageId, () => this.#mark >= BigInt(messageId));
  }

  async #until(messageId: string, isSo: () => boolean): Promise<{ messageId: string }> {
    while (this.isListening && !isSo()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return { messageId };
  }

  #watch(receive: Receive): Receive {
    return async (message) => {
      try {
        return await receive(message);
      } finally {
        this.#settled.add((message.kind === "edit" ? "edit" : "") + message.messageId);
        setImmediate(() => this.#stir());
      }
    };
  }

  #along(memory: Memory): Memory {
    return {
      read: (name) => memory.read(name),
      write: async (name, value) => {
        await memory.write(name, value);
        if (name === "progress") this.#mark = BigInt((JSON.parse(value) as { mark: string }).mark);
        this.#stir();
      },
    };
  }

  #stir(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** The buttons of what was sent last, or of that message if it was changed since. */
function buttonsIn({ calls }: DiscordServer, messageId = ""): { label: string; custom_id: string }[] {
  const isIt = ({ method, path }: Call): boolean =>
    method === "POST" || path.endsWith(`/messages/${messageId}`);
  const body = calls.findLast((call) => call.body?.includes('"components"') && isIt(call))?.body;
  return JSON.parse(body ?? "{}").components?.[0]?.components ?? [];
}

describe("discord", () => {
  let server: DiscordServer;
  let account: Account;
  let dm: Address;
  const group: Address = { platform: "discord", chatId: CHANNEL };

  beforeEach(async () => {
    server = await DiscordServer.start();
    account = new Account(server);
    dm = { platform: "discord", chatId: await server.directChannel() };
  });
  afterEach(async () => {
    await account.end();
    await server.close();
  });

  const writeTo = (channelId: string, content: string) =>
    server.inject({ channelId, content, ...(channelId === dm.chatId ? {} : { guildId: GUILD }) });
  const message = (text: string, address = dm) => ({ address, text, deliveryId: "turn-1.0" });

  describe("connects", () => {
    it.each([
      ["no token at all", ""],
      ["a token of nobody's", `${Buffer.from("135000000000000009").toString("base64url")}.a.b`],
    ])("not with %s, and says what to set", async (_, token) => {
      const adapter = new KeptAdapter(new DiscordAdapter({ token: () => token, baseUrl: server.baseUrl }));
      const failure = await adapter.connect().catch((error) => error);
      expect(failure).toBeInstanceOf(ConnectError);
      expect(failure).toMatchObject({
        outcome: "permanent",
        message: expect.stringContaining("DISCORD_BOT_TOKEN"),
      });
      await adapter.disconnect();
    });

    it("not without the intent to read messages, and says where to switch it on", async () => {
      server.closesWith = 4014;
      const failure = await account.connect().catch((error) => error);
      expect(failure).toMatchObject({
        outcome: "permanent",
        message: expect.stringContaining("Message Content"),
      });
    });

    it("not while it is out of reach, but may later", async () => {
      server.answer = () => ({ status: 503, body: {} });
      await expect(account.connect()).rejects.toMatchObject({ outcome: "retryable" });
    });

    it("not more than fifty times a day without resuming, and says until when", async () => {
      const now = Date.now();
      account.remembered.set(
        "identifies",
        JSON.stringify(Array.from({ length: 50 }, (_, n) => now - 1_000 - n)),
      );
      const failure = await account.connect().catch((error) => error);
      expect(failure).toMatchObject({ outcome: "retryable" });
      expect(failure.message).toContain(new Date(now - 1_049 + 86_400_000).toISOString());
      expect(server.identified).toEqual([]);
    });

    it("counting each time", async () => {
      await account.connect();
      expect(JSON.parse(account.remembered.get("identifies") ?? "")).toHaveLength(1);
    });

    it("with its commands in the menu, told once", async () => {
      account.commands = [{ name: "new", description: "begin a new conversation" }];
      await account.connect();
      expect(await server.commands()).toMatchObject([
        { name: "new", description: "begin a new conversation" },
      ]);
      await account.end();
      await account.connect();
      expect(
        server.calls.filter(({ method, path }) => method === "PUT" && path.endsWith("/commands")),
      ).toHaveLength(1);
    });
  });

  describe("after a gap", () => {
    it("goes on with the session, and reads what was written meanwhile", async () => {
      await account.connect();
      await writeTo(dm.chatId, "before");
      await account.hears("before");
      server.cut();
      await writeTo(dm.chatId, "meanwhile");
      await account.hears("before", "meanwhile");
      expect(server.identified).toEqual(["READY", "RESUMED"]);
      expect(account.told).toEqual([{ lost: expect.any(String) }, "connected"]);
    });

    it("goes on in the next process", async () => {
      await account.connect();
      await writeTo(dm.chatId, "before");
      await account.hears("before");
      await account.end();
      await writeTo(dm.chatId, "meanwhile");
      await account.connect();
      await writeTo(dm.chatId, "after");
      await account.hears("before", "meanwhile", "after");
      expect(server.identified).toEqual(["READY", "RESUMED"]);
    });

    it("begins anew if it wants to hear of reactions by now, and loses nothing either", async () => {
      await account.connect();
      await writeTo(dm.chatId, "before");
      await account.hears("before");
      await account.end();
      await writeTo(dm.chatId, "meanwhile");
      account.reactions = true;
      await account.connect();
      await account.hears("before", "meanwhile");
      expect(server.identified).toEqual(["READY", "READY"]);
    });

    it("begins anew where the session is gone, and loses nothing either", async () => {
      await account.connect();
      await writeTo(dm.chatId, "before");
      await account.hears("before");
      await account.end();
      const progress = JSON.parse(account.remembered.get("progress") ?? "");
      account.remembered.set("progress", JSON.stringify({ ...progress, session: null }));
      await writeTo(dm.chatId, "meanwhile");
      await writeTo(CHANNEL, `<@${server.botId}> in a channel nobody knew`);
      await account.connect();
      await account.hearsAll("before", "in a channel nobody knew", "meanwhile");
      expect(server.identified).toEqual(["READY", "READY"]);
    });

    it("gives again what could not be taken, also the first message of a chat", async () => {
      account.refuses = 1;
      await account.connect();
      await writeTo(dm.chatId, "hello");
      await account.refused;
      await account.end();
      await account.connect();
      await account.hears("hello");
    });

    it("gives it again in the same process too, and nothing overtakes it", async () => {
      account.refuses = 1;
      await account.connect();
      await writeTo(dm.chatId, "one");
      await writeTo(dm.chatId, "two");
      await account.hears("one", "two");
    });

    it("comes back when Discord asks it to call again, and tells nobody", async () => {
      await account.connect();
      server.askToReconnect();
      await vi.waitUntil(() => server.identified.length === 2, { timeout: 20_000 });
      expect(server.identified).toEqual(["READY", "RESUMED"]);
      await writeTo(dm.chatId, "after");
      await account.hears("after");
      expect(account.told).toEqual([]);
    });
  });

  describe("receives", () => {
    it("from a group what is for it, with where and who", async () => {
      await account.connect();
      await writeTo(CHANNEL, "among us");
      const { id } = await writeTo(CHANNEL, `hey <@${server.botId}> you`);
      await account.hears("among us", "hey you");
      expect(account.heard.map(({ isAddressed }) => isAddressed)).toEqual([false, true]);
      expect(account.heard[1]?.source).toEqual({
        platform: "discord",
        chatId: CHANNEL,
        chatType: "group",
        chatName: "#crabline-channel",
        userId: ANN,
        userName: "Ann",
        messageId: id,
      });
    });

    it("a reply to what it said, with the words", async () => {
      await account.connect();
      const { messageId } = await account.adapter.send(message("Tea or coffee?", group));
      await server.inject({ channelId: CHANNEL, guildId: GUILD, content: "tea", replyTo: messageId });
      await account.hears("tea");
      expect(account.heard[0]).toMatchObject({
        isAddressed: true,
        replyTo: { messageId, text: "Tea or coffee?" },
      });
    });

    it("a change of what was written, and no other change", async () => {
      await account.connect();
      const { id } = await writeTo(dm.chatId, "tea");
      await account.hears("tea");
      const [written] = await server.messages(dm.chatId);
      const old = { ...written, id: before(id), edited_timestamp: null };
      server.say("MESSAGE_UPDATE", old);
      server.say("MESSAGE_UPDATE", {
        ...written,
        content: "coffee",
        edited_timestamp: "2026-01-10T12:00:00+00:00",
      });
      await account.hears("tea", "coffee");
      expect(account.heard[1]).toMatchObject({ kind: "edit", messageId: id });
    });

    it("that messages are gone, one or many, in their place among what was written there", async () => {
      await account.connect();
      const { id } = await writeTo(dm.chatId, "tea");
      const other = newId();
      server.say("MESSAGE_DELETE", { id, channel_id: dm.chatId });
      server.say("MESSAGE_DELETE_BULK", { ids: [id, other], channel_id: dm.chatId });
      await account.hears("tea", "", "", "");
      expect(account.heard.slice(1)).toEqual(
        [id, id, other].map((messageId) => ({
          kind: "deletion",
          source: { platform: "discord", chatId: dm.chatId, chatType: "dm" },
          messageId,
          text: "",
        })),
      );
    });

    it("a forward with its author, where it may read the message; roles by their names", async () => {
      await account.connect();
      server.say("GUILD_ROLE_CREATE", { guild_id: GUILD, role: { id: "77", name: "Moderators" } });
      await writeTo(dm.chatId, "tea for <@&77>");
      await account.hears("tea for @Moderators");
      const [written] = await server.messages(dm.chatId);
      const [seen, hidden] = [newId(), newId()];
      server.answer = ({ path }) =>
        path.endsWith(`/messages/${seen}`)
          ? { status: 200, body: { id: seen, author: { id: "5", global_name: "Ada" } } }
          : path.endsWith(`/messages/${hidden}`)
            ? { status: 403, body: {} }
            : null;
      for (const [n, message_id] of [seen, hidden].entries()) {
        const reference = { type: 1, channel_id: CHANNEL, message_id };
        const snapshot = { message: { content: `said ${n}` } };
        const fields = { message_reference: reference, message_snapshots: [snapshot], content: "" };
        server.say("MESSAGE_CREATE", { ...written, id: newId(), ...fields });
      }
      await account.hears("tea for @Moderators", "said 0", "said 1");
      expect(account.heard.slice(1).map(({ forwarded }) => forwarded)).toEqual([{ from: "Ada" }, {}]);
    });

    it("a slash command: kept, answered in private for a moment, and taken back", async () => {
      await account.connect();
      server.answer = ({ path }) =>
        /\/(?:interactions|webhooks)\//.test(path) ? { status: 200, body: {} } : null;
      server.command(CHANNEL, ANN, "/new holiday plans");
      await account.hears("/new holiday plans");
      expect(account.heard[0]).toMatchObject({
        kind: "command",
        isAddressed: true,
        source: { chatType: "group" },
      });
      await server.called(({ method, path }) => method === "DELETE" && path.includes("/webhooks/"));
      const answers = server.calls.filter(({ path }) => /\/(?:interactions|webhooks)\//.test(path));
      expect(answers.map(({ method }) => method)).toEqual(["POST", "DELETE"]);
      expect(JSON.parse(answers[0]?.body ?? "")).toEqual({ type: 5, data: { flags: 64 } });
    });
  });

  describe("buttons", () => {
    const buttons = [{ label: "Allow once", command: "/approve 1503" }];
    const answers = () => server.calls.filter(({ path }) => path.includes("/interactions/"));

    beforeEach(async () => {
      await account.connect();
      const isTaken = ({ path, method }: { path: string; method: string }) =>
        method === "PATCH" || path.includes("/interactions/");
      server.answer = (call) => (isTaken(call) ? { status: 200, body: {} } : null);
    });

    it("carry their command, and go once they were used in a chat of two", async () => {
      const { messageId } = await account.adapter.send({ ...message("May I?"), buttons });
      const [button] = buttonsIn(server);
      expect(button).toMatchObject({
        type: 2,
        style: 2,
        label: "Allow once",
        custom_id: "baton /approve 1503",
      });
      const id = server.press(dm.chatId, ANN, messageId, button?.custom_id ?? "", true);
      await account.hears("/approve 1503");
      expect(account.heard[0]).toMatchObject({
        kind: "button",
        messageId: id,
        source: { chatType: "dm", userId: ANN },
      });
      await server.called(
        ({ method, path }) => method === "PATCH" && path.endsWith(`/messages/${messageId}`),
      );
      expect(answers().map(({ body }) => JSON.parse(body ?? ""))).toEqual([{ type: 6 }]);
    });

    it("stay in a server, and those of others say nothing", async () => {
      server.press(CHANNEL, ANN, newId(), "/approve 1");
      server.press(CHANNEL, ANN, newId(), "baton /deny 1503");
      server.press(CHANNEL, ANN, newId(), "baton /deny 1504");
      await account.hears("/deny 1503", "/deny 1504");
      expect(answers()).toHaveLength(2);
      expect(server.calls.some(({ method }) => method === "PATCH")).toBe(false);
    });
  });

  describe("sends", () => {
    beforeEach(() => account.connect());

    it("pinging nobody, without previews, as an answer, under a nonce of its delivery", async () => {
      const { id } = await writeTo(CHANNEL, "hello");
      const sent = { ...message("@everyone <@1> https://example.com", group), replyTo: id };
      await account.adapter.send(sent);
      const [there] = await server.sent(CHANNEL);
      expect(there).toMatchObject({
        content: "@everyone \\<@1\\> <https://example.com>",
        allowed_mentions: { parse: [] },
        flags: 4,
        message_reference: { message_id: id },
        nonce: expect.stringMatching(/^[\w-]{25}$/),
      });
      expect(JSON.parse(server.posts()[0]?.body ?? "")).toMatchObject({
        enforce_nonce: true,
        message_reference: { fail_if_not_exists: false },
      });
    });

    describe("what nobody confirmed", () => {
      const sent = async () => (await server.sent(dm.chatId)).map(({ content }) => content);
      /** Discord has it, and the connection is lost. */
      const lose = async (letter = message("once")) => {
        await server.faults.play("reset after");
        await expect(account.adapter.send(letter)).rejects.toMatchObject({ outcome: "unknown" });
      };

      it("is known by the event that tells its nonce", async () => {
        await lose();
        await vi.waitUntil(async () => typeof (await account.adapter.find(message("once"))) === "object");
        const [there] = await server.sent(dm.chatId);
        expect(await account.adapter.find(message("once"))).toEqual({ messageId: there?.id });
      });

      it("may be sent again for some minutes, since Discord takes its nonce once; then nobody knows", async () => {
        server.hidesNonces = true;
        const written = { ...message("once"), writtenAt: Date.now() };
        await server.inject({ channelId: dm.chatId, content: "a question" });
        await server.post(dm.chatId, "once");
        expect(await account.adapter.find(written)).toBe("not there");
        expect(await account.adapter.find({ ...written, writtenAt: Date.now() - 3 * 60_000 })).toBeNull();
        expect(await account.adapter.find({ ...written, text: "quite another text" })).toBe("not there");
      });

      it("is looked for before it is sent again later", async () => {
        await lose();
        vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10 * 60_000 });
        try {
          await account.adapter.send(message("once"));
        } finally {
          vi.useRealTimers();
        }
        expect(await sent()).toEqual(["once"]);
      });

      it("is not said to be missing where the bot may not read", async () => {
        const late = { ...message("once"), writtenAt: Date.now() - 3 * 60_000 };
        server.answer = ({ method, path }) =>
          method === "GET" && path.includes("/messages?") ? { status: 200, body: [] } : null;
        expect(await account.adapter.find(late)).toBeNull(); // An empty history, also from the beginning.
      });
    });

    describe("in a thread in which nobody can write", () => {
      const letter = { ...message("the answer", { ...group, threadId: CHANNEL }), deliveryId: "turn-9.0" };
      let threadId: string;
      const refuse = (code: number, times = Number.POSITIVE_INFINITY): void => {
        let left = times;
        server.answer = ({ method, path }) =>
          method === "POST" && path.endsWith(`/${threadId}/messages`) && left-- > 0
            ? { status: code === 10_003 ? 404 : 400, body: { code, message: "no" } }
            : null;
      };
      const inThread = () => ({ ...letter, address: { ...group, threadId } });
      const shown = async (channelId: string) => (await server.sent(channelId)).map(({ content }) => content);

      beforeEach(async () => {
        const thread = await account.adapter.createThread(group, "Here", null, "once");
        threadId = thread?.threadId ?? "";
        await account.adapter.place({ ...group, threadId });
      });

      it("opens it again if it was archived", async () => {
        refuse(50_083, 1);
        await account.adapter.send(inThread());
        expect(await shown(threadId)).toContain("the answer");
      });

      it.each([160_005, 10_003])("goes to the channel around it, and is edited there: %i", async (code) => {
        refuse(code);
        const { messageId } = await account.adapter.send(inThread());
        await account.adapter.edit({ ...inThread(), text: "edited" }, messageId);
        expect(await shown(CHANNEL)).toContain("edited");
      });

      it("stays unsaid if it is true only there", async () => {
        refuse(160_005);
        await expect(account.adapter.send({ ...inThread(), onlyThere: true })).rejects.toMatchObject({
          outcome: "permanent",
          message: "That thread is locked, or not there any more.",
        });
        expect(await shown(CHANNEL)).not.toContain("the answer");
      });

      it("is not shown to those who do not see a private thread", async () => {
        server.say("THREAD_UPDATE", { id: threadId, type: 12, parent_id: CHANNEL, name: "Here" });
        await writeTo(CHANNEL, "after that");
        await vi.waitUntil(() => account.heard.some(({ text }) => text === "after that"));
        refuse(160_005);
        await expect(account.adapter.send(inThread())).rejects.toMatchObject({ outcome: "permanent" });
        expect(await shown(CHANNEL)).not.toContain("the answer");
      });
    });

    it("an answer as a message of its own where it may not read what it answers", async () => {
      server.answer = ({ body }) =>
        body.includes("message_reference") ? { status: 400, body: { code: 160_002, message: "no" } } : null;
      await account.adapter.send({ ...message("anyway"), replyTo: newId() });
      expect((await server.sent(dm.chatId)).map(({ content }) => content)).toEqual(["anyway"]);
    });

    it("and finds it after a crash, or says that it is not there", async () => {
      const { messageId } = await account.adapter.send(message("once"));
      await account.end();
      await account.connect();
      expect(await account.adapter.find(message("once"))).toEqual({ messageId });
      expect(await account.adapter.find({ ...message("once"), deliveryId: "turn-2.0" })).toBe("not there");
      server.answer = ({ method }) => (method === "GET" ? { status: 403, body: { code: 50_001 } } : null);
      expect(await account.adapter.find(message("once"))).toBeNull();
    });

    it("no file that is too large, and says so", async () => {
      const folder = await mkdtemp(join(tmpdir(), "baton-discord-file-"));
      const path = join(folder, "large");
      await writeFile(path, Buffer.alloc(10 * 1024 * 1024 + 1));
      const file = { path, name: "large.bin", mediaType: "application/octet-stream" };
      await expect(account.adapter.send({ ...message(""), files: [file] })).rejects.toMatchObject({
        outcome: "permanent",
        message: expect.stringContaining("large.bin"),
      });
      expect(await server.sent(dm.chatId)).toEqual([]);
      await rm(folder, { recursive: true });
    });

    it("nothing to what is not a channel", async () => {
      const nowhere = { platform: "discord", chatId: "../users/@me" };
      await expect(account.adapter.send(message("x", nowhere))).rejects.toMatchObject({
        outcome: "permanent",
      });
    });
  });

  describe("makes a thread", () => {
    beforeEach(() => account.connect());

    it("whose key is that of what a person writes in it, and lets the person in", async () => {
      const thread = await account.adapter.createThread(group, "Holiday plans", ANN, "once");
      expect(thread).toEqual({ platform: "discord", chatId: CHANNEL, threadId: expect.any(String) });
      const threadId = thread?.threadId ?? "";
      expect(await server.sent(threadId)).toMatchObject([
        { content: `<@${ANN}>`, allowed_mentions: { users: [ANN] } },
      ]);
      await server.inject({
        channelId: threadId,
        guildId: GUILD,
        parentChannelId: CHANNEL,
        content: "here I am",
      });
      await account.hears("here I am");
      const source = account.heard[0]?.source;
      expect(source).toMatchObject({
        parentChatId: CHANNEL,
        chatTopic: "Holiday plans",
        chatName: "#crabline-channel",
      });
      expect(source && buildSessionKey(source)).toBe(`agent:main:discord:thread:${CHANNEL}:${threadId}`);
    });

    it("of its own where Discord can, and adds the person", async () => {
      const threadId = newId();
      server.answer = ({ path }) => {
        if (path.endsWith(`/channels/${CHANNEL}/threads`)) return { status: 201, body: { id: threadId } };
        return path.endsWith(`/thread-members/${ANN}`) ? { status: 200, body: {} } : null;
      };
      expect(await account.adapter.createThread(group, "x".repeat(300), ANN, "once")).toMatchObject({
        threadId,
      });
      expect(server.posts()).toEqual([]);
      const asked = server.calls.find(({ path }) => path.endsWith("/threads"));
      expect(JSON.parse(asked?.body ?? "")).toMatchObject({
        type: 11,
        name: expect.stringMatching(/^x{99}…$/),
      });
    });

    it("for nobody who cannot see it, and says why", async () => {
      const threadId = newId();
      for (const [code, why] of [
        [10_007, "You are not in that Discord server, and would not see it there."],
        [10_013, "You are not in that Discord server, and would not see it there."],
        [50_001, "You have no access to that channel, and would not see it there."],
      ] as const) {
        server.calls.length = 0;
        server.answer = ({ path }) => {
          if (path.endsWith(`/channels/${CHANNEL}/threads`)) return { status: 201, body: { id: threadId } };
          if (path.endsWith(`/thread-members/${ANN}`)) return { status: 403, body: { code } };
          return path.endsWith(`/channels/${threadId}`) ? { status: 200, body: {} } : null;
        };
        const making = account.adapter.createThread(group, "Holiday", ANN, "once");
        await expect(making).rejects.toMatchObject({ outcome: "permanent", message: why });
        expect(server.posts()).toEqual([]);
        const removed = server.calls.filter(({ method }) => method === "DELETE");
        expect(removed.map(({ path }) => path)).toEqual([
          expect.stringMatching(new RegExp(`/channels/${threadId}$`)),
        ]);
      }
    });

    it("where Discord does not tell whether the person sees it", async () => {
      const threadId = newId();
      server.answer = ({ path }) => {
        if (path.endsWith(`/channels/${CHANNEL}/threads`)) return { status: 201, body: { id: threadId } };
        return path.includes(`/channels/${threadId}/`) ? { status: 403, body: { code: 50_013 } } : null;
      };
      expect(await account.adapter.createThread(group, "Holiday", ANN, "once")).toMatchObject({ threadId });
    });

    it("not in a chat of two, nor in a thread", async () => {
      expect(await account.adapter.createThread(dm, "Holiday", ANN, "once")).toBeNull();
      expect(
        await account.adapter.createThread({ ...group, threadId: newId() }, "Holiday", ANN, "once"),
      ).toBeNull();
    });

    it("not where it may not, and says so", async () => {
      server.answer = ({ path }) =>
        path.endsWith("/threads") ? { status: 403, body: { code: 50_013 } } : null;
      const error = await account.adapter
        .createThread(group, "Holiday", ANN, "once")
        .catch((thrown) => thrown);
      expect(error).toBeInstanceOf(ThreadRefused);
      expect(error.message).toBe(
        "The bot may not make threads: let it create public threads in this channel.",
      );
    });
  });

  describe("tells of a place", () => {
    const person = { userId: ANN, userName: `user-${ANN.slice(-6)}` };
    beforeEach(() => account.connect());

    it("with its names, and in a chat of two with the other one", async () => {
      expect(await account.adapter.place(dm)).toEqual({ ...dm, chatType: "dm", ...person });
      const channel = { ...group, chatName: "#crabline-channel" };
      expect(await account.adapter.place(group)).toEqual({ ...channel, chatType: "group" });
      const thread = await account.adapter.createThread(group, "Holiday", null, "once");
      const threadId = thread?.threadId ?? "";
      const told = { ...channel, chatType: "thread", threadId, parentChatId: CHANNEL, chatTopic: "Holiday" };
      expect(await account.adapter.place({ ...group, threadId })).toEqual(told);
      expect(await account.adapter.place({ ...group, chatId: threadId })).toEqual(told);
      expect(await account.adapter.place({ ...dm, threadId })).toBeNull();
      expect(await account.adapter.place({ ...dm, threadId: CHANNEL })).toBeNull();
    });

    it("as it is by now", async () => {
      expect(await account.adapter.place(group)).not.toBeNull();
      server.answer = ({ path }) =>
        path.endsWith(`/channels/${CHANNEL}`) ? { status: 403, body: { code: 50_001 } } : null;
      expect(await account.adapter.place(group)).toBeNull();
    });

    it("not with ourselves, nor with nobody", async () => {
      for (const recipients of [[{ id: server.botId, username: "us" }], [], "nobody"]) {
        server.answer = ({ path }) =>
          path.endsWith(`/channels/${dm.chatId}`)
            ? { status: 200, body: { id: dm.chatId, type: 1, recipients } }
            : null;
        expect(await account.adapter.place(dm)).toBeNull();
      }
    });

    it("later, where Discord has trouble", async () => {
      server.answer = () => ({ status: 502, body: {} });
      await expect(account.adapter.place(dm)).rejects.toMatchObject({ outcome: "retryable" });
      const nowhere = { ...dm, chatId: "../users/@me" };
      await expect(account.adapter.place(nowhere)).rejects.toMatchObject({ outcome: "permanent" });
    });
  });
});

/** A gateway's side: what an account remembers over several processes, and what it has heard. */
class Account {
  adapter: KeptAdapter;
  commands: Line["commands"] = [];
  reactions = false;
  readonly remembered = new Map<string, string>();
  readonly heard: InboundMessage[] = [];
  readonly told: unknown[] = [];
  /** How many messages are not taken. */
  refuses = 0;
  readonly refused: Promise<void>;
  readonly #server: DiscordServer;
  #refuse: () => void = () => {};
  #waiting: (() => void)[] = [];

  constructor(server: DiscordServer) {
    this.#server = server;
    this.adapter = this.#newAdapter();
    this.refused = new Promise((resolve) => {
      this.#refuse = resolve;
    });
  }

  tell(state: unknown): void {
    this.told.push(state);
    this.#stir();
  }

  async connect(): Promise<void> {
    this.adapter = this.#newAdapter();
    await this.adapter.connect(
      async (message) => {
        if (this.refuses > 0) {
          this.refuses -= 1;
          this.#refuse();
          throw new Error("not now");
        }
        this.heard.push(message);
        this.#stir();
        return "accepted";
      },
      {
        memory: memoryOf(this.remembered),
        commands: this.commands,
        reactions: this.reactions,
        tell: (state) => this.tell(state),
      },
    );
  }

  end(): Promise<void> {
    return this.adapter.disconnect();
  }

  /** In whatever order: channels do not wait for each other. */
  async hearsAll(...texts: string[]): Promise<void> {
    while (this.heard.length < texts.length) await this.#stirred();
    expect(this.heard.map(({ text }) => text).sort()).toEqual(texts);
  }

  async hears(...texts: string[]): Promise<void> {
    while (this.heard.length < texts.length) await this.#stirred();
    await new Promise((resolve) => setImmediate(resolve)); // It was taken; now it counts as read.
    expect(this.heard.map(({ text }) => text)).toEqual(texts);
  }

  #newAdapter(): KeptAdapter {
    const { token, baseUrl } = this.#server;
    return new KeptAdapter(new DiscordAdapter({ token: () => token, baseUrl, timeoutMs: TIMEOUT_MS }));
  }

  #stirred(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #stir(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
