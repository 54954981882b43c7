/**
 * What is said on Feishu by one line. Each message has a key made of its delivery id: within an hour Feishu takes the same
 * key once, so in that time a message whose call broke is simply sent again.
 */
import { createHash } from "node:crypto";
import type { Address, SessionSource } from "../../session/source.js";
import { type FoundMessage, type Letter, type Mark, SendError, type Speaker } from "../adapter.js";
import { repeatable } from "../failure.js";
import { Recent } from "../recent.js";
import { field, wordsIn } from "../untrusted.js";
import type { FeishuApi, FeishuSelf } from "./api.js";
import type { ChatBook } from "./chats.js";
import { codeOf, sendError } from "./failure.js";
import { type PostNode, postOf } from "./format.js";
import { isChat, isMessage, isPerson } from "./ids.js";
import { cardMessage, type FeishuMessage, fileMessage, textMessage } from "./outgoing.js";
import { placeOf } from "./parse.js";
import { isBy } from "./quotes.js";

const PLATFORM = "feishu";
const MARKS: Readonly<Record<Mark, string>> = { seen: "GLANCE", failed: "CrossMark" };
/** Feishu knows a key for an hour; a message may wait for its next try. */
const KEY_HOLDS_MS = 45 * 60_000;
/** Feishu's clock and ours may differ by so much. */
const OTHER_CLOCK_MS = 10 * 60_000;
/** Its first message was recalled or deleted, or the chat has no threads. */
const THREAD_GONE = new Set([230011, 230019, 230050, 230071, 230110, 10020, 10037, 18113, 404]);
/** It is there, and no text: a card. */
const OTHER_KIND = 230054;
/** The app may not read there. */
const NOT_READABLE = new Set([230027, 99991672, 230002]);
const MOST_CARDS = 1_000;

export interface SpeakerSetting {
  readonly api: FeishuApi;
  readonly self: FeishuSelf;
  readonly book: ChatBook;
  /** What was said, with its chat: an answer to it is for us. */
  readonly own: Recent<string>;
}

export class FeishuSpeaker implements Speaker {
  readonly #setting: SpeakerSetting;
  readonly #cards = new Recent<true>(MOST_CARDS);

  constructor(setting: SpeakerSetting) {
    this.#setting = setting;
  }

  async send(letter: Letter): Promise<{ readonly messageId: string }> {
    const { files: [file] = [], buttons } = letter;
    const outgoing = file
      ? await fileMessage(this.#setting.api, file)
      : buttons
        ? cardMessage(letter)
        : textMessage(letter.text);
    const messageId = await this.#deliver(letter, outgoing).catch(fail);
    if (outgoing.msg_type === "interactive") this.#cards.set(messageId, true);
    return { messageId };
  }

  /** A card stays a card, without its buttons. */
  async edit(letter: Letter, messageId: string): Promise<void> {
    const path = `/im/v1/messages/${encodeURIComponent(messageId)}`;
    const { api } = this.#setting;
    const { buttons: _, ...plain } = letter;
    const patch = (): Promise<unknown> => api.call("PATCH", path, { content: cardMessage(plain).content });
    try {
      if (this.#cards.get(messageId)) await patch();
      else await api.call("PUT", path, textMessage(letter.text));
    } catch (error) {
      if (codeOf(error) !== OTHER_KIND) failAgain(error);
      await patch().catch(failAgain);
    }
  }

  /** Later than the key holds, it is certain only if nothing of ours is there since then. */
  async find({ address, writtenAt }: Letter): Promise<FoundMessage> {
    if (writtenAt === undefined) return null;
    if (Date.now() - writtenAt < KEY_HOLDS_MS) return "not there";
    try {
      return (await this.#mayHaveSaid(address, writtenAt - OTHER_CLOCK_MS)) ? null : "not there";
    } catch (error) {
      if (NOT_READABLE.has(codeOf(error))) return null;
      return failAgain(error);
    }
  }

  async react(_address: Address, messageId: string, mark: Mark): Promise<void> {
    if (!isMessage(messageId)) return; // A press is no message.
    const body = { reaction_type: { emoji_type: MARKS[mark] } };
    await this.#setting.api.call("POST", `/im/v1/messages/${messageId}/reactions`, body).catch(failAgain);
  }

  async place({ chatId, threadId }: Address): Promise<SessionSource | null> {
    const { book } = this.#setting;
    if (!isChat(chatId) || (threadId !== undefined && !isMessage(threadId))) return null;
    try {
      const chat = await book.chat(chatId);
      if (!chat || (threadId !== undefined && !(await this.#isIn(chatId, threadId)))) return null;
      const place = placeOf(chatId, chat, threadId);
      if (!chat.isPrivate) return await book.named(place);
      const userId = await book.other(chatId);
      return userId === null ? null : await book.named({ ...place, userId });
    } catch (error) {
      return failAgain(error);
    }
  }

  /**
   * A message with the title, and an answer in a thread to it, which makes the thread: it names the person, who is told of
   * what is said there from then on. A chat of two has no threads for this.
   */
  async createThread(
    { chatId }: Address,
    title: string,
    person: string | null,
    once: string,
  ): Promise<Address | null> {
    const { book } = this.#setting;
    try {
      if ((await book.chat(chatId))?.isPrivate !== false) return null;
      const name = title.replace(/\s+/g, " ").trim() || "…";
      const head = message([{ tag: "text", text: name.slice(0, 500), style: ["bold"] }]);
      const threadId = await this.#create(chatId, head, keyOf(`thread ${once}`));
      const first: PostNode = isPerson(person)
        ? { tag: "at", user_id: person }
        : { tag: "text", text: "Continued in this thread." };
      const answered = { platform: PLATFORM, chatId, threadId };
      await this.#answer(answered, threadId, message([first]), keyOf(`first of thread ${once}`));
      return answered;
    } catch (error) {
      if (THREAD_GONE.has(codeOf(error))) return null;
      return failAgain(error);
    }
  }

  async #deliver(letter: Letter, outgoing: FeishuMessage): Promise<string> {
    const { address, replyTo, deliveryId, onlyThere } = letter;
    const key = keyOf(deliveryId);
    const create = (): Promise<string> => this.#create(address.chatId, outgoing, key);
    try {
      if (address.threadId) return await this.#answer(address, address.threadId, outgoing, key);
      if (replyTo && isMessage(replyTo)) return await this.#answer(address, replyTo, outgoing, key);
      return await create();
    } catch (error) {
      if (!address.threadId && !replyTo) throw error;
      // What is refused there may be taken in the chat around it; what is refused for itself is refused again.
      const isGone = address.threadId
        ? THREAD_GONE.has(codeOf(error))
        : sendError(error).outcome === "permanent";
      if (!isGone) throw error;
      if (address.threadId && onlyThere)
        throw new SendError("permanent", "That thread is not there any more.");
      return create(); // The same people see the chat around it.
    }
  }

  #create(chatId: string, outgoing: FeishuMessage, uuid: string): Promise<string> {
    const body = { receive_id: chatId, ...outgoing, uuid };
    return this.#post(chatId, "/im/v1/messages?receive_id_type=chat_id", body);
  }

  /** In a thread if the address has one. */
  #answer(
    { chatId, threadId }: Address,
    messageId: string,
    outgoing: FeishuMessage,
    uuid: string,
  ): Promise<string> {
    const body = { ...outgoing, uuid, ...(threadId ? { reply_in_thread: true } : {}) };
    return this.#post(chatId, `/im/v1/messages/${encodeURIComponent(messageId)}/reply`, body);
  }

  async #post(chatId: string, path: string, body: object): Promise<string> {
    const id = field(await this.#setting.api.call("POST", path, body), "data", "message_id");
    if (!isMessage(id))
      throw new SendError("unknown", "Feishu did not say under which id it took the message.");
    this.#setting.own.set(id, chatId);
    return id;
  }

  async #isIn(chatId: string, messageId: string): Promise<boolean> {
    try {
      const [message] = await this.#setting.book.message(messageId);
      return field(message, "chat_id") === chatId && field(message, "deleted") !== true;
    } catch (error) {
      if (THREAD_GONE.has(codeOf(error)) || codeOf(error) === 230001) return false;
      throw error;
    }
  }

  /** True if something of ours may be there since then. What nobody can read tells nothing. */
  async #mayHaveSaid({ chatId, threadId }: Address, since: number): Promise<boolean> {
    const { book, self } = this.#setting;
    const [root] = threadId && isMessage(threadId) ? await book.message(threadId) : [];
    const thread = wordsIn(root, "thread_id");
    if (threadId !== undefined && thread === "") return true;
    const read = await (thread ? book.messages("thread", thread) : book.messages("chat", chatId));
    const times = read.map((each) => Number(wordsIn(each, "create_time") || Number.NaN));
    const isRead = times.some((time) => time < since); // All that is newer is here too.
    return !isRead || read.some((each, n) => isBy(each, self) && !((times[n] ?? 0) < since));
  }
}

function message(line: readonly PostNode[]): FeishuMessage {
  return { msg_type: "post", content: JSON.stringify(postOf([line])) };
}

/** At most 50 characters. */
function keyOf(deliveryId: string): string {
  return createHash("sha256").update(deliveryId).digest("hex").slice(0, 40);
}

function fail(error: unknown): never {
  throw sendError(error);
}

/** What may be done twice without harm. */
function failAgain(error: unknown): never {
  throw repeatable(sendError(error));
}
