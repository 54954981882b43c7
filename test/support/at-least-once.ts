/**
 * A platform that outlives the gateway: it keeps a message until it is told that it arrived, and delivers it again to
 * the next process otherwise, with the same id. What it is sent it writes down; what is edited, as it is by then.
 */
export interface Written {
  readonly messageId: string;
  readonly chat: string;
  readonly text: string;
}

export interface Seen {
  readonly messageId: string;
  /** It was begun while it was made. */
  readonly isBegun: boolean;
  readonly deliveryId: string;
  readonly chat: string;
  readonly text: string;
}

/** What a process of the gateway says to its platform. */
export type Heard =
  | { readonly kind: "received"; readonly messageId: string; readonly received: string }
  | { readonly kind: "not received"; readonly messageId: string }
  | ({ readonly kind: "send" } & Omit<Seen, "messageId" | "isBegun">)
  | ({ readonly kind: "edit" } & Omit<Seen, "isBegun">);

export class AtLeastOnce {
  readonly written: Written[] = [];
  readonly seen: Seen[] = [];
  redelivered = 0;
  /** How often a process said something. */
  heard = 0;
  readonly #unacknowledged = new Map<string, Written>();
  readonly #refusedOnce = new Set<string>();
  readonly #name: string;
  #tell: ((message: object) => void) | undefined;
  #looking: (() => void)[] = [];

  /** The name stands before each number, where several platforms write to one store. */
  constructor(name = "") {
    this.#name = name;
  }

  /** Somebody writes; returns the number that the text begins with, or a command ends with. */
  write(chat: string, words: string): number {
    const number = this.written.length + 1;
    const text = words.startsWith("/") ? `${words} ${number}` : `${this.#name}${number} ${words}`;
    const message = { messageId: `m${number}`, chat, text };
    this.written.push(message);
    this.#unacknowledged.set(message.messageId, message);
    this.#tell?.({ kind: "message", ...message });
    return number;
  }

  /** How many messages nobody has said yet that they arrived. */
  get open(): number {
    return this.#unacknowledged.size;
  }

  /** A process is there: what the last one did not acknowledge goes to this one, in order. */
  connect(tell: (message: object) => void): void {
    this.#tell = tell;
    for (const message of this.#unacknowledged.values()) {
      this.redelivered += 1;
      tell({ kind: "message", ...message });
    }
  }

  /** The process is gone, unless another one is connected by now. */
  disconnect(tell: (message: object) => void): void {
    if (this.#tell === tell) this.#tell = undefined;
  }

  /** Waits until that is true of what was seen. */
  async until(holds: (seen: readonly Seen[]) => boolean): Promise<void> {
    while (!holds(this.seen)) await new Promise<void>((resolve) => this.#looking.push(resolve));
  }

  /** `answer` tells the process that says it. */
  hear(heard: Heard, answer = this.#tell): void {
    this.heard += 1;
    if (heard.kind === "not received") {
      const again = this.#unacknowledged.get(heard.messageId);
      if (again) setImmediate(() => this.#tell?.({ kind: "message", ...again }));
      return;
    }
    if (heard.kind === "received") {
      if (heard.received === "refused") throw new Error(`${heard.messageId} was refused.`);
      this.#unacknowledged.delete(heard.messageId);
      return;
    }
    const { deliveryId, chat, text } = heard;
    if (chat.startsWith("flaky") && !this.#refusedOnce.has(deliveryId)) {
      this.#refusedOnce.add(deliveryId);
      answer?.({ kind: "not sent", deliveryId, outcome: "retryable", retryAfterMs: 0 });
      return;
    }
    const messageId = heard.kind === "edit" ? heard.messageId : `p${this.seen.length + 1}`;
    const place = this.seen.findIndex((each) => each.messageId === messageId);
    const isBegun = this.seen[place]?.isBegun ?? deliveryId.includes(".live.");
    const seen = { messageId, isBegun, deliveryId, chat, text };
    this.seen.splice(place < 0 ? this.seen.length : place, 1, seen);
    for (const look of this.#looking.splice(0)) look();
    answer?.({ kind: "sent", deliveryId, messageId });
  }
}
