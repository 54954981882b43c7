/**
 * One message as JSON, in the OpenAI-like snake_case form that agents' transcripts have: role, content, tool_calls,
 * tool_call_id, name, reasoning, attachments, timestamp. Written one way, read in every spelling met so far.
 *
 * Attachments are told, never handed over: their names in the media store are not written, and what a file says of
 * them becomes text. Otherwise it could name files that other people sent.
 */
import { attachmentsOf, type ToldAttachment, tellingText } from "../../session/attachments.js";
import { BatonError } from "../../session/errors.js";
import { type Message, parseMessage, type ToolCall } from "../../session/transcript.js";
import { type Fields, isFields } from "../../util/json.js";
import { textIn, timeIn, timeText } from "./fields.js";

export type ReadMessage =
  /** `problem` where something beside the text was lost. */
  | { readonly kind: "message"; readonly message: Message; readonly problem?: string }
  /** Bookkeeping of the program that wrote it. */
  | { readonly kind: "other" }
  | { readonly kind: "problem"; readonly reason: string };

export function messageJson(message: Message): Fields {
  const timestamp = message.at === undefined ? {} : { timestamp: timeText(message.at) };
  const { role, content } = message;
  switch (message.role) {
    case "user":
      return {
        role,
        content,
        ...(message.name ? { name: message.name } : {}),
        ...attachmentsJson(message),
        ...timestamp,
      };
    case "assistant": {
      const calls = message.toolCalls?.map(({ id, name, arguments: args }) => ({
        id,
        type: "function",
        function: { name, arguments: args },
      }));
      return {
        role,
        content,
        ...(calls ? { tool_calls: calls } : {}),
        ...(message.reasoning ? { reasoning: message.reasoning } : {}),
        ...timestamp,
      };
    }
    case "tool": {
      const name = message.name ? { name: message.name } : {};
      return { role, tool_call_id: message.toolCallId, ...name, content, ...timestamp };
    }
    case "system":
      return { role, content, ...timestamp };
  }
}

function attachmentsJson(message: Message): Fields {
  const attachments = attachmentsOf(message).map(({ name, mediaType, size, text }) => ({
    ...(name === undefined ? {} : { name }),
    media_type: mediaType,
    ...(size === undefined ? {} : { size }),
    ...(text === undefined ? {} : { text }),
  }));
  return attachments.length > 0 ? { attachments } : {};
}

/** One line of JSON. Characters that some reader takes for a line's end or a terminal for a command are escaped. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Reads a message from JSON that is already parsed. */
export function readMessage(json: unknown): ReadMessage {
  if (!isFields(json)) return { kind: "problem", reason: "It is not a JSON object." };
  const role = json.role;
  if (role === undefined || role === null) {
    return "content" in json ? { kind: "problem", reason: "The message has no role." } : { kind: "other" };
  }
  if (role === "session_meta") return { kind: "other" };
  try {
    const calls = role === "assistant" ? readToolCalls(json.tool_calls) : { toolCalls: [] };
    const said = unmarked(json.content);
    const message = parseMessage({
      role: role === "developer" ? "system" : role,
      content: tellingText(contentText(said.content), readAttachments(json.attachments)),
      name: textIn(role === "tool" ? (json.tool_name ?? json.name) : json.name),
      toolCalls: calls.toolCalls,
      toolCallId: textIn(json.tool_call_id) ?? "",
      reasoning: textIn(json.reasoning ?? json.reasoning_content),
      at: timeIn(json.timestamp ?? json.ts ?? json.created_at),
    });
    const problem = said.problem ?? calls.problem;
    return { kind: "message", message, ...(problem ? { problem } : {}) };
  } catch (error) {
    if (error instanceof BatonError) return { kind: "problem", reason: error.message };
    if (error instanceof RangeError) return { kind: "problem", reason: "It is nested too deeply." };
    throw error;
  }
}

/** Some programs keep content that is not plain text as JSON behind a mark. */
function unmarked(content: unknown): { content: unknown; problem?: string } {
  const text = textIn(content) ?? "";
  if (!MARKED.test(text)) return { content };
  try {
    return { content: JSON.parse(text.slice(6)) };
  } catch {
    return { content: text, problem: "Its content is marked as JSON, but is not; it is kept as text." };
  }
}

const MARKED = /^[\0\u0001]json:/;

/** Content as text: parts are joined, what is not text is named. */
export function contentText(content: unknown): string {
  if (content === undefined || content === null) return "";
  if (Array.isArray(content)) return content.map(partText).join("\n");
  return textIn(content) ?? (typeof content === "object" ? JSON.stringify(content) : String(content));
}

function partText(part: unknown): string {
  if (!isFields(part)) return textIn(part) ?? "";
  return textIn(part.text) ?? (typeof part.text === "string" ? "" : `[${textIn(part.type) ?? "attachment"}]`);
}

function readAttachments(value: unknown): ToldAttachment[] {
  const list = unpacked(value);
  if (!Array.isArray(list)) return [];
  return list.map((each): ToldAttachment => {
    if (!isFields(each)) return { name: textIn(each) };
    return {
      name: textIn(each.name ?? each.filename),
      mediaType: textIn(each.media_type ?? each.mime_type ?? each.content_type ?? each.type),
    };
  });
}

/** Some programs keep lists as JSON text. */
function unpacked(value: unknown): unknown {
  if (typeof value !== "string" || value === "") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function readToolCalls(value: unknown): { toolCalls: ToolCall[]; problem?: string } {
  const lost = {
    toolCalls: [],
    problem: "Its tool calls are not readable; the rest of the message is kept.",
  };
  const calls = unpacked(value);
  if (calls === undefined || calls === null || calls === "") return { toolCalls: [] };
  if (!Array.isArray(calls) || !calls.every(isFields)) return lost;
  return {
    toolCalls: calls.map((call: Fields) => {
      const from = isFields(call.function) ? call.function : call;
      const args = from.arguments ?? from.input ?? "";
      return {
        id: textIn(call.id) ?? textIn(call.call_id) ?? "",
        name: textIn(from.name) ?? "",
        arguments: typeof args === "string" ? args : JSON.stringify(args),
      };
    }),
  };
}
