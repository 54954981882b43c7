/** What the report says of a transcript that had more than one branch. */
import { counted } from "../../util/words.js";
import type { TreeTranscript } from "./tree-transcript.js";

export function leftOutNote({ leftOut, aside }: Pick<TreeTranscript, "leftOut" | "aside">): {
  note?: string;
} {
  const parts = [
    ...(leftOut > 0 ? [`${counted(leftOut, "message")} on other branches`] : []),
    ...(aside > 0 ? [`${counted(aside, "message")} of subagents`] : []),
  ];
  return parts.length > 0 ? { note: `Left out: ${parts.join(", ")}.` } : {};
}
