/**
 * What a model is sent of a conversation: the context first and always the same, then the messages, newest last, so that
 * a provider's cache holds what was sent before. Pure, and total: a history from elsewhere may hold names, ids and
 * arguments that no API takes.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { isPicture, sessionFileName } from "../../session/attachments.js";
import { noteLine } from "../../session/sender.js";
import type { Attachment, Message, ToolCall } from "../../session/transcript.js";
import { parseJson } from "../../util/json.js";
import { shorten } from "../../util/text.js";
import type { Tool } from "../agent.js";
import type { ModelRequest, Prompt } from "./provider.js";

export type ReasoningPart = Extract<
  Extract<Prompt[number], { role: "assistant" }>["content"][number],
  { type: "reasoning" }
>;
type UserPart = Extract<Prompt[number], { role: "user" }>["content"][number];

export interface PromptParts {
  readonly context: string;
  readonly messages: readonly Message[];
  /** Where file tools find the attached files; null if the agent has no such tools. */
  readonly filesFolder: string | null;
  /** The bytes of attached images by path; null if the model is sent none. */
  readonly images: ReadonlyMap<string, Uint8Array> | null;
  /** The model's reasoning in this turn, which some providers want back with the message that it led to. */
  readonly reasoning: ReadonlyMap<Message, readonly ReasoningPart[]>;
  /** Sent to the model last, and stored nowhere. */
  readonly note: string | null;
}

const CACHED = { anthropic: { cacheControl: { type: "ephemeral" } } };

export function promptOf(given: PromptParts): Prompt {
  const { context, messages, reasoning, note } = given;
  const prompt: Prompt = [];
  if (context.trim() !== "") prompt.push({ role: "system", content: context, providerOptions: CACHED });
  const names = new Map<string, string>();
  for (const message of messages) {
    const last = prompt.at(-1);
    switch (message.role) {
      case "user":
      case "system": {
        const parts =
          message.role === "user" ? userParts(message, given) : [textPart(`[Note] ${message.content}`)];
        // Some models accept no two user messages in a row.
        if (last?.role === "user") last.content.push(...parts);
        else prompt.push({ role: "user", content: parts });
        break;
      }
      case "assistant": {
        const calls = message.toolCalls ?? [];
        for (const { id, name } of calls) names.set(id, name);
        const content = [
          ...(reasoning.get(message) ?? []),
          ...(message.content.trim() === "" ? [] : [textPart(message.content)]),
          ...calls.map(callPart),
        ];
        if (content.length > 0) prompt.push({ role: "assistant", content });
        break;
      }
      case "tool": {
        const { toolCallId, name, content } = message;
        const part = {
          type: "tool-result" as const,
          toolCallId: callId(toolCallId),
          toolName: toolName(name ?? names.get(toolCallId) ?? ""),
          output: { type: "text" as const, value: content.trim() === "" ? "(no output)" : content },
        };
        if (last?.role === "tool") last.content.push(part);
        else prompt.push({ role: "tool", content: [part] });
        break;
      }
      default:
        message satisfies never;
    }
  }
  if (note !== null) {
    const last = prompt.at(-1);
    if (last?.role === "user") last.content.push(textPart(note));
    else prompt.push({ role: "user", content: [textPart(note)] });
  }
  const end = prompt.at(-1);
  if (end && end.role !== "system") end.providerOptions = CACHED;
  return prompt.map(joined);
}

export function toolsOf(tools: readonly Tool[]): NonNullable<ModelRequest["tools"]> {
  return tools.map(({ name, description, parameters }) => ({
    type: "function",
    name,
    description,
    inputSchema: parameters,
  }));
}

function userParts(
  { content, today, attachments = [] }: Extract<Message, { role: "user" }>,
  { images, filesFolder }: Pick<PromptParts, "images" | "filesFolder">,
): UserPart[] {
  const words = content.trim() === "" && attachments.length === 0 ? "(no text)" : content;
  const text = today === undefined ? words : `${noteLine("today", today)}\n${words}`;
  const documents = attachments.flatMap((attachment) => documentParts(attachment, filesFolder));
  const parts = attachments.flatMap(({ file, mediaType }): UserPart[] => {
    if (!isPicture({ mediaType })) return [];
    if (images === null) return [textPart("(An image was attached here, but this model can't read images.)")];
    const data = images.get(file);
    if (!data) return [textPart("(An image was attached here, but it can't be read.)")];
    return [{ type: "file", mediaType, data }];
  });
  return [...documents, ...(text.trim() === "" ? [] : [textPart(text)]), ...parts];
}

/** What a file says, before the message that it came with; and where the file is. */
function documentParts(attachment: Attachment, folder: string | null): UserPart[] {
  const { name = "file", text, voice } = attachment;
  const path =
    folder === null ? [] : [`(The file ${name} is at ${join(folder, sessionFileName(attachment))}.)`];
  if (text === undefined || voice) return path.map(textPart); // A transcript is in the message itself.
  return [[`Contents of the attached file ${name}:`, text, `(End of ${name}.)`, ...path].join("\n")].map(
    textPart,
  );
}

/** Joins texts of one person in a row: every server reads the plainest form. */
function joined(message: Prompt[number]): Prompt[number] {
  if (message.role !== "user" || !message.content.every(({ type }) => type === "text")) return message;
  const text = message.content.map((part) => (part.type === "text" ? part.text : "")).join("\n\n");
  return { ...message, content: [textPart(text)] };
}

function textPart(text: string) {
  return { type: "text" as const, text };
}

function callPart({ id, name, arguments: json }: ToolCall) {
  return {
    type: "tool-call" as const,
    toolCallId: callId(id),
    toolName: toolName(name),
    input: argumentsOf(json),
  };
}

/** An object, as every API wants it. */
function argumentsOf(json: string): object {
  try {
    const value = parseJson(json);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Handled below: the model sees its own text unchanged.
  }
  return { unreadable: shorten(json, 2_000) };
}

/** Providers allow no other characters, and some no longer ids. The same id always gives the same result. */
function callId(id: string): string {
  if (/^[\w-]{1,40}$/.test(id)) return id;
  return `call_${createHash("sha256").update(id).digest("hex").slice(0, 32)}`;
}

function toolName(name: string): string {
  return name.replace(/[^\w-]/g, "_").slice(0, 64) || "tool";
}
