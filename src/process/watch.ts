/**
 * When a watched process is spoken of: pure rules, with the time passed in. Nothing is lost by them: what may not be said
 * now is said later, or a notice about the end of the process is promised instead.
 */

/** The least time between two notices about matching lines of one process. */
export const PATTERN_PAUSE_MS = 15_000;
/** After so many pauses in a row with further matches, the patterns are switched off. */
const STORM_PAUSES = 3;
/** How many matching lines a notice shows, and how much of each. */
const MOST_LINES = 20;
const LONGEST_MATCH = 300;

/** The lines that matched and were not said yet. */
interface HeldLines {
  /** The last of them, as much as is shown. */
  readonly lines: readonly string[];
  readonly count: number;
}

export interface PatternWatch {
  readonly held: HeldLines;
  /** Nothing is said before; null if nothing was said lately. */
  readonly quietUntil: number | null;
  /** How many pauses in a row had further matches. */
  readonly storms: number;
  readonly isOff: boolean;
}

export const NO_LINES: HeldLines = { lines: [], count: 0 };
export const NEW_PATTERN_WATCH: PatternWatch = {
  held: NO_LINES,
  quietUntil: null,
  storms: 0,
  isOff: false,
};

/** `say`: these lines, now. `promote`: say nothing more about lines, and promise one notice when the process has ended. */
export type PatternVerdict =
  | { readonly kind: "nothing"; readonly watch: PatternWatch }
  | { readonly kind: "say"; readonly watch: PatternWatch; readonly matches: HeldLines }
  | { readonly kind: "promote"; readonly watch: PatternWatch; readonly matches: HeldLines };

/** Lines that contain one of the texts. */
export function matchingLines(text: string, patterns: readonly string[]): HeldLines {
  const all = text.split("\n").filter((line) => patterns.some((pattern) => line.includes(pattern)));
  return { lines: all.slice(-MOST_LINES).map(beginningOf), count: all.length };
}

/** A copy, because a part of a string keeps the whole of it in memory. */
function beginningOf(line: string): string {
  return Buffer.from(line.slice(0, LONGEST_MATCH), "utf16le").toString("utf16le");
}

export function addLines(held: HeldLines, more: HeldLines): HeldLines {
  return { lines: [...held.lines, ...more.lines].slice(-MOST_LINES), count: held.count + more.count };
}

/** What to do at this time, given the lines that matched since the last call. */
export function heedPatterns(watch: PatternWatch, matched: HeldLines, now: number): PatternVerdict {
  if (watch.isOff) return { kind: "nothing", watch };
  const held = addLines(watch.held, matched);
  const { quietUntil } = watch;
  if (quietUntil !== null && now < quietUntil && quietUntil - now <= PATTERN_PAUSE_MS)
    return { kind: "nothing", watch: { ...watch, held } };
  if (held.count === 0) return { kind: "nothing", watch: { ...NEW_PATTERN_WATCH } };
  const next = afterSaying(watch, now);
  if (next.storms >= STORM_PAUSES)
    return { kind: "promote", watch: { ...NEW_PATTERN_WATCH, isOff: true }, matches: held };
  return { kind: "say", watch: next, matches: held };
}

/** What matched until then was said at this time, here or by another gateway. */
export function afterSaying({ held, storms, isOff }: PatternWatch, saidAt: number): PatternWatch {
  // The last lines may be the first ones after a quiet time; those that were held came during the pause.
  const further = held.count > 0 ? storms + 1 : 0;
  return { held: NO_LINES, quietUntil: saidAt + PATTERN_PAUSE_MS, storms: further, isOff };
}

/** When to look again, though nothing more matches; null if nothing is held back. */
export function nextHeed({ held, quietUntil }: PatternWatch): number | null {
  return held.count > 0 ? quietUntil : null;
}

/**
 * When new output is due next: at the ends of equal spans since the start, so that no restart makes it come more often. A clock
 * that was set back makes nobody wait longer than a span.
 */
export function nextCheck(startedAt: number, intervalMs: number, now: number): number {
  const spans = Math.max(0, Math.floor((now - startedAt) / intervalMs));
  return Math.min(startedAt + (spans + 1) * intervalMs, now + intervalMs);
}

/** How many notices all processes together may make in that time; then there is a pause. */
const MOST_NOTICES = 15;
const BREAKER_SPAN_MS = 10_000;
export const BREAKER_PAUSE_MS = 30_000;

/** Stops a gateway whose processes make too many notices. */
export interface Breaker {
  /** When the last notices were made, oldest first. */
  readonly made: readonly number[];
  readonly pausedUntil: number | null;
}

export const NEW_BREAKER: Breaker = { made: [], pausedUntil: null };

export interface Admission {
  readonly breaker: Breaker;
  /** Null if a notice may be made now; otherwise when to try again. */
  readonly waitUntil: number | null;
  /** True once for each pause. */
  readonly beginsPause: boolean;
}

/** Asks for one notice. A clock that was set back makes nobody wait longer than a pause. */
export function admit({ made, pausedUntil }: Breaker, now: number): Admission {
  if (pausedUntil !== null && now < pausedUntil && pausedUntil - now <= BREAKER_PAUSE_MS)
    return { breaker: { made, pausedUntil }, waitUntil: pausedUntil, beginsPause: false };
  const lately = made.filter((at) => at <= now && now - at < BREAKER_SPAN_MS);
  if (lately.length < MOST_NOTICES)
    return { breaker: { made: [...lately, now], pausedUntil: null }, waitUntil: null, beginsPause: false };
  const until = now + BREAKER_PAUSE_MS;
  return { breaker: { made: [], pausedUntil: until }, waitUntil: until, beginsPause: true };
}
