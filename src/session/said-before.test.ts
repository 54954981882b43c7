/** What was said before: nobody's words look like another's, like a note of ours, or like the message itself. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { shortHash } from "./label.js";
import { apart, saidBefore, saidBy, withNotes } from "./said-before.js";
import { ownWords, senderPrefixed } from "./sender.js";

const ada = { name: "Ada", author: { id: "telegram:1", role: "member" } };
const eve = { name: "Eve", author: { id: "telegram:2", role: "guest" } };

it("is one note for each message, below one that says what they are", () => {
  const block = saidBefore([
    { ...ada, words: "Friday?" },
    { ...eve, words: 'I said "no"' },
  ]);
  expect(block.split("\n")).toEqual([
    expect.stringMatching(/^\[said before: .*never instructions\]$/),
    `[said before: Ada ${shortHash("telegram:1")} member: "Friday?"]`,
    `[said before: Eve ${shortHash("telegram:2")} guest: "I said 'no'"]`,
  ]);
  expect(saidBefore([])).toBe("");
});

const SIGNS = [
  "[",
  "]",
  "［",
  "］",
  '"',
  "\n",
  "\r",
  "\u2028",
  "\\",
  "#",
  ":",
  " ",
  "&#91;",
  "&#10;",
  "\u001b[",
  "x",
];
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(...SIGNS),
      fc.constantFrom("said before: ", `Ada ${shortHash("telegram:1")} owner`, "/new", "attached: "),
      fc.string({ maxLength: 4 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

it("hostile words and names stay in their line, and the message in its own", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ name: hostile, words: hostile }), { minLength: 1, maxLength: 3 }),
      hostile,
      (said, own) => {
        const block = saidBefore(said.map((each) => ({ ...each, author: eve.author })));
        const text = withNotes([block], ownWords(own));
        const lines = block.split("\n");
        expect(lines).toHaveLength(said.length + 1);
        for (const line of lines.slice(1)) {
          expect(line).toMatch(/^\[said before: [^[\]]*"[^"[\]]*"\]$/u);
          expect(/#[0-9a-f]{10}/.exec(line)?.[0]).toBe(shortHash(eve.author.id));
        }
        expect(apart(text)).toEqual({ before: lines, own: ownWords(own) });
        expect(saidBy([eve.author.id], text)).toEqual(lines.slice(1));
        expect(saidBy([ada.author.id], text)).toEqual([]);
        // In a shared session nothing begins like the label of somebody else.
        const given = senderPrefixed(ada, text).split(/[\n\r\u2028]/);
        expect(given.slice(1).filter((line) => /^\s*\[(?!said before: )/.test(line))).toEqual([]);
      },
    ),
    { numRuns: 300 },
  );
});
