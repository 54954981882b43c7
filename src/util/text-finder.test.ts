import fc from "fast-check";
import { expect, test } from "vitest";
import { TextFinder } from "./text-finder.js";

/** Few characters, so that texts begin, end and hold each other. */
const text = fc.string({ unit: fc.constantFrom("a", "b", "c", "\n") });

/** The same by trying every place. */
function marked(haystack: string, words: readonly string[]): boolean[] {
  const places = [...haystack].flatMap((character, at) => (character === "\n" ? [] : [at]));
  const bare = haystack.replaceAll("\n", "");
  const hit = Array.from({ length: haystack.length }, () => false);
  for (const word of words.map((each) => each.replaceAll("\n", ""))) {
    if (word === "") continue;
    for (let at = bare.indexOf(word); at >= 0; at = bare.indexOf(word, at + 1)) {
      hit.fill(true, places[at], (places[at + word.length - 1] ?? 0) + 1);
    }
  }
  return hit;
}

test("finds what trying every place finds", () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 6 }), text, (words, haystack) => {
      const hit = Array.from({ length: haystack.length }, () => false);
      for (const { start, end } of new TextFinder(words).find(haystack)) hit.fill(true, start, end);
      expect(hit).toEqual(marked(haystack, words));
    }),
    { numRuns: 2_000 },
  );
});

test("finds it in a long text too, wherever it stands and wraps", () => {
  const word = "secret-of-ours";
  const finder = new TextFinder([word]);
  for (let start = 65_530; start <= 65_540; start++) {
    for (const found of [word, "secret-\r\n  of-ours"]) {
      const end = start + found.length;
      const before = "secret ".repeat(20_000).slice(0, start);
      expect(finder.find(`${before}${found} secret`)).toEqual([{ start, end }]);
    }
  }
});

test("tells which end may be the beginning of one, also of a text in pieces", () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 6 }), fc.array(text, { maxLength: 4 }), (words, pieces) => {
      const finder = new TextFinder(words);
      const reading = finder.begin();
      for (const piece of pieces) finder.read(reading, piece);
      const haystack = pieces.join("");
      const openFrom = finder.openFrom(reading);
      const bare = (part: string) => part.replaceAll("\n", "");
      const isOpen = (end: string) => end !== "" && words.some((word) => bare(word).startsWith(end));
      expect(openFrom === haystack.length || isOpen(bare(haystack.slice(openFrom)))).toBe(true);
      for (let at = 0; at < openFrom; at++) {
        if (haystack[at] !== "\n") expect(isOpen(bare(haystack.slice(at)))).toBe(false);
      }
    }),
    { numRuns: 2_000 },
  );
});
