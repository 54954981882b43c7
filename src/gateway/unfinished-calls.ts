/**
 * What happens to tool calls whose process ended before their step was stored: they become a step in which each call
 * has a result that says what is known about it. The agent continues from there; nothing runs again without it.
 */
import type { Message } from "../session/transcript.js";
import { cleanLine, shorten } from "../util/text.js";
import type { JournaledCall } from "./store.js";

const UNKNOWN =
  "Unknown: the process ended while this was running. It may or may not have taken effect; check before you do it again.";
const NOT_RUN = "Not run: the process ended before it began.";

/** The process group that a call started, if it outlived the process that made the call; null if not. */
export type RunningGroup = (process: string) => number | null;

/** The step as the transcript stores it; null if no call was open. */
export function interruptedStep(
  calls: readonly JournaledCall[],
  groupOf: RunningGroup,
): readonly Message[] | null {
  if (calls.length === 0) return null;
  const content = calls.map(({ said }) => said).join("");
  const results = calls.map((journaled): Message => {
    const { call, state, result } = journaled;
    const known =
      state === "finished"
        ? (result ?? "")
        : state === "started"
          ? [UNKNOWN, ...stillRuns(journaled, groupOf)].join(" ")
          : NOT_RUN;
    return { role: "tool", toolCallId: call.id, name: call.name, content: known };
  });
  return [{ role: "assistant", content, toolCalls: calls.map(({ call }) => call) }, ...results];
}

/** What the person reads about calls that may or may not have taken effect; null if there are none. */
export function interruptedNotice(calls: readonly JournaledCall[], groupOf: RunningGroup): string | null {
  const unknown = calls.filter(({ state }) => state === "started");
  if (unknown.length === 0) return null;
  const names = unknown.map(({ call }) => `\`${describeCall(call.name, call.arguments)}\``).join(", ");
  const text = `I was interrupted while this was running: ${names}. It may or may not have taken effect. I will not run it again by myself.`;
  return [text, ...unknown.flatMap((call) => stillRuns(call, groupOf))].join(" ");
}

/** The text about a command that outlived its gateway. */
function stillRuns({ call, process }: JournaledCall, groupOf: RunningGroup): string[] {
  const group = process === null ? null : groupOf(process);
  if (group === null) return [];
  return [
    `${cleanLine(call.name)} is still running (process group ${group}). To stop it, run \`kill -- -${group}\`.`,
  ];
}

/** A call on one line, safe to show in a chat. */
function describeCall(name: string, json: string): string {
  const args = cleanLine(json).replaceAll("`", "'");
  return shorten(`${cleanLine(name)} ${args}`, 200);
}
