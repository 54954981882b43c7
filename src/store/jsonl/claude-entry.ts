/**
 * One line of a transcript of Claude Code: `{"type":"user"|"assistant",…,"uuid","parentUuid","timestamp","message"}`. An
 * answer has a line for each of its parts. What other agents did on its behalf is marked as a sidechain.
 */
import { type Fields, isFields } from "../../util/json.js";
import { sortParts } from "./content-parts.js";
import { messageOf } from "./entry-json.js";
import { textIn, timeIn } from "./fields.js";
import type { TreeEntry } from "./tree-transcript.js";

/** Whether a line can only be of such a transcript. */
export function isClaudeLine(json: Fields): boolean {
  return (
    typeof json.type === "string" && (typeof json.sessionId === "string" || typeof json.leafUuid === "string")
  );
}

export function readClaudeEntry(json: Fields): TreeEntry | { problem: string } {
  const place = placeOf(json);
  switch (json.type) {
    case "user":
      return userEntry(json, place);
    case "assistant":
      return assistantEntry(json, place);
    case "attachment":
      return queuedEntry(json, place);
    case "summary":
      return titled(textIn(json.summary), 1);
    case "ai-title":
      return titled(textIn(json.aiTitle), 2);
    case "custom-title":
      return titled(textIn(json.customTitle), 3);
    default:
      return { ...place, messages: [] };
  }
}

type EntryPlace = Pick<TreeEntry, "id" | "parent" | "aside">;

/** After a conversation was summed up, the entry before is named apart. */
function placeOf(json: Fields): EntryPlace {
  const parent = textIn(json.parentUuid) ?? textIn(json.logicalParentUuid);
  const isFirst = parent === undefined && json.parentUuid === null && json.isCompactSummary !== true;
  return {
    ...(textIn(json.uuid) ? { id: textIn(json.uuid) } : {}),
    ...(parent ? { parent } : isFirst && json.subtype === undefined ? { parent: null } : {}),
    ...(json.isSidechain === true ? { aside: true } : {}),
  };
}

function titled(text: string | undefined, rank: number): TreeEntry {
  return { messages: [], ...(text ? { title: { text, rank } } : {}) };
}

function userEntry(json: Fields, place: EntryPlace): TreeEntry | { problem: string } {
  if (!isFields(json.message)) return { problem: "The message is missing." };
  const at = timeIn(json.timestamp);
  const { text, results } = sortParts(json.message.content);
  if (json.isMeta === true) return { ...place, messages: [] };
  if (json.isCompactSummary === true)
    return { ...place, messages: [], ...(text ? { summary: { text } } : {}) };
  const messages = results.map((result) => messageOf("tool", result, at));
  if (text !== "") messages.push(messageOf("user", { content: text }, at));
  return { ...place, messages };
}

function assistantEntry(json: Fields, place: EntryPlace): TreeEntry | { problem: string } {
  const { message } = json;
  if (!isFields(message)) return { problem: "The message is missing." };
  const { text, reasoning, toolCalls } = sortParts(message.content);
  const said = messageOf("assistant", { content: text, toolCalls, reasoning }, timeIn(json.timestamp));
  const piece = textIn(message.id);
  return {
    ...place,
    messages: [said],
    ...(piece ? { piece } : {}),
    ...(isFields(message.usage) ? { usage: usageOf(message.usage) } : {}),
  };
}

function usageOf(usage: Fields): Fields {
  return {
    input_tokens: usage.input_tokens,
    output_tokens: usage.output_tokens,
    cache_read_tokens: usage.cache_read_input_tokens,
    cache_write_tokens: usage.cache_creation_input_tokens,
  };
}

/** What a person wrote while the agent worked; other attachments are bookkeeping. */
function queuedEntry(json: Fields, place: EntryPlace): TreeEntry {
  const attachment = isFields(json.attachment) ? json.attachment : {};
  const isSaid = attachment.type === "queued_command" && (attachment.commandMode ?? "prompt") === "prompt";
  const text = isSaid ? sortParts(attachment.prompt).text : "";
  return { ...place, messages: text ? [messageOf("user", { content: text }, timeIn(json.timestamp))] : [] };
}
