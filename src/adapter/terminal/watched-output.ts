/**
 * What a person who looks at the terminal sees beside the answer of a script: what happens now, in one line that is drawn
 * again each second and gone before anything else is printed, and at the end what the turn used.
 */
import type { ToolCall } from "../../session/transcript.js";
import type { ModelRetry, TurnFacts } from "../../session/turn-facts.js";
import type { Clock } from "../../util/clock.js";
import { cleanLine } from "../../util/text.js";
import type { LocalFile } from "../adapter.js";
import type { ToolProgress } from "../live-reply.js";
import { retryWords } from "./retry-words.js";
import { RunningCalls } from "./running-calls.js";
import type { ScriptOutcome, ScriptOutput } from "./script-output.js";
import { turnWords } from "./used-words.js";
import { endOf } from "./wrap.js";

export interface WatchingTerminal {
  /** Writes over the last line; an empty text removes it. Null if the terminal can only print. */
  readonly progress: ((line: string) => void) | null;
  /** Prints a line that matters less than others. */
  readonly aside: (line: string) => void;
  readonly columns: () => number;
  readonly clock: Clock;
}

const TICK_MS = 1_000;

export class WatchedOutput implements ScriptOutput {
  readonly #output: ScriptOutput;
  readonly #terminal: WatchingTerminal;
  readonly #running = new RunningCalls();
  #retry: { readonly retry: ModelRetry; readonly at: number } | null = null;
  /** A question has the last line while it waits. */
  #questions = 0;
  /** The last line may go on. */
  #isWriting = false;
  #shown = "";
  #ticking: NodeJS.Timeout | undefined;

  constructor(output: ScriptOutput, terminal: WatchingTerminal) {
    this.#output = output;
    this.#terminal = terminal;
  }

  text(delta: string): void {
    this.#write(() => this.#output.text(delta));
  }

  reasoning(delta: string): void {
    this.#write(() => this.#output.reasoning(delta));
  }

  toolCall(call: ToolCall): void {
    this.#retry = null;
    this.#print(() => this.#output.toolCall(call));
  }

  toolProgress(call: ToolCall, progress: ToolProgress): void {
    this.#running.take(call, progress, this.#terminal.clock());
    this.#draw();
  }

  toolResult(call: ToolCall, content: string): void {
    this.#running.forget(call, this.#terminal.clock());
    this.#print(() => this.#output.toolResult(call, content));
  }

  asked(): void {
    this.#questions += 1;
    this.#draw();
  }

  answered(): void {
    this.#questions -= 1;
    this.#draw();
  }

  retry(retry: ModelRetry): void {
    const { progress, clock } = this.#terminal;
    if (progress) this.#retry = { retry, at: clock() + retry.waitMs };
    this.#print(() => (progress ? this.#output.endLine() : this.#output.retry(retry)));
  }

  message(text: string): void {
    this.#print(() => this.#output.message(text));
  }

  file(file: LocalFile): void {
    this.#print(() => this.#output.file(file));
  }

  notice(text: string): void {
    this.#print(() => this.#output.notice(text));
  }

  endLine(): void {
    this.#print(() => this.#output.endLine());
  }

  ended(outcome: ScriptOutcome): void {
    this.#retry = null;
    this.#running.clear();
    this.#print(() => this.#output.ended(outcome));
  }

  done(outcome: ScriptOutcome, facts: TurnFacts | null, error: string | null): void {
    this.#print(() => this.#output.done(outcome, facts, error));
    const words = facts && outcome === "done" ? turnWords(facts) : [];
    if (words.length > 0) this.#terminal.aside(cleanLine(words.join(" · ")));
  }

  #write(work: () => void): void {
    this.#retry = null;
    this.#isWriting = true;
    this.#draw();
    work();
  }

  #print(work: () => void): void {
    this.#put("");
    work();
    this.#isWriting = false;
    this.#draw();
  }

  #draw(): void {
    const line = this.#isWriting || this.#questions > 0 ? "" : this.#line();
    if (line !== this.#shown) this.#put(line);
    if (this.#retry === null && !this.#running.isRunning) {
      clearInterval(this.#ticking);
      this.#ticking = undefined;
    } else this.#ticking ??= setInterval(() => this.#draw(), TICK_MS).unref();
  }

  #put(line: string): void {
    if (line !== "" || this.#shown !== "") this.#terminal.progress?.(line);
    this.#shown = line;
  }

  #line(): string {
    const { clock, columns } = this.#terminal;
    const width = Math.max(1, columns() - 1);
    const now = clock();
    const waiting = this.#retry;
    if (waiting) return endOf(cleanLine(retryWords(waiting.retry, waiting.at - now)), width);
    return this.#running.line(now, width);
  }
}
