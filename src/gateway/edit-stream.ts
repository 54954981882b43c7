/**
 * Shows a turn while it is written, on a platform that can edit: a reply that takes longer than a moment begins as a
 * message that grows step by step. One that is complete before is sent at once, by one call.
 * It makes one call at a time, also together with the deliverer: a reply begins only if nothing waits to be sent there,
 * so it overtakes nothing. Nothing here throws or is needed: a call that fails ends the streaming of this turn, and the
 * outbox sends the reply.
 */
import { fitsInto, type LiveReply } from "../adapter/adapter.js";
import { prepareMarkdown } from "../adapter/markdown/prepare.js";
import type { Address } from "../session/source.js";
import type { Later } from "../util/later.js";
import { storableText } from "../util/text.js";
import type { Beginning, BegunMessage } from "./beginning.js";
import { type Surface, speakerOf } from "./surface.js";

interface EditStreamOptions {
  readonly surface: Surface;
  readonly address: Address;
  /** How the ids of its messages begin. Replies have other ids, so no platform confuses the two. */
  readonly id: string;
  /** True if nothing waits to be sent there, and nothing is being sent. */
  readonly isClear: () => Promise<boolean>;
  /** The time between the end of a call and the next one. */
  readonly paceMs?: number;
  readonly later: Later;
}

const PACE_MS = 1_000;
/** From the first text until something is shown. */
const FIRST_MS = 1_500;

/** The stream of a turn; undefined if the platform cannot edit. */
export function editStream(options: EditStreamOptions): EditStream | undefined {
  return options.surface.capabilities.edit ? new EditStream(options) : undefined;
}

export class EditStream implements LiveReply {
  readonly #options: EditStreamOptions;
  #growing: GrowingMessage | undefined;
  #begun = 0;
  /** Replies that were handed to the deliverer and are not sent yet. */
  #unsettled = 0;
  #broken = false;

  constructor(options: EditStreamOptions) {
    this.#options = options;
  }

  text(delta: string): void {
    if (this.#broken) return;
    this.#growing ??= this.#begin();
    this.#growing.grow(delta);
  }

  reasoning(): void {}
  toolCall(): void {}
  toolResult(): void {}

  /** True if this is the message that grows now. */
  shows(messageId: string): boolean {
    return this.#growing?.messageId === messageId;
  }

  /** The reply is complete, and this is its text; the deliverer completes the message that was begun. */
  handOver(text: string): Beginning {
    const growing = this.#growing;
    this.#growing = undefined;
    this.#unsettled += 1;
    const fitting = fitsInto(this.#options.surface.capabilities, storableText(text));
    return {
      isSeen: growing?.isSeen ?? false,
      message: growing ? growing.close().then((begun) => (fitting ? begun : null)) : Promise.resolve(null),
      settle: () => {
        this.#unsettled -= 1;
        this.#growing?.look();
      },
    };
  }

  end(): void {
    this.#broken = true;
    void this.#growing?.close();
  }

  #begin(): GrowingMessage {
    this.#begun += 1;
    return new GrowingMessage(this.#options, `${this.#options.id}.${this.#begun}`, {
      mayCall: () => !this.#broken && this.#unsettled === 0,
      onFailure: () => {
        this.#broken = true;
      },
    });
  }
}

/** What a growing message asks before a call, and reports after it. */
interface Turnstile {
  readonly mayCall: () => boolean;
  readonly onFailure: () => void;
}

class GrowingMessage {
  readonly #surface: Surface;
  readonly #address: Address;
  readonly #deliveryId: string;
  readonly #turnstile: Turnstile;
  readonly #isClear: () => Promise<boolean>;
  readonly #paceMs: number;
  readonly #later: Later;
  #text = "";
  #begun: BegunMessage | null = null;
  #calling: Promise<void> | undefined;
  #cancelRest: (() => void) | undefined;
  #closed = false;
  /** True if it is too long for one message: then it stops growing. */
  #isFull = false;
  #isSending = false;

  constructor(options: EditStreamOptions, deliveryId: string, turnstile: Turnstile) {
    this.#surface = options.surface;
    this.#address = options.address;
    this.#deliveryId = deliveryId;
    this.#turnstile = turnstile;
    this.#isClear = options.isClear;
    this.#paceMs = options.paceMs ?? options.surface.capabilities.paceMs ?? PACE_MS;
    this.#later = options.later;
  }

  get messageId(): string | undefined {
    return this.#begun?.messageId;
  }

  get isSeen(): boolean {
    return this.#begun !== null || this.#isSending;
  }

  grow(delta: string): void {
    const isFirst = this.#text === "";
    this.#text += delta;
    if (isFirst) this.#rest(FIRST_MS);
    this.look();
  }

  /** Shows the text so far, if it is time. */
  look(): void {
    if (this.#closed || this.#calling || this.#cancelRest || !this.#turnstile.mayCall()) return;
    // The text so far may end in half a character.
    const text = storableText(this.#text.replace(/[\ud800-\udbff]$/u, ""));
    if (text.trim() === "" || text === this.#begun?.text || this.#isFull) return;
    this.#calling = this.#show(text).then(() => {
      this.#calling = undefined;
      this.#rest(this.#paceMs);
    });
  }

  /** Makes no more calls, and waits for the current one. */
  async close(): Promise<BegunMessage | null> {
    this.#closed = true;
    this.#stopResting();
    await this.#calling;
    return this.#begun;
  }

  async #show(text: string): Promise<void> {
    const message = {
      address: this.#address,
      purpose: "reply" as const,
      text,
      deliveryId: this.#deliveryId,
    };
    try {
      await prepareMarkdown(text);
      this.#isFull = !fitsInto(this.#surface.capabilities, text);
      if (this.#isFull || this.#closed) return;
      if (this.#begun === null) {
        if (!(await this.#isClear()) || this.#closed) return;
        this.#isSending = true;
        const speaker = await speakerOf(this.#surface);
        const { messageId } = await speaker.send(message);
        this.#begun = { messageId, text };
      } else {
        const { messageId } = this.#begun;
        this.#begun = { messageId, text: null };
        const speaker = await speakerOf(this.#surface);
        await speaker.edit?.(message, messageId);
        this.#begun = { messageId, text };
      }
    } catch {
      // Streaming is optional: the outbox sends the reply, and reports it if that fails too.
      this.#turnstile.onFailure();
    }
  }

  #rest(ms: number): void {
    if (this.#closed) return;
    this.#cancelRest = this.#later(() => {
      this.#cancelRest = undefined;
      this.look();
    }, ms);
  }

  #stopResting(): void {
    this.#cancelRest?.();
    this.#cancelRest = undefined;
  }
}
