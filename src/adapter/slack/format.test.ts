import { describe, expect, it } from "vitest";
import { readSlackMarkup } from "../../../test/support/slack-markup.js";
import { mrkdwnLength, toMrkdwn } from "./format.js";

const GAP = "\u200b";
const J = "\u2060";

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
    ["\\`\\`\\`\nnot code", `${J}\`${J}\`${J}\`${J}\nnot code`],
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
    ["\\*stars\\* and \\> no quote", `${J}*${J}stars${J}*${J} and &gt; no quote`],
    ["\\> no quote", `${J}&gt; no quote`],
    ["*4*\\*", `_4_${GAP}${J}*${J}`],
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
    expect(() => readSlackMarkup(toMrkdwn(markdown))).not.toThrow();
  });

  it("knows how long it is, and does not try where it is far too long", () => {
    expect(mrkdwnLength("a & b")).toBe("a &amp; b".length);
    expect(mrkdwnLength("**words** ".repeat(1_000))).toBe("words ".repeat(1_000).length);
  });
});
