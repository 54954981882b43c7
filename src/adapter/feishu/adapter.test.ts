import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { feishu, type SentMessage } from "../../../test/support/feishu-messages.js";
import {
  ANN,
  DM,
  FeishuWorld,
  idNamed,
  TOWN,
  type WrittenEvent,
} from "../../../test/support/feishu-world.js";
import type { AdapterFixture, ShownFile, Trouble, Written } from "../../testing/adapter/fixture.js";
import { adapterContract } from "../../testing/adapter-contract.js";
import { KeptAdapter } from "../../testing/kept-adapter.js";
import type { Adapter, InboundMessage, Receive } from "../adapter.js";
import { FeishuAdapter } from "./adapter.js";
import { type FeishuPost, toPlain, toPost } from "./format.js";

const TROUBLES: Readonly<Record<Exclude<Trouble, "revoked token">, Parameters<FeishuWorld["failNext"]>[0]>> =
  {
    "rate limited": {
      status: 400,
      headers: { "x-ogw-ratelimit-reset": "7", "content-type": "application/json" },
      body: JSON.stringify({ code: 99_991_400, msg: "request trigger frequency limit" }),
    },
    "server error": { status: 500, body: JSON.stringify({ code: 2_200, msg: "internal error" }) },
    refused: feishu(230_002, "The bot can not be outside the group."),
    swallowed: "swallow",
  };

/** What a chat shows of a message: the words with where links lead, and without styles. */
function shownOf({ type, content }: SentMessage): string {
  const parsed = JSON.parse(content) as FeishuPost & { elements: { text?: { content: string } }[] };
  if (type === "interactive") return parsed.elements[0]?.text?.content ?? "";
  return parsed.zh_cn.content
    .map((line) =>
      line
        .map((node) => {
          if (node.tag === "at") return `<at ${node.user_id}>`;
          return node.tag === "a" && node.href !== node.text ? `${node.text} (${node.href})` : node.text;
        })
        .join(""),
    )
    .join("\n");
}

function asShown(text: string): string {
  return shownOf({
    type: "post",
    content: JSON.stringify(toPost(text)),
    messageId: "",
    chatId: "",
    edits: 0,
  });
}

function buttonsOf({ type, content }: SentMessage) {
  if (type !== "interactive") return [];
  const card = JSON.parse(content) as {
    elements: { actions?: { text: { content: string }; value: Record<string, string> }[] }[];
  };
  return card.elements.flatMap(({ actions = [] }) => actions);
}

/** Whom a message names: by a node, or in a text that would be read as one. */
function namesIn({ content }: SentMessage): readonly string[] {
  return [...(content.match(/<at\b[^>]*>/gi) ?? []), ...(content.match(/"tag":"at"/g) ?? [])];
}

/** Knows of each message whether receiving it failed: then the platform is never told. */
function watched(adapter: Adapter) {
  const failed = new Map<string, () => void>();
  const isFailed = new Set<string>();
  const serve: Adapter["serve"] = (line) => {
    const receive: Receive = async (message) => {
      try {
        return await line.receive(message);
      } catch (error) {
        isFailed.add(message.messageId);
        failed.get(message.messageId)?.();
        throw error;
      }
    };
    return adapter.serve({ ...line, receive });
  };
  const { platform, account, capabilities } = adapter;
  return {
    adapter: { platform, account, capabilities, serve },
    refused: async (messageId: string) => {
      if (!isFailed.has(messageId)) await new Promise<void>((resolve) => failed.set(messageId, resolve));
    },
  };
}

async function fixture(): Promise<AdapterFixture> {
  const world = await FeishuWorld.open();
  const make = () => watched(new FeishuAdapter(world.settings));
  let now = make();
  const address = { platform: "feishu", chatId: DM };
  /** Settles when Feishu was told that it arrived, or it could not be kept, or nobody listens. */
  const settled = async (messageId: string): Promise<void> => {
    if (world.line.listeners > 0)
      await Promise.race([world.line.acknowledges(messageId), now.refused(messageId)]);
  };
  const fileEvent = (files: NonNullable<Written["files"]>, text: string): Partial<WrittenEvent> => {
    const keys = files.map(({ name, bytes, mediaType }, n) => {
      const key = `file_v3_in${n}`;
      world.files.set(key, { name, bytes, type: mediaType });
      return { key, name, mediaType };
    });
    const [first] = keys;
    if (first && !first.mediaType.startsWith("image/"))
      return { type: "file", content: { file_key: first.key, file_name: first.name } };
    const pictures = keys.map(({ key }) => [{ tag: "img", image_key: key }]);
    return { type: "post", content: { title: "", content: [[{ tag: "text", text }], ...pictures] } };
  };
  const sentOf = (messageId: string) => world.sent.find((each) => each.messageId === messageId);
  return {
    adapter: now.adapter,
    address,
    group: { platform: "feishu", chatId: TOWN },
    nowhere: { platform: "feishu", chatId: idNamed("oc", "nowhere") },
    again: () => {
      now = make();
      return now.adapter;
    },
    write: async (written) => {
      const { text, from, name, mentions, replyTo, isBot, files } = written;
      const senderId = from ? idNamed("ou", from) : ANN;
      if (name !== undefined) world.names.set(senderId, name);
      const threadId =
        written.in === "thread" ? (written.threadId ?? world.sent.at(-1)?.threadId) : undefined;
      const messageId = await world.write({
        senderId,
        text,
        chatId: written.in && written.in !== "dm" ? TOWN : DM,
        ...(mentions ? { mentions } : {}),
        ...(replyTo ? { replyTo } : {}),
        ...(threadId ? { threadId } : {}),
        ...(isBot ? { isBot } : {}),
        ...(files ? fileEvent(files, text) : {}),
      });
      await settled(messageId);
      return { messageId };
    },
    amend: async (messageId, text) => {
      const message = {
        message_id: messageId,
        chat_id: DM,
        chat_type: "p2p",
        message_type: "text",
        content: JSON.stringify({ text }),
      };
      world.line.acknowledged.delete(messageId);
      world.say("im.message.updated_v1", {
        sender: { sender_id: { open_id: ANN }, sender_type: "user" },
        message,
      });
      await world.line.acknowledges(messageId);
    },
    redeliver: async () => world.line.redeliver(),
    isAcknowledged: (messageId) => world.line.acknowledged.has(messageId),
    shown: (where = address) =>
      world.sent
        .filter(({ chatId, threadId }) => chatId === where.chatId && threadId === where.threadId)
        .filter(({ type }) => type === "post" || type === "interactive")
        .map(shownOf),
    answeredBy: (messageId) => sentOf(messageId)?.replyTo ?? null,
    files: async () =>
      world.sent.flatMap(({ type, content }): ShownFile[] => {
        const { image_key, file_key } = JSON.parse(content) as Record<string, string>;
        const file = world.files.get(image_key ?? file_key ?? "");
        return file ? [{ name: file.name, bytes: file.bytes, voice: type === "audio" }] : [];
      }),
    notified: () => world.sent.flatMap(namesIn),
    marks: (messageId) =>
      world.marks.filter((each) => each.messageId === messageId).map(({ emoji }) => emoji),
    press: async (messageId, label, by = {}) => {
      const button = buttonsOf(sentOf(messageId) as SentMessage).find(({ text }) => text.content === label);
      const eventId = world.say("card.action.trigger", {
        operator: { open_id: by.from ? idNamed("ou", by.from) : ANN, tenant_key: "t" },
        token: "c-token",
        action: { tag: "button", value: button?.value },
        host: "im_message",
        context: { open_message_id: messageId, open_chat_id: by.in === "group" ? TOWN : DM },
      });
      await world.line.acknowledges(eventId);
    },
    react: async (messageId, emoji, by = {}) => world.react("created", messageId, emoji, by.from),
    takeOff: (messageId, emoji) => world.react("deleted", messageId, emoji),
    buttonsOn: (messageId) => buttonsOf(sentOf(messageId) as SentMessage).map(({ text }) => text.content),
    trouble: (what) => {
      if (what === "revoked token") world.isRevoked = true;
      else world.failNext(TROUBLES[what]);
    },
    way: (fault) => world.between.faults.play(fault),
    door: (fault) => world.between.faults.door(fault),
    cut: () => world.between.cut(),
    asShown: (text) => asShown(text),
    dispose: () => world.close(),
  };
}

adapterContract("feishu", fixture);

describe("feishu", () => {
  let world: FeishuWorld;
  let adapter: KeptAdapter;
  let received: InboundMessage[];

  beforeEach(async () => {
    world = await FeishuWorld.open();
    adapter = new KeptAdapter(new FeishuAdapter(world.settings));
    received = [];
  });
  afterEach(async () => {
    await adapter.disconnect();
    await world.close();
    vi.useRealTimers();
  });

  const receive: Receive = async (message) => {
    received.push(message);
    return "accepted";
  };
  const connect = (setting = {}) => adapter.connect(receive, setting);
  const heard = async (count: number): Promise<InboundMessage> => {
    await vi.waitUntil(() => received.length >= count, { timeout: 10_000 });
    return received[count - 1] as InboundMessage;
  };
  const letter = (text: string, more = {}) => ({
    address: { platform: "feishu", chatId: DM },
    text,
    deliveryId: "turn-1.0",
    ...more,
  });

  it("names the settings if Feishu does not take the app, and tries again later what it refuses the app", async () => {
    world.isRevoked = true;
    const wrong = {
      outcome: "permanent",
      message: expect.stringMatching(/FEISHU_APP_ID and FEISHU_APP_SECRET/),
    };
    await expect(connect()).rejects.toMatchObject(wrong);
    world.isRevoked = false;
    world.failAll = feishu(11_205, "app do not have bot");
    const refused = {
      outcome: "permanent",
      retryAfterMs: 300_000,
      message: "Feishu refused: app do not have bot, 11205.",
    };
    await expect(connect()).rejects.toMatchObject(refused);
    world.failAll = { status: 403, body: "<html>Forbidden</html>" };
    await expect(connect()).rejects.toMatchObject({ outcome: "retryable" });
    world.failAll = feishu(1_000_040_350, "exceed connection limit");
    await expect(connect()).rejects.toMatchObject({ outcome: "retryable" });
  });

  it("asks for another token if the one it has is of another time, and sends once", async () => {
    await connect();
    const before = world.signIns;
    world.failNext(feishu(99_991_663, "Invalid access token for authorization."));
    await adapter.send(letter("hello"));
    expect([world.signIns - before, world.sent.length]).toEqual([1, 1]);
    await adapter.send(letter("again", { deliveryId: "turn-2.0" }));
    expect(world.signIns - before).toBe(1);
  });

  it("sends the same delivery once, by a key of at most 50 characters", async () => {
    await connect();
    const long = letter("once", { deliveryId: "d".repeat(500), writtenAt: Date.now() });
    await world.between.faults.play("reset after");
    await expect(adapter.send(long)).rejects.toMatchObject({ outcome: "unknown" });
    expect(await adapter.find(long)).toBe("not there");
    const { messageId } = await adapter.send(long);
    expect(world.sent.map((each) => each.messageId)).toEqual([messageId]);
  });

  it("says later than Feishu knows the key only what it can be sure of", async () => {
    await connect();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const old = letter("old", { writtenAt: Date.now() });
    vi.setSystemTime(Date.now() + 2 * 3_600_000);
    expect(await adapter.find(old)).toBe("not there");
    await adapter.send(letter("another", { deliveryId: "turn-2.0" }));
    expect(await adapter.find(old)).toBeNull();
    expect(await adapter.find({ ...old, writtenAt: Date.now() - 60 * 60_000 })).toBeNull();
    expect(await adapter.find(letter("of unknown age"))).toBeNull();
    world.failAll = feishu(230_027, "Lack of necessary permissions.");
    expect(await adapter.find(old)).toBeNull();
    world.failAll = { status: 502, body: "<html>Bad gateway</html>" };
    await expect(adapter.find(old)).rejects.toMatchObject({ outcome: "retryable" });
  });

  it("sends anew what can be edited no more: the gateway is told that the edit is refused", async () => {
    await connect();
    const { messageId } = await adapter.send(letter("0"));
    for (let n = 1; n <= 20; n += 1) await adapter.edit(letter(String(n)), messageId);
    await expect(adapter.edit(letter("21"), messageId)).rejects.toMatchObject({ outcome: "permanent" });
    expect(world.sent.map(shownOf)).toEqual(["20"]);
  });

  it("edits a card of an earlier process as a card", async () => {
    await connect();
    const buttons = [{ label: "Allow once", command: "/approve 1503" }];
    const { messageId } = await adapter.send(letter("May I?", { buttons }));
    adapter = new KeptAdapter(new FeishuAdapter(world.settings));
    await connect();
    await adapter.edit(letter("**Allowed** by [Ann](https://example.org/)"), messageId);
    const [card] = world.sent as [SentMessage];
    expect([shownOf(card), buttonsOf(card)]).toEqual([
      toPlain("**Allowed** by [Ann](https://example.org/)"),
      [],
    ]);
  });

  it("puts an event together that came in pieces, in any order, and acknowledges it once", async () => {
    await connect();
    const text = "a long text ".repeat(200).trim();
    const event = world.messages.told(
      idNamed("om", "pieces"),
      { chatId: DM, senderId: ANN },
      { content: { text }, mentions: [], isCrablines: false },
    );
    world.say("im.message.receive_v1", event, 7);
    expect((await heard(1)).text).toBe(text);
    await world.line.acknowledges(idNamed("om", "pieces"));
  });

  it("gives up a line on which nobody answers a ping, and has another", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const lost: string[] = [];
    await connect({ tell: (told: unknown) => void lost.push(JSON.stringify(told)) });
    await vi.waitUntil(() => world.line.pings === 1);
    vi.advanceTimersByTime(120_000); // It was answered before.
    await vi.waitUntil(() => world.line.pings === 2);
    world.line.isDeaf = true;
    vi.advanceTimersByTime(120_000);
    await vi.waitUntil(() => world.line.pings >= 3);
    vi.advanceTimersByTime(120_000);
    await vi.waitUntil(() => lost.length > 0, { timeout: 10_000 });
    expect(lost[0]).toContain("Feishu said nothing for too long.");
    world.line.isDeaf = false;
    await vi.waitUntil(() => adapter.speaker !== null, { timeout: 10_000 });
  });

  it("hears reactions only if they can mean something, with the chat of their message", async () => {
    const reaction = (messageId: string) => ({
      message_id: messageId,
      reaction_type: { emoji_type: "THUMBSUP" },
      operator_type: "user",
      user_id: { open_id: ANN },
    });
    await connect();
    const { messageId } = await adapter.send(letter("Shall I?"));
    await world.line.acknowledges(world.say("im.message.reaction.created_v1", reaction(messageId)));
    expect(received).toEqual([]);
    await connect({ reactions: true });
    world.say("im.message.reaction.created_v1", reaction(messageId));
    expect(await heard(1)).toMatchObject({
      kind: "reaction",
      text: "👍",
      messageId,
      source: { chatId: DM, userId: ANN },
    });
    await world.line.acknowledges(world.say("im.message.reaction.created_v1", reaction("om_nobody")));
    expect(received).toHaveLength(1);
  });

  it.each(["rate limited", "server error"] as const)(
    "loses no reaction where Feishu is %s",
    async (trouble) => {
      await connect({ reactions: true });
      const { messageId } = await adapter.send(letter("Shall I?"));
      const { answer } = world;
      world.answer = async () => {
        world.answer = answer; // Once.
        return TROUBLES[trouble];
      };
      const told = world.say("im.message.reaction.created_v1", {
        message_id: messageId,
        reaction_type: { emoji_type: "THUMBSUP" },
        operator_type: "user",
        user_id: { open_id: ANN },
      });
      await world.line.acknowledges(told);
      expect(received).toMatchObject([{ kind: "reaction", messageId }]);
    },
  );

  it("asks nobody about a reaction of a stranger, nor about one to what it said itself", async () => {
    await connect({ reactions: true });
    const { messageId } = await adapter.send(letter("Shall I?"));
    const asked: string[] = [];
    const { answer } = world;
    world.answer = (call) => {
      asked.push(call.path);
      return answer.call(world, call);
    };
    world.react("created", messageId, "👎");
    expect(await heard(1)).toMatchObject({ kind: "reaction", text: "👎", messageId, source: { chatId: DM } });
    const messages = () => asked.filter((path) => path.includes("/im/v1/messages/"));
    expect(messages()).toEqual([]);
    await connect({ reactions: true }); // The next line does not know what that one said.
    world.react("created", messageId, "👎");
    expect(await heard(2)).toMatchObject({ messageId, source: { chatId: DM } });
    expect(messages()).toHaveLength(1);
    await connect({ reactions: true, knows: async () => false });
    asked.length = 0;
    const eventId = world.react("created", messageId, "👎");
    await world.line.acknowledges(eventId);
    expect([asked, received.length]).toEqual([[], 2]);
  });

  it("knows what a deleted message was, and asks nobody about strangers", async () => {
    const asked: string[] = [];
    const { answer } = world;
    world.answer = (call) => {
      asked.push(call.path);
      return answer.call(world, call);
    };
    await connect({ knows: async () => false });
    asked.length = 0;
    const messageId = await world.write({
      chatId: TOWN,
      senderId: ANN,
      text: "hello",
      replyTo: idNamed("om", "first"),
    });
    await heard(1);
    world.say("im.message.recalled_v1", {
      message_id: messageId,
      chat_id: TOWN,
      recall_type: "message_owner",
    });
    expect(await heard(2)).toMatchObject({ kind: "deletion", messageId, source: { chatId: TOWN } });
    expect(asked).toEqual([]);
  });

  it("reads messages that were forwarded together, and quotes what is answered with its file", async () => {
    await connect();
    const forwarded = await world.write({
      chatId: DM,
      senderId: ANN,
      type: "merge_forward",
      content: { content: "Merged and Forwarded Message" },
    });
    expect(await heard(1)).toMatchObject({ text: "", forwarded: {}, parts: [{ kind: "unsupported" }] });
    const inside = { chat_id: idNamed("oc", "elsewhere"), upper_message_id: "om_forward", create_time: "1" };
    const told = { chatId: DM, senderId: ANN, type: "merge_forward" };
    const content = { content: "Merged and Forwarded Message" };
    const by = { id: ANN, id_type: "open_id", sender_type: "user" };
    world.messages.add({ ...inside, message_id: "om_in1", msg_type: "text", sender: by }, { text: "lunch?" });
    world.messages.add(
      { ...inside, message_id: "om_in2", msg_type: "image", sender: { id: "ou_x" } },
      { image_key: "k" },
    );
    const event = world.messages.told("om_forward", told, { content, mentions: [], isCrablines: false });
    world.say("im.message.receive_v1", event);
    expect(await heard(2)).toMatchObject({ text: "Ann: lunch?\nsomebody else: [a file]", forwarded: {} });
    world.files.set("img_v3_1", { name: "", bytes: Buffer.from("a picture"), type: "image/png" });
    const picture = await world.write({
      chatId: DM,
      senderId: ANN,
      type: "image",
      content: { image_key: "img_v3_1" },
    });
    await heard(3);
    await world.write({ chatId: DM, senderId: ANN, text: "what is it?", replyTo: picture });
    const { replyTo } = await heard(4);
    expect(replyTo).toMatchObject({ messageId: picture, from: "Ann", files: [{ mediaType: "image/png" }] });
    const bytes = await replyTo?.files?.[0]?.read(100, new AbortController().signal);
    expect(Buffer.from(bytes ?? []).toString()).toBe("a picture");
    expect(forwarded).not.toBe(picture);
  });

  it("quotes the beginning of a thread once, and shows nobody a message of another chat", async () => {
    await connect();
    const root = await world.write({ chatId: TOWN, senderId: idNamed("ou", "bob"), text: "the plan" });
    await heard(1);
    for (const n of [2, 3]) {
      await world.write({ chatId: TOWN, senderId: ANN, text: "why?", mentions: true, threadId: root });
      await heard(n);
    }
    expect(received[1]).toMatchObject({
      source: { threadId: root },
      replyTo: { messageId: root, text: "the plan" },
    });
    expect(received[2]?.replyTo).toEqual({ messageId: root });
    await world.write({ chatId: DM, senderId: ANN, text: "and this?", replyTo: root });
    expect((await heard(4)).replyTo).toEqual({ messageId: root });
  });

  it("takes for us what is said in a thread that we began, also by an earlier process, and in no other", async () => {
    await connect();
    const ours = await adapter.createThread({ platform: "feishu", chatId: TOWN }, "Moved here", null, "once");
    adapter = new KeptAdapter(new FeishuAdapter(world.settings));
    await connect();
    const theirs = await world.write({ chatId: TOWN, senderId: ANN, text: "the plan" });
    await heard(1);
    for (const [n, threadId] of [ours?.threadId, ours?.threadId, theirs, theirs].entries()) {
      await world.write({ chatId: TOWN, senderId: ANN, text: `${n}`, ...(threadId ? { threadId } : {}) });
      await heard(n + 2);
    }
    expect(received.slice(1).map(({ isAddressed }) => isAddressed)).toEqual([true, true, false, false]);
    // What we began is in the conversation, and the others were not speaking to us.
    for (const { replyTo } of received.slice(1)) expect(replyTo?.text).toBeUndefined();
  });

  it("answers in the chat if the thread is gone, unless it is true only there", async () => {
    await connect();
    const address = { platform: "feishu", chatId: TOWN, threadId: idNamed("om", "gone") };
    await expect(adapter.send(letter("an answer", { address, onlyThere: true }))).rejects.toMatchObject({
      outcome: "permanent",
      message: "That thread is not there any more.",
    });
    await adapter.send(letter("an answer", { address }));
    expect(world.sent).toMatchObject([{ chatId: TOWN, type: "post" }]);
    expect(world.sent[0]?.threadId).toBeUndefined();
  });

  it("names the person in the first message of a thread, so that they follow it", async () => {
    await connect();
    const made = await adapter.createThread({ platform: "feishu", chatId: TOWN }, "The *plan*", ANN, "once");
    const again = await adapter.createThread({ platform: "feishu", chatId: TOWN }, "The *plan*", ANN, "once");
    expect(again).toEqual(made);
    expect(world.sent.map(shownOf)).toEqual(["The *plan*", `<at ${ANN}>`]);
  });

  it("shows a picture as a file if Feishu takes it for none, a video as a video, and sends no empty file", async () => {
    const folder = await mkdtemp(join(tmpdir(), "baton-feishu-"));
    const path = join(folder, "kept");
    await writeFile(path, "bytes");
    await connect();
    world.failNext(feishu(234_011, "Can't regonnize the image format."));
    const file = { path, name: "picture.png", mediaType: "image/png" };
    await adapter.send(letter("", { files: [file] }));
    await adapter.send(
      letter("", { files: [{ ...file, name: "a.mp4", mediaType: "video/mp4" }], deliveryId: "2" }),
    );
    expect(world.sent.map(({ type }) => type)).toEqual(["file", "media"]);
    await writeFile(path, "");
    await expect(adapter.send(letter("", { files: [file], deliveryId: "3" }))).rejects.toMatchObject({
      outcome: "permanent",
      message: "The file picture.png is empty. Feishu takes no empty files.",
    });
    await rm(folder, { recursive: true });
  });
});
