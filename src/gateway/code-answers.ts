/** The replies to codes. A wrong code, an expired one and a used one get the same reply. */
import { cleanLine } from "../util/text.js";
import { relativeTime } from "../util/words.js";
import type { People } from "./people.js";
import type { Tried } from "./people-store.js";

type CodeOutcome<Step extends "approve" | "denyCode" | "link"> = Awaited<ReturnType<People[Step]>>;
type RefusedCode = Extract<Tried<never>, { kind: "locked" | "busy" | "wrong" }>;

/** The reply to a text that can't be a code. */
export const NOT_A_CODE = "That is not a code. A code has 8 letters and digits.";

const BUSY_WITH_CODES = "I am checking other codes right now. Try again in a minute.";

export function refusalText(refused: RefusedCode, now: number): string {
  if (refused.kind === "locked")
    return `You sent too many wrong codes. You can try again ${relativeTime(refused.until, now)}.`;
  if (refused.kind === "busy") return BUSY_WITH_CODES;
  const { left } = refused;
  const tries = left === 1 ? "You have one try left." : `You have ${left} tries left.`;
  const again = left === 0 ? "That was your last try. You can try again in an hour." : tries;
  return `This code is not valid: it is mistyped, older than ten minutes, or already used. ${again}`;
}

export function linkAnswer(outcome: CodeOutcome<"link">, now: number): string {
  switch (outcome.kind) {
    case "linked":
      return `This account is now linked with \`${cleanLine(outcome.with)}\`: both see your conversations in /sessions. If that account is not yours, tell the owner at once.`;
    case "same":
      return "These accounts are already linked. The code is used up.";
    case "refused":
      return "I can't link these two accounts: the code must come from another platform, on which you may do at least as much as here. Get the code here with /link, and send it to me on the other platform.";
    default:
      return refusalText(outcome, now);
  }
}
