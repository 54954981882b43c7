/**
 * Feishu as crabline plays it, with what that leaves out played in between: events other than plain texts, edits, cards,
 * threads, files, reactions, chats, names, history, keys against repetitions, failures.
 */
import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startFeishuServer } from "@openclaw/crabline";
import type { FeishuSettings } from "../../src/adapter/feishu/config.js";
import { type Answer, type Asked, Between } from "./between.js";
import { FeishuLine } from "./feishu-line.js";
import { FeishuMessages, feishu, type SentMessage } from "./feishu-messages.js";

type Server = Awaited<ReturnType<typeof startFeishuServer>>;

/** An id of a kind, such as `ou`, that is always the same for a name. */
export function idNamed(kind: "ou" | "oc" | "om", name: string): string {
  return `${kind}_${createHash("sha256").update(name).digest("hex").slice(0, 32)}`;
}

export const ANN = idNamed("ou", "ann");
const BOT = idNamed("ou", "bot");
const APP = "cli_0123456789abcdef";
const SECRET = "a-secret-of-the-app";
/** Ann's chat with the bot, and a group. */
export const DM = idNamed("oc", "dm");
export const TOWN = idNamed("oc", "town");

export interface WrittenEvent {
  readonly chatId: string;
  readonly senderId: string;
  readonly type?: string;
  readonly content?: object;
  readonly text?: string;
  /** It names the bot. */
  readonly mentions?: boolean;
  readonly replyTo?: string;
  readonly threadId?: string;
  readonly isBot?: boolean;
}

export class FeishuWorld {
  readonly between: Between;
  readonly line: FeishuLine;
  readonly messages = new FeishuMessages(APP, (chatId) => chatId === DM);
  readonly groups = new Map([[TOWN, "town"]]);
  /** What people are called. */
  readonly names = new Map([[ANN, "Ann"]]);
  /** Files by their key: those that people send, and those that the bot uploads. */
  readonly files = new Map<
    string,
    { readonly name: string; readonly bytes: Uint8Array; readonly type: string }
  >();
  /** By the message that has them. */
  readonly marks: { readonly messageId: string; readonly emoji: string }[] = [];
  isRevoked = false;
  /** What every call but that for a token is answered with. */
  failAll: Answer | null = null;
  /** How often a token was asked for. */
  signIns = 0;
  readonly #server: Server;
  readonly #folder: string;
  #next: "swallow" | Answer | null = null;
  #swallowsFile = false;
  #written = 0;

  static async open(): Promise<FeishuWorld> {
    const folder = await mkdtemp(join(tmpdir(), "baton-feishu-"));
    const recorderPath = join(folder, "feishu.jsonl");
    const server = await startFeishuServer({ appId: APP, appSecret: SECRET, botOpenId: BOT, recorderPath });
    const line = await FeishuLine.open(server.manifest);
    let world: FeishuWorld | undefined;
    const between = await Between.open(server.manifest.baseUrl, {
      answer: (asked) => world?.answer(asked) ?? null,
      heard: (asked, status, body) => world?.hear(asked, status, body),
      isSend: (method, path) => method === "POST" && /\/messages(?:\?|\/[^/]+\/reply)/.test(path),
      upgrade: (...request) => line.take(...request),
    });
    world = new FeishuWorld(server, between, line, folder);
    // A chat of two is there because somebody wrote in it once.
    const sender = { id: ANN, id_type: "open_id", sender_type: "user" };
    const first = {
      message_id: idNamed("om", "first"),
      chat_id: DM,
      msg_type: "text",
      sender,
      create_time: "1",
    };
    world.messages.add(first, { text: "hi" });
    return world;
  }

  private constructor(server: Server, between: Between, line: FeishuLine, folder: string) {
    this.#server = server;
    this.between = between;
    this.line = line;
    this.#folder = folder;
  }

  get settings(): FeishuSettings {
    return { appId: APP, appSecret: () => SECRET, baseUrl: this.between.url, timeoutMs: 4_000 };
  }

  get sent(): readonly SentMessage[] {
    return this.messages.sent;
  }

  /** Somebody writes; the id of the message. crabline itself says what is only a text. */
  async write(written: WrittenEvent): Promise<string> {
    this.#written += 1;
    const messageId = idNamed("om", `${process.pid} ${this.#written} ${this.between.url}`);
    const { chatId, senderId, text } = written;
    const content = written.content ?? { text: written.mentions ? `@_user_1 ${text}` : text };
    const isOnlyText = !written.content && !written.mentions && !written.replyTo && !written.threadId;
    const isCrablines = Boolean(text) && isOnlyText && !written.isBot;
    const mentions = this.#mentionsOf(written);
    const told = this.messages.told(messageId, written, { content, mentions, isCrablines });
    if (!isCrablines) {
      this.say("im.message.receive_v1", told);
      return messageId;
    }
    const { adminToken, endpoints } = this.#server.manifest;
    const response = await fetch(endpoints.adminInboundUrl, {
      method: "POST",
      headers: { Authorization: `Bearer ${adminToken}`, "Content-Type": "application/json" },
      body: JSON.stringify({ messageId, chatId, senderId, text, chatType: chatId === DM ? "p2p" : "group" }),
    });
    if (!response.ok) throw new Error(await response.text());
    return messageId;
  }

  #mentionsOf({ mentions }: WrittenEvent): readonly object[] {
    return mentions ? [{ key: "@_user_1", id: { open_id: BOT }, name: "Baton", tenant_key: "t" }] : [];
  }

  /** An event that crabline has no way to say; its id. */
  say(type: string, event: object, fragments = 1): string {
    this.#written += 1;
    const eventId = `event-${this.#written}`;
    const header = { event_id: eventId, event_type: type, create_time: `${Date.now()}`, app_id: APP };
    this.line.say({ schema: "2.0", header, event }, fragments);
    return eventId;
  }

  /** Somebody puts an emoji on a message, or takes it off. */
  react(what: "created" | "deleted", messageId: string, emoji: string, from?: string): string {
    const open_id = from ? idNamed("ou", from) : ANN;
    return this.say(`im.message.reaction.${what}_v1`, {
      message_id: messageId,
      reaction_type: { emoji_type: emoji.startsWith("\u{1f44e}") ? "ThumbsDown" : "HEART" },
      ...{ operator_type: "user", user_id: { open_id }, action_time: "1750000000000" },
    });
  }

  failNext(failure: "swallow" | Answer): void {
    this.#next = failure;
  }

  /** The next file is taken, and nobody says so. */
  swallowFile(): void {
    this.#swallowsFile = true;
  }

  async answer(asked: Asked): Promise<Answer | "swallow" | null> {
    const { method, path } = asked;
    if (path.includes("/tenant_access_token/")) {
      this.signIns += 1;
      return this.isRevoked ? feishu(10_014, "app secret invalid") : null;
    }
    if (path === "/callback/ws/endpoint") return this.#endpoint(asked);
    if (this.isRevoked) return feishu(99_991_663, "Invalid access token for authorization.");
    if (this.failAll) return this.failAll;
    const own = await this.#played(asked);
    if (method === "GET" || path.includes("/reactions")) return own;
    const next = this.#next;
    this.#next = null;
    if (next !== null && next !== "swallow") return next;
    const isFile = /"msg_type":"(?:image|file|audio|media)"/.test(asked.body.toString("latin1"));
    if (isFile && this.#swallowsFile) {
      this.#swallowsFile = false;
      await this.#send(asked);
      return "swallow";
    }
    if (method !== "POST" || !/\/messages(?:\?|\/)/.test(path)) return own;
    const sent = await this.#send(asked);
    return next ?? sent;
  }

  hear({ method, path, body }: Asked, status: number, answer: string): void {
    if (status >= 300 || method !== "POST" || !/\/messages(?:\?|\/[^/]+\/reply)/.test(path)) return;
    this.messages.taken(path, JSON.parse(body.toString()), JSON.parse(answer).data.message_id);
  }

  async close(): Promise<void> {
    await this.line.close();
    await this.between.close();
    await this.#server.close();
    await rm(this.#folder, { recursive: true });
  }

  /** The line leads through this world too. */
  #endpoint({ body }: Asked): Answer | null {
    if (this.failAll) return this.failAll;
    const { AppID, AppSecret } = JSON.parse(body.toString()) as Record<string, string>;
    if (this.isRevoked || AppID !== APP || AppSecret !== SECRET) return null;
    const URL = `${this.between.url.replace("http", "ws")}${this.line.path}`;
    return feishu(0, "ok", { URL, ClientConfig: { PingInterval: 120 } });
  }

  /** What is said; null if crabline takes it. */
  async #send({ path, body }: Asked): Promise<Answer | null> {
    return this.messages.post(path, JSON.parse(body.toString()));
  }

  async #played(asked: Asked): Promise<Answer | null> {
    const { method, path } = asked;
    const [, chat] = /\/im\/v1\/chats\/(\w+)$/.exec(path) ?? [];
    if (chat === DM) return feishu(0, "ok", { chat_mode: "p2p", chat_status: "normal" });
    const name = this.groups.get(chat ?? "");
    if (name) return feishu(0, "ok", { chat_mode: "group", name, chat_status: "normal" });
    if (chat) return feishu(232_006, "Your request specifies a chat_id which is invalid.");
    const [, user = ""] = /\/contact\/v3\/users\/(\w+)\?/.exec(path) ?? [];
    if (user) return this.#user(user);
    const [, , key] = /\/messages\/(\w+)\/resources\/([\w-]+)\?/.exec(path) ?? [];
    if (key) return this.#resource(key);
    const [, marked] = /\/messages\/(\w+)\/reactions$/.exec(path) ?? [];
    if (marked) {
      const { reaction_type } = JSON.parse(asked.body.toString()) as {
        reaction_type: { emoji_type: string };
      };
      this.marks.push({ messageId: marked, emoji: reaction_type.emoji_type });
      return feishu(0, "ok", { reaction_id: "r1" });
    }
    if (/\/im\/v1\/(?:images|files)$/.test(path)) return this.#upload(asked);
    if (method === "POST" || !path.includes("/im/v1/messages")) return null;
    return this.messages.played(method, path, asked.body);
  }

  #user(id: string): Answer {
    const name = this.names.get(id);
    return name === undefined
      ? feishu(41_050, "no user authority error")
      : feishu(0, "ok", { user: { name } });
  }

  #resource(key: string): Answer {
    const file = this.files.get(key);
    if (!file) return feishu(234_003, "File not in message.");
    return { status: 200, headers: { "content-type": file.type }, body: file.bytes };
  }

  async #upload({ path, headers, body }: Asked): Promise<Answer> {
    const type = headers["content-type"] ?? "";
    const form = await new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData();
    const isPicture = path.endsWith("/images");
    const file = form.get(isPicture ? "image" : "file");
    if (!(file instanceof File) || file.size === 0) return feishu(234_010, "File's size can't be 0.");
    const key = `${isPicture ? "img" : "file"}_v3_${this.files.size}`;
    const kind = isPicture ? "image" : String(form.get("file_type"));
    const name = isPicture ? file.name : String(form.get("file_name"));
    this.files.set(key, { name, bytes: new Uint8Array(await file.arrayBuffer()), type: kind });
    return feishu(0, "ok", isPicture ? { image_key: key } : { file_key: key });
  }
}
