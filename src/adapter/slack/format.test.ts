import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { split } from "../../delivery/split.js";
import { MAX_TEXT, mrkdwnLength, toMrkdwn } from "./format.js";

const GAP = "\u200b";

describe("Markdown in Slack's markup", () => {
  it.each([
    ["**bold** *slanted* ~~gone~~ `code`", "*bold* _slanted_ ~gone~ `code`"],
    ["***both***", "_*both*_"],
    ["**a _b **c** d_**", "*a _b c d_*"],
    ["# Title\n\n## **Part** two", "*Title*\n\n*Part two*"],
    ["foo**bar**baz", `foo${GAP}*bar*${GAP}baz`],
    ["**over\ntwo lines**", "*over*\n*two lines*"],
    ["a & b < c > d", "a &amp; b &lt; c &gt; d"],
    ["one  \ntwo", "one\ntwo"],
    ["``a`b``", "a`b"],
    ["`<x> & y`", "`&lt;x&gt; &amp; y`"],
    ["```ts\nconst a = 1 < 2;\n```", "```\nconst a = 1 &lt; 2;\n```"],
    ["````\n```\n````", `\`\`\`\n\`\`${GAP}\`\n\`\`\``],
    ["\\`\\`\\`\nnot code", `\`${GAP}\`${GAP}\`\nnot code`],
    ["- a\n- b\n  1. c\n  2. d", "• a\n• b\n    1. c\n    2. d"],
    ["3. c\n4. d", "3. c\n4. d"],
    ["- [ ] open\n- [x] done", "• ☐ open\n• ☑ done"],
    ["- a\n\n  ```\n  x\n  ```", "• a\n```\nx\n```"],
    ["> said\n> again\n>\n> > before", "> said\n> again\n> \n> > before"],
    ["| a | b |\n|---|---|\n| 1 | **23** |\n| 見 | x |", "```\na  | b\n---|---\n1  | 23\n見 | x\n```"],
    ["[page](https://x.y/a?b=1&c=2)", "<https://x.y/a?b=1&amp;c=2|page>"],
    ["<https://x.y/z> me@x.y", "<https://x.y/z> <mailto:me@x.y>"],
    ["[a|b>c](https://x.y)", "<https://x.y/|a¦b&gt;c>"],
    ["[p](<https://x.y/|q>)", "<https://x.y/%7Cq|p>"],
    ["[ref][r] ![pic](http://x.y/p.png)\n\n[r]: http://x.y/r", "<http://x.y/r|ref> <http://x.y/p.png|pic>"],
    ["a[^1]\n\n[^1]: note", "a[1]\n\n[1] note"],
    ["a\n\n---\n\nb", "a\n\n———\n\nb"],
    ["[only]: http://x.y", "[only]: http://x.y"],
    ["\u0007", "…"],
  ])("%j is %j", (markdown, mrkdwn) => {
    expect(toMrkdwn(markdown)).toBe(mrkdwn);
  });

  it.each([
    "<!channel> and <!everyone>",
    "text <!here> <@U123> <#C1>",
    "[x](!channel) [y](@U123) [z](#C1) [w](!subteam^S1)",
    "<javascript:alert(1)> [x](javascript:alert(1)) [x](file:///etc/passwd)",
    "[<!channel>](https://x.y/<!channel>)",
    "```\n<!channel>\n```\n`<!here>`",
    "| <!channel> |\n|---|\n| <@U1> |",
    "![<!here>](!here)",
    "# <!channel>",
    "[r]\n\n[r]: !channel",
  ])("calls nobody: %j", (markdown) => {
    expectWellFormed(toMrkdwn(markdown));
  });

  it("knows how long it is, and does not try where it is far too long", () => {
    expect(mrkdwnLength("a & b")).toBe("a &amp; b".length);
    expect(mrkdwnLength("**words** ".repeat(1_000))).toBe("words ".repeat(1_000).length);
  });
});

/** Quotes and the marks of lists and notes, however deep. */
const LEADING = /^(?:\s|> |• |[☐☑] |\d+\. |\[[^\]]*\] )+/;

/** Only what we make is markup: links to the web, entities, fences in pairs, quotes at the beginning of a line. */
function expectWellFormed(mrkdwn: string): void {
  const rest = mrkdwn.replace(/<(?:https?:\/\/|mailto:)[^<>|\s]*(?:\|[^<>|\n]+)?>/g, "");
  const problems = [
    /</.test(rest) && "an angle bracket",
    rest.split("\n").some((line) => line.replace(LEADING, "").includes(">")) && "a stray >",
    /&(?!(?:amp|lt|gt);)/.test(mrkdwn) && "a bare &",
    (mrkdwn.match(/```/g)?.length ?? 0) % 2 === 1 && "an open fence",
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(mrkdwn) && "a control character",
    !mrkdwn.isWellFormed() && "half a character",
    mrkdwn.trim() === "" && "nothing",
  ].filter(Boolean);
  if (problems.length > 0) expect.fail(`${problems.join(", ")} in ${JSON.stringify(mrkdwn)}`);
}

const words = fc.constantFrom(
  "word",
  "**bold**",
  "*it*",
  "***x***",
  "~~s~~",
  "`a<b`",
  "``a`b``",
  "<!channel>",
  "<@U1>",
  "&amp;",
  "& <",
  ">",
  "[l](https://x.y?a=1&b=2)",
  "[l](!here)",
  "![i](http://x.y/_z_)",
  "[r][q]",
  "https://x.y/a_b_c",
  "\\*",
  "```",
  "\u0000\u001b[2J",
  "\ud83d",
  "👩‍👩‍👧",
  "見本",
  "**un",
  "[^1]",
  "<b>",
  "|",
);
const blocks = fc.oneof(
  { weight: 4, arbitrary: fc.array(words, { minLength: 1, maxLength: 5 }).map((some) => some.join(" ")) },
  fc.array(words, { minLength: 1, maxLength: 4 }).map((some) => some.join("")),
  words.map((word) => `# ${word}`),
  fc.tuple(words, words).map(([a, b]) => `- ${a}\n  - ${b}\n    1. ${a}`),
  fc.tuple(words, words).map(([a, b]) => `> ${a}\n> > ${b}\n> - ${a}`),
  fc.tuple(words, words).map(([a, b]) => `| ${a} | ${b} |\n|---|:-:|\n| ${b} | ${a} | ${a} |`),
  fc.tuple(words, words).map(([a, b]) => `\`\`\`js\n${a}\n  ${b}\n\`\`\``),
  words.map((word) => `~~~~\n${word}\n\`\`\`\n~~~~`),
  fc.constantFrom("[q]: http://x.y/q", "[q]: !channel", "[^1]: note <!here>", "---", "<!-- c -->", "\t code"),
  fc.string({ unit: "binary", maxLength: 20 }),
);
const documents = fc
  .array(fc.tuple(blocks, fc.constantFrom("\n\n", "\n", "\r\n", " ")), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.flat().join(""));

/** What is sent of a document, in pieces of at most so much. */
function expectSendable(markdown: string, max: number): void {
  for (const { text } of split(markdown, { max, lengthOf: mrkdwnLength })) {
    const mrkdwn = toMrkdwn(text);
    expectWellFormed(mrkdwn);
    if (mrkdwn.length > max) expect.fail(`${mrkdwn.length}: ${JSON.stringify(text)}`);
  }
}

describe("random documents", () => {
  it("become well-formed markup within the limit: 10,000 of them", { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(documents, (markdown) => {
        const mrkdwn = toMrkdwn(markdown);
        expectWellFormed(mrkdwn);
        if (mrkdwn.length > MAX_TEXT) expect.fail(`${mrkdwn.length}: ${JSON.stringify(markdown)}`);
      }),
      { numRuns: 10_000, seed: 5 },
    );
  });

  it.each([
    ["in many small pieces", 60, 1, 100],
    ["in pieces of the real size", MAX_TEXT, 60, 2],
  ])("are so %s", { timeout: 60_000 }, (_, max, times, numRuns) => {
    fc.assert(
      fc.property(documents, (markdown) => expectSendable(`${markdown}\n\n`.repeat(times), max)),
      { numRuns, seed: 6 },
    );
  });
});
