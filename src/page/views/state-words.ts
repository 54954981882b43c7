/**
 * The states of runs, processes, platforms and deliveries in words, and how a badge shows them. The wire may have words that
 * this does not know: it shows them as they are. Pure.
 */
import type { WireProcess, WireRun } from "../../web/wire.js";

/** The classes of a badge; empty for one without a colour. */
export type Tone = "ok" | "warn" | "danger" | "";

const RUNS: Readonly<Record<string, { readonly words: string; readonly tone: Tone }>> = {
  due: { words: "waits to begin", tone: "" },
  running: { words: "running", tone: "" },
  ended: { words: "sending its result", tone: "" },
  done: { words: "done", tone: "ok" },
  silent: { words: "done, nothing to report", tone: "ok" },
  failed: { words: "failed", tone: "danger" },
  skipped: { words: "skipped", tone: "warn" },
};

export function runWords({ state }: Pick<WireRun, "state">): string {
  return runState(state)?.words ?? state;
}

export function runTone({ state }: Pick<WireRun, "state">): Tone {
  return runState(state)?.tone ?? "";
}

/** True if it is not over. */
export function isGoingOn({ state, endedAt }: Pick<WireRun, "state" | "endedAt">): boolean {
  return endedAt === null || ["due", "running", "ended"].includes(state);
}

function runState(state: string): (typeof RUNS)[string] | undefined {
  return Object.hasOwn(RUNS, state) ? RUNS[state] : undefined;
}

type ProcessState = Pick<WireProcess, "state" | "endedAt" | "exitCode">;

/** True if it has ended, as far as anybody knows. */
export function hasEnded({ state, endedAt, exitCode }: ProcessState): boolean {
  return endedAt !== null || exitCode !== null || /\b(?:exited|ended|killed|lost)\b/.test(state);
}

/** The gateway says it as after a name, such as `was ended by a person`. */
export function processWords({ state }: Pick<WireProcess, "state">): string {
  return state.replace(/^(?:was|is) /, "");
}

export function processTone(process: ProcessState): Tone {
  if (!hasEnded(process))
    return process.state === "running" ? "ok" : /^unknown/.test(process.state) ? "warn" : "";
  const words = processWords(process);
  if (/^lost/.test(words)) return "danger";
  if (/^(?:killed|ended by)/.test(words)) return "warn";
  return process.exitCode === null || process.exitCode === 0 ? "" : "danger";
}

/** Of a platform's connection, a delivery, a finding or a line of the log. */
export function toneOf(state: string): Tone {
  const word = state.toLowerCase();
  if (/^(?:ok|connected|sent|fine)\b/.test(word)) return "ok";
  if (/^(?:failed|broken|error|problem|danger|not connected)\b/.test(word)) return "danger";
  if (/^(?:warn|warning|unknown|lost|connection lost|stopping|idle)\b/.test(word)) return "warn";
  return "";
}
