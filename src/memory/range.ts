/**
 * Which messages are summed up. A range begins where the last one ended, and ends before a message of a person: so no
 * call is apart from its result. The last request and what follows it always stay as they are. Pure.
 */
import type { Message, StoredMessage } from "../session/transcript.js";
import { tokensOf, tokensOfAll } from "./tokens.js";

export interface KeepRule {
  /** So many turns stay, whatever they take. At least the last request does. */
  readonly turns: number;
  /** More of them stay while all together have at most so many tokens. */
  readonly tokens: number;
}

/** The `seq` of the first message that stays word for word; null if all do. */
export function keptFrom(
  { messages, seqs }: { readonly messages: readonly Message[]; readonly seqs: readonly number[] },
  rule: KeepRule,
): number | null {
  const request = lastRequest(messages);
  if (request < 0) return null;
  let first = request;
  let turns = 1;
  let tokens = tokensOfAll(messages.slice(request));
  for (let index = request - 1; index >= 0; index--) {
    const message = messages[index];
    if (!message) break;
    tokens += tokensOf(message);
    if (message.role !== "user") continue;
    turns += 1;
    if (turns > rule.turns && tokens > rule.tokens) break;
    first = index;
  }
  return first === 0 ? null : (seqs[first] ?? null);
}

/** So many messages may have joined a turn. Where people interrupt every answer, no more of them count as one request. */
const MOST_JOINED = 8;

/**
 * The place of what a person asked for last: the first message since the last answer, because others may have joined its
 * turn. What Baton itself told the agent is no request, unless there is nothing else.
 */
export function lastRequest(messages: readonly Message[]): number {
  let request = -1;
  let joined = 0;
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message?.role === "user" && !message.note) {
      if (joined++ > MOST_JOINED) break;
      request = index;
    } else if (request >= 0 && message?.role === "assistant" && !message.toolCalls?.length) break;
  }
  return request < 0 ? messages.findLastIndex(({ role }) => role === "user") : request;
}

/** What a message takes in a record besides its words: its number, who wrote it, and when. */
const LINE = 30;

export interface Range {
  readonly messages: readonly StoredMessage[];
  /** The `seq` of its last message. */
  readonly through: number;
  /** What it takes in a record. */
  readonly tokens: number;
}

/**
 * As many whole turns from the beginning as have at most so many tokens, but at least one. `messages` are the active
 * ones from the cursor on, without those that stay; `isAll` says that no more follow before those that stay.
 */
export function rangeOf(messages: readonly StoredMessage[], chunk: number, isAll: boolean): Range | null {
  let [read, tokens, end] = [0, 0, 0];
  const endAt = (index: number): void => {
    [tokens, end] = [read, index];
  };
  for (const [index, message] of messages.entries()) {
    if (index > 0 && message.role === "user") endAt(index);
    read += tokensOf(message) + LINE;
    if (read > chunk && end > 0) break;
    if (index === messages.length - 1 && isAll) endAt(messages.length);
  }
  const last = messages[end - 1];
  return last ? { messages: messages.slice(0, end), through: last.seq, tokens } : null;
}

/** The smallest and the largest range from one cursor whose summaries were not shorter, in tokens. */
export interface RefusedRanges {
  readonly least: number;
  readonly most: number;
}

export function withRefused(refused: RefusedRanges | null, { tokens }: Range): RefusedRanges {
  return {
    least: Math.min(refused?.least ?? tokens, tokens),
    most: Math.max(refused?.most ?? tokens, tokens),
  };
}

/** After a refusal, a range that is smaller than this part of what fits is not worth a try. */
const SMALLEST_PART = 1 / 8;

/**
 * The range to try next: all of `whole` if it is at least twice what was refused, else half of the smallest that was.
 * None is tried again that was refused; null if nothing is left that is worth a try.
 */
export function untried(whole: Range, refused: RefusedRanges | null, chunk: number): Range | null {
  if (!refused || whole.tokens >= 2 * refused.most) return whole;
  const half = Math.floor(refused.least / 2);
  if (half < chunk * SMALLEST_PART) return null;
  const smaller = rangeOf(whole.messages, half, true);
  return smaller && smaller.tokens < refused.least ? smaller : null;
}

/** What takes an excerpt if nothing is left to try: no more than was refused, because the rest may be summed up. */
export function refusedPart(whole: Range, { most }: RefusedRanges): Range {
  return rangeOf(whole.messages, most, true) ?? whole;
}
