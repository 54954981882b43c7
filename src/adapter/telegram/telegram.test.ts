/** What only Telegram has, against the server that plays it: conflicts, moves, menus, photos, and a token to keep. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Sent, TelegramServer } from "../../../test/support/telegram-server.js";
import { buildSessionKey } from "../../session/session-key.js";
import type { Address } from "../../session/source.js";
import { KeptAdapter, type KeptSetting, type LineNews, memoryOf } from "../../testing/kept-adapter.js";
import {
  ConnectError,
  type InboundMessage,
  type Line,
  type LocalFile,
  type RemoteFile,
  SendError,
  ThreadRefused,
} from "../adapter.js";
import { TelegramAdapter } from "./adapter.js";
import { menuOf } from "./menu.js";

const platform = "telegram";
const DM = { platform, chatId: "100001" };

let server: TelegramServer;
let adapter: KeptAdapter;
let folder: string;
let received: InboundMessage[];
let told: LineNews[];
const remembered = new Map<string, string>();

const open = async (token = server.token, baseUrl = server.url) =>
  new KeptAdapter(new TelegramAdapter({ token: () => token, baseUrl }));
const surroundings = (commands: Line["commands"] = []): KeptSetting => ({
  memory: memoryOf(remembered),
  commands,
  tell: (state) => void told.push(state),
});
const connect = (to = adapter, commands?: Line["commands"]) =>
  to.connect(async (message) => {
    received.push(message);
    return "accepted";
  }, surroundings(commands));
const failure = async (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => null,
    (error: unknown) => error,
  );
const send = (text: string, deliveryId = "d1", address = DM) => adapter.send({ address, text, deliveryId });
const share = (...files: LocalFile[]) => adapter.send({ address: DM, text: "", deliveryId: "f1", files });

/** Somebody sends a file, and says nothing of its size. */
async function sentFile(id: string, bytes: Uint8Array | null): Promise<RemoteFile> {
  server.files.set(id, bytes);
  await server.deliver({
    chatId: "100001",
    text: "-",
    as: ({ update_id, message }) => ({ update_id, message: { ...message, document: { file_id: id } } }),
  });
  const file = received.at(-1)?.files?.[0];
  if (!file) throw new Error("No file came.");
  return file;
}

beforeEach(async () => {
  server = await TelegramServer.start();
  folder = await mkdtemp(join(tmpdir(), "telegram-files-"));
  adapter = await open();
  received = [];
  told = [];
  remembered.clear();
});
afterEach(async () => {
  await adapter.disconnect();
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

describe("buttons", () => {
  const buttons = [
    { label: "Allow once", command: "/approve 1503" },
    { label: "Deny", command: "/deny 1503" },
  ];
  const press = (chatId: string, data: unknown) =>
    server.deliver({
      chatId,
      text: "-",
      as: ({ update_id, message }) => ({
        update_id,
        callback_query: { id: "4382", from: message.from, message: { ...message, from: server.bot }, data },
      }),
    });
  const called = (name: string) => server.calls.filter(({ method }) => method === name);

  it("stand under the text, and go once they were used in a chat of two", async () => {
    await connect();
    await adapter.send({ address: DM, text: "May I?", deliveryId: "d1", buttons });
    expect([...(server.sent[0]?.buttons ?? [])]).toEqual([
      ["Allow once", "baton /approve 1503"],
      ["Deny", "baton /deny 1503"],
    ]);
    await press(DM.chatId, "baton /deny 1503");
    expect(received).toMatchObject([{ kind: "button", text: "/deny 1503", messageId: "press/4382" }]);
    expect(called("answerCallbackQuery")).toMatchObject([{ given: { callback_query_id: "4382" } }]);
    expect(called("editMessageReplyMarkup")).toMatchObject([{ given: { chat_id: DM.chatId } }]);
  });

  it("stay in a group, where somebody may press who has no say", async () => {
    await connect();
    await press("-100200", "baton /deny 1503");
    expect(received).toMatchObject([{ kind: "button", source: { chatType: "group" } }]);
    expect(called("answerCallbackQuery")).toHaveLength(1);
    expect(called("editMessageReplyMarkup")).toEqual([]);
  });

  it.each([
    "/approve 1503",
    "baton approve 1503",
    "baton /approve 1503\n/stop",
    7,
    `baton /a ${"1".repeat(60)}`,
  ])("that are not ours say nothing: %j", async (data) => {
    await connect();
    await press(DM.chatId, data);
    expect(received).toEqual([]);
    expect(called("answerCallbackQuery")).toHaveLength(1);
  });
});

describe("a token", () => {
  it("names the account before anybody is called", () => {
    expect(adapter.account).toBe("424242");
    expect(server.calls).toEqual([]);
  });

  it("that is wrong is a sentence that says what to mend, and nothing that helps tries again", async () => {
    for (const connecting of [open("not a token"), open("424242:wrong").then((wrong) => connect(wrong))]) {
      const error = await failure(connecting);
      expect(error).toBeInstanceOf(ConnectError);
      expect((error as ConnectError).outcome).toBe("permanent");
      expect((error as ConnectError).message).toMatch(/TELEGRAM_BOT_TOKEN/);
    }
  });

  it("is in no failure, however deep one looks", async () => {
    const nobody = await open(server.token, "http://127.0.0.1:1");
    const unreached = await failure(connect(nobody));
    expect(unreached).toMatchObject({ outcome: "retryable" });
    await connect();
    const failures = [unreached];
    server.trouble("swallowed");
    failures.push(await failure(send("lost?")));
    const [gone, broken] = [await sentFile("gone", new Uint8Array(1)), await sentFile("broken", null)];
    server.files.delete("gone");
    for (const file of [gone, broken])
      failures.push(await failure(file.read(10, new AbortController().signal)));
    expect(failures.map((error) => error instanceof Error)).toEqual([true, true, true, true]);
    for (const error of failures) expect(everythingOf(error)).not.toContain("crabline-telegram-token");
  });
});

/** A failure with all that hangs on it. */
function everythingOf(error: unknown): string {
  if (!(error instanceof Error)) return JSON.stringify(error) ?? "";
  const fields = Object.getOwnPropertyNames(error).map((name) => Reflect.get(error, name));
  return [error.message, error.stack, ...fields.map(everythingOf)].join("\n");
}

describe("the updates of a bot", () => {
  it("have one reader: another one is told of, and so is that it is gone", async () => {
    await connect();
    await server.reading();
    const other = await open();
    const others: unknown[] = [];
    await other.connect(async () => "accepted", { ...surroundings(), tell: (state) => others.push(state) });
    await server.until(() => told.length > 0 || others.length > 0);
    const [lost] = [...told, ...others] as { lost: string }[];
    expect(lost?.lost).toMatch(/another program reads/i);
    await other.disconnect();
    await server.deliver({ chatId: "100001", text: "hello" });
    expect(received.map(({ text }) => text)).toEqual(["hello"]);
    await server.reading();
    expect(told.at(-1) ?? "connected").toBe("connected");
  });

  it("go on from the one that could not be kept, and none before it comes again", async () => {
    const heard: string[] = [];
    let isFull = true;
    await adapter.connect(async ({ text }) => {
      heard.push(text);
      if (text === "two" && isFull) {
        isFull = false;
        throw new Error("The disk is full.");
      }
      return "accepted";
    }, surroundings());
    const tellings = [];
    for (const text of ["one", "two", "three"])
      tellings.push((await server.inject({ chatId: "100001", text })).told);
    await Promise.all(tellings);
    await server.deliver({ chatId: "100001", text: "four" });
    expect(heard).toEqual(["one", "two", "two", "three", "four"]);
  });
});

describe("a group that becomes a supergroup", () => {
  const [before, after] = ["-4012345678", "-1002222222222"];
  const group = { platform, chatId: before };
  const move = { migrate_to_chat_id: Number(after) };

  it("stays the chat it was, also in the next process", async () => {
    await connect();
    await server.deliver({ chatId: before, text: "before" });
    await server.deliver({
      chatId: before,
      text: "-",
      as: ({ update_id, message }) => ({ update_id, message: { ...message, text: undefined, ...move } }),
    });
    await adapter.disconnect();
    adapter = await open();
    await connect();
    await server.deliver({ chatId: after, text: "after" });
    const [first, second] = received;
    expect(second?.source).toMatchObject({ chatId: before, chatIdAlt: after });
    expect(second && buildSessionKey(second.source)).toBe(first && buildSessionKey(first.source));
    expect(first?.messageId).toBe("1");
    expect(second?.messageId).toBe(`${after}/1`); // Its messages are numbered anew, and are others.

    const sent = await adapter.send({
      address: group,
      text: "here",
      deliveryId: "d",
      replyTo: second?.messageId ?? "",
    });
    expect(server.sentTo(after)).toMatchObject([{ text: "here", replyTo: "1" }]);
    await adapter.edit?.({ address: group, text: "still here", deliveryId: "d" }, sent.messageId);
    await adapter.react?.(group, second?.messageId ?? "", "seen");
    expect(server.sentTo(after)).toMatchObject([{ text: "still here" }]);
    expect(server.marksOn("1")).toEqual(["👀"]);
  });

  it("is followed where nobody had said so", async () => {
    await connect();
    server.refuseNext({
      code: 400,
      words: "Bad Request: group chat was upgraded to a supergroup chat",
      parameters: move,
    });
    await send("one", "d1", group);
    await send("two", "d2", group);
    expect(server.sentTo(after).map(({ text }) => text)).toEqual(["one", "two"]);
  });
});

describe("what is sent", () => {
  const file = async (name: string, mediaType: string, content = "bytes"): Promise<LocalFile> => {
    const path = join(folder, name);
    await writeFile(path, content);
    return { path, name, mediaType };
  };
  const shown = (): Partial<Sent>[] =>
    server.sent.map(({ method, text, file: sent }) => ({
      method,
      text,
      ...(sent ? { name: sent.name } : {}),
    }));

  beforeEach(() => connect());

  it("has no previews of links", async () => {
    await send("see https://example.org");
    expect(server.calls.at(-1)?.given).toMatchObject({
      parse_mode: "HTML",
      link_preview_options: { is_disabled: true },
    });
  });

  it("goes as plain text where its HTML is not taken", async () => {
    server.refuseNext({ code: 400, words: "Bad Request: can't parse entities: unexpected end" });
    await send("**a** & b");
    expect(server.calls.at(-1)?.given).toMatchObject({ text: "a & b" });
    expect(server.calls.at(-1)?.given.parse_mode).toBeUndefined();
  });

  it.each(["message thread not found", "TOPIC_CLOSED", "TOPIC_DELETED"])(
    "goes to the chat where nobody can write in its topic: %s",
    async (words) => {
      server.refuseNext({ code: 400, words: `Bad Request: ${words}` });
      await adapter.send({ address: { ...DM, threadId: "7" }, text: "still here", deliveryId: "d" });
      expect(server.sentTo(DM.chatId).map(({ text }) => text)).toEqual(["still here"]);
    },
  );

  it("goes nowhere where its topic is gone and it is for that topic only", async () => {
    server.refuseNext({ code: 400, words: "Bad Request: message thread not found" });
    const address = { ...DM, threadId: "7" };
    const sending = adapter.send({ address, text: "continues here", deliveryId: "d", onlyThere: true });
    expect(await failure(sending)).toMatchObject({
      outcome: "permanent",
      message: "That topic is closed, or not there any more.",
    });
    expect(server.sentTo(DM.chatId)).toEqual([]);
  });

  it("is a file under its name, and a picture is a photo", async () => {
    await share(await file("plan.pdf", "application/pdf"));
    await share(await file("cat.png", "image/png"));
    expect(shown()).toEqual([
      { method: "sendDocument", text: "", name: "plan.pdf" },
      { method: "sendPhoto", text: "", name: "cat.png" },
    ]);
  });

  it("sends a picture that is no photo as a file", async () => {
    server.refuseNext({ code: 400, words: "Bad Request: PHOTO_INVALID_DIMENSIONS" });
    await share(await file("line.png", "image/png"));
    expect(shown()).toEqual([{ method: "sendDocument", text: "", name: "line.png" }]);
  });

  it("is an album of photos and videos, or of documents: Telegram does not mix them", async () => {
    const [cat, film] = [await file("cat.png", "image/png"), await file("film.mp4", "video/mp4")];
    const drawing = await file("drawing.svg", "image/svg+xml");
    await share(cat, film);
    await share(cat, drawing);
    server.refuseNext({ code: 400, words: "Bad Request: IMAGE_PROCESS_FAILED" });
    const { messageId } = await share(cat, cat);
    expect(server.sent.map(({ method }) => method.split(" ")[1])).toEqual([
      "photo",
      "video",
      "document",
      "document",
      "document",
      "document",
    ]);
    expect(messageId).toBe(server.sent[4]?.messageId);
  });

  it("is a plain file if the person takes no voice messages", async () => {
    server.refuseNext({ code: 400, words: "Bad Request: VOICE_MESSAGES_FORBIDDEN" });
    await share({ ...(await file("voice.ogg", "audio/ogg")), voice: true });
    expect(shown()).toEqual([{ method: "sendDocument", text: "", name: "voice.ogg" }]);
  });

  it("that was taken before a proxy failed (502) is in doubt, and not to be sent again", async () => {
    server.trouble("bad gateway");
    expect(await failure(send("once"))).toMatchObject({ outcome: "unknown" });
    expect(shown()).toEqual([{ method: "sendMessage", text: "once" }]);
  });

  it("that is a file waits as long as Telegram asks for", async () => {
    server.trouble("rate limited");
    const error = await failure(share(await file("a.txt", "text/plain")));
    expect(error).toBeInstanceOf(SendError);
    expect(error).toMatchObject({ outcome: "retryable", retryAfterMs: 7_000 });
    const { messageId } = await share(await file("a.txt", "text/plain"));
    expect(shown()).toEqual([{ method: "sendDocument", text: "", name: "a.txt" }]);
    expect(messageId).toBe(server.sent[0]?.messageId);
  });

  it("and is gone, or too large, is never sent", async () => {
    const gone = { path: join(folder, "gone"), name: "gone.txt", mediaType: "text/plain" };
    expect(await failure(share(gone))).toMatchObject({ outcome: "permanent" });
    expect(await failure(send(" "))).toMatchObject({ outcome: "permanent" });
    expect(server.sent).toEqual([]);
  });
});

describe("a draft", () => {
  const draft = (text: string, deliveryId = "t.live.1", address: Address = DM) =>
    adapter.draft({ address, text, deliveryId });
  const drafts = () => server.calls.filter(({ method }) => method === "sendMessageDraft");

  it("keeps its id for as long as the text is the same one, and is in its topic", async () => {
    await connect();
    const topic = { ...DM, threadId: "7" };
    expect([await draft("one"), await draft("one, **two**")]).toEqual([true, true]);
    expect([await draft("three", "t.live.2", topic)]).toEqual([true]);
    const [first, second, third] = drafts().map(({ given }) => given);
    expect(second).toMatchObject({ chat_id: 100001, text: "one, <b>two</b>", parse_mode: "HTML" });
    expect(first?.draft_id).toBe(second?.draft_id);
    expect(third).toMatchObject({ message_thread_id: 7 });
    expect(third?.draft_id).not.toBe(first?.draft_id);
    for (const given of [first, third]) expect(given?.draft_id).toBeGreaterThan(0);
  });

  it("is not asked for in a group, which has none", async () => {
    await connect();
    expect(await draft("one", "t.live.1", { platform, chatId: "-1001234567890" })).toBe(false);
    expect(drafts()).toEqual([]);
  });

  it("is none if the chat or the server does not take it, and then the answer can grow as a message", async () => {
    await connect();
    server.refuseNext({ code: 400, words: "Bad Request: TEXTDRAFT_PEER_INVALID" });
    expect(await draft("one")).toBe(false);
    server.hasDrafts = false;
    expect(await draft("one")).toBe(false);
    expect((await send("one")).messageId).toMatch(/^\d+$/);
  });

  it("fails if Telegram asks to wait, or the person has blocked the bot", async () => {
    await connect();
    server.trouble("rate limited");
    await expect(draft("one")).rejects.toMatchObject({ outcome: "retryable", retryAfterMs: 7_000 });
    server.trouble("refused");
    await expect(draft("one")).rejects.toMatchObject({ outcome: "permanent" });
  });
});

describe("a file that came", () => {
  it("is read up to what was allowed, whatever its sender says", async () => {
    await connect();
    const file = await sentFile("odd name?", new TextEncoder().encode("12345"));
    expect(Buffer.from(await file.read(5, new AbortController().signal)).toString()).toBe("12345");
    expect(await failure(file.read(4, new AbortController().signal))).toMatchObject({
      message: expect.stringContaining("larger than"),
    });
  });
});

describe("a topic", () => {
  it("is made only where there are topics", async () => {
    await connect();
    expect(
      await adapter.createThread({ platform, chatId: "-1007777777777" }, "Here", null, "once"),
    ).toBeNull();
    expect(await adapter.createThread(DM, "Here", null, "once")).toMatchObject({ chatId: "100001" });
    const without = await TelegramServer.start({ topics: false });
    const other = await open(without.token, without.url);
    try {
      await other.connect(async () => "accepted", surroundings());
      expect(await other.createThread(DM, "Here", null, "once")).toBeNull();
    } finally {
      await other.disconnect();
      await without.close();
    }
  });

  it("is refused in a group in which the bot may not make one", async () => {
    await connect();
    const group = { platform, chatId: "-1008888888888" };
    await server.addForum(Number(group.chatId));
    server.refusals.set("createForumTopic", {
      code: 400,
      words: "Bad Request: not enough rights to create a topic",
    });
    const error = await failure(adapter.createThread(group, "Here", null, "once"));
    expect(error).toBeInstanceOf(ThreadRefused);
    expect(error).toMatchObject({
      message: "The bot may not make topics: let it manage topics in this group.",
    });
  });

  it("is not made in a group that the person has left", async () => {
    await connect();
    const group = { platform, chatId: "-1008888888888" };
    await server.addForum(Number(group.chatId));
    const make = async () => adapter.createThread(group, "Here", "100001", "once");
    server.chats.set(group.chatId, { member: { status: "left" } });
    expect(await failure(make())).toMatchObject({
      outcome: "permanent",
      message: "You are not in that group, and would not see it there.",
    });
    expect(server.calls.some(({ method }) => method === "createForumTopic")).toBe(false);
    const untold = { code: 400, words: "Bad Request: PARTICIPANT_ID_INVALID" };
    server.chats.set(group.chatId, { refusal: untold });
    expect(await make()).toMatchObject(group);
  });
});

describe("a place", () => {
  const place = (chatId: string, threadId?: string) =>
    adapter.place({ platform, chatId, ...(threadId === undefined ? {} : { threadId }) });
  const ann = { platform, chatId: "100001", chatName: "Ann Lee", chatType: "dm" };
  const know = (id: number, full: object, member?: Readonly<Record<string, unknown>>): void =>
    void server.chats.set(String(id), { full: { id, ...full }, ...(member ? { member } : {}) });

  beforeEach(() => {
    know(100001, { type: "private", first_name: "Ann", last_name: "Lee" });
    know(-1001, { type: "supergroup", title: "Team", is_forum: true });
    know(-1002, { type: "supergroup", title: "Plain" });
    know(-1003, { type: "channel", title: "News" });
  });

  it("is known by what it is, with its names", async () => {
    await connect();
    const person = { userId: "100001", userName: "Ann Lee" };
    expect(await place("100001")).toEqual({ ...ann, ...person });
    expect(await place("100001", "5")).toEqual({ ...ann, ...person, threadId: "5" });
    const team = { platform, chatId: "-1001", chatName: "Team" };
    expect(await place("-1001")).toEqual({ ...team, chatType: "group" });
    expect(await place("-1001", "7")).toEqual({ ...team, chatType: "thread", threadId: "7" });
    expect(await place("-1001", "1")).toEqual({ ...team, chatType: "group" });
    expect(await place("-1003")).toMatchObject({ chatId: "-1003", chatType: "channel" });
    server.chats.set("@news", { full: { id: -1003, type: "channel", title: "News" } });
    expect(await place("@news")).toMatchObject({ chatId: "-1003" });
  });

  it("is none where there is no such topic, nor where the bot is not", async () => {
    await connect();
    for (const chatId of ["-1002", "-1003"]) expect(await place(chatId, "7")).toBeNull();
    expect(await failure(place("-1001", "x") as Promise<unknown>)).toMatchObject({ outcome: "permanent" });
    for (const member of [{ status: "left" }, { status: "kicked" }, { status: "restricted" }]) {
      know(-1002, { type: "supergroup" }, member);
      expect(await place("-1002")).toBeNull();
    }
    know(-1002, { type: "supergroup" }, { status: "restricted", is_member: true });
    expect(await place("-1002")).not.toBeNull();
    const words = "Forbidden: bot was kicked from the supergroup chat";
    server.chats.set("-1002", { refusal: { code: 403, words } });
    expect(await place("-1002")).toBeNull();
    know(server.bot.id, { type: "private", first_name: "Crabline" });
    expect(await place(String(server.bot.id))).toBeNull();
  });

  it("without topics in private chats has none there", async () => {
    const without = await TelegramServer.start({ topics: false });
    without.chats.set("100001", { full: { id: 100001, type: "private" } });
    const other = await open(without.token, without.url);
    try {
      await other.connect(async () => "accepted", surroundings());
      expect(await other.place({ ...DM, threadId: "5" })).toBeNull();
      expect(await other.place(DM)).toEqual({ ...DM, chatType: "dm", userId: "100001" });
    } finally {
      await other.disconnect();
      await without.close();
    }
  });

  it("that moved is the one it was", async () => {
    await connect();
    const words = "Bad Request: group chat was upgraded to a supergroup chat";
    server.chats.set("-55", { refusal: { code: 400, words, parameters: { migrate_to_chat_id: -1002 } } });
    const moved = { platform, chatId: "-55", chatIdAlt: "-1002", chatName: "Plain", chatType: "group" };
    for (const chatId of ["-55", "-55", "-1002"]) expect(await place(chatId)).toEqual(moved);
  });

  it("is asked for later, where Telegram is not well or does not answer", async () => {
    await connect();
    server.chats.set("100001", { refusal: { code: 500, words: "Internal Server Error" } });
    expect(await failure(place("100001") as Promise<unknown>)).toMatchObject({ outcome: "retryable" });
    await server.close();
    expect(await failure(place("100001") as Promise<unknown>)).toMatchObject({ outcome: "retryable" });
    server = await TelegramServer.start();
  });
});

describe("the menu", () => {
  it("is told once, until it changes", async () => {
    const calls = () => server.calls.filter(({ method }) => method === "setMyCommands").length;
    const commands = [{ name: "New", description: "begin\na new session" }];
    for (const list of [commands, commands, [...commands, { name: "stop", description: "stop" }]]) {
      await connect(adapter, list);
      await adapter.disconnect();
    }
    expect(calls()).toBe(2);
    expect(server.menu).toEqual(["new", "stop"]);
  });

  it("has only what Telegram takes", () => {
    const named = (name: string) => ({ name, description: "" });
    const menu = menuOf([named("ok"), named("not-ok"), named("x".repeat(33)), named("")]);
    expect(menu).toEqual([{ command: "ok", description: "ok" }]);
    expect(menuOf([{ name: "a", description: "y".repeat(500) }])[0]?.description.length).toBeLessThanOrEqual(
      256,
    );
    expect(menuOf(Array.from({ length: 150 }, (_, n) => named(`c${n}`)))).toHaveLength(100);
  });
});
