/**
 * Who talks with the bot in which thread: somebody who named it there need not name it in each message. It is in the
 * memory of this process, and decides only whether a message is meant for us: the gate still asks for access.
 */
import type { InboundMessage } from "../adapter/adapter.js";
import type { Clock } from "../util/clock.js";
import { senderOf } from "./authorize.js";
import type { Surface } from "./surface.js";

/** From the last message to the bot on. */
const FOLLOWED_MS = 3_600_000;
const MOST_FOLLOWED = 5_000;

export class FollowedThreads {
  readonly #clock: Clock;
  /** When somebody last wrote to the bot in a thread, the latest at the end. */
  readonly #last = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A message to the bot was accepted. Threads that are made from it later have its id. */
  follow(surface: Surface, message: InboundMessage): void {
    const name = nameOf(surface, message, message.source.threadId ?? message.messageId);
    if (message.source.chatType === "dm" || name === null) return;
    this.#last.delete(name);
    this.#last.set(name, this.#clock());
    const [oldest] = this.#last.keys();
    if (this.#last.size > MOST_FOLLOWED && oldest !== undefined) this.#last.delete(oldest);
  }

  /** True if its sender talks with the bot in this thread. What begins with a command or a name may be for somebody else. */
  isFollowed(surface: Surface, message: InboundMessage): boolean {
    const { source, text, forwarded } = message;
    if (source.threadId === undefined || forwarded || /^\s*[/@]/.test(text)) return false;
    const name = nameOf(surface, message, source.threadId);
    const last = name === null ? undefined : this.#last.get(name);
    return last !== undefined && this.#clock() - last < FOLLOWED_MS;
  }
}

function nameOf({ platform, account }: Surface, { source }: InboundMessage, threadId: string): string | null {
  const sender = senderOf(source);
  return sender === null ? null : JSON.stringify([platform, account, source.chatId, threadId, sender]);
}
