/**
 * Texts that are made to break or to delay, outward and inward, on every platform. Work is counted, not timed: how often
 * and how much of a text is rendered while it is cut, and into how many pieces.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_INBOUND } from "../../src/adapter/inbound-limit.js";
import { renderRows } from "../../src/adapter/terminal/markdown.js";
import { loadMarkdown, split } from "../../src/delivery/split.js";
import { cleanLine, printableText } from "../../src/util/text.js";
import { aDeepText, aHostileText } from "../support/hostile-text.js";
import { INBOUND } from "../support/inbound-readers.js";
import { RENDERERS } from "../support/renderers.js";

await loadMarkdown();

/** `BATON_TEST_FULL=1`: as many as are promised. */
const RUNS = process.env.BATON_TEST_FULL ? 20_000 : 40;
/** Each takes a few milliseconds, on a machine that is kept busy a hundred. */
const TIMEOUT_MS = 300_000 + 500 * RUNS;
const hostile = fc.oneof(aHostileText(3_000), aDeepText(3_000), aHostileText(6_000));
/** All that people would miss: letters and digits, in their order. */
const wordsOf = (text: string): string => text.replace(/[^a-z0-9é漢👍]/gu, "");

/**
 * What is not in the pieces, in its order, from the first letter on that is missing; they may repeat some. Explanations of
 * names are not shown, entities and letters stand for each other, and the numbers of a list go on from piece to piece.
 */
function lost(text: string, pieces: readonly string[]): string {
  const letters = (each: string): string => wordsOf(each.replace(/&#?\w{1,32};/g, "")).replace(/\d/g, "");
  const words = letters(text.replace(/^.*\]:.*$/gm, ""));
  const written = pieces
    .join("\n")
    .replace(/&#x([\da-f]{1,6});/gi, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)));
  const found = letters(written);
  let [at, from] = [0, 0];
  for (; at < words.length; at++) {
    const next = found.indexOf(words.charAt(at), from);
    if (next === -1) return words.slice(at);
    from = next + 1;
  }
  return "";
}

describe.each(Object.entries(RENDERERS))("what is said on %s", (_, { room, read }) => {
  it(
    "is cut and rendered with bounded work, and none of it is lost",
    () => {
      fc.assert(
        fc.property(hostile, (text) => {
          let [times, characters] = [0, 0];
          const lengthOf = (piece: string): number => {
            times += 1;
            characters += piece.length;
            return room.lengthOf(piece);
          };
          const pieces = split(text, { max: room.max, lengthOf });
          // Telegram takes a hundred marks in a message, and a mark may have three characters.
          expect(pieces.length).toBeLessThanOrEqual(2 + text.length / (room.max / 16));
          expect(times).toBeLessThanOrEqual(16 * (pieces.length + 1));
          expect(characters).toBeLessThanOrEqual(64 * (text.length + room.max));
          for (const piece of pieces) expect(read(piece)).not.toBe("");
          expect(lost(text, pieces)).toBe("");
        }),
        { numRuns: RUNS },
      );
    },
    TIMEOUT_MS,
  );

  it.each(["- ", "> ", "1. ", "> - 1. ", "[", "*_"])(
    "shows %j 1,500 times, and the words behind it",
    (unit) => {
      const text = `${unit.repeat(1_500)}the answer`;
      const shown = split(text, room).map((piece) => read(piece));
      expect(wordsOf(shown.join(""))).toContain("theanswer");
    },
  );
});

describe("in the terminal", () => {
  it("every block is shown, however deep it is", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const rows = renderRows(text, { width: 40, color: false });
        if (wordsOf(printableText(text)) !== "") expect(rows.length).toBeGreaterThan(0);
      }),
      { numRuns: 100 },
    );
  }, 300_000);
});

describe.each(Object.entries(INBOUND))("what comes from %s", (_, read) => {
  it("is read whole up to the limit, and cut beyond it", () => {
    const length = fc.constantFrom(10, 1_000, 40_000, 3 * MAX_INBOUND);
    fc.assert(
      fc.property(length.chain(aHostileText), (text) => {
        const heard = read(`x${text}`);
        expect(heard).not.toBeNull();
        expect(heard?.length).toBeLessThanOrEqual(2 * MAX_INBOUND);
        if (text.length > MAX_INBOUND + 64) expect(heard).toContain("[cut off here: the message has ");
        expect(cleanLine(heard ?? "").length).toBeLessThanOrEqual(heard?.length ?? 0);
      }),
      { numRuns: 100 },
    );
  });
});
