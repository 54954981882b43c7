/**
 * Every regular expression of the program takes a time that grows with the text, not with its square: one that did stopped
 * everybody for five seconds when a stranger sent blanks. This reads the source, and finds the next one.
 */
import type { Node } from "oxc-parser";
import { expect, it } from "vitest";
import { slowTextFor } from "../support/slow-regexp.mjs";
import { nodesOf, placeOf, type SourceFile, sourceFile, sourceFiles } from "../support/source-files.js";

/** Long enough for nearly all of them; what takes longer is passed over. */
const TIMEOUT_MS = 1_000;

/** Only ever given short texts. */
const SHORT: Readonly<Record<string, string>> = {
  "src/util/words.ts": "the digits of a number",
  "src/util/secret-shapes.ts": "a value of at most 512 characters, found by another expression",
  "src/util/printable-stream.ts": "the last 1,024 characters",
};
/** Commands and paths that a model writes: one of more than 10,000 characters is asked about unread. */
const COMMANDS = /^src\/agent\/tools\/(?:danger|shell-|sensitive-)/;
/** What tests are made of. */
const TESTING = /^src\/testing\//;

it("no regular expression can be made slow", async () => {
  const slow: string[] = [];
  const seen = new Set<string>();
  for (const file of sourceFiles("src")) {
    if (SHORT[file.path] || COMMANDS.test(file.path) || TESTING.test(file.path)) continue;
    for (const each of repeating(file)) {
      const key = `${each.pattern}/${each.flags}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const text = await slowTextFor(each.pattern, each.flags, TIMEOUT_MS);
      if (text !== null) slow.push(`${each.place} is slow for ${text.slice(0, 200)}`);
    }
  }
  expect(slow).toEqual([]);
}, 600_000);

it.each(["/[ \\t]*<@U1>/g", "new RegExp(`[ \\\\t]*<@$" + "{id}>`, 'g')", "new RegExp('[ \\\\t]*<@U1>')"])(
  "finds one that can: %s",
  async (expression) => {
    const [found] = repeating(sourceFile("a.ts", `text.replace(${expression}, '')`));
    expect(await slowTextFor(found?.pattern ?? "", found?.flags ?? "", 60_000)).not.toBeNull();
  },
  120_000,
);

interface Expression {
  readonly pattern: string;
  readonly flags: string;
  readonly place: string;
}

/** Those that repeat something without end; the others are bounded by their own length. */
function repeating(file: SourceFile): Expression[] {
  const found: Expression[] = [];
  for (const node of nodesOf(file.program)) {
    const { pattern, flags } = regexOf(node) ?? { pattern: "", flags: "" };
    const bare = pattern.replace(/\\./g, "x").replace(/\[[^\]]*\]/g, "c");
    if (/[*+]|\{\d+,\}/.test(bare)) found.push({ pattern, flags, place: placeOf(file, node) });
  }
  return found;
}

/** Of `/…/`, and of `new RegExp("…")`, in which a letter stands for what is filled in. */
function regexOf(node: Node): { readonly pattern: string; readonly flags: string } | null {
  if (node.type === "Literal" && "regex" in node) return node.regex;
  if (node.type !== "NewExpression" || node.callee.type !== "Identifier" || node.callee.name !== "RegExp")
    return null;
  const [source, flags] = node.arguments;
  const written = flags?.type === "Literal" ? String(flags.value) : "";
  if (source?.type === "Literal") return { pattern: String(source.value), flags: written };
  if (source?.type !== "TemplateLiteral") return null;
  return { pattern: source.quasis.map(({ value }) => value.cooked ?? "").join("x"), flags: written };
}
