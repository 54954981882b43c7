/** What people are told of the codes they give. A wrong code, one that is over and one that was used are not told apart. */
import { cleanLine } from "../util/text.js";
import { relativeTime } from "../util/words.js";
import type { People } from "./people.js";
import type { Tried } from "./people-store.js";

type Outcome<Step extends "approve" | "denyCode" | "link"> = Awaited<ReturnType<People[Step]>>;
type Refused = Extract<Tried<never>, { kind: "locked" | "busy" | "wrong" }>;

/** What is wrong with what should be a code. */
export const NOT_A_CODE = "That is not a code: codes have 8 letters and digits.";

const BUSY_WITH_CODES = "I am checking other codes right now. Try again in a minute.";

export function refusalText(refused: Refused, now: number): string {
  if (refused.kind === "locked")
    return `Too many wrong codes came from you. I listen to codes again ${relativeTime(refused.until, now)}.`;
  if (refused.kind === "busy") return BUSY_WITH_CODES;
  const { left } = refused;
  const tries = left === 1 ? "One try is left." : `${left} tries are left.`;
  const again = left === 0 ? "That was the last try: I listen to codes again in an hour." : tries;
  return `This code does not count: it is mistyped, older than ten minutes, or used. ${again}`;
}

export function linkAnswer(outcome: Outcome<"link">, now: number): string {
  switch (outcome.kind) {
    case "linked":
      return `You are one person now with \`${cleanLine(outcome.with)}\`: your conversations are in /sessions on both. If that is not you, tell the owner at once.`;
    case "same":
      return "That is the same person already. The code has been used up.";
    case "refused":
      return "I cannot join these two: the code must come from another platform, and from the side on which you may do at least as much. Ask for the code here with /link, and type it on the other side.";
    default:
      return refusalText(outcome, now);
  }
}
