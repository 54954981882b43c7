/**
 * A rich message: blocks of text, lists, tables and media. Its words are read as plain text, its media as files. Blocks
 * stand in blocks; what is deeper than people write is left out.
 */
import type { Fields } from "../../util/json.js";
import { field, isThere, listIn, objectIn, textIn, textOf } from "../untrusted.js";

const DEEPEST = 20;

/** The text, with each block on lines of its own. `without`: words that are left out, such as a mention of the bot. */
export function richText(message: Fields, without: (node: Fields) => boolean): string {
  const blocks = listIn(message, "blocks").map((block) => blockText(block, without, 0));
  return blocks.filter((text) => text.trim() !== "").join("\n");
}

/** Every block and piece of text in it that is an object, in order. */
export function richNodes(message: Fields): readonly Fields[] {
  const found: Fields[] = [];
  const look = (value: unknown, depth: number): void => {
    if (depth > DEEPEST || typeof value !== "object" || value === null) return;
    if (!Array.isArray(value)) found.push(value as Fields);
    for (const inner of Object.values(value)) look(inner, depth + 1);
  };
  look(listIn(message, "blocks"), 0);
  return found;
}

type Without = (node: Fields) => boolean;

function blockText(block: unknown, without: Without, depth: number): string {
  if (depth > DEEPEST) return "";
  const words = (value: unknown): string => wordsOf(value, without, depth + 1);
  const inner = (value: unknown): string[] =>
    listIn(value, "blocks").map((each) => blockText(each, without, depth + 1));
  switch (field(block, "type")) {
    case "list":
      return joined(listIn(block, "items").map((item) => itemText(item, joined(inner(item)))));
    case "table":
      return joined([
        words(field(block, "caption")),
        ...rowsOf(block).map((row) => row.map(words).join(" | ")),
      ]);
    default:
      return joined([
        words(field(block, "summary")),
        words(field(block, "text")),
        textIn(block, "expression") ?? "",
        ...inner(block),
        words(field(block, "caption", "text")),
        words(field(block, "credit") ?? field(block, "caption", "credit")),
        ...listIn(block, "buttons").map((button) => words(field(button, "text"))),
      ]);
  }
}

function rowsOf(block: unknown): readonly (readonly unknown[])[] {
  const rows = listIn(block, "cells").filter((row): row is unknown[] => Array.isArray(row));
  return rows.map((row) => row.map((cell) => field(cell, "text")));
}

function itemText(item: unknown, text: string): string {
  const box =
    field(item, "has_checkbox") === true ? (isThere(field(item, "is_checked")) ? "[x]" : "[ ]") : "";
  return [textIn(item, "label") ?? "-", box, text].filter((each) => each !== "").join(" ");
}

/** A text is words, a list of texts, or an object around a text. */
function wordsOf(text: unknown, without: Without, depth: number): string {
  if (depth > DEEPEST || !isThere(text)) return "";
  if (typeof text === "string") return textOf(text) ?? "";
  if (Array.isArray(text)) return text.map((each) => wordsOf(each, without, depth + 1)).join("");
  const node = objectIn({ text }, "text");
  if (!node || without(node)) return "";
  const shown =
    textIn(node, "alternative_text") ??
    textIn(node, "expression") ??
    wordsOf(field(node, "text") ?? field(node, "button", "text"), without, depth + 1);
  const url = field(node, "type") === "url" ? textIn(node, "url") : undefined;
  return url && url !== shown ? `${shown} (${url})` : shown;
}

function joined(lines: readonly string[]): string {
  return lines.filter((line) => line !== "").join("\n");
}
