/**
 * Questions of a script that a person started in a terminal: asked on stderr, answered with one key, or with a word and
 * Enter. The terminal gives out single keys only while a question waits; Ctrl-C and Ctrl-D mean what they mean otherwise.
 */
import type { Writable } from "node:stream";
import type { ReadStream } from "node:tty";
import { printableText } from "../../util/text.js";
import type { LiveQuestion, LiveReply } from "../live-reply.js";
import { OpenQuestions, type OpenQuestionsSetting, type PressedAnswer } from "./open-questions.js";

export interface KeyedQuestionsSetting extends Pick<OpenQuestionsSetting, "later"> {
  readonly input: Pick<ReadStream, "setRawMode" | "on" | "off">;
  readonly stderr: Writable;
  /** Tells whether the answer was accepted; does not throw. */
  readonly press: (command: string) => Promise<boolean>;
  /** Ctrl-C or Ctrl-D. */
  readonly onStop: () => void;
}

const STOP_KEYS = /[\u0003\u0004]/;
/** More is no answer. */
const LONGEST_LINE = 40;

export class KeyedQuestions implements Required<Pick<LiveReply, "asked" | "answered">> {
  readonly #setting: KeyedQuestionsSetting;
  readonly #questions: OpenQuestions;
  /** What the terminal shows of the question; empty if nothing of it is in its last line. */
  #prompt = "";
  /** What was typed behind it. */
  #line = "";

  constructor(setting: KeyedQuestionsSetting) {
    this.#setting = setting;
    this.#questions = new OpenQuestions({
      later: setting.later,
      onReady: () => this.resume(),
      onAnswer: (answer) => this.#answer(answer),
    });
  }

  asked(question: LiveQuestion): void {
    this.#questions.ask(question);
  }

  answered(question: LiveQuestion, why: string): void {
    const wasOpen = this.#questions.close(question);
    this.pause();
    if (wasOpen && why !== "") this.#setting.stderr.write(`${printableText(why)}\n`);
    this.resume();
  }

  /** True if this letter is a question that waits. */
  has(deliveryId: string): boolean {
    return this.#questions.has(deliveryId);
  }

  /** A letter was printed: if it is a question, it can be answered soon. */
  printed(deliveryId: string): void {
    this.#questions.printed(deliveryId);
    this.resume();
  }

  /** Something else is about to be printed: it begins on a line of its own. */
  pause(): void {
    if (this.#prompt !== "") this.#setting.stderr.write("\n");
    this.#questions.take();
    this.#prompt = "";
    this.#line = "";
  }

  /** Asks the next question, and for its key once keys count; or gives the terminal back. */
  resume(): void {
    const { input, stderr } = this.#setting;
    const { next } = this.#questions;
    input.off("data", this.#onKeys);
    if (next) input.on("data", this.#onKeys);
    input.setRawMode(next !== null);
    const prompt = next ? `${next.what}\nwaiting for you: ${next.keys === null ? "" : `${next.keys} `}` : "";
    if (!prompt.startsWith(this.#prompt)) this.pause();
    stderr.write(prompt.slice(this.#prompt.length));
    this.#prompt = prompt;
    this.#questions.drawn();
  }

  /** Nobody is asked any more. */
  close(): void {
    this.#questions.take();
    this.#setting.input.off("data", this.#onKeys);
    this.#setting.input.setRawMode(false);
  }

  /** What comes before the keys count was typed before the question could be read: it is dropped. */
  readonly #onKeys = (data: Buffer): void => {
    const keys = data.toString();
    if (STOP_KEYS.test(keys)) this.#setting.onStop();
    for (const key of keysIn(keys)) if (this.#questions.next?.keys) this.#take(key);
  };

  #take(key: string): void {
    const held = this.#questions.take();
    if (key === "\r") {
      const answer = held ?? this.#questions.answerIn(this.#line);
      this.pause();
      if (answer) this.#answer(answer);
      else this.resume();
    } else if (key === "\b") {
      if (this.#line !== "") this.#setting.stderr.write("\b \b");
      this.#line = [...this.#line].slice(0, -1).join("");
    } else if (this.#line.length < LONGEST_LINE) {
      this.#setting.stderr.write(key);
      this.#line += key;
      if (this.#line === key) this.#questions.hold(key);
    }
  }

  #answer(answer: PressedAnswer): void {
    this.#questions.close(answer.question);
    this.pause();
    void this.#setting.press(answer.command).then((isAccepted) => {
      if (!isAccepted) this.#questions.reopen(answer.question);
      this.resume();
    });
  }
}

/** Letters, `\r` for Enter and `\b` for Backspace; keys that type nothing are left out. */
function keysIn(chunk: string): string[] {
  const parts = chunk
    .replaceAll("\n", "\r")
    .replaceAll("\u007f", "\b")
    .split(/([\r\b])/);
  return parts.flatMap((part) => (/^[\r\b]$/.test(part) ? [part] : [...printableText(part)]));
}
