/**
 * Markdown as Signal shows it: plain text, and ranges of it that are bold, italic, struck out or monospaced, counted in
 * UTF-16 units. Nothing in the text itself is markup, so nothing needs escaping.
 */
import type { List, ListItem, PhrasingContent, Root, RootContent } from "mdast";
import { plainText, rendered } from "../markdown.js";
import { withoutReferences } from "../references.js";
import { textTable } from "../text-table.js";

export interface FormattedText {
  readonly text: string;
  /** `start:length:STYLE`, as signal-cli takes them. */
  readonly styles: readonly string[];
}

type Style = "BOLD" | "ITALIC" | "STRIKETHROUGH" | "MONOSPACE";

interface Range {
  readonly start: number;
  readonly length: number;
  readonly style: Style;
}

/** A piece of text with its ranges. */
interface Styled {
  readonly text: string;
  readonly ranges: readonly Range[];
}

export function formatText(markdown: string): FormattedText {
  const { text, ranges } = rendered(markdown, (root) => blocks(withoutReferences(root).children));
  // A text that Markdown shows nothing of is said as it is.
  if (text.trim() === "") return { text: markdown, styles: [] };
  return { text, styles: ranges.map(({ start, length, style }) => `${start}:${length}:${style}`) };
}

function plain(text: string): Styled {
  return { text, ranges: [] };
}

function styled(inner: Styled, style: Style): Styled {
  const { text, ranges } = inner;
  return text === "" ? inner : { text, ranges: [{ start: 0, length: text.length, style }, ...ranges] };
}

function join(parts: readonly Styled[], between = ""): Styled {
  const ranges: Range[] = [];
  let text = "";
  for (const [index, part] of parts.entries()) {
    if (index > 0) text += between;
    for (const range of part.ranges) ranges.push({ ...range, start: range.start + text.length });
    text += part.text;
  }
  return { text, ranges };
}

/** Every line of it after a prefix; a range that spans lines is cut at them. */
function indent(inner: Styled, first: string, others: string): Styled {
  let at = 0;
  const lines = inner.text.split("\n").map((line, index): Styled => {
    const start = at;
    const end = at + line.length;
    at = end + 1;
    const ranges = inner.ranges.flatMap((range) => {
      const from = Math.max(range.start, start);
      const to = Math.min(range.start + range.length, end);
      return to > from ? [{ style: range.style, start: from - start, length: to - from }] : [];
    });
    const prefix = index === 0 ? first : others;
    return join([plain(line === "" ? prefix.trimEnd() : prefix), { text: line, ranges }]);
  });
  return join(lines, "\n");
}

function blocks(nodes: readonly RootContent[], between = "\n\n"): Styled {
  return join(
    nodes.map(block).filter(({ text }) => text !== ""),
    between,
  );
}

function block(node: RootContent): Styled {
  switch (node.type) {
    case "heading":
      return styled(phrases(node.children), "BOLD");
    case "paragraph":
      return phrases(node.children);
    case "blockquote":
      return indent(blocks(node.children), "> ", "> ");
    case "list":
      return list(node);
    case "code":
      return styled(plain(node.value), "MONOSPACE");
    case "table":
      return styled(plain(textTable(node)), "MONOSPACE");
    case "thematicBreak":
      return plain("———");
    case "html":
      return plain(node.value);
    case "footnoteDefinition":
      return indent(blocks(node.children), `[${node.identifier}] `, "    ");
    case "definition":
      return plain("");
    default:
      return phrase(node as PhrasingContent);
  }
}

function list({ children, ordered, start, spread }: List): Styled {
  const items = children.map((item, index) => {
    const marker = ordered ? `${(start ?? 1) + index}. ` : "• ";
    return indent(listItem(item), marker, " ".repeat(marker.length));
  });
  return join(items, spread ? "\n\n" : "\n");
}

function listItem({ children, checked, spread }: ListItem): Styled {
  const box = checked === true ? "☑ " : checked === false ? "☐ " : "";
  return join([plain(box), blocks(children, spread ? "\n\n" : "\n")]);
}

function phrases(nodes: readonly PhrasingContent[]): Styled {
  return join(nodes.map(phrase));
}

function phrase(node: PhrasingContent): Styled {
  switch (node.type) {
    case "text":
    case "html":
      return plain(node.value);
    case "strong":
      return styled(phrases(node.children), "BOLD");
    case "emphasis":
      return styled(phrases(node.children), "ITALIC");
    case "delete":
      return styled(phrases(node.children), "STRIKETHROUGH");
    case "inlineCode":
      return styled(plain(node.value), "MONOSPACE");
    case "break":
      return plain("\n");
    case "link":
      return link(phrases(node.children), node.url);
    case "image":
      return link(plain(node.alt ?? ""), node.url);
    case "footnoteReference":
      return plain(`[${node.identifier}]`);
    default:
      return plain(plainText(node as Root | RootContent));
  }
}

/** Where it leads stands beside it, unless that is what it says. */
function link(label: Styled, url: string): Styled {
  if (label.text === "" || label.text === url) return plain(url);
  if (url === "") return label;
  const said = url.replace(/^mailto:/, "");
  return said === label.text || said === `http://${label.text}` ? label : join([label, plain(` (${url})`)]);
}
