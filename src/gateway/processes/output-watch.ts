/**
 * Watches the output of one process: new output goes to the chat from time to time, and lines that match wake the agent.
 * How far was reported is in the store, so another gateway goes on from there. One look at a time; what may not be said now
 * is said later. A chatty process costs no more than a few reads in a second: what was dropped meanwhile is not looked for.
 */
import type { Processes } from "../../process/processes.js";
import {
  addLines,
  afterSaying,
  heedPatterns,
  matchingLines,
  NEW_PATTERN_WATCH,
  NO_LINES,
  nextCheck,
  nextHeed,
  type PatternVerdict,
} from "../../process/watch.js";
import { BatonError } from "../../session/errors.js";
import type { Clock } from "../../util/clock.js";
import type { OnProblem } from "../../util/problem.js";
import { printableText } from "../../util/text.js";
import { timerMs } from "../../util/timer-ms.js";
import type { PlacedProcess, ReportStep } from "../process-reports.js";
import { matchesNote, NOTICE_CHARACTERS, outputNotice } from "./reports.js";
import { BYTES_A_CHARACTER, readable } from "./words.js";

export interface SaidOfProcess {
  /** The agent only if its conversation still has this process's session. */
  readonly to: "agent" | "chat";
  readonly text: string;
}

export interface OutputWatchSetting {
  readonly processes: Pick<Processes, "read" | "follow">;
  /** Null if something may be said now; otherwise when to ask again. */
  readonly admit: () => number | null;
  /** False if that must be looked at again: somebody was faster, or the conversation has moved. */
  readonly report: (seen: PlacedProcess, step: ReportStep, said: SaidOfProcess | null) => Promise<boolean>;
  /** The row is not as this watch knows it. */
  readonly onStale: () => void;
  readonly clock: Clock;
  readonly onProblem: OnProblem;
}

/** The least time between two looks, and how much is read in one. */
const PAUSE_MS = 200;
/** After a look that failed. */
const RETRY_MS = 5_000;
const PIECE = 64 * 1024;
const MOST_PIECES = 8;

export class OutputWatch {
  readonly #setting: OutputWatchSetting;
  #seen: PlacedProcess;
  #patterns = NEW_PATTERN_WATCH;
  /** As far as this watch knows. */
  #matchedThrough = 0;
  /** Matching lines that `#patterns` does not know of yet. */
  #matched = NO_LINES;
  #scanned = 0;
  /** The beginning of a line that is not complete. */
  #rest = "";
  #checkAt: number | null;
  /** When something may be said again, if it must wait for that. */
  #admittedAt: number | null = null;
  #looking: Promise<void> | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #trouble: string | null = null;
  #isStale = true;
  #unfollow: Promise<() => void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(seen: PlacedProcess, setting: OutputWatchSetting) {
    const { process } = seen;
    this.#setting = setting;
    this.#seen = seen;
    const { checkIntervalMs } = process.watch;
    this.#checkAt =
      checkIntervalMs === null ? null : nextCheck(process.startedAt, checkIntervalMs, setting.clock());
  }

  /** Looks soon, with the row as it is now. */
  wake(seen: PlacedProcess): void {
    this.#seen = seen;
    if (seen.process.watch.patterns.length > 0 && !seen.process.end && !this.#unfollow) this.#follow();
    this.#look();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#looking;
    (await this.#unfollow?.catch(() => null))?.();
  }

  #follow(): void {
    this.#unfollow = this.#setting.processes.follow(this.#seen.process.id, () => this.#look());
    this.#unfollow.catch(() => {
      this.#unfollow = undefined; // A look that fails says why; the next call tries again.
    });
  }

  /** One look at a time, and one more after the last call. */
  #look(): void {
    this.#isStale = true;
    if (!this.#looking) this.#plan();
  }

  /** Plans the next look, if one is needed. */
  #plan(): void {
    clearTimeout(this.#timer);
    const wanted = this.#admittedAt === null ? [nextHeed(this.#patterns), this.#checkAt] : [this.#admittedAt];
    const times = wanted.filter((at) => at !== null);
    if (this.#isStopped || (!this.#isStale && times.length === 0)) return;
    const dueMs = this.#isStale ? 0 : Math.min(...times) - this.#setting.clock();
    const pauseMs = this.#trouble === null ? PAUSE_MS : RETRY_MS;
    const restMs = this.#lookedAt + pauseMs - performance.now();
    this.#timer = setTimeout(() => this.#start(), timerMs(Math.max(0, dueMs, restMs)));
    this.#timer.unref();
  }

  #start(): void {
    const { id } = this.#seen.process;
    this.#looking = this.#lookOnce()
      .then(() => {
        this.#trouble = null;
      })
      .catch((cause: Error) => {
        if (this.#trouble !== cause.message)
          this.#setting.onProblem(`Can't watch the output of ${id}: ${cause.message}`, { cause });
        this.#trouble = cause.message; // It is reported once, and tried again.
        this.#isStale = true;
      })
      .finally(() => {
        this.#looking = undefined;
        this.#lookedAt = performance.now();
        this.#plan();
      });
  }

  async #lookOnce(): Promise<void> {
    this.#isStale = false;
    this.#admittedAt = null;
    this.#catchUp();
    const isOver = this.#seen.process.end !== null;
    try {
      const isRead = await this.#scan(isOver);
      if (!(await this.#sayMatches()) || !(await this.#sayOutput(isOver)) || !isRead) return;
      if (isOver && nextHeed(this.#patterns) === null) await this.#end();
    } catch (error) {
      const isGone = error instanceof BatonError && error.code === "process_not_found";
      if (!isOver || !isGone) throw error;
      await this.#end();
    }
  }

  /** Goes on behind what another gateway has said, and keeps the pause after it. */
  #catchUp(): void {
    const { matchedThrough, matchedAt } = this.#seen.process;
    if (matchedThrough <= this.#matchedThrough) return;
    this.#patterns = afterSaying(this.#patterns, matchedAt ?? 0);
    this.#matchedThrough = matchedThrough;
    this.#scanned = matchedThrough;
    this.#rest = "";
    this.#matched = NO_LINES;
  }

  #end(): Promise<boolean> {
    const { reportedThrough: at } = this.#seen.process;
    return this.#report({ kind: "output", from: at, through: at, isLast: true }, null);
  }

  /** Reads on; true if there is no more for now. */
  async #scan(isOver: boolean): Promise<boolean> {
    const { processes } = this.#setting;
    const { id, watch } = this.#seen.process;
    if (watch.patterns.length === 0) return true;
    for (let piece = 0; piece < MOST_PIECES; piece++) {
      const part = await processes.read(id, this.#scanned, PIECE);
      const isEnd = part.to <= this.#scanned;
      const text = part.from > this.#scanned ? part.text : this.#rest + part.text; // Unless something was dropped in between.
      const cut = isEnd && isOver ? text.length : text.lastIndexOf("\n") + 1;
      this.#rest = text.slice(cut).slice(-PIECE);
      const lines = matchingLines(printableText(text.slice(0, cut)), watch.patterns);
      this.#matched = addLines(this.#matched, lines);
      this.#scanned = Math.max(this.#scanned, part.to);
      if (isEnd) return true;
    }
    this.#isStale = true;
    return false;
  }

  /** False if nothing more can be done in this look. */
  async #sayMatches(): Promise<boolean> {
    const { process } = this.#seen;
    if (process.watch.patterns.length === 0) return true;
    const verdict = heedPatterns(this.#patterns, this.#matched, this.#setting.clock());
    if (verdict.kind === "nothing") return this.#commit(verdict);
    if (!this.#isAdmitted()) return false;
    const { matches } = verdict;
    const isStorm = verdict.kind === "promote";
    const said: SaidOfProcess = this.#seen.place.isCurrent
      ? { to: "agent", text: matchesNote(process, matches, isStorm) }
      : { to: "chat", text: outputNotice(process, matches.lines.join("\n"), true) };
    const from = this.#matchedThrough;
    const step = { kind: "matches", from, through: this.#lineStart(), isStorm } as const;
    return (await this.#report(step, said)) && this.#commit(verdict);
  }

  /** Where the line begins that is not complete: the next gateway begins there. */
  #lineStart(): number {
    const isExact = !this.#rest.includes("\ufffd");
    return this.#scanned - (isExact ? Buffer.byteLength(this.#rest) : 0);
  }

  #commit({ watch }: PatternVerdict): true {
    this.#patterns = watch;
    this.#matched = NO_LINES;
    return true;
  }

  /** What is new since the last time, if it is time, or the last of it. False if nothing more can be done in this look. */
  async #sayOutput(isOver: boolean): Promise<boolean> {
    const { processes, clock } = this.#setting;
    const { process } = this.#seen;
    const { id, reportedThrough: from, startedAt, watch } = process;
    if (watch.checkIntervalMs === null || (!isOver && (this.#checkAt ?? 0) > clock())) return true;
    const { to } = await processes.read(id, -1, 1);
    const most = NOTICE_CHARACTERS * BYTES_A_CHARACTER;
    const part = to > from ? await processes.read(id, Math.max(from, to - most), most) : null;
    const text = part ? readable(part, NOTICE_CHARACTERS) : "";
    if (part && text.trim() !== "") {
      if (!this.#isAdmitted()) return false;
      const shown = outputNotice(process, text, part.from > from);
      const step = { kind: "output", from, through: part.to, isLast: false } as const;
      if (!(await this.#report(step, { to: "chat", text: shown }))) return false;
    }
    this.#checkAt = isOver ? null : nextCheck(startedAt, watch.checkIntervalMs, clock());
    return true;
  }

  #isAdmitted(): boolean {
    this.#admittedAt = this.#setting.admit();
    return this.#admittedAt === null;
  }

  async #report(step: OutputStep, said: SaidOfProcess | null): Promise<boolean> {
    const seen = this.#seen;
    const isDone = await this.#setting.report(seen, step, said);
    const { kind, through } = step;
    if (!isDone) this.#setting.onStale();
    else if (kind === "matches") this.#matchedThrough = through;
    else if (this.#seen === seen)
      this.#seen = { ...seen, process: { ...seen.process, reportedThrough: through } };
    return isDone;
  }
}

type OutputStep = Exclude<ReportStep, { kind: "completion" }>;
