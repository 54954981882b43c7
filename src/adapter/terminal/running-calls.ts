/**
 * The tools that act now, as they are shown while they do: the end of what each prints, and for how long it runs. Pure
 * but for what it remembers: the time is passed in.
 */
import type { ToolCall } from "../../session/transcript.js";
import { cleanLine, printableText } from "../../util/text.js";
import { counted } from "../../util/words.js";
import type { ToolProgress } from "../live-reply.js";
import { OutputTail } from "./output-tail.js";
import { type ScreenRow, span } from "./style.js";
import { toolCallRows } from "./tool-lines.js";
import { toolCallWords } from "./tool-text.js";
import { cutTo } from "./wrap.js";

/** So many lines of one call, and of each of several. */
const LINES_OF_ONE = 5;
const LINES_OF_EACH = 2;
const MOST_CALLS = 4;
const INDENT = "  ";
/** More of a line is not read out. */
const LONGEST_WORDS = 200;
/** What takes no longer is not worth a figure. */
const MOMENT_MS = 1_000;

interface RunningTool {
  readonly call: ToolCall;
  readonly since: number;
  readonly tail: OutputTail;
  /** How long it took; null while it runs. */
  tookMs: number | null;
}

export class RunningCalls {
  readonly #calls = new Map<string, RunningTool>();
  #isOpen = false;

  take(call: ToolCall, progress: ToolProgress, now: number): void {
    if (progress.kind === "started") {
      this.#calls.set(call.id, { call, since: now, tail: new OutputTail(), tookMs: null });
      return;
    }
    const running = this.#calls.get(call.id);
    if (!running) return;
    if (progress.kind === "ended") {
      running.tookMs = now - running.since;
      return;
    }
    if (progress.skipped > 0) running.tail.skip();
    running.tail.push(progress.text);
  }

  /** The result of a call is there: how long it took, in words; empty if that was a moment. */
  forget({ id }: ToolCall, now: number): string {
    const gone = this.#calls.get(id);
    this.#calls.delete(id);
    return gone ? elapsedWords(gone.tookMs ?? now - gone.since) : "";
  }

  /** Each in one line: what was called, for how long, and the last line that it printed. */
  words(now: number): string[] {
    return this.#running.map(({ call, since, tail }) => {
      const [last = ""] = tail.last(1, LONGEST_WORDS);
      const head = `${toolCallWords(call)}, ${elapsedWords(now - since)}`;
      return last === "" ? head : `${head}: ${cleanLine(last)}`;
    });
  }

  get isRunning(): boolean {
    return this.#running.length > 0;
  }

  /** Shows more of the lines, or fewer again; false if there are none. */
  toggle(): boolean {
    if (!this.#running.some(({ tail }) => tail.count > 0)) return false;
    this.#isOpen = !this.#isOpen;
    return true;
  }

  /** `shown`: the call whose line stands right above. */
  rows(shown: ToolCall | null, now: number, width: number, height: number): ScreenRow[] {
    const running = this.#running;
    const few = running.length > 1 ? LINES_OF_EACH : LINES_OF_ONE;
    const most = this.#isOpen ? Math.max(few, height) : few;
    const rows = running.slice(0, MOST_CALLS).flatMap(({ call, since, tail }) => {
      const head = running.length === 1 && shown?.id === call.id ? [] : toolCallRows(call, width);
      const lines = tail.last(most, width - INDENT.length).map((line) => dimRow(line, width));
      return [...head, ...lines, ...this.#footOf(tail, lines.length, now - since, width)];
    });
    const more = running.length - MOST_CALLS;
    return more > 0 ? [...rows, dimRow(`… ${more} more running`, width)] : rows;
  }

  /** In one line: for how long, and what was printed last; empty while that is not worth a line. */
  line(now: number, width: number): string {
    const running = this.#running;
    const shown = running.findLast(({ tail }) => tail.count > 0) ?? running[0];
    if (!shown) return "";
    const [last = ""] = shown.tail.last(1, width);
    const words = [
      elapsedWords(now - shown.since),
      running.length > 1 ? `${running.length} tools` : "",
      printableText(last).replaceAll("\t", INDENT).trim(),
    ];
    return cutTo(words.filter((word) => word !== "").join(" · "), width);
  }

  clear(): void {
    this.#calls.clear();
  }

  #footOf(tail: OutputTail, shown: number, ms: number, width: number): ScreenRow[] {
    const folded = tail.count > shown;
    const words = [
      elapsedWords(ms),
      folded ? `${counted(tail.count, "line")} (Ctrl-O shows ${this.#isOpen ? "fewer" : "more"})` : "",
    ].filter((word) => word !== "");
    return words.length === 0 ? [] : [dimRow(words.join(" · "), width)];
  }

  get #running(): RunningTool[] {
    return [...this.#calls.values()].filter(({ tookMs }) => tookMs === null);
  }
}

/** `12 s`, `1 min 5 s`, `2 h 10 min`: whole seconds that are seen to pass. Empty for a moment. */
export function elapsedWords(ms: number): string {
  if (ms < MOMENT_MS) return "";
  const seconds = Math.floor(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  if (minutes === 0) return `${seconds} s`;
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function dimRow(text: string, width: number): ScreenRow {
  return [span(cutTo(INDENT + printableText(text).replaceAll("\t", INDENT), width), { dim: true })];
}
