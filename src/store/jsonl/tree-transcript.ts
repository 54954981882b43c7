/**
 * A transcript whose entries name the one before them, as several agents keep it: the conversation is the branch that
 * leads to the last entry, and other branches are what somebody went back on. Pure.
 */
import type { Message } from "../../session/transcript.js";
import type { Fields } from "../../util/json.js";
import { amountIn, countIn } from "./fields.js";

/** The messages of a source in its order. */
export interface ReadTranscript {
  readonly messages: Message[];
  /** How many of the source's own messages stood before each one, also those that could not be read. */
  readonly places: number[];
}

/** One entry, in words that all these programs share. */
export interface TreeEntry {
  readonly id?: string;
  /** The entry before it; null if it says that it is the first. Absent or lost: the one before it in the source. */
  readonly parent?: string | null;
  /** None if it is bookkeeping. */
  readonly messages: readonly Message[];
  /** What takes the place of everything before the entry `firstKept`, or before this one. */
  readonly summary?: { readonly text: string; readonly firstKept?: string };
  /** The answer that it is a piece of: one answer may be in several entries. */
  readonly piece?: string;
  /** It belongs to another agent that this one asked. */
  readonly aside?: boolean;
  /** Has input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, estimated_cost_usd: of a whole answer. */
  readonly usage?: Fields;
  readonly title?: { readonly text: string; readonly rank: number };
}

export interface TreeTranscript extends ReadTranscript {
  readonly summary?: string;
  /** How many messages the summary stands for. */
  readonly consolidated: number;
  readonly title?: string;
  readonly usage: Fields;
  /** How many messages are on other branches, and how many are of other agents. */
  readonly leftOut: number;
  readonly aside: number;
}

export function foldTree(entries: readonly TreeEntry[]): TreeTranscript {
  const chosen = branchOf(entries);
  const messages: Message[] = [];
  const pieces = new Map<string, { at: number; usage: Fields; said: Message[] }>();
  /** How many messages stand before each chosen entry. */
  const before = new Map<number, number>();
  let summary: { text: string; at: number; firstKept?: string } | undefined;
  for (const index of chosen) {
    const entry = entries[index] as TreeEntry;
    before.set(index, messages.length);
    if (entry.summary) summary = { ...entry.summary, at: messages.length };
    const piece = entry.piece === undefined ? undefined : pieces.get(entry.piece);
    const [said] = entry.messages;
    if (piece && said) {
      piece.said.push(said);
      piece.usage = entry.usage ?? piece.usage;
      continue;
    }
    const usage = entry.usage ?? {};
    if (said) pieces.set(entry.piece ?? `\n${index}`, { at: messages.length, usage, said: [said] });
    for (const message of entry.messages) messages.push(message);
  }
  for (const { at, said } of pieces.values()) if (said.length > 1) messages[at] = joined(said);
  const kept = summary?.firstKept;
  const keptAt = kept === undefined ? -1 : entries.findIndex(({ id }) => id === kept);
  const spoken = (entry: TreeEntry) => (entry.messages.length > 0 ? 1 : 0);
  const isChosen = new Set(chosen);
  const others = entries.filter((_, index) => !isChosen.has(index));
  return {
    messages: namedResults(messages),
    places: messages.map((_, place) => place),
    ...(summary ? { summary: summary.text } : {}),
    consolidated: summary ? (before.get(keptAt) ?? summary.at) : 0,
    ...titleOf(entries),
    usage: totalOf([...pieces.values()].map(({ usage }) => usage)),
    leftOut: others.reduce((sum, entry) => sum + (entry.aside ? 0 : spoken(entry)), 0),
    aside: others.reduce((sum, entry) => sum + (entry.aside ? spoken(entry) : 0), 0),
  };
}

/** The places of the entries on the branch, in the source's order. */
function branchOf(entries: readonly TreeEntry[]): number[] {
  const places = new Map<string, number>();
  entries.forEach(({ id }, index) => {
    if (id !== undefined && !places.has(id)) places.set(id, index);
  });
  const isMain = ({ aside, messages, summary }: TreeEntry) =>
    !aside && (messages.length > 0 || summary !== undefined);
  const chosen = new Set<number>();
  let at = entries.findLastIndex(isMain);
  while (at >= 0) {
    chosen.add(at);
    at = parentOf(entries, at, places);
  }
  addRest(entries, chosen);
  return [...chosen].sort((a, b) => a - b);
}

/** -1 if it is the first. A parent that is not there was lost: then it is the entry before. */
function parentOf(entries: readonly TreeEntry[], at: number, places: ReadonlyMap<string, number>): number {
  const parent = entries[at]?.parent;
  if (parent === null) return -1;
  const known = parent === undefined ? undefined : places.get(parent);
  if (known !== undefined && known < at) return known;
  let previous = at - 1;
  while (previous >= 0 && entries[previous]?.aside) previous -= 1;
  return previous;
}

/** Answers with several calls branch by themselves: what belongs to an answer on the branch is on it too. */
function addRest(entries: readonly TreeEntry[], chosen: Set<number>): void {
  const pieces = new Set<string>();
  for (const index of chosen) pieces.add(entries[index]?.piece ?? "");
  pieces.delete("");
  entries.forEach(({ piece, aside }, index) => {
    if (piece !== undefined && !aside && pieces.has(piece)) chosen.add(index);
  });
  const calls = new Set<string>();
  for (const index of chosen) for (const id of callsOf(entries[index])) calls.add(id);
  entries.forEach(({ messages, aside }, index) => {
    const isResult = messages.length > 0 && messages.every(({ role }) => role === "tool");
    if (isResult && !aside && messages.some((each) => each.role === "tool" && calls.has(each.toolCallId)))
      chosen.add(index);
  });
}

function callsOf(entry: TreeEntry | undefined): string[] {
  return (entry?.messages ?? []).flatMap((message) =>
    message.role === "assistant" ? (message.toolCalls ?? []).map(({ id }) => id) : [],
  );
}

/** The pieces of one answer. */
function joined(pieces: readonly Message[]): Message {
  const answers = pieces.flatMap((piece) => (piece.role === "assistant" ? [piece] : []));
  const calls = answers.flatMap(({ toolCalls = [] }) => toolCalls);
  const reasoning = answers.flatMap((answer) => answer.reasoning || []).join("\n");
  const at = answers[0]?.at;
  return {
    role: "assistant",
    content: answers.flatMap(({ content }) => content || []).join("\n"),
    ...(calls.length > 0 ? { toolCalls: calls } : {}),
    ...(reasoning ? { reasoning } : {}),
    ...(at === undefined ? {} : { at }),
  };
}

/** A result has the name of the tool that was called, if it does not say it itself. */
function namedResults(messages: readonly Message[]): Message[] {
  const names = new Map<string, string>();
  return messages.map((message) => {
    if (message.role === "assistant") for (const { id, name } of message.toolCalls ?? []) names.set(id, name);
    const name = message.role === "tool" && !message.name ? names.get(message.toolCallId) : undefined;
    return name ? { ...message, name } : message;
  });
}

function titleOf(entries: readonly TreeEntry[]): { title?: string } {
  const titles = entries.flatMap(({ title }) => (title ? [title] : []));
  const best = titles.reduce<(typeof titles)[number] | undefined>(
    (a, b) => (a && a.rank > b.rank ? a : b),
    undefined,
  );
  return best ? { title: best.text } : {};
}

const COUNTS = ["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"] as const;

function totalOf(usages: readonly Fields[]): Fields {
  const counts = COUNTS.map((name) => [name, usages.reduce((sum, usage) => sum + countIn(usage[name]), 0)]);
  const cost = usages.reduce((sum, usage) => sum + amountIn(usage.estimated_cost_usd), 0);
  return { ...Object.fromEntries(counts), estimated_cost_usd: cost };
}
