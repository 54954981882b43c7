/**
 * One turn as it is shown: words and thoughts stream, tools are told in a line each. What is final goes to the page,
 * what still grows is asked for with each drawing.
 */
import type { ToolCall } from "../../session/transcript.js";
import type { LiveReply } from "../adapter.js";
import { DimStream } from "./dim-stream.js";
import type { ScreenLook } from "./markdown.js";
import { MarkdownStream } from "./markdown-stream.js";
import type { PrintedPage } from "./page.js";
import { type ScreenRow, span } from "./style.js";
import { toolCallRows, toolResultRows } from "./tool-lines.js";

interface ReplySurroundings {
  readonly page: PrintedPage;
  readonly look: () => ScreenLook;
  /** Something is to be drawn. */
  readonly onChange: () => void;
  readonly onEnd: (reply: Reply) => void;
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

  /** A result that does not follow its call says again whose it is. */
  toolResult(call: ToolCall, content: string): void {
    this.#finishSegment();
    if (this.#lastCall?.id !== call.id) this.#printCall(call);
    this.#around.page.print("tool", toolResultRows(content, this.#around.look().width));
    this.#lastCall = null;
    this.#around.onChange();
  }

  end(outcome: "done" | "stopped" | "failed"): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#finishSegment();
    if (outcome === "stopped") this.#around.page.print("mark", [[span("■ stopped", { color: "yellow" })]]);
    if (outcome === "failed") this.#around.page.print("mark", [[span("✗ failed", { color: "red" })]]);
    this.#around.onEnd(this);
    this.#around.onChange();
  }

  /** Prints what became final, and returns the rows that still grow. */
  draw(): readonly ScreenRow[] {
    const segment = this.#segment;
    if (!segment) return [];
    const look = this.#around.look();
    this.#print(segment, segment.stream.take(look));
    const rows = segment.stream.pending(look);
    const isApart = !segment.hasPrinted && rows.length > 0 && this.#around.page.isApart(segment.kind);
    return isApart ? [[], ...rows] : rows;
  }

  #append(kind: Segment["kind"], delta: string): void {
    if (delta === "" || this.#isOver) return;
    if (this.#segment?.kind !== kind) {
      this.#finishSegment();
      const stream = kind === "text" ? new MarkdownStream() : new DimStream();
      this.#segment = { kind, stream, hasPrinted: false };
    }
    this.#segment?.stream.push(delta);
    this.#around.onChange();
  }

  #finishSegment(): void {
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
