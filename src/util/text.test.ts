import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapePart, unescapePart } from "./escape.js";
import { cleanLine, printableText, shorten, storableText } from "./text.js";

const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      "\u001b",
      "[",
      "]",
      "0",
      ";",
      "m",
      "\u0007",
      "\u009b",
      "\u009d",
      "\\",
      "\n",
      "\r",
      "\t",
      "\u2028",
      "\u202e",
      "\ud83d",
      "\u{e0041}",
      "é",
      "P",
      "^",
    ),
    fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
  ),
});

describe("cleanLine", () => {
  it("folds a text into one visible line", () => {
    expect(cleanLine("  a\n\tb\u2028c\u0085d  ")).toBe("a b c d");
    expect(cleanLine("\u001b]0;evil\u0007ok\u001b[31m red\u001b[0m")).toBe("ok red");
    expect(cleanLine("in\u200bvis\u202eible\u{e0041}")).toBe("invisible");
  });

  it("leaves nothing that a terminal or a prompt acts on", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(cleanLine(text)).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u);
        expect(cleanLine(text).isWellFormed()).toBe(true);
        expect(cleanLine(cleanLine(text))).toBe(cleanLine(text));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("printableText", () => {
  it("keeps lines and tabs, and nothing that a terminal acts on", () => {
    expect(printableText("a\r\n\tb\u001b[2Jc")).toBe("a\n\tbc");
    expect(printableText("10%\r20%\r\n\u001b[?2004l\rdone\r\n\r\nend\r\rover")).toBe(
      "10%\n20%\ndone\n\nend\n\nover",
    );
    fc.assert(
      fc.property(hostile, (text) => {
        expect(printableText(text)).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("storableText", () => {
  it("mends what no database keeps, and touches nothing else", () => {
    expect(storableText("a\0b\ud800")).toBe("a\ufffdb\ufffd");
    expect(storableText("\u001b[31m\u202e keep 👩‍👧")).toBe("\u001b[31m\u202e keep 👩‍👧");
  });
});

describe("shorten", () => {
  it("cuts between graphemes, within the limit", () => {
    expect(shorten("short", 10)).toBe("short");
    expect(shorten("👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 13)).toBe("👩‍👩‍👧‍👦…");
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 20 }), (text, max) => {
        const short = shorten(text, max);
        expect(short.length).toBeLessThanOrEqual(Math.max(max, 1));
        expect(short.isWellFormed()).toBe(text.isWellFormed());
      }),
    );
  });
});

describe("escapePart", () => {
  it("leaves plain ids alone and is undone by unescapePart", () => {
    expect(escapePart("-100_@x!é 👍")).toBe("-100_@x!é 👍");
    expect(escapePart("a:b%c\n\ud800")).toBe("a%3Ab%25c%0A%uD800");
    fc.assert(
      fc.property(hostile, (part) => {
        const escaped = escapePart(part);
        expect(unescapePart(escaped)).toBe(part);
        expect(escaped).not.toMatch(/[:\0-\x1f]/);
        expect(escaped.isWellFormed()).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it("takes nothing that escapePart would not have made", () => {
    for (const text of ["a:b", "%", "%3a", "%41", "%u0041", "%zz", "\n"])
      expect(unescapePart(text)).toBeNull();
  });
});
