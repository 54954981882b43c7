import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeFrame, encodeFrame, headerOf } from "./frame.js";

const aFrame = fc.record({
  seqId: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  logId: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  service: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  method: fc.constantFrom(0, 1),
  headers: fc.array(fc.tuple(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" })), {
    maxLength: 10,
  }),
  payload: fc.uint8Array({ maxLength: 2_000 }),
});

describe("a frame", () => {
  it("is read as it was written", () => {
    fc.assert(
      fc.property(aFrame, (frame) => {
        const read = decodeFrame(encodeFrame(frame));
        expect(read && { ...read, payload: [...read.payload] }).toEqual({
          ...frame,
          payload: [...frame.payload],
        });
      }),
    );
  });

  it("is written as Feishu's own library writes it", () => {
    // SeqID 1, LogID 300, service 7, method 1, a header and two bytes, by protobufjs.
    const bytes = "0801 10ac02 1807 2001 2a0d 0a0474797065 12056576656e74 4202 7b7d".replaceAll(" ", "");
    const payload = Buffer.from("{}");
    const frame = {
      seqId: 1n,
      logId: 300n,
      service: 7,
      method: 1,
      headers: [["type", "event"]] as const,
      payload,
    };
    expect(Buffer.from(encodeFrame(frame)).toString("hex")).toBe(bytes);
    expect(headerOf({ ...frame }, "type")).toBe("event");
  });

  it("may have fields that nobody knows", () => {
    const known = encodeFrame({
      seqId: 5n,
      logId: 6n,
      service: 1,
      method: 0,
      headers: [],
      payload: new Uint8Array(),
    });
    // A text of Feishu's own (9), a fixed number (10, 11) and a field far behind (1000).
    const others = Buffer.from("4a0178" + "510000000000000000" + "5d00000000" + "c03e01", "hex");
    expect(decodeFrame(Buffer.concat([known, others]))).toMatchObject({ seqId: 5n, logId: 6n, method: 0 });
  });

  it("is none if its bytes are odd, and reading it never fails", () => {
    fc.assert(
      fc.property(aFrame, fc.nat(), fc.uint8Array({ maxLength: 50 }), (frame, at, noise) => {
        const bytes = encodeFrame(frame);
        const cut = at % bytes.length;
        for (const odd of [bytes.subarray(0, cut), Buffer.concat([bytes.subarray(0, cut), noise]), noise])
          expect(() => decodeFrame(odd)).not.toThrow();
      }),
    );
    for (const odd of ["", "08", "0801", "ff".repeat(12), "0a7f", "0f", "2a" + "ffffffff0f"])
      expect(decodeFrame(Buffer.from(odd, "hex"))).toBeNull();
  });
});
