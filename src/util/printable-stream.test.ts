import fc from "fast-check";
import { expect, it } from "vitest";
import { PrintableStream } from "./printable-stream.js";
import { printableText } from "./text.js";

const hostile = fc.array(
  fc.constantFrom(
    ...[
      "\u001b",
      "[",
      "]",
      "P",
      "\\",
      "0",
      ";",
      "m",
      "\u0007",
      "\u009b",
      "\u009d",
      "\u009c",
      "\r\n",
      "\r",
      "\n",
      "\u2028",
      "\ud83d",
      "\ude00",
      "a",
      " ",
    ],
  ),
  { maxLength: 60 },
);

it("gives the pieces what it would have given the whole", () => {
  fc.assert(
    fc.property(hostile, fc.array(fc.nat(60)), (parts, cuts) => {
      const text = parts.join("");
      const places = [0, ...cuts, text.length].sort((a, b) => a - b);
      const pieces = places.map((place, index) => text.slice(place, places[index + 1]));
      const stream = new PrintableStream();
      const shown = pieces.map((piece) => stream.push(piece)).join("") + stream.end();
      expect(shown).toBe(printableText(text));
    }),
    { numRuns: 5_000 },
  );
});

it("takes carriage returns after a break for a part of it, also if the next piece goes on with them", () => {
  const stream = new PrintableStream();
  expect(["a\n\r\r", "\rb", "\r", "\rc"].map((piece) => stream.push(piece)).join("")).toBe("a\nb\n\nc");
});

it("does not wait forever for the end of a sequence", () => {
  const stream = new PrintableStream();
  const shown = ["\u001b]0;", ..."x".repeat(3_000)].map((piece) => stream.push(piece)).join("");
  expect(shown.length).toBeGreaterThan(1_500);
});
