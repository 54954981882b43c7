/**
 * Every reader of what comes from outside, with deep and long texts and lists. Work is counted, not timed: a reader takes
 * a bounded number of steps a character, whatever the characters are, and never ends the stack.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isTooCostly } from "../src/adapter/markdown/cost.js";
import { partsOfMarkdown } from "../src/adapter/markdown/parts.js";
import { parseMarkdown } from "../src/adapter/markdown/read.js";
import { globMatcher } from "../src/agent/tools/glob.js";
import { checkText } from "../src/config/read-file.js";
import { homeFile } from "../src/config/schema.js";
import { Commands } from "../src/gateway/commands/commands.js";
import { inboundText } from "../src/gateway/inbound-text.js";
import { label } from "../src/session/label.js";
import { senderPrefixed } from "../src/session/sender.js";
import { cleanTitle } from "../src/session/session.js";
import { parseQuery, snippetOf } from "../src/store/search/query.js";
import { searchableText, termsOf } from "../src/store/search/terms.js";
import { readableHtml } from "../src/util/readable-html.js";
import { Redactor } from "../src/util/redact.js";
import { seenText } from "../src/util/seen-text.js";
import { cleanLine, printableText } from "../src/util/text.js";
import { LISTS, LONGEST_PATH } from "./support/hostile-lists.js";
import { aDeepText, aHostileText, deepTexts, filled, UNITS } from "./support/hostile-text.js";
import { INBOUND } from "./support/inbound-readers.js";
import { stepsOf } from "./support/steps.js";

const redactor = new Redactor();
redactor.know(() => ["aaaaaaaaaaaaaaaaaaab", "abababababababab", "a1".repeat(500)]);
redactor.hide(""); // They are known from now on.
const commands = new Commands([], null as never);
const message = { kind: "message", source: {}, messageId: "1" } as never as Parameters<typeof inboundText>[0];

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  ...INBOUND,
  "a line": cleanLine,
  "printable text": printableText,
  "text to be approved": seenText,
  "a label": label,
  "a title": (text) => cleanTitle(text.slice(0, 100)),
  "a sender's text": (text) => senderPrefixed({}, inboundText({ ...message, text })),
  "a command": (text) =>
    commands.isCommand(text) || commands.run({ text: `/${text}` } as never, null as never),
  "a search": parseQuery,
  "search terms": termsOf,
  "a search's snippet": (text) => snippetOf({ role: "user", content: text }, parseQuery("a b x")),
  "a tool's arguments, searched": (text) =>
    searchableText({ role: "assistant", content: "", toolCalls: [{ id: "1", name: "x", arguments: text }] }),
  "known secrets": redactor.hide,
  "what looks like a secret": redactor.redact,
  "a page": (text) => readableHtml(text, "https://example.org/", 40_000),
  "a pattern for files": (text) => globMatcher(text)?.(LONGEST_PATH),
  settings: (text) => checkText(text, "x.yaml", homeFile),
};

const LENGTH = 2_000;
/** A few passes over the text; what is quadratic takes thousands. */
const MOST_A_CHARACTER = 250;

async function expectBounded(length: number, run: () => unknown): Promise<void> {
  expect(await stepsOf(run)).toBeLessThanOrEqual(MOST_A_CHARACTER * length);
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "baton-hostile-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

it("counts loops, calls, and what built-in functions go through", async () => {
  const pairs = (n: number) => () => {
    let equal = 0;
    for (let a = 0; a < n; a++) for (let b = 0; b < n; b++) if (a === b) equal += 1;
    return equal;
  };
  expect(await stepsOf(pairs(1_000))).toBeGreaterThan(1_000_000);
  const text = "ab".repeat(1_000);
  for (const scan of [
    () => text.indexOf("c"),
    () => /c/.test(text),
    () => text.replace(/b/g, ""),
    () => text.split(/b/),
    () => [...text].length,
    () => JSON.parse(`"${text}"`),
  ])
    expect(await stepsOf(() => Array.from({ length: 10 }, scan))).toBeGreaterThan(10 * text.length);
});

describe.each(Object.entries(READERS))("%s", (_, read) => {
  it("takes a bounded number of steps a character: each worst case, and random ones, deep and long", async () => {
    const worst = [...UNITS.map((unit) => filled(unit, LENGTH)), ...deepTexts(LENGTH)];
    for (const text of worst) await expectBounded(LENGTH, () => read(text));
    const hostile = fc.oneof(aHostileText(LENGTH), aDeepText(LENGTH));
    await fc.assert(
      fc.asyncProperty(hostile, (text) => expectBounded(text.length, () => read(text))),
      { numRuns: 30 },
    );
  });
});

it.each(Object.entries(LISTS))("%s: a bounded number of steps a character", async (_, read) => {
  await expectBounded(20 * LENGTH, () => read(20 * LENGTH, folder));
});

/** Of one part of a text, which is read without a break; the parser's lists, which it moves at once, are counted by item. */
const MOST_A_PART = 12_000_000;

it("Markdown: no part of an answer takes more than a bounded number of steps", async () => {
  const around = [
    ["", "x"],
    ["[", "x"],
    ["[", "]"],
    ["[`]`", "x"],
    ["https://a.b/", "x"],
  ];
  const texts = [...UNITS, "a ", "1h", "www.a__", "WWW.a__", "http://a_"].flatMap((unit) =>
    around.map(([before, after]) => longestRead((length) => `${before}${filled(unit, length)}${after}`)),
  );
  const random = fc.sample(fc.oneof(aHostileText(4_000), aDeepText(4_000)), { numRuns: 30, seed: 1 });
  for (const text of [...texts, ...random])
    for (const part of partsOfMarkdown(text).slice(0, 3)) {
      const steps = await stepsOf(() => parseMarkdown(part.text));
      expect(steps, JSON.stringify(text.slice(0, 40))).toBeLessThanOrEqual(MOST_A_PART);
    }
}, 300_000);

/** The longest of these texts that is not too costly: the parser has the most work with it. */
function longestRead(textOf: (length: number) => string): string {
  let [read, refused] = [0, 20_000];
  while (refused - read > 1) {
    const middle = Math.floor((read + refused) / 2);
    if (isTooCostly(textOf(middle))) refused = middle;
    else read = middle;
  }
  return textOf(read);
}
