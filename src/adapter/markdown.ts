/** Markdown as a tree, the same one for every platform: each renders it in its own markup. */
import type { Root, RootContent } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";

/** Made once: that takes longer than reading a message. */
const GFM = { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] };

export function parseMarkdown(text: string): Root {
  return fromMarkdown(text, GFM);
}

/** What is left of a node without any markup. */
export function plainText(node: RootContent | Root): string {
  if ("value" in node) return node.value;
  if (node.type === "image" || node.type === "imageReference") return node.alt ?? "";
  if (node.type === "footnoteReference") return `[${node.label ?? node.identifier}]`;
  if (node.type === "break") return "\n";
  return "children" in node ? node.children.map(plainText).join("") : "";
}
