/**
 * Questions of a script that a person started in a terminal: asked on stderr, answered with one key. The terminal gives
 * out single keys only while a question waits; Ctrl-C and Ctrl-D mean what they mean otherwise.
 */
import type { Writable } from "node:stream";
import type { ReadStream } from "node:tty";
import type { Clock } from "../../util/clock.js";
import { printableText } from "../../util/text.js";
import type { LiveQuestion, LiveReply } from "../live-reply.js";
import { OpenQuestions } from "./open-questions.js";

export interface KeyedQuestionsSetting {
  readonly input: Pick<ReadStream, "setRawMode" | "on" | "off">;
  readonly stderr: Writable;
  readonly clock: Clock;
  /** Tells whether the answer was accepted; does not throw. */
  readonly press: (command: string) => Promise<boolean>;
  /** Ctrl-C or Ctrl-D. */
  readonly onStop: () => void;
}

const STOP_KEYS = /[\u0003\u0004]/;

export class KeyedQuestions implements Required<Pick<LiveReply, "asked" | "answered">> {
  readonly #setting: KeyedQuestionsSetting;
  readonly #questions = new OpenQuestions();
  /** What the last line of the terminal asks for; empty if it asks for nothing. */
  #prompt = "";

  constructor(setting: KeyedQuestionsSetting) {
    this.#setting = setting;
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

  /** A letter was printed: if it is a question, it can be answered from now on. */
  printed(deliveryId: string): void {
    this.#questions.printed(deliveryId);
    this.resume();
  }

  /** Something else is about to be printed: it begins on a line of its own. */
  pause(): void {
    if (this.#prompt !== "") this.#setting.stderr.write("\n");
    this.#prompt = "";
  }

  /** Asks for the key of the next question, or gives the terminal back. */
  resume(): void {
    const { input, stderr, clock } = this.#setting;
    const { next } = this.#questions;
    input.off("data", this.#onKeys);
    if (next) input.on("data", this.#onKeys);
    input.setRawMode(next !== null);
    const prompt = next ? `${next.what}\nwaiting for you: ${next.keys} ` : "";
    const now = clock();
    if (prompt !== this.#prompt) stderr.write(prompt);
    this.#prompt = prompt;
    this.#questions.drawn(now);
  }

  /** Nobody is asked any more. */
  close(): void {
    this.#setting.input.off("data", this.#onKeys);
    this.#setting.input.setRawMode(false);
  }

  readonly #onKeys = (data: Buffer): void => {
    const keys = data.toString();
    if (STOP_KEYS.test(keys)) this.#setting.onStop();
    const answer = this.#questions.answerBy(keys, this.#setting.clock());
    if (!answer) return;
    this.#setting.stderr.write(keys);
    this.#questions.close(answer.question);
    this.pause();
    void this.#setting.press(answer.command).then((isAccepted) => {
      if (!isAccepted) this.#questions.reopen(answer.question);
      this.resume();
    });
  };
}
