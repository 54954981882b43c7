/**
 * Telegram, by the Bot API. Messages are read by long polling and kept by whoever receives them before Telegram is told;
 * what is sent has no key by which Telegram would know it again, so a call without an answer is `unknown`.
 */
import { readFile } from "node:fs/promises";
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { Api, type ApiClientOptions, GrammyError, InputFile } from "grammy";
import type { Address } from "../../session/source.js";
import { cleanLine, shorten } from "../../util/text.js";
import {
  type Adapter,
  type Capabilities,
  ConnectError,
  type LocalFile,
  type Mark,
  type OutboundMessage,
  type Receive,
  SendError,
  type Surroundings,
} from "../adapter.js";
import { failureOf, movedTo, sendErrorOf } from "./failure.js";
import { fetchFile, tooLarge } from "./files.js";
import { shownLength, textOf, toHtml } from "./format.js";
import { offerMenu } from "./menu.js";
import { Moves, numberOf } from "./moves.js";
import { parseMove, parseUpdate, UPDATES } from "./parse.js";
import { Poller } from "./poller.js";
import { WRONG_TOKEN } from "./wrong-token.js";

const MAX_TEXT = 4_096;
const MAX_CAPTION = 1_024;
const MAX_FILE = 50 * 1024 * 1024;
const MAX_PHOTO = 10 * 1024 * 1024;
const MAX_TITLE = 127;
const PHOTOS = new Set(["image/jpeg", "image/png", "image/webp"]);
const MARKS: Readonly<Record<Mark, "👀" | "👎">> = { seen: "👀", failed: "👎" };

/** How long an answer is waited for. */
const CALL_SECONDS = 30;
const POLL_SECONDS = 60;
const UPLOAD_SECONDS = 300;
const KEPT_MS = 4_000;

/** What there is while it is connected. */
interface Line {
  readonly moves: Moves;
  readonly poller: Poller;
  readonly hasTopics: boolean;
}

/** One call's worth of a message. */
type Part =
  | { readonly kind: "text"; readonly html: string }
  | { readonly kind: "file"; readonly file: LocalFile; readonly html: string };

/** What the calls that send have in common. */
interface Target {
  readonly message_thread_id?: number;
  readonly reply_parameters?: { readonly message_id: number; readonly allow_sending_without_reply: true };
}

export class TelegramAdapter implements Adapter {
  readonly platform = "telegram";
  readonly account: string;
  readonly capabilities: Capabilities = {
    maxText: MAX_TEXT,
    unit: "utf16",
    lengthOf: shownLength,
    edit: true,
    threads: true,
    typingMs: 5_000,
    paceMs: 3_000, // A group takes twenty messages a minute, edits among them.
    maxFile: MAX_FILE,
  };
  readonly #root: string;
  readonly #token: string;
  /**
   * Connections are kept for a moment only: on one that Telegram is just closing, a call would be lost, and nobody could
   * tell whether it arrived.
   */
  readonly #connections: NonNullable<ApiClientOptions["baseFetchConfig"]>;
  readonly #api: Api;
  #line: Line | null = null;
  /** Messages of several calls that got stuck on the way: what is there already, by delivery id. */
  readonly #partly = new Map<string, readonly string[]>();

  constructor({ account, token, root }: { account: string; token: string; root: string }) {
    this.account = account;
    this.#token = token;
    this.#root = root;
    const Agent = root.startsWith("https:") ? HttpsAgent : HttpAgent;
    this.#connections = { agent: new Agent({ keepAlive: true, timeout: KEPT_MS }) };
    this.#api = this.#client(CALL_SECONDS);
  }

  #client(timeoutSeconds: number): Api {
    return new Api(this.#token, { apiRoot: this.#root, timeoutSeconds, baseFetchConfig: this.#connections });
  }

  async connect(receive: Receive, { memory, commands, tell }: Surroundings): Promise<void> {
    const me = await this.#api.getMe().catch(cannotConnect);
    const moves = new Moves(memory);
    await moves.load();
    await offerMenu(this.#api, commands, memory);
    const bot = {
      id: String(me.id),
      username: me.username ?? "",
      commands: new Set(commands.map(({ name }) => name.toLowerCase())),
      read: (fileId: string, maxBytes: number) => this.#read(fileId, maxBytes),
    };
    const reader = this.#client(POLL_SECONDS);
    const poller = new Poller({
      ask: (offset, timeout, signal) =>
        reader.getUpdates(
          { ...(offset === undefined ? {} : { offset }), timeout, allowed_updates: UPDATES },
          signal as Parameters<Api["getUpdates"]>[1],
        ),
      take: async (update) => {
        const move = parseMove(update);
        if (move) await moves.add(move.from, move.to);
        const message = parseUpdate(update, bot);
        if (message) await receive(moves.inbound(message));
      },
      tell,
    });
    this.#line = { moves, poller, hasTopics: me.has_topics_enabled === true };
  }

  async send(message: OutboundMessage): Promise<{ readonly messageId: string }> {
    const { deliveryId, address } = message;
    const sent = [...(this.#partly.get(deliveryId) ?? [])];
    this.#partly.delete(deliveryId);
    try {
      for (const part of partsOf(message).slice(sent.length)) sent.push(await this.#sendPart(message, part));
    } catch (error) {
      const failure = sendErrorOf(error);
      if (failure.outcome === "retryable" && sent.length > 0) this.#partly.set(deliveryId, sent);
      throw failure;
    }
    const [messageId] = sent;
    if (messageId === undefined) throw new SendError("permanent", `Nothing to send to ${address.chatId}.`);
    return { messageId };
  }

  async edit({ address, text }: OutboundMessage, messageId: string): Promise<void> {
    await this.#call(address, (chat) =>
      inHtml(toHtml(text), (html, mode) =>
        this.#api
          .editMessageText(chat, numberOf(messageId), html, { ...mode, link_preview_options: NO_PREVIEW })
          .catch(unlessUnchanged),
      ),
    );
  }

  async typing(address: Address): Promise<void> {
    await this.#call(address, (chat) => this.#api.sendChatAction(chat, "typing", threadOf(address)));
  }

  async react(address: Address, messageId: string, mark: Mark): Promise<void> {
    const emoji = MARKS[mark];
    await this.#call(address, (chat) =>
      this.#api.setMessageReaction(chat, numberOf(messageId), [{ type: "emoji", emoji }]),
    );
  }

  /** A topic: in a forum, or in a private chat where the bot has them; whoever is in the chat sees it. */
  async createThread(parent: Address, title: string): Promise<Address | null> {
    const isPrivate = /^\d+$/.test(parent.chatId);
    if (isPrivate && !this.#connected().hasTopics) return null;
    const name = shorten(cleanLine(title), MAX_TITLE) || "Session";
    const topic = await this.#call(parent, (chat) =>
      this.#api.createForumTopic(chat, name).catch(unlessNoForum),
    );
    if (topic === null) return null;
    return {
      platform: this.platform,
      chatId: parent.chatId,
      threadId: String(topic.message_thread_id),
    };
  }

  async disconnect(): Promise<void> {
    const line = this.#line;
    this.#line = null;
    await line?.poller.stop();
  }

  #connected(): Line {
    if (!this.#line) throw new SendError("retryable", "Telegram is not connected.");
    return this.#line;
  }

  /** A call for a chat, wherever it is by now. Fails with a `SendError`. */
  async #call<T>({ chatId }: Address, call: (chat: string) => Promise<T>): Promise<T> {
    const { moves } = this.#connected();
    try {
      return await call(moves.current(chatId)).catch(async (error: unknown) => {
        const to = movedTo(error);
        if (to === null) throw error;
        await moves.add(chatId, to);
        return call(to);
      });
    } catch (error) {
      throw sendErrorOf(error);
    }
  }

  async #sendPart(message: OutboundMessage, part: Part): Promise<string> {
    const { address } = message;
    const { message_thread_id: thread, ...plain } = targetOf(message);
    const sendTo = (chat: string, target: Target): Promise<{ readonly message_id: number }> =>
      part.kind === "text" ? this.#sendText(chat, part, target) : this.#sendFile(chat, part, target);
    const sent = await this.#call(address, (chat) =>
      thread === undefined
        ? sendTo(chat, plain)
        : // A topic may be gone: the same people see the chat around it, and nothing is lost.
          sendTo(chat, { ...plain, message_thread_id: thread }).catch((error: unknown) =>
            isRefusal(error, /thread not found/i) ? sendTo(chat, plain) : Promise.reject(error),
          ),
    );
    return this.#connected().moves.idOf(address.chatId, sent.message_id);
  }

  #sendText(
    chat: string,
    { html }: Extract<Part, { kind: "text" }>,
    target: Target,
  ): Promise<{ readonly message_id: number }> {
    return inHtml(html, (text, mode) =>
      this.#api.sendMessage(chat, text, { ...target, ...mode, link_preview_options: NO_PREVIEW }),
    );
  }

  async #sendFile(
    chat: string,
    { file, html }: Extract<Part, { kind: "file" }>,
    target: Target,
  ): Promise<{ readonly message_id: number }> {
    const bytes = await readFile(file.path).catch(() => {
      throw new SendError("permanent", `${cleanLine(file.name)} is not there any more.`);
    });
    if (bytes.byteLength > MAX_FILE)
      throw new SendError("permanent", `${cleanLine(file.name)} is ${tooLarge(MAX_FILE).message}.`);
    const uploader = this.#client(UPLOAD_SECONDS);
    const content = () => new InputFile(bytes, fileName(file));
    return inHtml(html, async (text, mode) => {
      const caption = text === "" ? {} : { caption: text, ...mode };
      const asDocument = () => uploader.sendDocument(chat, content(), { ...target, ...caption });
      if (!PHOTOS.has(file.mediaType) || bytes.byteLength > MAX_PHOTO) return asDocument();
      // Not every picture is taken as a photo: what is too long and narrow, or broken, still goes as a file.
      return uploader
        .sendPhoto(chat, content(), { ...target, ...caption })
        .catch((error: unknown) => (isNoPhoto(error) ? asDocument() : Promise.reject(error)));
    });
  }

  async #read(fileId: string, maxBytes: number): Promise<Uint8Array> {
    const { file_path: path } = await this.#api.getFile(fileId).catch((error: unknown) => {
      throw new Error(failureOf(error).words);
    });
    if (!path) throw new Error("Telegram does not say where it is");
    return fetchFile(this.#root, this.#token, path, maxBytes);
  }
}

const NO_PREVIEW = { is_disabled: true } as const;

function cannotConnect(error: unknown): never {
  const failure = failureOf(error);
  const isWrongToken = failure.kind === "refused" && (failure.code === 401 || failure.code === 404);
  if (isWrongToken) throw new ConnectError("permanent", WRONG_TOKEN);
  throw new ConnectError("retryable", failure.words);
}

/** One file takes a short text with it; several, or a long text, are messages of their own. */
function partsOf({ text, files = [] }: OutboundMessage): readonly Part[] {
  const html = text.trim() === "" ? "" : toHtml(text);
  const [file, ...more] = files;
  if (file && more.length === 0 && textOf(html).length <= MAX_CAPTION) return [{ kind: "file", file, html }];
  const said: Part[] = html === "" ? [] : [{ kind: "text", html }];
  return [...said, ...files.map((each): Part => ({ kind: "file", file: each, html: "" }))];
}

function targetOf({ address, replyTo }: OutboundMessage): Target {
  const answered = replyTo === undefined ? Number.NaN : numberOf(replyTo);
  return {
    ...threadOf(address),
    ...(Number.isNaN(answered)
      ? {}
      : { reply_parameters: { message_id: answered, allow_sending_without_reply: true } }),
  };
}

function threadOf({ threadId }: Address): Pick<Target, "message_thread_id"> {
  if (threadId === undefined) return {};
  if (!/^\d{1,15}$/.test(threadId)) throw new SendError("permanent", `${threadId} is no topic.`);
  return { message_thread_id: Number(threadId) };
}

/** In HTML; as plain text where Telegram, against all expectation, cannot read that: better than not at all. */
async function inHtml<T>(
  html: string,
  call: (text: string, mode: { readonly parse_mode?: "HTML" }) => Promise<T>,
): Promise<T> {
  try {
    return await call(html, { parse_mode: "HTML" });
  } catch (error) {
    if (isRefusal(error, /can't parse entities/i)) return call(textOf(html), {});
    throw error;
  }
}

function unlessUnchanged(error: unknown): void {
  if (!isRefusal(error, /message is not modified/i)) throw error;
}

/** In a group without topics, in a basic group, and in a private chat where the bot may not make any. */
const NO_TOPICS = /not a forum|forum_missing|forum_create_forbidden|for supergroup/i;

function unlessNoForum(error: unknown): null {
  if (isRefusal(error, NO_TOPICS)) return null;
  if (isRefusal(error, /not enough rights/i))
    throw new SendError("permanent", "The bot may not make topics: let it manage topics in this group.");
  throw error;
}

function isNoPhoto(error: unknown): boolean {
  return isRefusal(error, /photo|image/i);
}

function isRefusal(error: unknown, words: RegExp): boolean {
  return error instanceof GrammyError && error.error_code === 400 && words.test(error.description);
}

/** As it stands in the head of an upload, where some signs would end it. */
function fileName({ name }: LocalFile): string {
  return shorten(cleanLine(name).replace(/["\\;/]/g, "_"), 100) || "file";
}
