/** What people and agents call a process, and how its end is said: the same words in chats, tools and the command line. */
import { ConflictError, NotFoundError } from "../session/errors.js";
import type { ProcessId } from "../session/ids.js";
import { cleanLine } from "../util/text.js";
import type { ProcessEnd } from "./process.js";

interface Named {
  readonly id: ProcessId;
}

/** The one among these that is meant by its id, or by the beginning of its id. */
export function processMeant<P extends Named>(among: readonly P[], given: string): P {
  const found = given === "" ? [] : among.filter(({ id }) => id.startsWith(given));
  const [process, ...others] = found;
  if (process && others.length === 0) return process;
  const shown = JSON.stringify(given.slice(0, 40));
  if (process) {
    const message = `Several ids begin with ${shown}: ${idsOf(found)}. Give more of the id.`;
    throw new ConflictError("ambiguous_process", message);
  }
  const known = among.length === 0 ? "No processes are known." : `These are known: ${idsOf(among)}.`;
  throw new NotFoundError("process_not_found", `There is no process ${shown}. ${known}`);
}

const MOST_IDS = 10;

function idsOf(processes: readonly Named[]): string {
  const shown = processes.slice(0, MOST_IDS).map(({ id }) => id);
  const more = processes.length - shown.length;
  return `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** True if there is something to end: it runs, or something that it left behind does. */
export function canBeEnded(seen: {
  readonly kept: { readonly end: ProcessEnd | null };
  readonly status: { readonly end: ProcessEnd | null } | null;
}): boolean {
  const { end } = seen.status ?? seen.kept;
  return end === null || (end.kind === "exited" && end.leftBehind);
}

const ENDED_BY_WORDS = { agent: "was ended by the agent", person: "was ended by a person" } as const;

/** For example `exited with code 1`, after the name of the process and before more, such as a full stop. */
export function endWords(end: ProcessEnd): string {
  if (end.kind === "lost") return lostWords(end);
  return `${exitWords(end)}${end.leftBehind ? "; a program that it started is still running" : ""}`;
}

/** `is lost: Nobody knows how it ended`, or, with a time such as `3 min ago`, `was lost 3 min ago (…)`. */
export function lostWords({ why }: Extract<ProcessEnd, { kind: "lost" }>, when?: string): string {
  const reason = cleanLine(why).replace(/\.$/, "");
  return when === undefined ? `is lost: ${reason}` : `was lost ${when} (${reason})`;
}

type ProcessExit = Extract<ProcessEnd, { kind: "exited" }>;

/** `signal SIGTERM` or `code 0`, for a process that Baton ended. */
export function signalOrCode({ code, signal }: ProcessExit): string {
  return signal !== null ? `signal ${signal}` : code !== null ? `code ${code}` : "code unknown";
}

function exitWords(exit: ProcessExit): string {
  const { code, signal, by } = exit;
  if (by === "agent" || by === "person") return `${ENDED_BY_WORDS[by]} (${signalOrCode(exit)})`;
  return signal === null ? `exited with code ${code}` : `was killed by signal ${signal} (not sent by Baton)`;
}
