/** Messages: what a transcript stores, and how one from outside is checked. A transcript is append-only. */
import { storableText } from "../util/text.js";
import { InputError } from "./errors.js";

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text, as the model wrote it. */
  readonly arguments: string;
}

/** A file that came with a message, by its name in the media store: never a path. */
export interface Attachment {
  readonly file: string;
  readonly mediaType: string;
  /** What its sender calls it. */
  readonly name?: string;
  /** In bytes. */
  readonly size?: number;
  /** What the file says, as far as Baton could read it: of a document its text, of a voice message its transcript. */
  readonly text?: string;
  /** A voice or video note: somebody spoke instead of typing. */
  readonly voice?: true;
  /** It is a file of the message that this one answers. */
  readonly answered?: true;
  /** Where the agent has it on this machine, if the agent sends it. */
  readonly from?: string;
}

/** Who wrote it, identified by something that nobody can change or borrow. */
export interface Author {
  /** `platform:id`, as in the list of people. */
  readonly id: string;
  /** A second id that the settings may use for them. */
  readonly alias?: string;
  /** Their role when they wrote it: owner, member or guest. */
  readonly role?: string;
}

export type Message =
  | {
      readonly role: "user";
      readonly content: string;
      readonly name?: string;
      /** Absent if nobody knows: imported, or older than this field. */
      readonly author?: Author;
      /** Words of the gateway, at the author's request. */
      readonly note?: true;
      /** The day that begins with it, for the agent: `Thursday, 19 November 2026`. Never stored. */
      readonly today?: string;
      readonly attachments?: readonly Attachment[];
      readonly at?: number;
    }
  | {
      readonly role: "assistant";
      readonly content: string;
      readonly toolCalls?: readonly ToolCall[];
      readonly reasoning?: string;
      readonly at?: number;
    }
  | {
      readonly role: "tool";
      readonly toolCallId: string;
      readonly name?: string;
      readonly content: string;
      readonly at?: number;
    }
  | { readonly role: "system"; readonly content: string; readonly at?: number };

/** A stored message: its position in the session, from 1 without gaps, and its time. */
export type StoredMessage = Message & {
  readonly seq: number;
  readonly at: number;
  /** Set when a rewrite or an undo took it out of the active transcript. */
  readonly supersededAt?: number;
};

/** In the order in which people are shown them. */
export const MESSAGE_ROLES: readonly Message["role"][] = ["user", "assistant", "tool", "system"];

export function parseMessages(values: unknown): Message[] {
  if (!Array.isArray(values)) throw new InputError("invalid_message", "Messages must be a list.");
  return values.map(parseMessage);
}

/**
 * Checks a message from outside, and returns only what a transcript stores, in text that every store keeps unchanged.
 */
export function parseMessage(value: unknown): Message {
  if (typeof value !== "object" || value === null) {
    throw new InputError("invalid_message", "A message must be an object with role and content.");
  }
  const fields = value as Record<string, unknown>;
  if (!MESSAGE_ROLES.includes(fields.role as Message["role"])) {
    const role = typeof fields.role === "string" ? JSON.stringify(fields.role) : typeof fields.role;
    throw new InputError("unknown_role", `Unknown role ${role}: use ${MESSAGE_ROLES.join(", ")}.`);
  }
  const at = fields.at;
  if (at !== undefined && !Number.isSafeInteger(at)) {
    throw new InputError("invalid_message", "A message's `at` must be whole milliseconds UTC.");
  }
  const common = { content: required(fields, "content"), ...(at === undefined ? {} : { at: at as number }) };
  switch (fields.role as Message["role"]) {
    case "user":
      return {
        role: "user",
        ...common,
        ...optional(fields, "name"),
        ...authorOf(fields),
        ...(fields.note === true ? { note: true } : {}),
        ...attachmentsOf(fields),
      };
    case "assistant":
      return { role: "assistant", ...common, ...toolCallsOf(fields), ...optional(fields, "reasoning") };
    case "tool":
      return {
        role: "tool",
        ...common,
        toolCallId: required(fields, "toolCallId"),
        ...optional(fields, "name"),
      };
    case "system":
      return { role: "system", ...common };
  }
}

function authorOf({ author }: Record<string, unknown>): { author?: Author } {
  if (author === undefined || author === null) return {};
  if (typeof author !== "object")
    throw new InputError("invalid_message", "`author` must be an object with an id.");
  const from = author as Record<string, unknown>;
  return { author: { id: required(from, "id"), ...optional(from, "alias"), ...optional(from, "role") } };
}

function attachmentsOf(fields: Record<string, unknown>): { attachments?: Attachment[] } {
  const { attachments } = fields;
  if (attachments === undefined || attachments === null) return {};
  if (!Array.isArray(attachments)) throw new InputError("invalid_message", "`attachments` must be a list.");
  if (attachments.length === 0) return {};
  return {
    attachments: attachments.map((attachment: Record<string, unknown> | null) => {
      const from = attachment ?? {};
      return {
        file: required(from, "file"),
        mediaType: required(from, "mediaType"),
        ...optional(from, "name"),
        ...sizeOf(from),
        ...optional(from, "text"),
        ...(from.voice === true ? { voice: true } : {}),
        ...(from.answered === true ? { answered: true } : {}),
      };
    }),
  };
}

function sizeOf({ size }: Record<string, unknown>): { size?: number } {
  if (size === undefined || size === null) return {};
  if (!Number.isSafeInteger(size) || (size as number) < 0) {
    throw new InputError("invalid_message", "An attachment's `size` must be a whole number of bytes.");
  }
  return { size: size as number };
}

function toolCallsOf(fields: Record<string, unknown>): { toolCalls?: ToolCall[] } {
  const calls = fields.toolCalls;
  if (calls === undefined || calls === null) return {};
  if (!Array.isArray(calls)) throw new InputError("invalid_message", "`toolCalls` must be a list.");
  if (calls.length === 0) return {};
  return {
    toolCalls: calls.map((call: Record<string, unknown> | null) => {
      const from = call ?? {};
      return {
        id: required(from, "id"),
        name: required(from, "name"),
        arguments: required(from, "arguments"),
      };
    }),
  };
}

function required(fields: Record<string, unknown>, name: string): string {
  const value = fields[name];
  if (typeof value !== "string") {
    throw new InputError("invalid_message", `A message's \`${name}\` must be a string, not ${typeof value}.`);
  }
  return storableText(value);
}

function optional<Name extends string>(
  fields: Record<string, unknown>,
  name: Name,
): { [K in Name]?: string } {
  const value = fields[name];
  if (value === undefined || value === null || value === "") return {};
  return { [name]: required(fields, name) } as { [K in Name]?: string };
}
