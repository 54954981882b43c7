/**
 * What a conversation shows, in order, out of everything that is known of it: its transcript, the letters beside it, what
 * waits here and at the server, and the turn that runs. Nothing is shown twice, whichever of these hears of it first.
 */
import type { WireCall, WirePost, WireTurn } from "../adapter/web/wire.js";
import type { WireChat, WireMessage } from "../web/wire.js";
import { notArrived, type Unsent } from "./unsent.js";

export type ShownCall = Pick<WireCall, "id" | "name" | "arguments" | "output" | "result"> & {
  /** `lost`: its turn is over, and nothing came of it. */
  readonly state: WireCall["state"] | "lost";
};

export type Entry =
  | { readonly kind: "day"; readonly key: string; readonly at: number }
  | { readonly kind: "said"; readonly key: string; readonly message: WireMessage }
  | {
      readonly kind: "answer";
      readonly key: string;
      readonly message: WireMessage;
      readonly calls: readonly ShownCall[];
    }
  | { readonly kind: "post"; readonly key: string; readonly post: WirePost }
  | { readonly kind: "command"; readonly key: string; readonly text: string; readonly at: number }
  | {
      readonly kind: "turn";
      readonly key: string;
      readonly turn: WireTurn;
      readonly text: string;
      readonly calls: readonly WireCall[];
    }
  | { readonly kind: "waiting"; readonly key: string; readonly text: string; readonly at: number }
  | { readonly kind: "unsent"; readonly key: string; readonly item: Unsent };

export interface KnownChat {
  readonly sessionId: string | null;
  readonly messages: readonly WireMessage[];
  readonly posts: readonly WirePost[];
  readonly waiting: WireChat["waiting"];
  /** Of this thread, in order. */
  readonly unsent: readonly Unsent[];
  /** Confirmed, and not in what was read since. */
  readonly accepted: readonly Unsent[];
  /** Commands that were typed here: no transcript has them. */
  readonly typed: readonly { readonly id: string; readonly text: string; readonly at: number }[];
  /** Those that run, and those that ended and are not in `messages` yet. */
  readonly turns: readonly WireTurn[];
}

export function timelineOf(known: KnownChat): readonly Entry[] {
  const { messages, turns, sessionId } = known;
  const since = Math.min(...turns.map(({ startedAt }) => startedAt), Number.POSITIVE_INFINITY);
  const posts = known.posts
    .filter(({ isGone, transcript }) => !isGone && (transcript === null || transcript !== sessionId))
    .map((post) => ({ kind: "post", key: `post ${post.id}`, post }) as const);
  const typed = known.typed.map(({ id, text, at }) => ({ kind: "command", key: id, text, at }) as const);
  const beside = [...posts, ...typed].sort((one, other) => atOf(one) - atOf(other));
  // What was told while a turn runs, such as its questions, stands below it.
  const before = beside.filter((entry) => atOf(entry) < since);
  const after = beside.filter((entry) => atOf(entry) >= since);
  const live = turns.flatMap((turn) => turnEntry(turn, messages));
  const waitingIds = new Set(known.waiting.map(({ id }) => id));
  const isWaiting = ({ id }: { id: string }): boolean => waitingIds.has(id);
  const acceptedIds = new Set(known.accepted.map(({ id }) => id));
  // What another tab has sent may still be in the outbox of this one.
  const unsent = known.unsent.filter(({ id }) => !acceptedIds.has(id));
  const own = notArrived(
    [...known.accepted, ...unsent].filter((item) => !isWaiting(item)),
    messages,
    acceptedIds,
  );
  return [
    ...withDays(merged(messageEntries(messages), before)),
    ...live,
    ...after,
    ...known.waiting.map(({ id, text, at }) => ({ kind: "waiting", key: id, text, at }) as const),
    ...own.map((item) => ({ kind: "unsent", key: item.id, item }) as const),
  ];
}

/** A transcript by itself. */
export function transcriptOf(messages: readonly WireMessage[]): readonly Entry[] {
  return withDays(messageEntries(messages));
}

function messageEntries(messages: readonly WireMessage[]): Entry[] {
  const results = new Map<string, string>();
  for (const { role, toolCallId, content } of messages)
    if (role === "tool" && toolCallId !== undefined) results.set(toolCallId, content);
  return messages.flatMap((message): Entry[] => {
    const key = `message ${message.seq}`;
    if (message.role === "tool") return [];
    if (message.role !== "assistant") return [{ kind: "said", key, message }];
    const calls = (message.toolCalls ?? []).map((call): ShownCall => {
      const result = results.get(call.id) ?? null;
      return { ...call, output: "", result, state: result === null ? "lost" : "done" };
    });
    return [{ kind: "answer", key, message, calls }];
  });
}

/** Without what the transcript says already. */
function turnEntry(turn: WireTurn, messages: readonly WireMessage[]): Entry[] {
  const saved = new Set(messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id)));
  const calls = turn.calls.filter(({ id }) => !saved.has(id));
  const said = turn.text.trim();
  const isSaved = messages.some(
    ({ role, at, content }) => role === "assistant" && at >= turn.startedAt && content.trim() === said,
  );
  return [{ kind: "turn", key: `turn ${turn.id}`, turn, text: isSaved ? "" : turn.text, calls }];
}

function atOf(entry: Entry): number {
  switch (entry.kind) {
    case "said":
    case "answer":
      return entry.message.at;
    case "post":
      return entry.post.at;
    case "turn":
      return entry.turn.startedAt;
    case "unsent":
      return entry.item.at;
    default:
      return entry.at;
  }
}

/** Messages keep their order, whatever their times say. */
function merged(messages: readonly Entry[], beside: readonly Entry[]): Entry[] {
  const all: Entry[] = [];
  let next = 0;
  for (const message of messages) {
    for (let entry = beside[next]; entry && atOf(entry) <= atOf(message); entry = beside[next]) {
      all.push(entry);
      next += 1;
    }
    all.push(message);
  }
  return [...all, ...beside.slice(next)];
}

function withDays(entries: readonly Entry[]): Entry[] {
  let last = "";
  return entries.flatMap((entry) => {
    const at = atOf(entry);
    const day = new Date(at).toDateString();
    if (day === last) return [entry];
    last = day;
    return [{ kind: "day", key: `day ${day}`, at } as const, entry];
  });
}
