import fc from "fast-check";
import { expect, it } from "vitest";
import type { WireCall, WireEvent, WireTurn } from "../adapter/web/wire.js";
import { foldTurns, type TurnMap, turnOf } from "./live-turns.js";

const turn = (id: string, more: Partial<WireTurn> = {}): WireTurn => ({
  ...{
    id,
    thread: null,
    startedAt: 0,
    text: "",
    reasoning: "",
    calls: [],
    retry: null,
    isAsking: false,
    ...more,
  },
});
const call = (id: string, more: Partial<WireCall> = {}): WireCall => ({
  ...{ id, name: "terminal", arguments: "{}", state: "running", output: "", result: null, ...more },
});
const fold = (events: readonly WireEvent[], from: TurnMap = new Map()): TurnMap =>
  events.reduce(foldTurns, from);
const begun: WireEvent = { kind: "turn", turn: turn("t") };
const end: WireEvent = {
  ...{
    kind: "end",
    turn: "t",
    thread: null,
    outcome: "done",
    error: null,
    model: null,
    tokens: 0,
    cost: null,
  },
};

it("tells the same words, however they are split", () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.array(fc.string()), (words, thoughts) => {
      const deltas = [
        ...words.map((delta): WireEvent => ({ kind: "text", turn: "t", delta })),
        ...thoughts.map((delta): WireEvent => ({ kind: "reasoning", turn: "t", delta })),
      ];
      const told = fold([begun, ...deltas]).get("t");
      expect(told).toMatchObject({ text: words.join(""), reasoning: thoughts.join("") });
    }),
  );
});

it("begins with a snapshot, takes a later one for it, and ends", () => {
  const later: WireEvent = { kind: "turn", turn: turn("t", { text: "later" }) };
  expect(fold([begun, { kind: "text", turn: "t", delta: "x" }, later]).get("t")?.text).toBe("later");
  expect(fold([begun, end]).size).toBe(0);
  expect(fold([begun, { kind: "hello", position: 0, started: "" }]).size).toBe(0);
});

it("is the same map if nothing changes: without a snapshot, a change says nothing", () => {
  const before: TurnMap = new Map([["other", turn("other")]]);
  const events: readonly WireEvent[] = [
    { kind: "text", turn: "t", delta: "x" },
    { kind: "call", turn: "t", call: call("c") },
    { kind: "output", turn: "t", call: "c", text: "x", skipped: 0 },
    { kind: "output", turn: "other", call: "c", text: "x", skipped: 0 },
    { kind: "changed", what: "jobs" },
    end,
  ];
  for (const event of events) expect(foldTurns(before, event)).toBe(before);
});

it("has each call once, as it is now, with the end of what it printed", () => {
  const output = (text: string, skipped = 0): WireEvent => ({
    kind: "output",
    turn: "t",
    call: "c",
    text,
    skipped,
  });
  const running = fold([
    begun,
    { kind: "call", turn: "t", call: call("c", { state: "planned" }) },
    { kind: "call", turn: "t", call: call("d") },
    { kind: "call", turn: "t", call: call("c") },
  ]);
  expect(running.get("t")?.calls.map(({ id, state }) => `${id} ${state}`)).toEqual([
    "c running",
    "d running",
  ]);
  const printed = (...events: readonly WireEvent[]) => fold(events, running).get("t")?.calls[0]?.output;
  expect(printed(output("one "), output("two"))).toBe("one two");
  expect(printed(output("one "), output("two", 9))).toBe("two");
  expect(printed(output("a".repeat(20_000)), output("end"))).toHaveLength(16 * 1024);
});

it("does not grow without an end", () => {
  const long: WireEvent = { kind: "text", turn: "t", delta: "x".repeat(700_000) };
  expect(fold([begun, long, long]).get("t")?.text).toHaveLength(1_000_000);
});

it("finds the turn of a thread that began last", () => {
  const turns: TurnMap = new Map(
    [turn("a", { startedAt: 2 }), turn("b", { startedAt: 1 }), turn("c", { thread: "x", startedAt: 9 })].map(
      (each) => [each.id, each],
    ),
  );
  expect([turnOf(turns, null)?.id, turnOf(turns, "x")?.id, turnOf(turns, "y")]).toEqual(["a", "c", null]);
});
