/**
 * What a thread is about: the first time that somebody speaks to the bot in one whose beginning it was not told, the
 * beginning is quoted.
 */
import type { WebClient } from "@slack/web-api";
import { withinPatience } from "../patience.js";
import { field, listIn, wordsIn } from "../untrusted.js";
import type { Heard, SlackSelf } from "./parse.js";
import { mentions, plainTextOf } from "./plain-text.js";

type SlackMessage = Heard["message"];

const KEPT = 1_000;

export class QuoteBook {
  readonly #web: WebClient;
  readonly #self: SlackSelf;
  readonly #known = new Set<string>();

  constructor(web: WebClient, self: SlackSelf) {
    this.#web = web;
    this.#self = self;
  }

  /** The message, with the beginning of its thread where that is new. */
  async quoted(message: SlackMessage): Promise<SlackMessage> {
    const { kind, replyTo, isAddressed } = message;
    if (kind !== "message" || !replyTo || !isAddressed || this.#known.has(threadOf(message))) return message;
    const text = await withinPatience(this.#beginning(message, replyTo.messageId), "");
    return text === "" ? message : { ...message, replyTo: { ...replyTo, text } };
  }

  /** It was received: what was quoted with it is known from now on. */
  keep(message: SlackMessage): void {
    if (!message.replyTo?.text) return;
    this.#known.add(threadOf(message));
    const [oldest] = this.#known;
    if (this.#known.size > KEPT && oldest !== undefined) this.#known.delete(oldest);
  }

  async #beginning({ source }: SlackMessage, ts: string): Promise<string> {
    const { userId } = this.#self;
    const read = await this.#web.conversations.replies({ channel: source.chatId, ts, limit: 1 });
    const root = listIn(read, "messages").find((each) => wordsIn(each, "ts") === ts);
    const text = wordsIn(root, "text");
    // In a channel what was said by or to the bot is in this thread's session already.
    const isTold = source.chatType !== "dm" && (field(root, "user") === userId || mentions(text, userId));
    return isTold ? "" : plainTextOf(text, userId);
  }
}

function threadOf({ source, replyTo }: SlackMessage): string {
  return `${source.chatId}:${replyTo?.messageId ?? ""}`;
}
