/**
 * One line of a transcript of OpenClaw, which has the format of the agent inside it: a header `{"type":"session",…}`, then
 * `{"type":"message","id","parentId","timestamp","message":{"role",…}}` and other entries.
 */
import type { Message } from "../../session/transcript.js";
import { type Fields, isFields } from "../../util/json.js";
import { sortParts } from "./content-parts.js";
import { messageOf } from "./entry-json.js";
import { amountIn, textIn, timeIn } from "./fields.js";
import type { TreeEntry } from "./tree-transcript.js";

/** The line that heads a transcript. */
export function isSessionHeader(json: unknown): json is Fields {
  return isFields(json) && json.type === "session" && typeof json.id === "string";
}

export function readOpenClawEntry(json: Fields): TreeEntry | { problem: string } {
  const id = textIn(json.id);
  const parent = textIn(json.parentId);
  const place = {
    ...(id ? { id } : {}),
    ...(parent ? { parent } : json.parentId === null ? { parent: null } : {}),
  };
  const at = timeIn(json.timestamp);
  switch (json.type) {
    case "session":
      return { messages: [] };
    case "message":
      if (!isFields(json.message)) return { problem: "The message is missing." };
      return spokenEntry(json.message, place, at);
    case "custom_message":
      return { ...place, messages: saidBy("user", json.content, at) };
    case "branch_summary":
      return { ...place, messages: saidBy("user", json.summary, at) };
    case "compaction": {
      const [text, firstKept] = [textIn(json.summary), textIn(json.firstKeptEntryId)];
      const summary = text ? { summary: { text, ...(firstKept ? { firstKept } : {}) } } : {};
      return { ...place, messages: [], ...summary };
    }
    case "session_info": {
      const name = textIn(json.name);
      return { ...place, messages: [], ...(name ? { title: { text: name, rank: 1 } } : {}) };
    }
    default:
      return typeof json.type === "string"
        ? { ...place, messages: [] }
        : { problem: "The entry has no type." };
  }
}

function saidBy(role: "user" | "system", content: unknown, at: number | undefined): Message[] {
  const { text } = sortParts(content);
  return text ? [messageOf(role, { content: text }, at)] : [];
}

function spokenEntry(
  message: Fields,
  place: Pick<TreeEntry, "id" | "parent">,
  entryAt: number | undefined,
): TreeEntry | { problem: string } {
  const at = timeIn(message.timestamp) ?? entryAt;
  const { text, reasoning, toolCalls } = sortParts(message.content);
  switch (message.role) {
    case "user":
    case "system":
      return { ...place, messages: [messageOf(message.role, { content: text }, at)] };
    case "custom":
      return { ...place, messages: saidBy("user", message.content, at) };
    case "branchSummary":
    case "compactionSummary":
      return { ...place, messages: saidBy("user", message.summary, at) };
    case "assistant": {
      const content = text || (toolCalls.length === 0 ? (textIn(message.errorMessage) ?? "") : "");
      const said = messageOf("assistant", { content, toolCalls, reasoning }, at);
      return {
        ...place,
        messages: [said],
        ...(isFields(message.usage) ? { usage: usageOf(message.usage) } : {}),
      };
    }
    case "toolResult":
    case "tool": {
      const toolCallId = textIn(message.toolCallId) ?? "";
      const result = { toolCallId, name: textIn(message.toolName), content: text };
      return { ...place, messages: [messageOf("tool", result, at)] };
    }
    case "bashExecution": {
      const content = `$ ${textIn(message.command) ?? ""}\n${textIn(message.output) ?? ""}`;
      return { ...place, messages: [messageOf("user", { content }, at)] };
    }
    default:
      return { problem: `Unknown role ${JSON.stringify(message.role) ?? "undefined"}.` };
  }
}

function usageOf(usage: Fields): Fields {
  return {
    input_tokens: usage.input,
    output_tokens: usage.output,
    cache_read_tokens: usage.cacheRead,
    cache_write_tokens: usage.cacheWrite,
    estimated_cost_usd: isFields(usage.cost) ? amountIn(usage.cost.total) : 0,
  };
}
