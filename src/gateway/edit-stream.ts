/**
 * Shows a turn while it is made: a reply that takes longer than a moment begins as a message that grows step by step, or
 * as a draft if the platform has those. One that is complete before is sent at once, by one call. If a tool runs for
 * long, or the model's server lets Baton wait, the same message says so until the reply begins; a platform's own line for
 * that is used instead of a message.
 * It makes one call at a time, also together with the deliverer: a reply begins only if nothing waits to be sent there,
 * so it overtakes nothing. Nothing here throws or is needed: a call that fails ends the streaming of this turn, and the
 * outbox sends the reply.
 */
import { fitsInto } from "../adapter/adapter.js";
import type { LiveReply, ToolProgress } from "../adapter/live-reply.js";
import type { Address } from "../session/source.js";
import type { ToolCall } from "../session/transcript.js";
import type { ModelRetry } from "../session/turn-facts.js";
import type { Later } from "../util/later.js";
import { storableText } from "../util/text.js";
import type { Beginning, BegunMessage } from "./beginning.js";
import { GrowingMessage } from "./growing-message.js";
import { Progress } from "./progress.js";
import type { Surface } from "./surface.js";

interface EditStreamOptions {
  readonly surface: Surface;
  readonly address: Address;
  /** How the ids of its messages begin. Replies have other ids, so no platform confuses the two. */
  readonly id: string;
  /** True if nothing waits to be sent there, and nothing is being sent. */
  readonly isClear: () => Promise<boolean>;
  /** How many letters were sent there so far. */
  readonly lettersThere: () => number;
  /** The time between the end of a call and the next one. */
  readonly paceMs?: number;
  /** What is told of tools that run for long; absent if nothing is. */
  readonly progress?: { readonly hints: boolean } | undefined;
  readonly elapsed: () => number;
  readonly later: Later;
}

/** The stream of a turn; undefined if the platform can neither edit nor show drafts. */
export function editStream(options: EditStreamOptions): EditStream | undefined {
  const { edit, drafts } = options.surface.capabilities;
  return edit || drafts ? new EditStream(options) : undefined;
}

export class EditStream implements LiveReply {
  readonly #options: EditStreamOptions;
  readonly #progress: Progress | undefined;
  #growing: GrowingMessage | undefined;
  #begun = 0;
  /** Replies that were handed to the deliverer and are not sent yet. */
  #unsettled = 0;
  #broken = false;
  #isOver = false;
  /** Whether the platform has a line of its own for what the turn is doing: null until it was asked. */
  #hasLine: boolean | null = null;
  #telling: Promise<void> = Promise.resolve();
  /** Settles when nothing is left to take back. */
  #leaving: Promise<void> = Promise.resolve();

  constructor(options: EditStreamOptions) {
    this.#options = options;
    const { progress, elapsed, later } = options;
    if (!progress) return;
    const changed = (): void => {
      this.#telling = this.#telling.then(() => this.#tell());
    };
    this.#progress = new Progress({ ...progress, elapsed, later, changed });
  }

  text(delta: string): void {
    if (this.#broken) return;
    this.#progress?.pause();
    this.#leaveIfOvertaken();
    this.#growing ??= this.#begin();
    this.#growing.grow(delta);
  }

  reasoning(): void {
    this.#progress?.answers();
  }

  toolCall(): void {
    this.#progress?.answers();
  }

  toolResult(): void {}

  /** What a tool prints is not shown: a platform takes few edits. */
  toolProgress(call: ToolCall, { kind }: ToolProgress): void {
    if (kind === "started" && !this.#broken) this.#progress?.started(call);
    if (kind === "ended") this.#progress?.finished(call);
  }

  retry(retry: ModelRetry): void {
    if (!this.#broken) this.#progress?.waits(retry);
  }

  asked(): void {
    if (!this.#broken) this.#progress?.asked();
  }

  answered(): void {
    this.#progress?.answered();
  }

  /** True if this is the message that grows now. */
  shows(messageId: string): boolean {
    return this.#growing?.messageId === messageId;
  }

  /** The reply is complete, and this is its text; the deliverer completes the message that was begun. */
  handOver(text: string): Beginning {
    this.#progress?.pause();
    this.#leaveIfOvertaken();
    const growing = this.#growing;
    this.#growing = undefined;
    this.#unsettled += 1;
    const fitting = fitsInto(this.#options.surface.capabilities, storableText(text));
    return {
      isSeen: growing?.isSeen ?? false,
      message: this.#closed(growing, fitting),
      settle: () => {
        this.#unsettled -= 1;
        this.#growing?.look();
      },
    };
  }

  /** Also called if the turn did not come to its end: then it goes on elsewhere. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#broken = true;
    this.#progress?.end();
    this.#leave();
    this.#leaving = Promise.all([this.#leaving, this.#telling.then(() => this.#leaveLine())]).then(() => {});
  }

  /** Settles when what the turn had shown of itself is taken back; does not reject. */
  get isGone(): Promise<void> {
    return this.#leaving;
  }

  /** What the deliverer completes. A reply that does not fit is a message of its own, and this one goes. */
  async #closed(growing: GrowingMessage | undefined, fitting: boolean): Promise<BegunMessage | null> {
    const begun = (await growing?.close()) ?? null;
    if (fitting) return begun;
    await growing?.withdraw();
    return null;
  }

  #begin(): GrowingMessage {
    this.#begun += 1;
    const { id } = this.#options;
    return new GrowingMessage({
      ...this.#options,
      deliveryId: `${id}.${this.#begun}`,
      progress: () => (this.#hasLine ? "" : (this.#progress?.lines ?? "")),
      mayCall: () => !this.#broken && this.#unsettled === 0,
      onFailure: () => {
        this.#broken = true;
        this.#progress?.end();
      },
    });
  }

  /** A tool runs for long, or runs on. */
  async #tell(): Promise<void> {
    if (this.#broken) return;
    if (this.#hasLine !== false && !(await this.#tellInLine())) return;
    const words = this.#progress?.words ?? "";
    if (this.#broken || this.#hasLine || words === "" || this.#progress?.isWaiting) return;
    this.#leaveIfOvertaken();
    this.#growing ??= this.#begin();
    this.#growing.look();
  }

  /** False if that is all that can be done now. */
  async #tellInLine(): Promise<boolean> {
    const { surface, address } = this.#options;
    const { speaker } = surface;
    const words = this.#progress?.words ?? "";
    if (words === "") return false;
    try {
      this.#hasLine = (await speaker?.status?.(address, words)) ?? false;
      return !this.#hasLine;
    } catch {
      this.#progress?.end(); // A platform that has enough is not asked for more.
      return false;
    }
  }

  async #leaveLine(): Promise<void> {
    const { surface, address } = this.#options;
    if (!this.#hasLine) return;
    await surface.speaker?.status?.(address, "").catch(() => {}); // The platform forgets it by itself.
  }

  /** What the turn says next belongs below what was sent meanwhile. */
  #leaveIfOvertaken(): void {
    if (this.#growing?.isOvertaken) this.#leave();
  }

  #leave(): void {
    const leaving = this.#growing?.withdraw();
    this.#growing = undefined;
    this.#leaving = Promise.all([this.#leaving, leaving]).then(() => {});
  }
}
