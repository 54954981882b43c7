/**
 * What a model sees of a transcript. `historyWindow` is total and idempotent: it takes any list, and returns one that every
 * model API accepts.
 */
import type { TranscriptEnd } from "./store.js";
import { summaryMessage } from "./summary.js";
import { MESSAGE_ROLES, type Message, type StoredMessage, type ToolCall } from "./transcript.js";

export interface WindowOptions {
  readonly maxMessages?: number;
  /** Messages up to this place (their `seq`, or their position counted from 1) are left out. */
  readonly consolidatedThrough?: number;
}

export const DEFAULT_WINDOW = 500;

/** What the model sees: active messages after the cursor, the last `maxMessages`, from a user message on. */
export function historyWindow(messages: readonly Message[], options: WindowOptions = {}): Message[] {
  const max = Math.max(0, Math.floor(options.maxMessages ?? DEFAULT_WINDOW)) || 0;
  if (max === 0) return [];
  const cursor = options.consolidatedThrough ?? 0;
  const active = messages.filter((message, index) => isActive(message, index, cursor));
  const repaired = pairToolCalls(active.slice(-max).map(modelMessage));
  const tooMany = Math.max(0, repaired.length - max);
  const start = repaired.findIndex((message, index) => index >= tooMany && message.role === "user");
  return start < 0 ? [] : repaired.slice(start);
}

/** A window, and where its people's messages stand in the transcript. */
export interface NumberedWindow {
  readonly messages: Message[];
  /** True if the first one is a summary of what came before. */
  readonly hasSummary: boolean;
  /** The `seq` of each user message of the transcript that is in it, oldest first. A summary comes before them all. */
  readonly userSeqs: readonly number[];
  /** When each of these was written. */
  readonly userTimes: readonly number[];
}

export interface WindowWish {
  readonly maxMessages?: number;
  /** The `seq` of a user message that is in the window in any case, with all that follow, however many they are. */
  readonly from?: number | null;
}

/** Reads the end of a transcript, again if it does not go back far enough. */
export async function readWindow(
  read: (maxMessages: number) => Promise<TranscriptEnd>,
  { maxMessages = DEFAULT_WINDOW, from = null }: WindowWish,
): Promise<NumberedWindow> {
  const end = await read(maxMessages);
  const [first = 0] = end.seqs;
  const last = end.seqs.at(-1) ?? 0;
  const isShort = from !== null && from < first;
  return windowOf(isShort ? await read(last - from + 1) : end, maxMessages, from);
}

/**
 * What the model sees of the end of a transcript: the summary of what is hidden, then the window. If that window would begin
 * after the user message `from`, it begins with it instead, even if it is longer then.
 */
function windowOf(
  { summary, messages, seqs, times }: TranscriptEnd,
  maxMessages: number,
  from: number | null,
): NumberedWindow {
  const told = summary && maxMessages > 0 ? [summaryMessage(summary)] : [];
  const users = (of: readonly number[]) => of.filter((_, index) => messages[index]?.role === "user");
  const windowWith = (shown: readonly Message[]): NumberedWindow => {
    const count = shown.filter(({ role }) => role === "user").length;
    const last = (of: readonly number[]) => users(of).slice(users(of).length - count);
    const hasSummary = told.length > 0;
    return { messages: [...told, ...shown], hasSummary, userSeqs: last(seqs), userTimes: last(times) };
  };
  const window = windowWith(historyWindow(messages, { maxMessages: Math.max(0, maxMessages - told.length) }));
  if (from === null || window.userSeqs.includes(from) || !users(seqs).includes(from)) return window;
  const since = messages.slice(seqs.indexOf(from));
  return windowWith(historyWindow(since, { maxMessages: Number.POSITIVE_INFINITY }));
}

function isActive(message: Message, index: number, cursor: number): boolean {
  if (typeof message !== "object" || message === null || !MESSAGE_ROLES.includes(message.role)) return false;
  const stored = message as Partial<StoredMessage>;
  return stored.supersededAt === undefined && (stored.seq ?? index + 1) > cursor;
}

/** A message that is being put together: one object for each, because a turn makes hundreds of them. */
type Unfinished<Role extends Message["role"]> = {
  -readonly [K in keyof MessageOf<Role>]: MessageOf<Role>[K];
};
type MessageOf<Role extends Message["role"]> = Extract<Message, { role: Role }>;

/** Messages that `keptMessage` made. */
const KEPT = new WeakSet<Message>();

/**
 * Makes a message that a store can keep and give out again and again: it has only what a model accepts, nobody can change
 * it, and `historyWindow` does not copy it.
 */
export function keptMessage(message: Message): Message {
  const given = modelMessage(message);
  const parts = given.role === "user" ? [given.author, given.attachments, ...(given.attachments ?? [])] : [];
  const calls = given.role === "assistant" ? [given.toolCalls, ...(given.toolCalls ?? [])] : [];
  for (const part of [given, ...parts, ...calls]) Object.freeze(part);
  KEPT.add(given);
  return given;
}

/** Only what a model accepts, in well-formed Unicode. */
function modelMessage(message: Message): Message {
  if (KEPT.has(message)) return message;
  const content = wellFormed(message.content);
  switch (message.role) {
    case "user": {
      const { name, author, note, attachments } = message;
      const given: Unfinished<"user"> = { role: "user", content };
      if (name) given.name = wellFormed(name);
      if (typeof author?.id === "string") given.author = author;
      if (note === true) given.note = note;
      if (Array.isArray(attachments) && attachments.length > 0) given.attachments = attachments;
      return given;
    }
    case "assistant": {
      const given: Unfinished<"assistant"> = { role: "assistant", content };
      if (Array.isArray(message.toolCalls) && message.toolCalls.length > 0)
        given.toolCalls = message.toolCalls.map((call: ToolCall) => ({
          id: wellFormed(call?.id),
          name: wellFormed(call?.name),
          arguments: wellFormed(call?.arguments),
        }));
      return given;
    }
    case "tool": {
      const name = message.name ? { name: wellFormed(message.name) } : {};
      return { role: "tool", toolCallId: wellFormed(message.toolCallId), ...name, content };
    }
    case "system":
      return { role: "system", content };
  }
}

function wellFormed(text: unknown): string {
  return typeof text === "string" ? text.toWellFormed() : "";
}

const UNANSWERED = "Error: this call has no result; it was interrupted and may or may not have taken effect.";

type ToolResult = MessageOf<"tool">;

/**
 * Puts every result right after its call. A result belongs to the nearest earlier call that has its id and no result
 * yet; without such a call it is dropped. A call without a result gets an error result. Repeated ids are made distinct,
 * because some models refuse them.
 */
function pairToolCalls(messages: readonly Message[]): Message[] {
  const resultsOf = new Map<Message, (ToolResult | undefined)[]>();
  const open = new Map<string, { results: (ToolResult | undefined)[]; index: number }[]>();
  for (const message of messages) {
    if (message.role === "assistant" && message.toolCalls) {
      const results: (ToolResult | undefined)[] = message.toolCalls.map(() => undefined);
      resultsOf.set(message, results);
      message.toolCalls.forEach((call, index) => {
        const slots = open.get(call.id) ?? [];
        // Within one message, the first of two equal ids gets the result; across messages, the nearest one does.
        const sameMessage = slots.findIndex((slot) => slot.results === results);
        slots.splice(sameMessage < 0 ? slots.length : sameMessage, 0, { results, index });
        open.set(call.id, slots);
      });
    } else if (message.role === "tool") {
      const slot = open.get(message.toolCallId)?.pop();
      if (slot) slot.results[slot.index] = message;
    }
  }
  const used = new Set<string>();
  const paired: Message[] = [];
  for (const message of messages) {
    if (message.role === "tool") continue;
    if (message.role !== "assistant" || !message.toolCalls) {
      paired.push(message);
      continue;
    }
    const results = resultsOf.get(message) ?? [];
    const toolCalls = message.toolCalls.map((call) => {
      const id = distinctId(call.id, used);
      return id === call.id ? call : { ...call, id };
    });
    const isSame = toolCalls.every((call, index) => call === message.toolCalls?.[index]);
    const answers = toolCalls.map((call, index): ToolResult => {
      const result = results[index];
      if (result) return result.toolCallId === call.id ? result : { ...result, toolCallId: call.id };
      return {
        role: "tool",
        toolCallId: call.id,
        ...(call.name ? { name: call.name } : {}),
        content: UNANSWERED,
      };
    });
    paired.push(isSame ? message : { ...message, toolCalls }, ...answers);
  }
  return paired;
}

function distinctId(id: string, used: Set<string>): string {
  const base = id || "call";
  let distinct = base;
  for (let n = 2; used.has(distinct); n++) distinct = `${base}_${n}`;
  used.add(distinct);
  return distinct;
}
