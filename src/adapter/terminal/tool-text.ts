/** A tool at work in words: what was called, and what came back. Needs nothing: a script that only prints loads it. */
import type { ToolCall } from "../../session/transcript.js";
import { parseJson } from "../../util/json.js";
import { cleanLine } from "../../util/text.js";

/** Enough of a result for its first lines; the rest is only counted. */
const LONGEST_LOOK = 4_096;

export function toolCallText(call: ToolCall): string {
  return `→ ${toolCallWords(call)}`;
}

export function toolCallWords(call: ToolCall): string {
  return `${cleanLine(call.name)} ${cleanLine(argumentWords(call.arguments))}`.trimEnd();
}

export function toolResultText(content: string): string[] {
  const first = content
    .slice(0, LONGEST_LOOK)
    .split("\n")
    .map(cleanLine)
    .find((line) => line !== "");
  if (first === undefined) return ["(no output)"];
  const more = content.trim().split("\n").length - 1;
  return more === 0 ? [first] : [first, more === 1 ? "… 1 more line" : `… ${more} more lines`];
}

/** `{"command":"ls -la","timeout":5}` → `ls -la timeout=5`; anything else as it is. */
function argumentWords(json: string): string {
  let parsed: unknown;
  try {
    parsed = parseJson(json);
  } catch {
    return json;
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return json;
  return Object.entries(parsed)
    .map(([name, value], index) => {
      const word = typeof value === "string" ? value : JSON.stringify(value);
      return index === 0 && typeof value === "string" ? word : `${name}=${word}`;
    })
    .join(" ");
}
