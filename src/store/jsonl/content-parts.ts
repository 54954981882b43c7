/** The parts of one entry's content, as agents of today keep them: text, thoughts, calls and results. */
import type { ToolCall } from "../../session/transcript.js";
import { type Fields, isFields } from "../../util/json.js";
import { textIn } from "./fields.js";
import { contentText } from "./message-json.js";

export interface SortedParts {
  readonly text: string;
  readonly reasoning?: string;
  readonly toolCalls: readonly ToolCall[];
  readonly results: readonly { readonly toolCallId: string; readonly content: string }[];
}

/** What is neither of these is named, as in `[image]`. */
export function sortParts(content: unknown): SortedParts {
  if (!Array.isArray(content)) return { text: contentText(content), toolCalls: [], results: [] };
  const text: unknown[] = [];
  const thoughts: string[] = [];
  const toolCalls: ToolCall[] = [];
  const results: { toolCallId: string; content: string }[] = [];
  for (const part of content) {
    const kind = isFields(part) ? part.type : undefined;
    if (!isFields(part)) text.push(part);
    else if (kind === "thinking") thoughts.push(textIn(part.thinking) ?? "");
    else if (kind === "redacted_thinking") continue;
    else if (kind === "tool_use" || kind === "toolCall") toolCalls.push(callOf(part));
    else if (kind === "tool_result")
      results.push({ toolCallId: textIn(part.tool_use_id) ?? "", content: contentText(part.content) });
    else text.push(part);
  }
  const reasoning = thoughts.filter((thought) => thought !== "").join("\n");
  return { text: contentText(text), ...(reasoning ? { reasoning } : {}), toolCalls, results };
}

function callOf(part: Fields): ToolCall {
  const args = part.input ?? part.arguments ?? {};
  return {
    id: textIn(part.id) ?? "",
    name: textIn(part.name) ?? "",
    arguments: typeof args === "string" ? args : JSON.stringify(args),
  };
}
