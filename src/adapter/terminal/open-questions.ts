/**
 * The questions that wait for the person at this terminal, the oldest first. A key answers only the one that is shown as
 * the next, and only if it was there for a moment: what was typed before it could be read answers nothing. Pure but for
 * what it remembers: the time is passed in.
 */
import { cleanLine } from "../../util/text.js";
import type { LiveQuestion } from "../live-reply.js";

/** Nobody reads a question and answers it sooner. */
const MOMENT_MS = 500;

export interface NextQuestion {
  /** What would be done, in a line; `1 of 2: …` if there are several. */
  readonly what: string;
  /** Its keys: `y / n / a(lways here)`. */
  readonly keys: string;
}

interface PressedAnswer {
  readonly question: LiveQuestion;
  readonly word: string;
  readonly command: string;
}

export class OpenQuestions {
  readonly #open = new Map<string, LiveQuestion>();
  /** The letters that are on the screen. */
  readonly #printed = new Set<string>();
  /** The question that is shown as the next, and since when. */
  #shown: { readonly deliveryId: string; readonly since: number } | null = null;

  ask(question: LiveQuestion): void {
    this.#open.set(question.deliveryId, question);
  }

  /** False if it was closed before. */
  close({ deliveryId }: LiveQuestion): boolean {
    this.#printed.delete(deliveryId);
    return this.#open.delete(deliveryId);
  }

  /** The answer did not get through: the question waits as before. */
  reopen(question: LiveQuestion): void {
    this.ask(question);
    this.printed(question.deliveryId);
  }

  /** True if this letter is a question that waits, on the screen or not. */
  has(deliveryId: string): boolean {
    return this.#open.has(deliveryId);
  }

  /** A letter is on the screen now. */
  printed(deliveryId: string): void {
    if (this.has(deliveryId)) this.#printed.add(deliveryId);
  }

  get next(): NextQuestion | null {
    const [first, ...others] = this.#waiting;
    if (!first) return null;
    const place = others.length === 0 ? "" : `1 of ${others.length + 1}: `;
    return {
      what: place + cleanLine(first.what),
      keys: Object.keys(first.answers).map(keyWords).join(" / "),
    };
  }

  /** What `next` says is on the screen, since that time if it was not before. */
  drawn(now: number): void {
    const deliveryId = this.#waiting[0]?.deliveryId;
    if (deliveryId === undefined) this.#shown = null;
    else if (this.#shown?.deliveryId !== deliveryId) this.#shown = { deliveryId, since: now };
  }

  /** The answer that a key or a word gives now; null if it gives none. */
  answerBy(text: string, now: number): PressedAnswer | null {
    const [question] = this.#waiting;
    if (!question || this.#shown?.deliveryId !== question.deliveryId) return null;
    if (now - this.#shown.since < MOMENT_MS) return null;
    const said = text.toLowerCase();
    const meant = Object.entries(question.answers).find(([word]) => said === word || said === word[0]);
    return meant ? { question, word: meant[0], command: meant[1] } : null;
  }

  get #waiting(): LiveQuestion[] {
    return [...this.#open.values()].filter(({ deliveryId }) => this.#printed.has(deliveryId));
  }
}

function keyWords(word: string): string {
  return word === "always" ? "a(lways here)" : (word[0] ?? "");
}
