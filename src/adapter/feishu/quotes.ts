/**
 * What an event leaves out: the words of the message that another one answers, and of those that were forwarded together.
 * Nothing is looked up for strangers, and a message does not wait long for it.
 */
import type { Answered, InboundMessage } from "../adapter.js";
import { withinPatience } from "../patience.js";
import { Recent } from "../recent.js";
import { field, jsonOf, listIn, wordsIn } from "../untrusted.js";
import type { FeishuSelf } from "./api.js";
import type { ChatBook } from "./chats.js";
import { isMessage } from "./ids.js";
import { type FeishuReading, type FeishuSaid, saidIn } from "./said.js";

const KEPT = 1_000;
const MOST_FORWARDED = 50;

export interface QuoteSetting {
  readonly book: ChatBook;
  readonly self: FeishuSelf;
  readonly reading: FeishuReading;
  /** What this line said, with its chat. */
  readonly own: Recent<string>;
}

export class FeishuQuotes {
  readonly #setting: QuoteSetting;
  /** Threads whose beginning was told. */
  readonly #told = new Recent<true>(KEPT);
  /** Of threads: whether we began them. */
  readonly #began = new Recent<boolean>(KEPT);

  constructor(setting: QuoteSetting) {
    this.#setting = setting;
  }

  /** The message, with what it answers or passes on. */
  async whole(message: InboundMessage): Promise<InboundMessage> {
    if (message.kind !== "message") return message;
    const said = message.forwarded ? await this.#withForwarded(message) : message;
    return said.replyTo ? this.#quoted(said, said.replyTo) : said;
  }

  /** It was received: its thread's beginning is known from now on. */
  keep({ source, replyTo }: InboundMessage): void {
    const isTold = replyTo && Object.keys(replyTo).length > 1;
    if (isTold && replyTo.messageId === source.threadId) this.#told.set(replyTo.messageId, true);
  }

  /**
   * An answer to what we said is for us, and so is everything in a thread that we began. The beginning of such a thread is
   * not quoted: it is in the conversation already.
   */
  async #quoted(message: InboundMessage, replyTo: Answered): Promise<InboundMessage> {
    const { messageId } = replyTo;
    const isThread = messageId === message.source.threadId;
    const isOwn = this.#setting.own.get(messageId) !== undefined;
    const known = isOwn || this.#began.get(messageId);
    const isForUs = message.isAddressed === true || known === true;
    const isTold = this.#told.get(messageId) === true || known === true || (known === false && !isForUs);
    if (isThread && isTold) return { ...message, isAddressed: isForUs };
    const found = await withinPatience(this.#answered(messageId, message.source.chatId), null);
    if (found && isThread) this.#began.set(messageId, found.isOwn);
    const isAddressed = isForUs || found?.isOwn === true;
    const isQuoted = !isThread || (isAddressed && found?.isOwn === false);
    return { ...message, replyTo: { ...replyTo, ...(isQuoted ? found?.answered : {}) }, isAddressed };
  }

  /** Null if it is not there, or in another chat. */
  async #answered(
    messageId: string,
    chatId: string,
  ): Promise<{ readonly isOwn: boolean; readonly answered: Partial<Answered> } | null> {
    const { book, self } = this.#setting;
    const [message] = await book.message(messageId);
    const said = field(message, "chat_id") === chatId ? this.#read(message) : null;
    if (!said) return null;
    const isOwn = isBy(message, self);
    const from = isOwn ? undefined : await this.#authorOf(message);
    const { words, parts, files } = said;
    return {
      isOwn,
      answered: {
        ...(words ? { text: words } : {}),
        ...(parts.length > 0 ? { parts } : {}),
        ...(files.length > 0 ? { files } : {}),
        ...(from ? { from } : {}),
      },
    };
  }

  /** Feishu gives no files of forwarded messages. */
  async #withForwarded(message: InboundMessage): Promise<InboundMessage> {
    const { book } = this.#setting;
    const all = await withinPatience(book.message(message.messageId), []);
    const inside = all.filter((each) => field(each, "message_id") !== message.messageId);
    if (inside.length === 0) return message;
    const lines = inside.slice(0, MOST_FORWARDED).map(async (each) => {
      const [said, author] = [this.#read(each), await this.#authorOf(each)];
      const files = said?.files.map(({ name = "a file" }) => `[${name}]`) ?? [];
      const parts = said?.parts.map(({ kind, words }) => `[${words ? `${kind}: ${words}` : kind}]`) ?? [];
      return `${author}: ${[said?.words ?? "", ...parts, ...files].filter(Boolean).join(" ")}`;
    });
    const left = inside.length - MOST_FORWARDED;
    const { parts: _, ...rest } = message;
    const text = [...(await Promise.all(lines)), ...(left > 0 ? [`(${left} more)`] : [])].join("\n");
    return { ...rest, text };
  }

  #read(message: unknown): FeishuSaid | null {
    const messageId = field(message, "message_id");
    if (!isMessage(messageId)) return null;
    const content = field(message, "body", "content");
    return saidIn(
      {
        messageId,
        type: wordsIn(message, "msg_type"),
        content: jsonOf(typeof content === "string" ? content : ""),
        mentions: listIn(message, "mentions"),
      },
      this.#setting.reading,
    );
  }

  async #authorOf(message: unknown): Promise<string> {
    if (field(message, "sender", "sender_type") === "app") return "another bot";
    return (await this.#setting.book.nameOf(wordsIn(message, "sender", "id"))) ?? "somebody else";
  }
}

/** A message of an app carries the app's id. */
export function isBy(message: unknown, { appId, openId }: FeishuSelf): boolean {
  const id = field(message, "sender", "id");
  return id === appId || id === openId;
}
