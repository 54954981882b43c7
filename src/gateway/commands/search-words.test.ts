import fc from "fast-check";
import { expect, it } from "vitest";
import { parseSearchWords } from "./search-words.js";

it.each([
  ["garden party", "garden party", {}],
  ["garden from:abc", "garden", { from: "abc" }],
  ["FROM:abc garden role:user,tool", "garden", { from: "abc", role: "user,tool" }],
  ["a after:2026-01-01T10:00 before:7d b", "a b", { after: "2026-01-01T10:00", before: "7d" }],
  ['in:"Garden plans" rose', "rose", { in: "Garden plans" }],
  ['"from:abc" rose*', '"from:abc" rose*', {}],
  ["http://x.test to:abc", "http://x.test to:abc", {}],
  ["from: abc", "from: abc", {}],
  ['in:"" rose', 'in:"" rose', {}],
  ["role:user role:tool", "", { role: "tool" }],
  ["xfrom:abc a-from:abc", "xfrom:abc a-from:abc", {}],
  ["", "", {}],
])("reads %j", (text, query, filters) => expect(parseSearchWords(text)).toEqual({ query, filters }));

it("loses no word, whatever it is given", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 100 }), (text) => {
      const { query, filters } = parseSearchWords(text);
      const kept = [...Object.keys(filters), ...Object.values(filters), query].join(" ").toLowerCase();
      const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
      const repeats =
        new Set(Object.keys(filters)).size < (text.match(/(?:from|role|after|before|in):/gi) ?? []).length;
      if (!repeats) for (const word of words) expect(kept).toContain(word);
    }),
  );
});
