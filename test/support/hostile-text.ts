/**
 * Texts that break parsers, or keep them busy: long, deep, repeated, never closed. What a generator makes is as long as it
 * is asked to be, so that whoever reads it shows how its work grows.
 */
import fc from "fast-check";

/** Each repeated is somebody's worst case. */
export const UNITS: readonly string[] = [
  ...[
    " ",
    "\t",
    "\n",
    "\r\n",
    "\u00a0",
    "\u3000",
    "\u200b",
    "\u2028",
    "\0",
    "\u001b[",
    "\u001b]0;",
    "\u009b",
  ],
  ...[
    "a",
    "1",
    "é",
    "漢",
    "👍",
    "👩‍👩‍👧‍👦",
    "e\u0301",
    "\u0301",
    "\u202e",
    "\ud83d",
    "\ufdfa", // Eighteen letters by NFKC.
    "㎢",
    ".",
    ",",
    "-",
    "=",
    "/",
    "http://",
    "www.a",
  ],
  ...[
    "- ",
    "* ",
    "+ ",
    "1. ",
    "1) ",
    "> ",
    ">",
    "# ",
    "#",
    "- a\n",
    "1. a\n\n",
    "> a\n",
    "- [ ] ",
    "> - 1. ",
    "    a\n",
  ],
  ...[
    "*",
    "**",
    "_",
    "__",
    "~",
    "~~",
    "*a ",
    "**a",
    "_a ",
    "*_",
    "**a *b",
    "~~a ",
    "***",
    "a*b",
    "` ",
    "`a``b",
    "```\n",
    "~~~a\n",
    "```a\n",
  ],
  ...[
    "[",
    "]",
    "![",
    "[a](",
    "[a](<b",
    "[a](b) ",
    "[a]: ",
    "[a]: b\n",
    "[a][",
    "[^a]",
    "[^a]: ",
    "[\n",
    "](b)",
    "(",
    "[a]((",
  ],
  ...[
    "<",
    ">",
    "<a",
    "<a ",
    "<a href=",
    "<!--",
    "<?",
    "<![CDATA[",
    "<b>",
    "</",
    "<http://a",
    "<@",
    "<@U1",
    "<@U1> ",
    "<#C1|",
    "<!",
    "<:a:",
    "<t:",
  ],
  ...[
    "&",
    "&amp;",
    "&lt;",
    "&#",
    "&#x",
    "\\",
    "\\*",
    '"',
    "'",
    "|",
    "|a",
    "|\n",
    "a|b\n-|-\n",
    "a\n=\n",
    "a\n-\n",
    "---\n",
    ":",
    "@",
    "a@",
    "a@b.c ",
    "@everyone ",
  ],
  ...[
    "{",
    "[{",
    '{"a":',
    "key: ",
    "token=",
    "Bearer ",
    "eyJ",
    "sk-",
    "-----BEGIN ",
    "a://b:",
    "authorization: ",
    "https://matrix.to/#/",
    "/",
    "//",
    "/a ",
    "!",
    "$",
    "%",
  ],
];

const unit = fc.constantFrom(...UNITS);

/** One unit, or a few in turn, again and again, with something before and after. */
export function aHostileText(length: number): fc.Arbitrary<string> {
  const parts = fc.tuple(
    unit,
    fc.array(unit, { minLength: 1, maxLength: 3 }),
    unit,
    fc.constantFrom(...UNITS, "x", ""),
  );
  return parts.map(([before, units, after, end]) => before + filled(units.join(""), length) + after + end);
}

/** What opens, and what closes it. */
const PAIRS = [
  ["[", "](b)"],
  ["*", "*"],
  ["**a ", "**"],
  ["_(", ")_"],
  ["<b>", "</b>"],
  ["> ", ""],
  ["- ", ""],
  ["> - 1. ", "x"],
  ["~~", "~~"],
  ["![", "](a)"],
  ["`", "`"],
  ["(", ")"],
  ["[a](", ")"],
  ["{", "}"],
  ['["', '"]'],
] as const;

/** So deep that half of the text opens and the other half closes. */
export function deepTexts(length: number): string[] {
  return PAIRS.map(([open, close]) => filled(open, length / 2) + filled(close, length / 2));
}

/** Things in one another: a run that opens, then one that closes; or lists and quotes by indentation. */
export function aDeepText(length: number): fc.Arbitrary<string> {
  const runs = fc.constantFrom(...deepTexts(length));
  const steps = unit.map((mark) => {
    const lines: string[] = [];
    for (let depth = 0, all = 0; all < length; depth++) {
      const line = `${" ".repeat(2 * depth)}- ${mark}`;
      lines.push(line);
      all += line.length;
    }
    return lines.join("\n");
  });
  const mixed = fc
    .array(unit, { minLength: 2, maxLength: 12 })
    .map((units) => filled(units.join(""), length));
  return fc.oneof(runs, steps, mixed);
}

/** One in another, so many times. */
export function nested(open: string, close: string, depth: number): string {
  return open.repeat(depth) + close.repeat(depth);
}

export function filled(text: string, length: number): string {
  return text === "" ? "" : text.repeat(Math.ceil(length / text.length)).slice(0, length);
}
