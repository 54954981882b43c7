import fc from "fast-check";
import { expect, it } from "vitest";
import { EventReader, type SentEvent } from "./sse.js";

const STREAM =
  'retry: 500\n\n: alive\n\nid: 7\ndata: {"kind":"post"}\n\ndata: one\ndata: two\n\nid: 8\n\ndata: ü🎵\n\n';
const EVENTS: readonly SentEvent[] = [
  { id: "7", data: '{"kind":"post"}' },
  { id: null, data: "one\ntwo" },
  { id: null, data: "ü🎵" },
];

it("reads the same events, however the text is split", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: STREAM.length })), (cuts) => {
      const places = [0, ...cuts.sort((one, other) => one - other), STREAM.length];
      const reader = new EventReader();
      const pieces = places.slice(1).map((end, at) => STREAM.slice(places[at], end));
      expect(pieces.flatMap((piece) => reader.push(piece))).toEqual(EVENTS);
    }),
  );
});

it("waits for the end of an event", () => {
  const reader = new EventReader();
  expect(reader.push("data: half")).toEqual([]);
  expect(reader.push(" and half\n")).toEqual([]);
  expect(reader.push("\n")).toEqual([{ id: null, data: "half and half" }]);
});

it("fails on an event that does not end", () => {
  const reader = new EventReader();
  expect(() => reader.push("x".repeat(16_000_001))).toThrow("without an end");
});
