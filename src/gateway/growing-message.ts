/**
 * One reply while it is made: its text so far, and below it what the turn is doing. It is shown as a draft if the
 * platform has those there, and otherwise as a message that is edited. One call at a time; none throws, and none is
 * needed: what fails ends the streaming of the turn.
 */
import { fitsInto, type Letter, type Speaker } from "../adapter/adapter.js";
import { prepareMarkdown } from "../adapter/markdown/prepare.js";
import type { Address } from "../session/source.js";
import type { Later } from "../util/later.js";
import { storableText } from "../util/text.js";
import type { BegunMessage } from "./beginning.js";
import { type Surface, speakerOf } from "./surface.js";

export interface GrowingSetting {
  readonly surface: Surface;
  readonly address: Address;
  readonly deliveryId: string;
  /** What the turn is doing, as Markdown; empty if that is not worth a word. */
  readonly progress: () => string;
  readonly mayCall: () => boolean;
  readonly onFailure: () => void;
  /** True if nothing waits to be sent there, and nothing is being sent. */
  readonly isClear: () => Promise<boolean>;
  /** How many letters were sent there so far. */
  readonly lettersThere: () => number;
  /** The time between the end of a call and the next one. */
  readonly paceMs?: number | undefined;
  readonly later: Later;
}

const PACE_MS = 1_000;
/** From the first text until something is shown. */
const FIRST_MS = 1_500;
/** A draft is shown again before the platform forgets it. */
const RENEWED = 0.8;

export class GrowingMessage {
  readonly #setting: GrowingSetting;
  #text = "";
  #begun: BegunMessage | null = null;
  /** What the draft shows; null if there is none, or it is about to be forgotten. */
  #drafted: string | null = null;
  #wasDrafted = false;
  /** False after the platform said that there are no drafts here. */
  #mayDraft = true;
  /** True if what is shown says what the turn is doing. */
  #showsProgress = false;
  /** How many letters were there when it was begun. */
  #lettersBefore = 0;
  #calling: Promise<void> | undefined;
  #cancelRest: (() => void) | undefined;
  #cancelRenewal: () => void = () => {};
  #closed = false;
  /** True if it is too long for one message: then it stops growing. */
  #isFull = false;
  #isSending = false;
  /** True if it cannot be begun without a word of the reply. */
  #needsText = false;

  constructor(setting: GrowingSetting) {
    this.#setting = setting;
  }

  get messageId(): string | undefined {
    return this.#begun?.messageId;
  }

  get isSeen(): boolean {
    return this.#begun !== null || this.#isSending || this.#wasDrafted;
  }

  /** True if it is a message without a word of the reply, and something was sent below it. */
  get isOvertaken(): boolean {
    const { lettersThere } = this.#setting;
    return this.#begun !== null && this.#hasNoText && lettersThere() !== this.#lettersBefore;
  }

  get #hasNoText(): boolean {
    return this.#text.trim() === "";
  }

  grow(delta: string): void {
    const isFirst = this.#text === "";
    this.#text += delta;
    if (isFirst && !this.#cancelRest && !this.#calling) this.#rest(FIRST_MS);
    this.look();
  }

  /** Shows what there is so far, if it is time. */
  look(): void {
    if (this.#closed || this.#calling || this.#cancelRest || !this.#setting.mayCall()) return;
    if (this.#needsText && this.#hasNoText) return;
    const { text, whole } = this.#content();
    if (whole.trim() === "" || whole === (this.#begun?.text ?? this.#drafted) || this.#isFull) return;
    this.#calling = this.#show(text, whole).then(() => {
      this.#calling = undefined;
      this.#rest(this.#paceMs);
    });
  }

  /** Makes no more calls, and waits for the current one. */
  async close(): Promise<BegunMessage | null> {
    this.#closed = true;
    this.#cancelRest?.();
    this.#cancelRest = undefined;
    this.#cancelRenewal();
    await this.#calling;
    return this.#begun;
  }

  /** Nobody completes it: what it says of the turn goes, and so does a message that says nothing else. */
  async withdraw(): Promise<void> {
    const begun = await this.close();
    if (begun === null || !this.#showsProgress) return;
    const { surface, address } = this.#setting;
    const { text } = this.#content();
    try {
      const speaker = await speakerOf(surface);
      if (this.#hasNoText) await speaker.remove?.(address, begun.messageId);
      else await speaker.edit?.(this.#letter(text), begun.messageId);
    } catch {
      // It stays as it is. What comes after it says how the turn ended.
    }
  }

  /** The text so far, and with what the turn is doing. */
  #content(): { readonly text: string; readonly whole: string } {
    // The text so far may end in half a character.
    const text = storableText(this.#text.replace(/[\ud800-\udbff]$/u, ""));
    const progress = this.#setting.progress();
    if (progress === "") return { text, whole: text };
    return { text, whole: this.#hasNoText ? progress : `${text.trimEnd()}\n\n${progress}` };
  }

  async #show(text: string, whole: string): Promise<void> {
    const { surface, isClear } = this.#setting;
    const { capabilities } = surface;
    try {
      await prepareMarkdown(whole);
      // Elsewhere what is said of a turn would stay in the message's history, or use up its edits.
      const mayTell = surface.speaker?.remove !== undefined || capabilities.drafts !== undefined;
      const shown = mayTell && fitsInto(capabilities, whole) ? whole : text;
      this.#isFull = !fitsInto(capabilities, shown);
      if (this.#isFull || this.#closed || shown === this.#begun?.text) return;
      if (!this.isSeen && (!(await isClear()) || this.#closed)) return;
      const speaker = await speakerOf(surface);
      this.#showsProgress ||= shown !== text;
      if (this.#begun === null && (await this.#draft(speaker, shown))) return;
      if (this.#begun === null) await this.#begin(speaker, shown);
      else await this.#edit(speaker, this.#begun.messageId, shown);
      this.#showsProgress = shown !== text;
    } catch {
      // Streaming is optional: the outbox sends the reply, and reports it if that fails too.
      this.#setting.onFailure();
    }
  }

  /** False if it has to be a message. */
  async #draft(speaker: Speaker, shown: string): Promise<boolean> {
    const { drafts } = this.#setting.surface.capabilities;
    if (!speaker.draft || !drafts || !this.#mayDraft) return false;
    this.#mayDraft = await speaker.draft(this.#letter(shown));
    if (!this.#mayDraft) return false;
    this.#drafted = shown;
    this.#wasDrafted = true;
    this.#cancelRenewal();
    if (this.#closed) return true;
    this.#cancelRenewal = this.#setting.later(() => {
      this.#drafted = null;
      this.look();
    }, drafts.lastMs * RENEWED);
    return true;
  }

  async #begin(speaker: Speaker, shown: string): Promise<void> {
    // What is only said of a turn has to go again.
    this.#needsText = !speaker.remove;
    if (this.#closed || !speaker.edit || (this.#hasNoText && this.#needsText)) return;
    this.#isSending = true;
    const { messageId } = await speaker.send(this.#letter(shown));
    this.#begun = { messageId, text: shown };
    this.#lettersBefore = this.#setting.lettersThere();
  }

  async #edit(speaker: Speaker, messageId: string, shown: string): Promise<void> {
    this.#begun = { messageId, text: null };
    await speaker.edit?.(this.#letter(shown), messageId);
    this.#begun = { messageId, text: shown };
  }

  #letter(text: string): Letter {
    const { address, deliveryId } = this.#setting;
    return { address, purpose: "reply", text, deliveryId };
  }

  get #paceMs(): number {
    const { paceMs, surface } = this.#setting;
    const { capabilities } = surface;
    const usual = this.#begun === null && this.#mayDraft ? capabilities.drafts?.paceMs : undefined;
    return paceMs ?? usual ?? capabilities.paceMs ?? PACE_MS;
  }

  #rest(ms: number): void {
    if (this.#closed) return;
    this.#cancelRest = this.#setting.later(() => {
      this.#cancelRest = undefined;
      this.look();
    }, ms);
  }
}
