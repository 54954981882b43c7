/** What a handoff may come to. Where only luck decides, both. */
import type { Outcome } from "./check.js";
import type { Run } from "./run.js";

const EITHER = ["completed", "failed"] as const;

export function expectedOutcomes({ step, fault, variant }: Run): readonly Outcome[] {
  const { side, threads, isOne } = variant;
  const isBefore = side === "before";
  switch (fault) {
    case "asker dies":
    case "gateway dies":
    case "both die":
      if (step === "request" && isBefore && (fault !== "gateway dies" || isOne)) return ["not asked"];
      return (fault !== "asker dies" || isOne) && isThreadInDoubt() ? ["failed"] : ["completed"];
    case "gateway stalls":
      return EITHER;
    case "timeout after accept":
      return threads === "threads" && isBeforeThread() ? ["failed"] : ["completed"];
    case "wait expires":
      return step === "turn" || (step === "completed" && !isBefore) ? ["completed"] : EITHER;
    case "target removed":
      if (step === "turn" || (step === "completed" && !isBefore)) return ["completed"];
      return step === "completed" ? EITHER : ["failed"];
    case "platform 5xx":
    case "asker closes":
    case "both ends type":
      return ["completed"];
    default:
      return fault satisfies never;
  }

  /** A gateway ended while it made a thread, on a platform that would make another. */
  function isThreadInDoubt(): boolean {
    if (threads !== "threads") return false;
    return (
      step === "thread made" ||
      (step === "thread begun" && !isBefore) ||
      (step === "thread and lane saved" && isBefore)
    );
  }

  function isBeforeThread(): boolean {
    return (
      step === "request" ||
      step === "claim" ||
      step === "thread begun" ||
      (step === "thread made" && isBefore)
    );
  }
}
