/**
 * What a thread is about: the first time that somebody speaks to the bot in one whose beginning it was not told, the
 * beginning is quoted.
 */
import type { WebClient } from "@slack/web-api";
import type { Answered, InboundMessage } from "../adapter.js";
import { withinPatience } from "../patience.js";
import { field, listIn, wordsIn } from "../untrusted.js";
import type { SlackReading } from "./content.js";
import type { NameBook } from "./names.js";
import { parseBeginning } from "./parse.js";
import { mentions } from "./plain-text.js";

type ThreadBeginning = Omit<Answered, "messageId">;

const KEPT = 1_000;

export class QuoteBook {
  readonly #web: WebClient;
  readonly #reading: SlackReading;
  readonly #names: NameBook;
  readonly #known = new Set<string>();

  constructor(web: WebClient, reading: SlackReading, names: NameBook) {
    this.#web = web;
    this.#reading = reading;
    this.#names = names;
  }

  /** The message, with the beginning of its thread where that is new. */
  async quoted(message: InboundMessage): Promise<InboundMessage> {
    const { kind, replyTo, isAddressed } = message;
    if (kind !== "message" || !answersThread(message) || !isAddressed || this.#known.has(threadOf(message)))
      return message;
    const found = await withinPatience(this.#beginning(message, replyTo?.messageId ?? ""), null);
    return found && replyTo ? { ...message, replyTo: { ...replyTo, ...found } } : message;
  }

  /** It was received: what was quoted with it is known from now on. */
  keep(message: InboundMessage): void {
    if (!answersThread(message) || message.replyTo?.text === undefined) return;
    this.#known.add(threadOf(message));
    const [oldest] = this.#known;
    if (this.#known.size > KEPT && oldest !== undefined) this.#known.delete(oldest);
  }

  /** Null where there is nothing to tell. */
  async #beginning({ source }: InboundMessage, ts: string): Promise<ThreadBeginning | null> {
    const { userId } = this.#reading;
    const read = await this.#web.conversations.replies({ channel: source.chatId, ts, limit: 1 });
    const root = listIn(read, "messages").find((each) => wordsIn(each, "ts") === ts);
    // In a channel what was said by or to the bot is in this thread's session already.
    const isBots = field(root, "user") === userId || mentions(wordsIn(root, "text"), userId);
    if (!root || (source.chatType !== "dm" && isBots)) return null;
    const found = await this.#names.naming((nameOf) => parseBeginning(root, { ...this.#reading, nameOf }));
    return found.text || found.parts || found.files ? found : null;
  }
}

/** And not a message that it shares. */
function answersThread({ source, replyTo }: InboundMessage): boolean {
  return replyTo !== undefined && replyTo.messageId === source.threadId;
}

function threadOf({ source }: InboundMessage): string {
  return `${source.chatId}:${source.threadId ?? ""}`;
}
