/**
 * The chat in plain lines, one after another: for terminals that can only print, and for screen readers. Nothing is drawn
 * again, nothing moves, no escape sequence is written, and what changes is said in words. The terminal itself edits the
 * line that is being written.
 */
import { StringDecoder } from "node:string_decoder";
import { printableText } from "../../util/text.js";
import type { LiveReply } from "../live-reply.js";
import type { ChatOptions } from "./chat.js";
import type { ChatHands, ChatView } from "./chat-view.js";
import { InputHistory } from "./history.js";
import { type Interrupted, interrupt, NOT_INTERRUPTED } from "./interrupt.js";
import { MarkdownStream } from "./markdown-stream.js";
import { type NextQuestion, OpenQuestions } from "./open-questions.js";
import { PlainReply } from "./plain-reply.js";
import { SavedLines } from "./saved-lines.js";
import { painter, type ScreenRow, span } from "./style.js";
import { wrapWords } from "./wrap.js";

const PROMPT = "> ";
const DEFAULT_COLUMNS = 80;
/** How often a tool that still runs is worth a line. */
const STILL_RUNNING_MS = 60_000;
/** A longer line is cut: no terminal gives out one. */
const LONGEST_LINE = 1_000_000;

const paint = painter(false);

export type PlainChatOptions = Pick<
  ChatOptions,
  "input" | "output" | "onStop" | "onLeave" | "heir" | "clock" | "later" | "history"
>;

export class PlainChat implements ChatView {
  readonly #options: PlainChatOptions;
  readonly #hands: ChatHands;
  readonly #questions: OpenQuestions;
  readonly #replies = new Set<PlainReply>();
  readonly #history = new InputHistory();
  readonly #saved: SavedLines;
  readonly #decoder = new StringDecoder();
  /** What came since the last line break. */
  #rest = "";
  /** The lines before, each ended by a backslash. */
  #before = "";
  #isAtPrompt = false;
  /** The question that was last said, and its keys. */
  #asked: NextQuestion | null = null;
  #interrupted: Interrupted = NOT_INTERRUPTED;
  /** How much of what was said waits or runs. */
  #awaited = 0;
  #isOpen = false;
  /** All is said that stands before the first prompt. */
  #isBegun = false;
  #hasLeft = false;
  #stopTicking: () => void = () => {};

  constructor(options: PlainChatOptions, hands: ChatHands) {
    this.#options = options;
    this.#hands = hands;
    this.#saved = new SavedLines(options.history, (text) => this.problem(text));
    this.#questions = new OpenQuestions({
      later: options.later,
      onReady: () => this.#prompt(),
      onAnswer: () => {}, // A line is whole: no letter of it is held.
    });
  }

  async open(): Promise<void> {
    if (this.#isOpen) return;
    const { input, output } = this.#options;
    this.#isOpen = true;
    input.setRawMode(false);
    input.on("data", this.#onData).on("end", this.#onGone).on("error", this.#onGone).resume();
    output.on("error", this.#onGone);
    process.on("SIGINT", this.#onInterrupt);
    this.#tickLater();
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    for (const reply of this.#replies) reply.end("left");
    await this.#saved.settled();
    this.#isOpen = false;
    if (this.#isAtPrompt) this.#options.output.write("\n");
    this.#stopTicking();
    process.off("SIGINT", this.#onInterrupt);
    const { input, output } = this.#options;
    input.off("data", this.#onData).off("end", this.#onGone).off("error", this.#onGone).pause();
    output.off("error", this.#onGone);
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  print(text: string, deliveryId?: string): void {
    const stream = new MarkdownStream();
    stream.push(text);
    this.#write(stream.end(this.#look()));
    if (deliveryId !== undefined) this.#questions.printed(deliveryId);
    this.#prompt();
  }

  note(text: string): void {
    this.#say(text);
    this.#prompt();
  }

  overhear(text: string): void {
    this.#say(`Another terminal says: ${text}`);
    this.#prompt();
  }

  othersAtWork(isAtWork: boolean): void {
    if (isAtWork) this.note("Another terminal is working.");
  }

  file(path: string): void {
    this.#say(`File: ${path}`);
    this.#prompt();
  }

  problem(text: string): void {
    this.#say(text);
    this.#prompt();
  }

  reply(): LiveReply {
    const { clock, heir } = this.#options;
    const reply = new PlainReply({
      ...{ clock, heir, questions: this.#questions },
      look: () => this.#look(),
      write: (rows) => {
        this.#write(rows);
        this.#prompt();
      },
      say: (words) => this.note(words),
      onQuestions: () => this.#prompt(),
      onEnd: (ended) => {
        this.#replies.delete(ended);
        this.#prompt();
      },
    });
    this.#replies.add(reply);
    this.#say("Baton is working.");
    return reply;
  }

  /** The status itself is said with each answer. The first time, the person may begin. */
  redraw(): void {
    this.#isBegun = true;
    this.#prompt();
  }

  /** The terminal edits the line: nothing is completed. */
  arrived(): void {}

  leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#options.onLeave();
  }

  get #isRunning(): boolean {
    return this.#replies.size > 0 || this.#awaited > 0;
  }

  #look() {
    return { width: Math.max(1, (this.#options.output.columns || DEFAULT_COLUMNS) - 1), color: false };
  }

  #write(rows: readonly ScreenRow[]): void {
    if (!this.#isOpen || rows.length === 0) return;
    const lines = rows.map((row) => paint(row).trimEnd()).join("\n");
    this.#options.output.write(`${this.#isAtPrompt ? "\n" : ""}${lines}\n`);
    this.#isAtPrompt = false;
  }

  #say(words: string): void {
    this.#write(wrapWords([span(printableText(words))], this.#look().width));
  }

  /**
   * Says which question waits, if another one does than before, and its keys once they count; the line begins with a
   * prompt if it is the person's turn.
   */
  #prompt(): void {
    const { next } = this.#questions;
    const asked = this.#asked;
    const isNew = next?.what !== asked?.what;
    const keys = next?.keys ?? null;
    this.#asked = next;
    if (next && isNew) this.#say(next.what);
    if (keys !== null && (isNew || asked?.keys !== keys)) this.#say(`Waiting for you: ${keys}, then Enter.`);
    this.#questions.drawn();
    const isTheirTurn = this.#isBegun && (!this.#isRunning || keys !== null);
    if (!this.#isOpen || this.#isAtPrompt || !isTheirTurn) return;
    this.#options.output.write(PROMPT);
    this.#isAtPrompt = true;
  }

  #tickLater(): void {
    this.#stopTicking = this.#options.later(() => {
      for (const reply of this.#replies)
        for (const line of reply.running) this.note(`Still running: ${line}`);
      this.#tickLater();
    }, STILL_RUNNING_MS);
  }

  readonly #onData = (data: Buffer | string): void => {
    const text = typeof data === "string" ? data : this.#decoder.write(data);
    const lines = (this.#rest + text).split(/\r\n?|\n/);
    this.#rest = (lines.pop() ?? "").slice(0, LONGEST_LINE);
    for (const line of lines) this.#hear(line);
  };

  #hear(line: string): void {
    this.#isAtPrompt = false; // The terminal has shown the line break.
    this.#interrupted = NOT_INTERRUPTED;
    if (line.endsWith("\\")) {
      this.#before += `${line.slice(0, -1)}\n`;
      return;
    }
    const text = printableText(this.#before + line).trim();
    this.#before = "";
    if (text !== "" && !this.#answers(text)) this.#submit(text);
    else this.#prompt();
  }

  /** True if it answers a question that waits; then the answer is on its way. */
  #answers(text: string): boolean {
    const answer = this.#questions.answerBy(text) ?? this.#questions.answerIn(text);
    if (!answer) return false;
    this.#questions.close(answer.question);
    void this.#hands.press(answer.command).then((isAccepted) => {
      if (!isAccepted) this.#questions.reopen(answer.question);
      this.#prompt();
    });
    return true;
  }

  #submit(text: string): void {
    if (this.#history.add(text)) this.#saved.add(text);
    this.awaits(this.#hands.submit(text));
  }

  awaits(over: Promise<void>): void {
    this.#awaited += 1;
    void over.then(() => {
      this.#awaited -= 1;
      this.#prompt();
    });
  }

  /** Ctrl-C. What was written of a line is the terminal's, which has dropped it; the lines before it are a draft. */
  readonly #onInterrupt = (): void => {
    this.#rest = "";
    const now = { at: this.#options.clock(), isRunning: this.#isRunning, isEmpty: this.#before === "" };
    const { action, state } = interrupt(this.#interrupted, now);
    this.#interrupted = state;
    if (action === "leave") this.leave();
    if (action === "stop") this.#options.onStop();
    if (action === "ask")
      this.note(`Press Ctrl-C again to ${state.asked === "clear" ? "clear your message" : "leave"}.`);
    if (action === "clear") {
      this.#before = "";
      this.note("Your message is cleared. I sent nothing of it.");
    }
  };

  readonly #onGone = (): void => this.leave();
}
