/**
 * The questions that wait for the person at this terminal, the oldest first. A key answers only the one that is shown as
 * the next, and only if it was there for a moment: what was typed before it could be read answers nothing. A letter on an
 * empty line is held for a moment, because it may be the first one of a word: it answers if no other key follows. Pure
 * but for what it remembers: the waits are passed in.
 */
import type { Later } from "../../util/later.js";
import { cleanLine } from "../../util/text.js";
import { answerIn } from "../answer-words.js";
import type { LiveQuestion } from "../live-reply.js";

/** Nobody reads a question and answers it sooner. */
const MOMENT_MS = 500;
/** The letters of a word follow each other faster. */
const HELD_MS = 400;

export interface NextQuestion {
  /** What would be done, in a line; with its number and `1 of 2` if there are several. */
  readonly what: string;
  /** Its keys, once they count: `y / n / a(lways here)`. */
  readonly keys: string | null;
  /** The line has nothing but a letter that may be the answer. */
  readonly isHeld: boolean;
}

export interface PressedAnswer {
  readonly question: LiveQuestion;
  readonly word: string;
  readonly command: string;
}

export interface OpenQuestionsSetting {
  /** A wait that ends when all keys that were pressed until then have been read. */
  readonly later: Later;
  /** The keys of the next question count from now on. */
  readonly onReady: () => void;
  /** No other key has followed the letter that was held. */
  readonly onAnswer: (answer: PressedAnswer) => void;
}

export class OpenQuestions {
  readonly #setting: OpenQuestionsSetting;
  readonly #open = new Map<string, LiveQuestion>();
  /** The letters that are on the screen. */
  readonly #printed = new Set<string>();
  /** The question that is shown as the next, and whether it was there for a moment. */
  #shown: { readonly deliveryId: string; isReady: boolean } | null = null;
  #held: { readonly answer: PressedAnswer; readonly cancel: () => void } | null = null;

  constructor(setting: OpenQuestionsSetting) {
    this.#setting = setting;
  }

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
    const place = others.length === 0 ? "" : `question ${first.number}, 1 of ${others.length + 1}: `;
    return {
      what: place + cleanLine(first.what),
      keys: this.#ready ? Object.keys(first.answers).map(keyWords).join(" / ") : null,
      isHeld: this.#held !== null,
    };
  }

  /** What `next` says is on the screen now, if it was not before. */
  drawn(): void {
    const deliveryId = this.#waiting[0]?.deliveryId;
    if (this.#shown?.deliveryId === deliveryId) return;
    const shown = deliveryId === undefined ? null : { deliveryId, isReady: false };
    this.#shown = shown;
    if (!shown) return;
    this.#setting.later(() => {
      shown.isReady = true;
      if (this.#ready) this.#setting.onReady();
    }, MOMENT_MS);
  }

  /** The answer that a key gives now; null if it gives none. */
  answerBy(key: string): PressedAnswer | null {
    const question = this.#ready;
    if (!question) return null;
    const letter = key.toLowerCase();
    const meant = Object.entries(question.answers).find(([word]) => letter === word[0]);
    return meant ? { question, word: meant[0], command: meant[1] } : null;
  }

  /** The answer that a line of words gives: to the question with its number, else to the next; null if it gives none. */
  answerIn(line: string): PressedAnswer | null {
    const said = answerIn(line);
    if (!said || !this.#ready) return null;
    const question =
      said.number === null ? this.#ready : this.#waiting.find(({ number }) => number === said.number);
    const command = question?.answers[said.answer];
    return question && command !== undefined ? { question, word: said.answer, command } : null;
  }

  /** The first key of a line: if it may be an answer, it is one unless another key follows soon. */
  hold(key: string): void {
    const answer = this.answerBy(key);
    if (!answer) return;
    const due = (): void => {
      const held = this.take();
      if (held) this.#setting.onAnswer(held);
    };
    this.#held = { answer, cancel: this.#setting.later(due, HELD_MS) };
  }

  /** The key that was held is held no longer: what it answers; null if there is none, or its question is over. */
  take(): PressedAnswer | null {
    const held = this.#held;
    this.#held = null;
    held?.cancel();
    return held && this.#ready?.deliveryId === held.answer.question.deliveryId ? held.answer : null;
  }

  /** The question whose keys count. */
  get #ready(): LiveQuestion | null {
    const [question] = this.#waiting;
    const isReady = this.#shown?.isReady === true && this.#shown.deliveryId === question?.deliveryId;
    return isReady && question ? question : null;
  }

  get #waiting(): LiveQuestion[] {
    return [...this.#open.values()].filter(({ deliveryId }) => this.#printed.has(deliveryId));
  }
}

function keyWords(word: string): string {
  return word === "always" ? "a(lways here)" : (word[0] ?? "");
}
