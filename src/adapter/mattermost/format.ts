/**
 * Mattermost reads Markdown itself, so a text is sent as it was written, but for two things. A name after an `@` notifies
 * nobody: an invisible character keeps it from that, except in code, where a name notifies nobody anyway. And a link that
 * leads to no place of the web is written out: Mattermost would make an address of it that leads nowhere.
 */
import type { Nodes } from "mdast";
import { plainText, type ReadPart, readParts } from "../markdown/read.js";
import { definitionsIn, isLinkLike, type LinkLike } from "../markdown/render.js";

/** Nobody sees it. */
const APART = "\u200b";
/** At the end of a text: what follows a mark may be the name. */
const NAME = /(?<![\p{L}\p{N}])@(?=[\p{L}\p{N}_]|$)/gu;
/** These wake a whole channel: they are kept from that wherever they stand, should the server see no code there. */
const EVERYBODY = /@(?=(?:all|channel|here)\b)/gi;
const WRITTEN_AT = /&(?:#0{0,5}64|#x0{0,5}40|commat);/gi;
const WEB = /^(?:https?:\/\/|mailto:|tel:)/i;

export function formatText(markdown: string): string {
  const parts = readParts(markdown);
  const definitions = definitionsIn(parts.flatMap(({ nodes }) => nodes));
  const text = parts.map((part) => edited(part, definitions)).join("\n");
  return text.replace(EVERYBODY, `@${APART}`);
}

type Definitions = ReturnType<typeof definitionsIn>;

interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function edited({ text, nodes }: ReadPart, definitions: Definitions): string {
  if (nodes.some(({ type, position }) => type !== "code" && position === undefined)) return quiet(text);
  const edits = nodes.flatMap((node) => editsIn(node, text, definitions));
  let [shown, at] = ["", 0];
  for (const { start, end, text: instead } of edits) {
    shown += text.slice(at, start) + instead;
    at = end;
  }
  return shown + text.slice(at);
}

/** In order, and none within another. */
function editsIn(node: Nodes, source: string, definitions: Definitions): readonly TextEdit[] {
  const [start, end] = spanOf(node);
  if (node.type === "text" || node.type === "html") {
    const text = quiet(source.slice(start, end));
    return [{ start, end, text }];
  }
  const isBare = isLinkLike(node) && !/^!?\[/.test(source.slice(start, end));
  if (isBare) return []; // An address as it stands.
  const inner =
    "children" in node ? node.children.flatMap((child) => editsIn(child, source, definitions)) : [];
  const target = isLinkLike(node) ? targetBeside(node, definitions) : null;
  if (target === null) return inner;
  const children = "children" in node ? node.children : [];
  const [first, last] = [children[0], children.at(-1)];
  // A picture has words without a position.
  if (!first || !last) return [{ start, end, text: quiet(plainText(node as LinkLike)) + target }];
  return [
    { start, end: spanOf(first)[0], text: "" },
    ...inner,
    { start: spanOf(last)[1], end, text: target },
  ];
}

/** Null if the link works as it is, empty if its words are where it leads. */
function targetBeside(node: LinkLike, definitions: Definitions): string | null {
  const url = "url" in node ? node.url : (definitions.get(node.identifier)?.url ?? "");
  if (url === "" || WEB.test(url)) return null;
  const said = plainText(node).trim();
  return said === url ? "" : `${said && " "}(\`${url.replace(/[`|\s]/g, encodeURIComponent)}\`)`;
}

function spanOf({ position }: Nodes): readonly [number, number] {
  return [position?.start.offset ?? 0, position?.end.offset ?? 0];
}

function quiet(text: string): string {
  return text.replace(WRITTEN_AT, "@").replace(NAME, `@${APART}`);
}
