import fc from "fast-check";
import { expect, it } from "vitest";
import type { WireMessage } from "../web/wire.js";
import { inOrder, nextToSend, notArrived, serverTime, type Unsent } from "./unsent.js";

const item = (id: string, more: Partial<Unsent> = {}): Unsent => ({
  ...{ id, identity: "telegram:1", thread: null, text: id, files: [], at: 0, order: 0 },
  ...{ tried: 1, after: -1, refused: null, ...more },
});
const said = (seq: number, content: string, more: Partial<WireMessage> = {}): WireMessage => ({
  ...{ seq, at: 0, role: "user", content, isMine: true, ...more },
});
const ids = (items: readonly Unsent[]): string[] => items.map(({ id }) => id);

it("sends in the order of writing; what was refused holds nobody up", () => {
  const items = [item("c", { order: 3 }), item("b", { order: 2 }), item("a", { order: 1, refused: "No." })];
  expect(ids(inOrder(items))).toEqual(["a", "b", "c"]);
  expect(nextToSend(items)?.id).toBe("b");
  expect(nextToSend(items.slice(2))).toBeNull();
});

it("knows when something was written, whatever the clock of the browser says", () => {
  for (const off of [0, -90_000_000, 90_000_000]) {
    const here = 1_000_000_000 + off;
    expect(serverTime(here - 5_000, { here, there: 2_000_000_000 })).toBe(1_999_995_000);
    // The clock was put back since: it was before now, at least.
    expect(serverTime(here + 5_000, { here, there: 2_000_000_000 })).toBe(2_000_000_000);
  }
});

it("has one order, in whatever order they are found", () => {
  const some = fc.uniqueArray(fc.record({ id: fc.string(), order: fc.nat(3) }), { selector: ({ id }) => id });
  fc.assert(
    fc.property(some, fc.func(fc.integer()), (all, key) => {
      const items = all.map(({ id, order }) => item(id, { order }));
      const shuffled = [...items].sort((one, other) => key(one.id) - key(other.id));
      expect(ids(inOrder(shuffled))).toEqual(ids(inOrder(items)));
    }),
  );
});

it("finds what arrived though nobody confirmed it", () => {
  const left = (more: Partial<Unsent>, message: WireMessage) =>
    notArrived([item("hi", more)], [message]).length;
  expect(left({}, said(4, " hi\n"))).toBe(0);
  expect(left({ after: 4 }, said(4, "hi"))).toBe(1); // It was there before.
  expect(left({ tried: 0 }, said(4, "hi"))).toBe(1); // It was never sent.
  expect(notArrived([item("hi", { tried: 0 })], [said(4, "hi")], new Set(["hi"]))).toEqual([]);
  expect(left({}, said(4, "hi", { isMine: undefined }))).toBe(1);
  expect(left({}, said(4, "hi", { role: "assistant" }))).toBe(1);
});

it("takes one message for one that was sent: of two alike, the second is still to come", () => {
  const two = [item("1", { text: "yes" }), item("2", { text: "yes" })];
  expect(ids(notArrived(two, [said(1, "yes")]))).toEqual(["2"]);
  expect(ids(notArrived(two, [said(1, "yes"), said(2, "yes")]))).toEqual([]);
});
