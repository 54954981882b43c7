/**
 * The states of runs, processes, moves, platforms and deliveries in words, what messages are, and how a badge shows it. The wire
 * may have words that this does not know: it shows them as they are. Pure.
 */
import type { WirePost } from "../../adapter/web/wire.js";
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
  return wordsIn(RUNS, state)?.words ?? state;
}

export function runTone({ state }: Pick<WireRun, "state">): Tone {
  return wordsIn(RUNS, state)?.tone ?? "";
}

/** True if it is not over. */
export function isGoingOn({ state, endedAt }: Pick<WireRun, "state" | "endedAt">): boolean {
  return endedAt === null || ["due", "running", "ended"].includes(state);
}

interface MoveWords {
  readonly words: string;
  readonly tone: Tone;
  readonly sentence: string;
}

const MOVES: Readonly<Record<string, MoveWords>> = {
  asked: { words: "asked", tone: "", sentence: "Baton was asked to move it." },
  pending: { words: "waiting", tone: "warn", sentence: "It has not begun to move yet." },
  running: { words: "moving", tone: "warn", sentence: "It is on its way." },
  completed: { words: "moved", tone: "ok", sentence: "It continues there now." },
  failed: { words: "not moved", tone: "danger", sentence: "It could not be moved." },
};

/** How a conversation comes to another chat. */
export function moveWords(state: string): MoveWords {
  return wordsIn(MOVES, state) ?? { words: state, tone: "", sentence: "" };
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

const PURPOSES: Readonly<Record<WirePost["purpose"], string>> = {
  reply: "answer of the agent",
  notice: "notice",
  command: "answer to a command",
  announcement: "arrival of a conversation",
  retraction: "move that was called off",
  outcome: "result of a move",
  doubt: "warning that a message may be lost",
};

/** What a message is that is to be sent. */
export function purposeWords(purpose: string): string {
  return wordsIn(PURPOSES, purpose) ?? purpose;
}

const INBOX: Readonly<Record<string, string>> = {
  message: "message",
  command: "command",
  handoff: "arrival of a conversation",
  process: "report of a process",
  job: "run of a job",
  reaction: "reaction",
  moved: "message that moved along",
};

/** What an accepted message is. */
export function inboxWords(kind: string): string {
  return wordsIn(INBOX, kind) ?? kind;
}

/** Of a platform's connection, a delivery, a finding or a line of the log. */
export function toneOf(state: string): Tone {
  const word = state.toLowerCase();
  if (/^(?:ok|connected|sent|fine)\b/.test(word)) return "ok";
  if (/^(?:failed|broken|error|problem|danger|not connected)\b/.test(word)) return "danger";
  if (/^(?:warn|warning|unknown|lost|connection lost|stopping|idle)\b/.test(word)) return "warn";
  return "";
}

function wordsIn<Words>(table: Readonly<Record<string, Words>>, code: string): Words | undefined {
  return Object.hasOwn(table, code) ? table[code] : undefined;
}
