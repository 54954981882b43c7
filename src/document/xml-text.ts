/** XML of office programs, read once from the beginning to the end: its tags and the text between them, nothing more. */
import { decodeEntities } from "../util/html-entities.js";

export type XmlPiece =
  | { readonly kind: "text"; readonly text: string }
  /** `name` without its prefix: `p` of `w:p`. */
  | { readonly kind: "open" | "close" | "empty"; readonly name: string; readonly attributes: string };

export function* xmlPieces(xml: string): Generator<XmlPiece> {
  let at = 0;
  while (at < xml.length) {
    const open = xml.indexOf("<", at);
    const end = open < 0 ? xml.length : open;
    if (end > at) yield { kind: "text", text: decodeEntities(xml.slice(at, end)) };
    if (open < 0) return;
    const close = xml.indexOf(">", open);
    if (close < 0) return;
    const tag = xml.slice(open + 1, close);
    at = close + 1;
    if (tag.startsWith("?") || tag.startsWith("!")) continue;
    const isClosing = tag.startsWith("/");
    const isEmpty = tag.endsWith("/");
    const inside = tag.slice(isClosing ? 1 : 0, isEmpty ? -1 : undefined);
    const blank = inside.search(/\s/);
    const qualified = blank < 0 ? inside : inside.slice(0, blank);
    yield {
      kind: isClosing ? "close" : isEmpty ? "empty" : "open",
      name: qualified.slice(qualified.indexOf(":") + 1),
      attributes: blank < 0 ? "" : inside.slice(blank),
    };
  }
}

/** The value of an attribute; undefined if it has none. */
export function attribute(attributes: string, name: string): string | undefined {
  const at = attributes.indexOf(` ${name}="`);
  if (at < 0) return undefined;
  const from = at + name.length + 3;
  const to = attributes.indexOf('"', from);
  return to < 0 ? undefined : decodeEntities(attributes.slice(from, to));
}

/** What ends a line in slides, and in texts and sheets of OpenDocument; within a cell, a row ends it. */
const LINES = new Set(["p", "h", "table-row"]);
const GAPS: Readonly<Record<string, string>> = { tab: "\t", s: " ", br: "\n", "line-break": "\n" };
const CELL = "table-cell";
/** Settings and styles have no text for people. */
const DROPPED = new Set(["automatic-styles", "styles", "font-face-decls", "tracked-changes"]);

/** The paragraphs of a text, one a line, until there is enough. */
export function paragraphsIn(xml: string, most: number): string {
  const lines: string[] = [];
  let line = "";
  let length = 0;
  let dropped = 0;
  let cells = 0;
  for (const piece of xmlPieces(xml)) {
    if (length + line.length > most) break;
    if (piece.kind === "text") {
      if (dropped === 0) line += piece.text.replace(/[\r\n]+/g, "");
      continue;
    }
    const { kind, name } = piece;
    if (DROPPED.has(name) && kind !== "empty") dropped += kind === "open" ? 1 : -1;
    if (dropped > 0) continue;
    if (name === CELL) {
      if (kind !== "empty") cells += kind === "open" ? 1 : -1;
      if (kind !== "open") line += "\t";
    } else if (kind === "empty") line += GAPS[name] ?? "";
    else if (kind === "close" && LINES.has(name)) {
      if (cells > 0 && name !== "table-row") {
        line += " ";
        continue;
      }
      length += line.length;
      if (line.trim() !== "") lines.push(line.replaceAll(" \t", "\t").trimEnd());
      line = "";
    }
  }
  return [...lines, line].join("\n").trim();
}
