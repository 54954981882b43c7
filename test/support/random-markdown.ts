/** Markdown documents at random, of every kind of part, whose words can be found again. */
import fc from "fast-check";
import type { Nodes } from "mdast";
import { parseMarkdown } from "../../src/adapter/markdown.js";
import { randomFrom } from "./random.mjs";

/** A word that no markup can be taken for. */
const WORD = /w[a-z]{2,6}w/g;

const ODD = [
  "*",
  "_",
  "~",
  "`",
  ">",
  "#",
  "<b>",
  "&amp;",
  "|",
  "[",
  "](",
  "👩‍👩‍👧",
  "日本",
  "2*3",
  "a_b_c",
  "\\",
];

/** Made from a seed by hand: ten thousand of them by combinators would take a minute. */
export const aMarkdown: fc.Arbitrary<string> = fc.nat().map((seed) => {
  const random = randomFrom(seed);
  const under = (max: number): number => Math.floor(random() * max);
  const word = (): string =>
    `w${Array.from({ length: 2 + under(4) }, () => String.fromCharCode(97 + under(26))).join("")}w`;
  const inline = (depth = 0): string => {
    switch (under(depth > 2 ? 4 : 9)) {
      case 0:
      case 1:
        return word();
      case 2:
        return ODD[under(ODD.length)] ?? "";
      case 3:
        return random() < 0.5 ? `\`${word()}\`` : `[${word()}](https://e.org/${word()})`;
      case 4:
        return `**${inline(depth + 1)}**`;
      case 5:
        return `_${inline(depth + 1)}_`;
      case 6:
        return `~~${inline(depth + 1)}~~`;
      case 7:
        return `${inline(depth + 1)} ${inline(depth + 1)}`;
      default:
        return `${inline(depth + 1)}${inline(depth + 1)}`;
    }
  };
  const blocks: (() => string)[] = [
    inline,
    () => `# ${inline()}`,
    () => `> ${inline()}\n> ${inline()}`,
    () => `- ${inline()}\n  - ${inline()}\n- ${inline()}`,
    () => `1. ${inline()}\n2. ${inline()}`,
    () => `\`\`\`${word()}\n${inline().replaceAll("`", "")}\n\`\`\``,
    () => `| ${word()} | ${word()} |\n|---|---|\n| ${word()} | ${inline()} |`,
    () => "---",
  ];
  return Array.from({ length: 1 + under(3) }, () => blocks[under(blocks.length)]?.()).join("\n\n");
});

/** Those that must be seen: what stands in the text, not what a fence is said to be written in. */
export function wordsOf(markdown: string): string[] {
  const words: string[] = [];
  const visit = (node: Nodes): void => {
    if ("value" in node) words.push(...(node.value.match(WORD) ?? []));
    if ("children" in node) for (const child of node.children) visit(child);
  };
  visit(parseMarkdown(markdown));
  return words;
}
