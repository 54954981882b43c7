/**
 * A platform in memory: chats, threads, files, and the trouble that real ones make. It outlives the adapters that are
 * connected to it, one after the other, and keeps what nobody has acknowledged.
 */
import {
  ConnectError,
  type InboundMessage,
  type Letter,
  type Line,
  type Mark,
  SendError,
  type Speaker,
} from "../adapter/adapter.js";
import { type Address, formatAddress, type SessionSource } from "../session/source.js";
import type { DoorFault, Fault, Trouble } from "./adapter/fixture.js";

/** A message that an adapter sent, as it is now. */
export interface ScriptedMessage {
  readonly messageId: string;
  readonly address: Address;
  readonly deliveryId: string;
  readonly text: string;
  readonly replyTo: string | null;
  readonly files: Letter["files"];
  readonly buttons: Letter["buttons"];
}

const FAILURES: Readonly<Record<Exclude<Trouble, "revoked token">, () => SendError>> = {
  "rate limited": () => new SendError("retryable", "Too many messages at once.", { retryAfterMs: 1_500 }),
  "server error": () => new SendError("retryable", "The server is out of order."),
  refused: () => new SendError("permanent", "The chat does not take it."),
  swallowed: () => new SendError("unknown", "The server did not answer in time."),
};

/** What each fault on the way looks like from here, and whether the platform has taken the message. */
const FAULTS: Readonly<
  Record<Exclude<Fault, "unreachable" | "reachable">, [() => SendError, "taken" | "not taken"]>
> = {
  reset: [() => new SendError("unknown", "The connection was reset."), "not taken"],
  "reset after": [() => new SendError("unknown", "The connection was reset."), "taken"],
  page: [() => new SendError("unknown", "The server reported an error: status 502."), "not taken"],
  "page after": [() => new SendError("unknown", "The server reported an error: status 502."), "taken"],
  "page to wait": [
    () => new SendError("retryable", "The server asks to wait.", { retryAfterMs: 3_000 }),
    "not taken",
  ],
  "half an answer": [() => new SendError("unknown", "The server's answer broke off."), "taken"],
  silence: [() => new SendError("unknown", "The server did not answer in time."), "not taken"],
};

export class ScriptedPlatform {
  readonly messages = new Map<string, ScriptedMessage>();
  readonly acknowledged = new Set<string>();
  readonly marks = new Map<string, Mark[]>();
  menu: readonly string[] = [];
  typed = 0;
  /** What is shown of texts that are being written, by address. */
  readonly drafts = new Map<string, string>();
  /** What the bot is said to do, by address. */
  readonly statuses = new Map<string, string>();
  /** What the next call that sends meets. */
  trouble: Trouble | null = null;
  /** What the way does: to the next call that sends, or to all of them. */
  #fault: Fault = "reachable";
  /** What the next connection meets. */
  door: DoorFault | null = null;
  /** Chats of more than two, beside those in which somebody wrote. */
  readonly groups = new Set<string>();
  /** Chats that are not there, or that we have no part in. */
  readonly gone = new Set<string>();
  /** The threads, with the chats they are in. */
  readonly threads = new Map<string, Address>();
  #isRevoked = false;
  /** Threads by the name of their making. */
  readonly #made = new Map<string, string>();
  /** The last that was heard in each chat. */
  readonly #heard = new Map<string, SessionSource>();
  #sent = 0;
  /** What was written and not acknowledged, oldest first. */
  #waiting: InboundMessage[] = [];
  #line: Line | null = null;
  #cut: () => void = () => {};

  /** Whoever is connected has the line, and is brought what waits. */
  async serve(line: Line, speaker: Speaker): Promise<void> {
    if (this.trouble === "revoked token") this.#isRevoked = true;
    if (this.#isRevoked)
      throw new ConnectError("permanent", "The token was revoked: give the adapter another.");
    const { door } = this;
    this.door = null;
    if (this.#fault === "unreachable" || door)
      throw new ConnectError("retryable", "The server cannot be reached.");
    this.#line = line;
    this.menu = line.commands.map(({ name }) => name);
    line.up(speaker);
    void this.#bringAll();
    await new Promise<void>((resolve) => {
      this.#cut = resolve;
      line.end.addEventListener("abort", () => resolve());
      if (line.end.aborted) resolve();
    });
    if (this.#line === line) this.#line = null;
  }

  get isOpen(): boolean {
    return this.#line !== null;
  }

  /** Somebody writes; what nobody keeps waits. */
  async write(message: InboundMessage): Promise<void> {
    this.hear(message.source);
    this.#waiting.push(message);
    await this.#bring(message);
  }

  /** The same once more, whether it was acknowledged or not. */
  redeliver(message: InboundMessage): Promise<void> {
    return this.#bring(message);
  }

  way(fault: Fault): void {
    this.#fault = fault;
    if (fault === "unreachable") this.cut();
  }

  /** The line is lost, and can be had again. */
  cut(): void {
    this.#line = null;
    this.#cut();
  }

  async #bringAll(): Promise<void> {
    for (const message of [...this.#waiting]) await this.#bring(message);
  }

  async #bring(message: InboundMessage): Promise<void> {
    try {
      if (!this.#line) return;
      await this.#line.receive(message);
    } catch {
      return; // It comes again.
    }
    this.acknowledged.add(message.messageId);
    this.#waiting = this.#waiting.filter((each) => each !== message);
  }

  send(message: Letter, isIdempotent: boolean): string {
    const fault = this.#faultMet();
    if (fault?.[1] === "not taken") throw fault[0]();
    const { trouble } = this;
    if (trouble !== "swallowed") this.#meet(trouble);
    const there = isIdempotent ? this.find(message) : undefined;
    if (there) return there.messageId;
    this.#sent += 1;
    const { address, deliveryId, text, replyTo = null, files, buttons } = message;
    const messageId = `sent-${this.#sent}`;
    this.messages.set(messageId, { messageId, address, deliveryId, text, replyTo, files, buttons });
    this.drafts.delete(formatAddress(address));
    this.statuses.delete(formatAddress(address));
    if (trouble === "swallowed") this.#meet(trouble);
    if (fault) throw fault[0]();
    return messageId;
  }

  edit(messageId: string, text: string): void {
    const message = this.messages.get(messageId);
    if (!message) throw new SendError("permanent", `There is no message ${messageId}.`);
    this.messages.set(messageId, { ...message, text, buttons: undefined });
  }

  remove(messageId: string): void {
    this.messages.delete(messageId);
  }

  /** Only a chat of two has drafts. */
  draft({ address, text }: Letter): boolean {
    if (this.groups.has(address.chatId)) return false;
    const { trouble } = this;
    this.#meet(trouble);
    this.drafts.set(formatAddress(address), text);
    return true;
  }

  /** Only a thread has a line for that. */
  say(address: Address, words: string): boolean {
    if (address.threadId === undefined) return false;
    if (words === "") this.statuses.delete(formatAddress(address));
    else this.statuses.set(formatAddress(address), words);
    return true;
  }

  find({ deliveryId }: Letter): ScriptedMessage | undefined {
    return [...this.messages.values()].find((each) => each.deliveryId === deliveryId);
  }

  type(): void {
    this.typed += 1;
  }

  mark(messageId: string, mark: Mark): void {
    this.marks.set(messageId, [...(this.marks.get(messageId) ?? []), mark]);
  }

  /** Somebody wrote there: from then on it is known what the place is, and who is in it. */
  hear(source: SessionSource): void {
    this.#heard.set(source.chatId, source);
  }

  /** A chat of two with whom its id names, unless it is known to be another. */
  place({ platform, chatId, threadId }: Address): SessionSource | null {
    if (this.gone.has(chatId)) return null;
    const heard = this.#heard.get(chatId);
    const thread = threadId ? { threadId } : {};
    if (heard ? heard.chatType === "dm" : !this.groups.has(chatId)) {
      const { userId = chatId, userName, userIdAlt } = heard ?? {};
      const other = { userId, ...(userName ? { userName } : {}), ...(userIdAlt ? { userIdAlt } : {}) };
      return { platform, chatId, chatType: "dm", ...thread, ...other };
    }
    const isChannel = heard?.chatType === "channel";
    return { platform, chatId, chatType: threadId ? "thread" : isChannel ? "channel" : "group", ...thread };
  }

  /** `once`: the name of its making, where that counts. */
  thread(parent: Address, once: string | null): string {
    const { trouble } = this;
    if (trouble !== "swallowed") this.#meet(trouble);
    const there = once === null ? undefined : this.#made.get(once);
    if (there) return there;
    const threadId = `thread-${this.threads.size + 1}`;
    this.threads.set(threadId, parent);
    if (once !== null) this.#made.set(once, threadId);
    if (trouble === "swallowed") this.#meet(trouble);
    return threadId;
  }

  messagesAt(address: Address): ScriptedMessage[] {
    const place = formatAddress(address);
    return [...this.messages.values()].filter((each) => formatAddress(each.address) === place);
  }

  #faultMet(): (typeof FAULTS)[keyof typeof FAULTS] | null {
    const fault = this.#fault;
    if (fault === "unreachable") throw new SendError("retryable", "The server cannot be reached.");
    this.#fault = "reachable";
    return fault === "reachable" ? null : FAULTS[fault];
  }

  /** Fails as the trouble says, once; a revoked token forever. */
  #meet(trouble: Trouble | null): void {
    this.trouble = null;
    if (trouble === "revoked token") this.#isRevoked = true;
    if (this.#isRevoked) throw new SendError("permanent", "The token was revoked: give the adapter another.");
    if (trouble !== null && trouble !== "revoked token") throw FAILURES[trouble]();
  }
}
