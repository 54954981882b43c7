/** What is said on Telegram by one line. A call that was not answered is `unknown`: Telegram would not know it again. */
import { createHash } from "node:crypto";
import type { Api } from "grammy";
import type { Address, SessionSource } from "../../session/source.js";
import { cleanLine, shorten } from "../../util/text.js";
import { type Letter, type Mark, SendError, type Speaker, ThreadRefused } from "../adapter.js";
import { repeatable } from "../failure.js";
import { isDeclined, isMissing, isRefusal, movedTo, sendError } from "./failure.js";
import { toHtml } from "./format.js";
import { type ChatMoves, numberOf } from "./moves.js";
import { type Clients, inHtml, NO_PREVIEW, sendLetter, threadOf } from "./outgoing.js";
import { isInChat, parsePlace } from "./parse.js";

const MAX_TITLE = 127;
const MARKS: Readonly<Record<Mark, "👀" | "👎">> = { seen: "👀", failed: "👎" };

export interface TelegramSpeakerOptions {
  readonly clients: Clients;
  readonly moves: ChatMoves;
  readonly bot: { readonly id: string; readonly hasTopics: boolean };
}

export class TelegramSpeaker implements Speaker {
  readonly #clients: Clients;
  readonly #api: Api;
  readonly #moves: ChatMoves;
  readonly #bot: TelegramSpeakerOptions["bot"];

  constructor({ clients, moves, bot }: TelegramSpeakerOptions) {
    this.#clients = clients;
    this.#api = clients.calls;
    this.#moves = moves;
    this.#bot = bot;
  }

  async send(letter: Letter): Promise<{ readonly messageId: string }> {
    const { address } = letter;
    const number = await this.#call(address, (chat) => sendLetter(this.#clients, chat, letter));
    return { messageId: this.#moves.idOf(address.chatId, number) };
  }

  async edit({ address, text }: Letter, messageId: string): Promise<void> {
    await this.#call(address, (chat) =>
      inHtml(toHtml(text), (html, mode) =>
        this.#api
          .editMessageText(chat, numberOf(messageId), html, { ...mode, link_preview_options: NO_PREVIEW })
          .catch(unlessUnchanged),
      ),
    );
  }

  async remove(address: Address, messageId: string): Promise<void> {
    await this.#call(address, (chat) =>
      this.#api.deleteMessage(chat, numberOf(messageId)).catch(unlessDeleted),
    );
  }

  /** Only a private chat has drafts, and a bot of an older server has none. */
  async draft({ address, text, deliveryId }: Letter): Promise<boolean> {
    if (!isPrivate(address)) return false;
    return this.#call(address, (chat) =>
      inHtml(toHtml(text), (html, mode) =>
        this.#api.sendMessageDraft(Number(chat), draftIdOf(deliveryId), html, {
          ...threadOf(address),
          ...mode,
        }),
      ).catch(unlessDeclined),
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
    const bot = this.#bot;
    const { message_thread_id: thread } = threadOf(address);
    try {
      const chat = await this.#call(address, (id) => this.#api.getChat(id).catch(unlessMissing));
      const place = parsePlace(chat, thread === undefined ? undefined : String(thread), bot);
      if (!place || place.chatType === "dm") return place;
      const member = await this.#call(place, (id) =>
        this.#api.getChatMember(id, Number(bot.id)).catch(unlessMissing),
      );
      return member && isInChat(member) ? this.#moves.source(place) : null;
    } catch (error) {
      throw repeatable(sendError(error));
    }
  }

  /**
   * A topic: in a forum, or in a private chat where the bot has them; whoever is in the chat sees it. Fails where the
   * person has left.
   */
  async createThread(parent: Address, title: string, person: string | null): Promise<Address | null> {
    if (isPrivate(parent) && !this.#bot.hasTopics) return null;
    if (!isPrivate(parent) && person !== null && /^\d+$/.test(person))
      await this.#mustSee(parent, Number(person));
    const name = shorten(cleanLine(title), MAX_TITLE) || "Session";
    const topic = await this.#call(parent, (chat) =>
      this.#api.createForumTopic(chat, name).catch(unlessNoForum),
    );
    if (topic === null) return null;
    return {
      platform: parent.platform,
      chatId: parent.chatId,
      threadId: String(topic.message_thread_id),
    };
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
    const moves = this.#moves;
    try {
      return await call(moves.current(chatId)).catch(async (error: unknown) => {
        const to = movedTo(error);
        if (to === null) throw error;
        await moves.add(chatId, to);
        return call(to);
      });
    } catch (error) {
      throw sendError(error);
    }
  }
}

function isPrivate({ chatId }: Address): boolean {
  return /^\d+$/.test(chatId);
}

/** The same for every state of one text; never 0, which Telegram refuses. */
function draftIdOf(deliveryId: string): number {
  return (createHash("sha256").update(deliveryId).digest().readUInt32BE() >>> 1) + 1;
}

function unlessDeclined(error: unknown): false {
  if (isDeclined(error)) return false;
  throw error;
}

function unlessDeleted(error: unknown): void {
  if (!isRefusal(error, /message to delete not found/i)) throw error;
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
    throw new ThreadRefused("The bot may not make topics: let it manage topics in this group.", {
      cause: error,
    });
  throw error;
}
