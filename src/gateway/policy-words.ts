/** The reset policy of a session in sentences, the same at the command line and in the page. */
import type { ResetPolicy } from "../session/reset-policy.js";
import type { Explanation } from "../session/sessions.js";

/** `It resets every day at 04:00; Baton says so in the chat.` */
export function policySentence(policy: ResetPolicy): string {
  const idle = `after ${minutes(policy.idleMinutes)} without activity`;
  const daily = `every day at ${String(policy.atHour).padStart(2, "0")}:00`;
  const told = policy.notify ? "Baton says so in the chat" : "Baton does not say so in the chat";
  switch (policy.mode) {
    case "none":
      return "It never resets by itself.";
    case "idle":
      return `It resets ${idle}; ${told}.`;
    case "daily":
      return `It resets ${daily}; ${told}.`;
    case "both":
      return `It resets ${idle} or ${daily}, whichever comes first; ${told}.`;
    default:
      return policy.mode satisfies never;
  }
}

function minutes(count: number): string {
  if (count % 1440 === 0) return count === 1440 ? "a day" : `${count / 1440} days`;
  if (count % 60 === 0) return count === 60 ? "an hour" : `${count / 60} hours`;
  return count === 1 ? "a minute" : `${count} minutes`;
}

/** When the next reset is, or was due. `moment` writes a time. */
export function nextResetSentence(
  { reason, at }: NonNullable<Explanation["next"]>,
  now: number,
  moment: (at: number) => string,
): string {
  const reset = reason === "daily" ? "daily reset" : "reset";
  if (at < now) return `A ${reset} has been due since ${moment(at)}. The next message starts a new session.`;
  const unless = reason === "idle" ? ", unless there is activity before" : "";
  return `The next ${reset} is at ${moment(at)}${unless}.`;
}

/** `a running turn delays it`: what keeps it from resetting now; null if nothing does. */
export function heldWords(heldBy: Explanation["heldBy"]): string | null {
  return heldBy.length === 0 ? null : heldBy.map((hold) => HOLDS[hold]).join(" and ");
}

const HOLDS: Readonly<Record<Explanation["heldBy"][number], string>> = {
  turn: "a running turn delays it",
  handoff: "a handoff delays it",
  process: "a background process delays it, until that is 24 hours old",
};
