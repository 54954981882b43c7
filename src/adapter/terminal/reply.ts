/**
 * One turn as it is shown: words and thoughts stream, tools are told in a line each. What is final goes to the page,
 * what still grows is asked for with each drawing.
 */
import type { ToolCall } from "../../session/transcript.js";
import type { ModelRetry, TurnFacts } from "../../session/turn-facts.js";
import type { Clock } from "../../util/clock.js";
import { printableText } from "../../util/text.js";
import type { LiveQuestion, LiveReply, ReplyEnd, ToolProgress } from "../live-reply.js";
import { DimStream } from "./dim-stream.js";
import type { FoldedResults } from "./folded-results.js";
import type { ScreenLook } from "./markdown.js";
import { MarkdownStream } from "./markdown-stream.js";
import type { OpenQuestions } from "./open-questions.js";
import type { PrintedPage } from "./page.js";
import { retryWords } from "./retry-words.js";
import { RunningCalls } from "./running-calls.js";
import { type ScreenRow, span } from "./style.js";
import { toolCallRows } from "./tool-lines.js";
import { wrapWords } from "./wrap.js";

interface ReplySurroundings {
  readonly page: PrintedPage;
  readonly look: () => ScreenLook;
  readonly folded: FoldedResults;
  readonly questions: OpenQuestions;
  /** How many rows of output may be shown if the person asks for more. */
  readonly room: () => number;
  /** Something is to be drawn. */
  readonly onChange: () => void;
  /** Who continues an answer that this process leaves, in words. */
  readonly heir: () => string;
  readonly onEnd: (reply: Reply, facts: TurnFacts | null) => void;
  readonly clock: Clock;
}

interface Segment {
  readonly kind: "text" | "reasoning";
  readonly stream: MarkdownStream | DimStream;
  hasPrinted: boolean;
}

export class Reply implements LiveReply {
  readonly #around: ReplySurroundings;
  #segment: Segment | null = null;
  #lastCall: ToolCall | null = null;
  readonly #running = new RunningCalls();
  /** The model is asked again, and when. */
  #retry: { readonly retry: ModelRetry; readonly at: number } | null = null;
  #isOver = false;

  constructor(around: ReplySurroundings) {
    this.#around = around;
  }

  text(delta: string): void {
    this.#append("text", delta);
  }

  reasoning(delta: string): void {
    this.#append("reasoning", delta);
  }

  toolCall(call: ToolCall): void {
    this.#finishSegment();
    this.#printCall(call);
    this.#around.onChange();
  }

  toolProgress(call: ToolCall, progress: ToolProgress): void {
    if (this.#isOver) return; // A tool that was given up may go on.
    this.#running.take(call, progress, this.#around.clock());
    this.#around.onChange();
  }

  /** Shows more of what is printed, or fewer lines again; false if nothing is. */
  toggle(): boolean {
    return !this.#isOver && this.#running.toggle();
  }

  /** True while it changes by itself: something is counted. */
  get isCounting(): boolean {
    return this.#retry !== null || this.#running.isRunning;
  }

  /** A result that does not follow its call says again whose it is. */
  toolResult(call: ToolCall, content: string): void {
    this.#finishSegment();
    if (this.#lastCall?.id !== call.id) this.#printCall(call);
    const took = this.#running.forget(call, this.#around.clock());
    const rows = this.#around.folded.fold(call, content, took, this.#around.look().width);
    this.#around.page.print("tool", rows);
    this.#lastCall = null;
    this.#around.onChange();
  }

  asked(question: LiveQuestion): void {
    this.#around.questions.ask(question);
  }

  answered(question: LiveQuestion, why: string): void {
    this.#around.questions.close(question);
    if (why !== "" && !this.#isOver)
      this.#around.page.print("notice", wrapWords([span(why)], this.#around.look().width));
    this.#around.onChange();
  }

  retry(retry: ModelRetry): void {
    this.#retry = { retry, at: this.#around.clock() + retry.waitMs };
    this.#around.onChange();
  }

  /** That the model is asked again, with the seconds that are left; null if it is not. */
  get waiting(): string | null {
    return this.#retry && retryWords(this.#retry.retry, this.#retry.at - this.#around.clock());
  }

  end(outcome: ReplyEnd, facts?: TurnFacts): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#finishSegment();
    if (outcome === "stopped") this.#around.page.print("mark", [[span("■ stopped", { color: "yellow" })]]);
    if (outcome === "left") this.#around.page.print("mark", leftRows(this.#around));
    if (outcome === "failed") this.#around.page.print("mark", [[span("✗ failed", { color: "red" })]]);
    this.#around.onEnd(this, facts ?? null);
    this.#around.onChange();
  }

  /** Prints what became final, and returns the rows that still grow. */
  draw(): readonly ScreenRow[] {
    const segment = this.#segment;
    const look = this.#around.look();
    if (!segment) return this.#drawRunning(look.width);
    this.#print(segment, segment.stream.take(look));
    const rows = segment.stream.pending(look);
    const isApart = !segment.hasPrinted && rows.length > 0 && this.#around.page.isApart(segment.kind);
    return isApart ? [[], ...rows] : rows;
  }

  #drawRunning(width: number): readonly ScreenRow[] {
    const { clock, room, page } = this.#around;
    const rows = this.#running.rows(this.#lastCall, clock(), width, room());
    return rows.length > 0 && page.isApart("tool") ? [[], ...rows] : rows;
  }

  #append(kind: Segment["kind"], delta: string): void {
    if (delta === "" || this.#isOver) return;
    this.#retry = null;
    if (this.#segment?.kind !== kind) {
      this.#finishSegment();
      const stream = kind === "text" ? new MarkdownStream() : new DimStream();
      this.#segment = { kind, stream, hasPrinted: false };
    }
    this.#segment?.stream.push(delta);
    this.#around.onChange();
  }

  #finishSegment(): void {
    this.#retry = null;
    const segment = this.#segment;
    if (!segment) return;
    this.#print(segment, segment.stream.end(this.#around.look()));
    this.#segment = null;
  }

  #print(segment: Segment, rows: readonly ScreenRow[]): void {
    if (rows.length === 0) return;
    this.#around.page.print(segment.kind, rows, segment.hasPrinted);
    segment.hasPrinted = true;
  }

  #printCall(call: ToolCall): void {
    this.#around.page.print("tool", toolCallRows(call, this.#around.look().width));
    this.#lastCall = call;
  }
}

function leftRows({ heir, look }: Pick<ReplySurroundings, "heir" | "look">): ScreenRow[] {
  return wrapWords([span(`■ not finished: ${printableText(heir())}`, { color: "yellow" })], look().width);
}
