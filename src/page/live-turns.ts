/**
 * The turns that run, as they were told: a snapshot and every change after it. Only what comes over the stream counts here,
 * because a snapshot that was fetched has no place in the order of the changes.
 */
import { signal } from "@preact/signals";
import type { WireCall, WireEvent, WireTurn } from "../adapter/web/wire.js";

export type TurnMap = ReadonlyMap<string, WireTurn>;

const MOST_OUTPUT = 16 * 1024;
const MOST_WORDS = 1_000_000;

/** The turns after an event; the same map if it changes none. */
export function foldTurns(turns: TurnMap, event: WireEvent): TurnMap {
  switch (event.kind) {
    case "hello":
      return turns.size === 0 ? turns : new Map();
    case "turn":
      return new Map(turns).set(event.turn.id, event.turn);
    case "end":
      return without(turns, event.turn);
    case "text":
    case "reasoning": {
      const turn = turns.get(event.turn);
      if (!turn) return turns;
      const grown = (turn[event.kind] + event.delta).slice(-MOST_WORDS);
      return new Map(turns).set(turn.id, { ...turn, [event.kind]: grown });
    }
    case "call":
      return changed(turns, event.turn, event.call.id, () => event.call);
    case "output":
      return changed(turns, event.turn, event.call, (call) => {
        if (!call) return null;
        const before = event.skipped > 0 ? "" : call.output;
        return { ...call, output: (before + event.text).slice(-MOST_OUTPUT) };
      });
    default:
      return turns;
  }
}

function without(turns: TurnMap, id: string): TurnMap {
  if (!turns.has(id)) return turns;
  const left = new Map(turns);
  left.delete(id);
  return left;
}

function changed(
  turns: TurnMap,
  id: string,
  callId: string,
  change: (call: WireCall | undefined) => WireCall | null,
): TurnMap {
  const turn = turns.get(id);
  if (!turn) return turns;
  const call = change(turn.calls.find((each) => each.id === callId));
  if (call === null) return turns;
  const isNew = !turn.calls.some((each) => each.id === callId);
  const calls = isNew ? [...turn.calls, call] : turn.calls.map((each) => (each.id === callId ? call : each));
  return new Map(turns).set(id, { ...turn, calls });
}

/** What is shown: behind the truth by no more than a person can see. */
export const liveTurns = signal<TurnMap>(new Map());

const PACE_MS = 60;
let now: TurnMap = new Map();
let pacing: ReturnType<typeof setTimeout> | null = null;

/** The turns as they are, with everything that was told. */
export function turnsNow(): TurnMap {
  return now;
}

export function setTurns(turns: TurnMap): void {
  now = turns;
  liveTurns.value = turns;
}

export function takeTurnEvent(event: WireEvent): void {
  const next = foldTurns(now, event);
  if (next === now) return;
  now = next;
  const isDelta = event.kind === "text" || event.kind === "reasoning" || event.kind === "output";
  if (!isDelta) liveTurns.value = now;
  else if (pacing === null)
    pacing = setTimeout(() => {
      pacing = null;
      liveTurns.value = now;
    }, PACE_MS);
}

/** The one of a thread that began last. */
export function turnOf(turns: TurnMap, thread: string | null): WireTurn | null {
  let found: WireTurn | null = null;
  for (const turn of turns.values())
    if (turn.thread === thread && (!found || turn.startedAt >= found.startedAt)) found = turn;
  return found;
}
