/**
 * Groups that became supergroups. Telegram gives such a group a new id, and numbers its messages anew; for us it stays
 * the chat it was, so that its session, its settings and what waits to be sent there go on. The new id is where calls
 * go, and stands before the ids of its messages, so that none is taken for one of the old group's.
 */
import type { SessionSource } from "../../session/source.js";
import type { InboundMessage, Memory } from "../adapter.js";

const NAME = "moves";

export class ChatMoves {
  readonly #memory: Memory;
  /** The present id by the first one. */
  readonly #to = new Map<string, string>();
  readonly #from = new Map<string, string>();

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  async load(): Promise<void> {
    const kept: unknown = JSON.parse((await this.#memory.read(NAME)) ?? "{}");
    for (const [from, to] of Object.entries(kept as Record<string, string>)) this.#set(from, to);
  }

  /** Kept before it counts. */
  async add(from: string, to: string): Promise<void> {
    if (this.#to.get(from) === to) return;
    await this.#memory.write(NAME, JSON.stringify({ ...Object.fromEntries(this.#to), [from]: to }));
    this.#set(from, to);
  }

  #set(from: string, to: string): void {
    this.#to.set(from, to);
    this.#from.set(to, from);
  }

  /** Where calls for a chat go. */
  current(chatId: string): string {
    return this.#to.get(chatId) ?? chatId;
  }

  /** What came from where a chat is now, as of the chat it was. */
  inbound(message: InboundMessage): InboundMessage {
    const now = message.source.chatId;
    const source = this.source(message.source);
    if (source === message.source) return message;
    const messageId = ours(now, message.messageId);
    const { replyTo } = message;
    return {
      ...message,
      messageId,
      source: { ...source, messageId },
      ...(replyTo ? { replyTo: { ...replyTo, messageId: ours(now, replyTo.messageId) } } : {}),
    };
  }

  /** The same for its place. */
  source(source: SessionSource): SessionSource {
    const first = this.#from.get(source.chatId);
    return first === undefined ? source : { ...source, chatId: first, chatIdAlt: source.chatId };
  }

  /** Our id of a message that was sent to a chat. */
  idOf(chatId: string, messageId: number): string {
    const now = this.#to.get(chatId);
    return now === undefined ? String(messageId) : ours(now, String(messageId));
  }
}

function ours(chatId: string, messageId: string): string {
  return `${chatId}/${messageId}`;
}

/** Telegram's number of a message that has an id of ours; NaN where it is none. */
export function numberOf(messageId: string): number {
  const number = /^(?:-\d+\/)?(\d+)$/.exec(messageId)?.[1];
  return number === undefined ? Number.NaN : Number(number);
}
