/**
 * Telegram, by the Bot API. Messages are read by long polling and kept by whoever receives them before Telegram is told;
 * what is sent has no key by which Telegram would know it again, so a call without an answer is `unknown`.
 */
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { Api, type ApiClientOptions } from "grammy";
import type { Address, SessionSource } from "../../session/source.js";
import { cleanLine, shorten } from "../../util/text.js";
import {
  type Adapter,
  type Capabilities,
  type Mark,
  type OutboundMessage,
  type Receive,
  SendError,
  type Surroundings,
} from "../adapter.js";
import { repeatable } from "../repeatable.js";
import { cannotConnect, failureOf, isMissing, isRefusal, movedTo, sendErrorOf } from "./failure.js";
import { fetchFile } from "./files.js";
import { shownLength, toHtml } from "./format.js";
import { offerMenu } from "./menu.js";
import { Moves, numberOf } from "./moves.js";
import { type Clients, inHtml, MAX_FILE, NO_PREVIEW, partsOf, sendPart, threadOf } from "./outgoing.js";
import { isInChat, parseMove, parsePlace, parseUpdate, UPDATES } from "./parse.js";
import { Poller } from "./poller.js";

const MAX_TEXT = 4_096;
const MAX_TITLE = 127;
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
  readonly bot: { readonly id: string; readonly hasTopics: boolean };
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
    redelivers: true,
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
  readonly #clients: Clients;
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
    this.#clients = { calls: this.#client(CALL_SECONDS), uploads: this.#client(UPLOAD_SECONDS) };
    this.#api = this.#clients.calls;
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
      hasTopics: me.has_topics_enabled === true,
      username: me.username ?? "",
      commands: new Set(commands.map(({ name }) => name.toLowerCase())),
      read: (fileId: string, maxBytes: number, end: AbortSignal) => this.#read(fileId, maxBytes, end),
    };
    const reader = this.#client(POLL_SECONDS);
    const poller = new Poller({
      ask: (offset, timeout, signal) =>
        reader.getUpdates(
          { ...(offset === undefined ? {} : { offset }), timeout, allowed_updates: UPDATES },
          signal as Parameters<Api["getUpdates"]>[1],
        ),
      read: (update) => {
        const move = parseMove(update);
        const message = parseUpdate(update, bot);
        if (!move && !message) return null;
        return {
          chat: move?.to ?? message?.source.chatId ?? "", // What is written in the new chat waits for the move.
          take: async () => {
            if (move) await moves.add(move.from, move.to);
            if (message) await receive(moves.inbound(message));
          },
        };
      },
      tell,
    });
    this.#line = { moves, poller, bot };
  }

  async send(message: OutboundMessage): Promise<{ readonly messageId: string }> {
    const { deliveryId, address } = message;
    const { moves } = this.#connected(); // Now: once it was sent, a line that is gone must not make it look unsent.
    const sent = [...(this.#partly.get(deliveryId) ?? [])];
    this.#partly.delete(deliveryId);
    try {
      for (const part of partsOf(message).slice(sent.length)) {
        const number = await this.#call(address, (chat) => sendPart(this.#clients, chat, part, message));
        sent.push(moves.idOf(address.chatId, number));
      }
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

  async place(address: Address): Promise<SessionSource | null> {
    const { moves, bot } = this.#connected();
    const { message_thread_id: thread } = threadOf(address);
    try {
      const chat = await this.#call(address, (id) => this.#api.getChat(id).catch(unlessMissing));
      const place = parsePlace(chat, thread === undefined ? undefined : String(thread), bot);
      if (!place || place.chatType === "dm") return place;
      const member = await this.#call(place, (id) =>
        this.#api.getChatMember(id, Number(bot.id)).catch(unlessMissing),
      );
      return member && isInChat(member) ? moves.source(place) : null;
    } catch (error) {
      throw repeatable(sendErrorOf(error));
    }
  }

  /**
   * A topic: in a forum, or in a private chat where the bot has them; whoever is in the chat sees it. Fails where the
   * person has left.
   */
  async createThread(parent: Address, title: string, person: string | null): Promise<Address | null> {
    const isPrivate = /^\d+$/.test(parent.chatId);
    if (isPrivate && !this.#connected().bot.hasTopics) return null;
    if (!isPrivate && person !== null && /^\d+$/.test(person)) await this.#mustSee(parent, Number(person));
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

  /** Where Telegram does not tell, nobody is turned away. */
  async #mustSee(group: Address, person: number): Promise<void> {
    const member = await this.#call(group, (id) =>
      this.#api.getChatMember(id, person).catch(unlessUntold),
    ).catch((error: SendError) => {
      throw repeatable(error);
    });
    if (member !== null && !isInChat(member))
      throw new SendError("permanent", "You are not in that group, and would not see it there.");
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

  async #read(fileId: string, maxBytes: number, end: AbortSignal): Promise<Uint8Array> {
    const { file_path: path } = await this.#api
      .getFile(fileId, end as Parameters<Api["getFile"]>[1])
      .catch((error: unknown) => {
        throw new Error(failureOf(error).words);
      });
    if (!path) throw new Error("Telegram does not say where it is");
    return fetchFile(this.#root, this.#token, path, maxBytes, end);
  }
}

function unlessUnchanged(error: unknown): void {
  if (!isRefusal(error, /message is not modified/i)) throw error;
}

function unlessMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}

function unlessUntold(error: unknown): null {
  if (isMissing(error) || isRefusal(error, /not found|participant_id_invalid|inaccessible/i)) return null;
  throw error;
}

/** In a group without topics, in a basic group, and in a private chat where the bot may not make any. */
const NO_TOPICS = /not a forum|forum_missing|forum_create_forbidden|for supergroup/i;

function unlessNoForum(error: unknown): null {
  if (isRefusal(error, NO_TOPICS)) return null;
  if (isRefusal(error, /not enough rights/i))
    throw new SendError("permanent", "The bot may not make topics: let it manage topics in this group.");
  throw error;
}
