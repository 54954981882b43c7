/**
 * Telegram on loopback: crabline's server of the Bot API, with a thin layer before it for what that one lacks. crabline
 * keeps the updates, their order, offsets, long polls and conflicts, and the limits of what is sent; the layer adds to
 * an update what cannot be injected (replies, files, edits, bots), refuses broken HTML and edits of nothing, serves
 * files, remembers what was sent, and plays trouble.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type StartedTelegramServer, startTelegramServer } from "@openclaw/crabline";
import { Faults } from "./faults.js";
import { readTelegramHtml } from "./telegram-html.js";
import { type PostedUpdate, TelegramPosts } from "./telegram-posts.js";

type Json = Readonly<Record<string, unknown>>;
type Trouble =
  | "rate limited"
  | "server error"
  | "refused"
  | "swallowed"
  | "held"
  | "bad gateway"
  | "revoked token";
/** The message is taken, and the line breaks, nobody answers, or a proxy does. */
type Taken = "swallowed" | "held" | "bad gateway";

/** Somebody's message: what crabline takes, and what the layer makes of it. */
export interface Injected {
  readonly chatId: string;
  readonly fromId?: number;
  readonly text: string;
  readonly threadId?: number;
  readonly isForum?: boolean;
  readonly entities?: readonly Json[];
  /** The update as it is delivered, given the one that crabline has. */
  readonly as?: (update: { readonly update_id: number; readonly message: Json }) => Json;
}

export interface Sent {
  readonly method: string;
  readonly chatId: string;
  readonly threadId?: string;
  readonly messageId: string;
  readonly replyTo?: string;
  text: string;
  /** As it was given: HTML. */
  html: string;
  readonly file?: { readonly name: string; readonly bytes: Uint8Array };
  /** The data of its buttons, by what they show. */
  buttons: ReadonlyMap<string, string>;
}

/** What the Bot API tells of a chat, and of the bot in it; or how it refuses to. */
interface Described {
  readonly full?: Json;
  readonly member?: Json;
  readonly refusal?: Refusal;
}

const UNKNOWN_CHAT: Described = { refusal: { code: 400, words: "Bad Request: chat not found" } };

/** An update that was injected and of which nobody knows yet whether it arrived. */
interface Pending {
  wasDelivered: boolean;
  settle(wasTold: boolean): void;
}

/** crabline has no such calls: the layer takes what they bring. */
const TAKEN_HERE = new Set(["sendVoice", "sendMediaGroup"]);
/** Nor these: the layer does what they say. */
const DONE_HERE = new Set(["sendMessageDraft", "deleteMessage"]);
const SENDING = new Set([
  "sendMessage",
  "sendPhoto",
  "sendVideo",
  "sendDocument",
  "editMessageText",
  ...TAKEN_HERE,
]);

export class TelegramServer {
  readonly sent: Sent[] = [];
  /** What is shown of texts that are being written, by chat and topic, as HTML. */
  readonly drafts = new Map<string, { readonly id: number; readonly html: string }>();
  /** Since Bot API 9.3; an older server does not know the method. */
  hasDrafts = true;
  /** Each call but the polls, with what was given. */
  readonly calls: { readonly method: string; readonly given: Json }[] = [];
  /** By id; null where the line breaks when it is fetched. */
  readonly files = new Map<string, Uint8Array | null>();
  /** The chats that can be asked about, by id. */
  readonly chats = new Map<string, Described>();
  /** Up to which update Telegram believes that they arrived. */
  confirmed = 0;
  readonly faults: Faults;
  /** False once the last reader has left for good. */
  isRead = (): boolean => true;
  /** The webhook, if one is set. */
  readonly posts = new TelegramPosts({
    ask: (from) => this.#updatesFrom(from),
    told: (id, isTaken) => {
      this.#pending.get(id)?.settle(isTaken);
      if (isTaken) this.#pending.delete(id);
      this.#changed();
    },
  });
  readonly #crabline: StartedTelegramServer;
  readonly #folder: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #shapes = new Map<number, NonNullable<Injected["as"]>>();
  readonly #pending = new Map<number, Pending>();
  /** What becomes of the next calls that send. */
  readonly #troubles: (Refusal | Taken)[] = [];
  /** Calls of these methods are answered with that. */
  readonly refusals = new Map<string, Refusal>();
  #isRevoked = false;
  readonly #watchers = new Set<() => void>();
  /** The polls that wait; each can be answered at once. */
  readonly #polls = new Set<(updates: readonly unknown[] | "conflict") => void>();
  #updates = 0;
  #admitted: Promise<unknown> = Promise.resolve();
  /** The number of the last message that the layer took by itself. */
  #taken = 1_000_000;
  #last: unknown;

  /** `bot`: the id of another bot than usual. */
  static async start(options: { topics?: boolean; bot?: number } = {}): Promise<TelegramServer> {
    const folder = await mkdtemp(join(tmpdir(), "telegram-"));
    const crabline = await startTelegramServer({
      host: "127.0.0.1",
      port: 0,
      recorderPath: join(folder, "calls.jsonl"),
      botHasTopicsEnabled: options.topics ?? true,
      ...(options.bot && { botId: options.bot, botToken: `${options.bot}:crabline-telegram-token` }),
    });
    const server = new TelegramServer(crabline, folder);
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  private constructor(crabline: StartedTelegramServer, folder: string) {
    this.#crabline = crabline;
    this.#folder = folder;
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
    this.faults = new Faults(
      this.#server,
      (_, path) => /\/send(?:Message|Photo|Document)$/.test(path),
      () => this.cut(),
    );
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get token(): string {
    return this.#crabline.manifest.botToken;
  }

  readonly bot = { id: 424242, is_bot: true, first_name: "Crabline", username: "crabline_bot" };

  /** Somebody writes. `told` settles when Telegram was told that it arrived, or asked for again. */
  async inject(injected: Injected): Promise<{
    readonly messageId: string;
    readonly updateId: number;
    readonly told: Promise<boolean>;
  }> {
    const { chatId, fromId = 100001, text, threadId, isForum, entities, as } = injected;
    this.#updates += 1;
    const updateId = this.#updates;
    if (as) this.#shapes.set(updateId, as);
    const told = new Promise<boolean>((resolve) => {
      this.#pending.set(updateId, { wasDelivered: false, settle: resolve });
    });
    const taken = await this.#admit({
      chatId,
      fromId,
      text,
      updateId,
      messageThreadId: threadId,
      isForum,
      entities,
    });
    const answer = taken as { update?: { message: { message_id: number } } };
    if (!answer.update) throw new Error(`crabline did not take it: ${JSON.stringify(answer)}`);
    if (this.posts.isSet) void this.posts.pump();
    return { messageId: String(answer.update.message.message_id), updateId, told };
  }

  /** A group with topics, which crabline knows once it has seen it. */
  async addForum(id: number): Promise<void> {
    this.#updates += 1;
    const chat = { id, type: "supergroup", title: "Team", is_forum: true };
    await this.#admit({ update_id: this.#updates, message: { message_id: 1, chat } });
  }

  /** One after the other: crabline takes no update after a later one. */
  #admit(body: object): Promise<unknown> {
    const admitted = this.#admitted.then(() => this.#post(body));
    this.#admitted = admitted.catch(() => {}); // The caller gets the error.
    return admitted;
  }

  async #post(body: object): Promise<unknown> {
    const { adminToken, endpoints } = this.#crabline.manifest;
    const response = await fetch(endpoints.adminInboundUrl, {
      method: "POST",
      headers: { "content-type": "application/json", "x-crabline-admin-token": adminToken },
      body: JSON.stringify(body),
    });
    return response.json();
  }

  /** Whether Telegram believes that this update arrived. */
  isConfirmed(updateId: number): boolean {
    return this.confirmed >= updateId || this.posts.taken.has(updateId);
  }

  /** The last update comes once more, as after a confirmation that was lost. Settles when the next one is asked for. */
  async redeliver(): Promise<void> {
    if (this.posts.isSet) return this.posts.again();
    await this.reading();
    const [poll] = this.#polls;
    poll?.([this.#last]);
    await this.until(() => poll !== undefined && !this.#polls.has(poll) && this.#polls.size > 0);
  }

  /** Waits until somebody reads the updates. */
  reading(): Promise<void> {
    return this.until(() => this.#polls.size > 0);
  }

  /** Somebody writes, and Telegram is told that it arrived, or that it did not; fails if nobody reads any more. */
  async deliver(injected: Injected): Promise<{ readonly messageId: string }> {
    const { messageId, updateId, told } = await this.inject(injected);
    const isComing = (): boolean => !this.posts.isSet && this.#pending.get(updateId)?.wasDelivered === false;
    while (isComing()) {
      if (!this.isRead()) throw new Error("Nobody reads.");
      await this.reading();
      await this.until(() => !isComing() || this.#polls.size === 0); // A reader that is just leaving may still be seen.
    }
    await told;
    return { messageId };
  }

  async until(holds: () => boolean, ms = 30_000): Promise<void> {
    if (holds()) return;
    await new Promise<void>((resolve, reject) => {
      const look = (): void => {
        if (!holds()) return;
        clearTimeout(alarm);
        this.#watchers.delete(look);
        resolve();
      };
      const alarm = setTimeout(() => {
        this.#watchers.delete(look);
        reject(new Error("That did not come about."));
      }, ms);
      this.#watchers.add(look);
    });
  }

  /** Done to the next call that sends; a token is revoked for good. */
  trouble(what: Trouble): void {
    if (what === "revoked token") this.#isRevoked = true;
    else this.#troubles.push(isTaken(what) ? what : TROUBLES[what]);
  }

  /** The next call that sends is answered with that. */
  refuseNext(refusal: Refusal): void {
    this.#troubles.push(refusal);
  }

  /** Every connection is broken. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  sentTo(chatId: string, threadId?: string): readonly Sent[] {
    return this.sent.filter((each) => each.chatId === chatId && each.threadId === threadId);
  }

  /** The reactions on a message, as they were set last. */
  marksOn(messageId: string): string[] {
    const last = this.calls.findLast(
      ({ method, given }) => method === "setMessageReaction" && String(given.message_id) === messageId,
    );
    return ((last?.given.reaction ?? []) as { emoji: string }[]).map(({ emoji }) => emoji);
  }

  /** The names of the commands that the bot offers. */
  get menu(): string[] {
    const last = this.calls.findLast(({ method }) => method === "setMyCommands");
    return ((last?.given.commands ?? []) as { command: string }[]).map(({ command }) => command);
  }

  async close(): Promise<void> {
    await this.posts.close();
    this.#server.close();
    this.cut();
    await this.#crabline.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #changed(): void {
    for (const look of [...this.#watchers]) look();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "/";
    const file = path.startsWith(`/file/bot${this.token}/`) ? path.split("/").at(-1) : undefined;
    if (file !== undefined) {
      const bytes = this.files.get(decodeURIComponent(file));
      if (bytes === null) response.destroy();
      else response.writeHead(bytes ? 200 : 404).end(bytes);
      return;
    }
    const [, token, method = ""] = /^\/bot([^/]+)\/(\w+)$/.exec(path) ?? [];
    const body = await bodyOf(request);
    if (token !== this.token || this.#isRevoked) return refuse(response, 401, "Unauthorized");
    if (method === "getUpdates") return this.#poll(request, response, body);
    const given = givenIn(request, body);
    this.calls.push({ method, given });
    const ofWebhook = this.posts.answer(method, given);
    if (ofWebhook) {
      if ("refusal" in ofWebhook) return refuse(response, 400, ofWebhook.refusal);
      answer(response, 200, { ok: true, result: ofWebhook.result });
      // Whoever reads is told that somebody else gets the updates.
      if (this.posts.isSet) for (const poll of [...this.#polls]) poll("conflict");
      return this.#changed();
    }
    if (method === "getChat" || method === "getChatMember") return this.#describe(response, method, given);
    if (method === "getFile") return this.#locate(response, String(given.file_id));
    await this.#pass(request, response, method, body, given);
    this.#changed();
  }

  /** crabline tells of no chats: these are told of here. */
  #describe(response: ServerResponse, method: string, given: Json): void {
    const chat = this.chats.get(String(given.chat_id)) ?? UNKNOWN_CHAT;
    const { full, member = { status: "member" }, refusal } = chat;
    if (refusal) refuse(response, refusal.code, refusal.words, refusal.parameters);
    else answer(response, 200, { ok: true, result: method === "getChat" ? full : member });
  }

  #locate(response: ServerResponse, fileId: string): void {
    const result = { file_id: fileId, file_unique_id: fileId, file_path: `documents/${fileId}` };
    if (this.files.has(fileId)) answer(response, 200, { ok: true, result });
    else refuse(response, 400, "Bad Request: wrong file_id");
  }

  async #pass(
    request: IncomingMessage,
    response: ServerResponse,
    method: string,
    body: Buffer,
    given: Json,
  ): Promise<void> {
    const meetsTrouble = SENDING.has(method) || method === "sendMessageDraft";
    const trouble = meetsTrouble ? this.#troubles.shift() : undefined;
    const refusal = typeof trouble === "object" ? trouble : this.refusals.get(method);
    const wrong = refusal ?? this.#wrongIn(method, given);
    if (wrong) return refuse(response, wrong.code, wrong.words, wrong.parameters);
    if (DONE_HERE.has(method)) {
      if (method === "deleteMessage") this.#delete(given);
      else this.drafts.set(placeOf(given), { id: Number(given.draft_id), html: String(given.text) });
      return answer(response, 200, { ok: true, result: true });
    }
    if (TAKEN_HERE.has(method)) {
      const messages = this.#take(method, given, body);
      return answer(response, 200, {
        ok: true,
        result: method === "sendMediaGroup" ? messages : messages[0],
      });
    }
    const passed = await fetch(`${this.#crabline.manifest.endpoints.apiRoot}/bot${this.token}/${method}`, {
      method: "POST",
      headers: { "content-type": request.headers["content-type"] ?? "application/json" },
      body: new Uint8Array(body),
    });
    const answered = (await passed.json()) as { ok: boolean; result?: { message_id?: number } };
    if (answered.ok && SENDING.has(method))
      this.#keep(method, given, String(answered.result?.message_id), body);
    if (trouble === "swallowed") response.destroy();
    else if (trouble === "bad gateway") refuse(response, 502, "Bad Gateway");
    else if (trouble !== "held") answer(response, passed.status, answered);
  }

  /** An album is a message for each file, and the first has the caption. */
  #take(method: string, given: Json, body: Buffer): { readonly message_id: number }[] {
    const media = method === "sendMediaGroup" ? (JSON.parse(String(given.media)) as Json[]) : [given];
    const parts = filesIn(body);
    return media.map((each) => {
      this.#taken += 1;
      const part = typeof each.media === "string" ? each.media.replace("attach://", "") : parts[0]?.part;
      const file = parts.find((one) => one.part === part);
      this.#note(
        `${method}${each.type ? ` ${each.type}` : ""}`,
        { ...given, ...each },
        String(this.#taken),
        file,
      );
      return { message_id: this.#taken };
    });
  }

  /** What crabline would take and Telegram does not. */
  #wrongIn(method: string, given: Json): Refusal | undefined {
    const text = given.text ?? given.caption;
    if (given.parse_mode === "HTML" && typeof text === "string") {
      try {
        readTelegramHtml(text);
      } catch (error) {
        return { code: 400, words: `Bad Request: can't parse entities: ${(error as Error).message}` };
      }
    }
    if (method === "sendMessageDraft") return this.#wrongInDraft(given);
    if (method === "deleteMessage" && !this.#messageOf(given))
      return { code: 400, words: "Bad Request: message to delete not found" };
    if (method !== "editMessageText") return undefined;
    const edited = this.#messageOf(given);
    if (!edited) return { code: 400, words: "Bad Request: message to edit not found" };
    if (edited.text === shownOf(given) && edited.buttons.size === buttonsOf(given).size)
      return { code: 400, words: "Bad Request: message is not modified: specified new message content" };
    return undefined;
  }

  /** As the Bot API documents it: a private chat, an id that is not 0, a text that a message could have. */
  #wrongInDraft(given: Json): Refusal | undefined {
    const { chat_id: chat, draft_id: id } = given;
    if (!this.hasDrafts) return { code: 404, words: "Not Found" };
    if (typeof chat !== "number" || chat <= 0)
      return { code: 400, words: "Bad Request: TEXTDRAFT_PEER_INVALID" };
    if (!Number.isInteger(id) || id === 0)
      return { code: 400, words: "Bad Request: draft identifier must be non-zero" };
    if (shownOf(given).length > 4_096) return { code: 400, words: "Bad Request: message is too long" };
    return undefined;
  }

  #delete(given: Json): void {
    const message = this.#messageOf(given);
    if (message) this.sent.splice(this.sent.indexOf(message), 1);
  }

  #messageOf(given: Json): Sent | undefined {
    return this.sent.find(
      ({ chatId, messageId }) => chatId === String(given.chat_id) && messageId === String(given.message_id),
    );
  }

  #keep(method: string, given: Json, messageId: string, body: Buffer): void {
    const edited = method === "editMessageText" ? this.#messageOf(given) : undefined;
    if (edited) {
      edited.text = shownOf(given);
      edited.html = String(given.text);
      edited.buttons = buttonsOf(given);
      return;
    }
    this.#note(method, given, messageId, filesIn(body)[0]);
  }

  #note(method: string, given: Json, messageId: string, file: Sent["file"]): void {
    this.drafts.delete(placeOf(given));
    const reply = given.reply_parameters;
    const replied = typeof reply === "string" ? JSON.parse(reply) : reply;
    this.sent.push({
      method,
      chatId: String(given.chat_id),
      ...(given.message_thread_id === undefined ? {} : { threadId: String(given.message_thread_id) }),
      messageId,
      ...(replied ? { replyTo: String(replied.message_id) } : {}),
      text: shownOf(given),
      html: String(given.text ?? given.caption ?? ""),
      buttons: buttonsOf(given),
      ...(file ? { file: { name: file.name, bytes: file.bytes } } : {}),
    });
  }

  /** Passes a poll on to crabline, and what comes back on, in its shape. */
  async #poll(request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> {
    if (this.posts.isSet) return refuse(response, 409, WEBHOOK_IS_SET);
    this.#tellFrom(Number(givenIn(request, body).offset ?? 0));
    const waiting = new AbortController();
    const respond = (updates: readonly unknown[] | "conflict"): void => {
      if (updates === "conflict") refuse(response, 409, WEBHOOK_IS_SET);
      else answer(response, 200, { ok: true, result: updates });
      waiting.abort();
    };
    response.on("close", () => {
      waiting.abort();
      this.#polls.delete(respond);
      this.#changed();
    });
    this.#polls.add(respond);
    this.#changed();
    const passed = await this.#askCrabline(new Uint8Array(body), waiting.signal).catch(() => null);
    if (passed === null || waiting.signal.aborted) return;
    const { status, answered } = passed;
    if (!Array.isArray(answered.result)) return answer(response, status, answered);
    const updates = answered.result
      .filter(({ update_id: id }) => !this.posts.taken.has(id))
      .map((update) => this.#shapes.get(update.update_id)?.(update) ?? update);
    for (const { update_id: id } of answered.result) {
      const pending = this.#pending.get(id);
      if (pending) pending.wasDelivered = true;
    }
    this.#last = updates.at(-1) ?? this.#last;
    answer(response, 200, { ok: true, result: updates });
    this.#changed();
  }

  async #askCrabline(body: string | Uint8Array<ArrayBuffer>, signal: AbortSignal) {
    const api = `${this.#crabline.manifest.endpoints.apiRoot}/bot${this.token}/getUpdates`;
    const headers = { "content-type": "application/json" };
    const passed = await fetch(api, { method: "POST", headers, body, signal });
    const answered = (await passed.json()) as { result?: { update_id: number; message: Json }[] };
    return { status: passed.status, answered };
  }

  /** For the webhook. crabline keeps them, so that whoever reads later gets those that were not taken. */
  async #updatesFrom(offset: number): Promise<PostedUpdate[]> {
    const first = Math.min(offset, ...[...this.#pending.keys()]);
    const body = JSON.stringify({ offset: Math.max(first, this.confirmed + 1), timeout: 0 });
    const { answered } = await this.#askCrabline(body, new AbortController().signal);
    return (answered.result ?? [])
      .filter(({ update_id: id }) => id >= offset)
      .map((update) => ({
        id: update.update_id,
        chat: String((update.message.chat as Json).id),
        update: this.#shapes.get(update.update_id)?.(update) ?? update,
      }));
  }

  /** Asking from that number on says that all before it arrived, and what was delivered from there on did not. */
  #tellFrom(offset: number): void {
    this.confirmed = Math.max(this.confirmed, offset - 1);
    for (const [id, { wasDelivered, settle }] of this.#pending) {
      if (id >= offset && !wasDelivered) continue;
      this.#pending.delete(id);
      settle(id < offset);
    }
  }
}

const WEBHOOK_IS_SET =
  "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook first";

interface Refusal {
  readonly code: number;
  readonly words: string;
  readonly parameters?: Json;
}

const TROUBLES: Readonly<Record<Exclude<Trouble, "revoked token" | Taken>, Refusal>> = {
  "rate limited": {
    code: 429,
    words: "Too Many Requests: retry after 7",
    parameters: { retry_after: 7 },
  },
  "server error": { code: 500, words: "Internal Server Error" },
  refused: { code: 403, words: "Forbidden: bot was blocked by the user" },
};

function isTaken(what: Trouble): what is Taken {
  return what === "swallowed" || what === "held" || what === "bad gateway";
}

function refuse(response: ServerResponse, code: number, words: string, parameters?: Json): void {
  answer(response, code, {
    ok: false,
    error_code: code,
    description: words,
    ...(parameters && { parameters }),
  });
}

function answer(response: ServerResponse, status: number, json: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json));
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function givenIn(request: IncomingMessage, body: Buffer): Json {
  if (request.headers["content-type"]?.includes("json")) return JSON.parse(body.toString() || "{}") as Json;
  const fields = body.toString().matchAll(/form-data;name="(\w+)"\r\n\r\n([\s\S]*?)\r\n--/g);
  return Object.fromEntries([...fields].map(([, name, value]) => [name, value]));
}

/** The files of an upload, each under the name of its part. */
function filesIn(body: Buffer): (NonNullable<Sent["file"]> & { readonly part: string })[] {
  const all = body.toString("latin1");
  const end = `\r\n${all.slice(0, all.indexOf("\r\n"))}`; // Between two parts.
  const heads = all.matchAll(/;name="(\w+)";filename=([^\r\n]*)\r\ncontent-type:[^\r\n]*\r\n\r\n/g);
  return [...heads].map((head) => {
    const from = head.index + head[0].length;
    const bytes = new Uint8Array(body.subarray(from, all.indexOf(end, from)));
    return { part: head[1] ?? "", name: Buffer.from(head[2] ?? "", "latin1").toString(), bytes };
  });
}

function placeOf({ chat_id, message_thread_id }: Json): string {
  return `${chat_id}${message_thread_id === undefined ? "" : `:${message_thread_id}`}`;
}

function buttonsOf({ reply_markup }: Json): ReadonlyMap<string, string> {
  const { inline_keyboard: rows = [] } = (reply_markup ?? {}) as {
    inline_keyboard?: { text: string; callback_data: string }[][];
  };
  return new Map(rows.flat().map((each) => [each.text, each.callback_data]));
}

function shownOf(given: Json): string {
  const text = String(given.text ?? given.caption ?? "");
  return given.parse_mode === "HTML" ? readTelegramHtml(text).text : text;
}
