/**
 * Messages made of blocks: Slack's editor writes them beside the text, apps often in its place. Read as plain text;
 * pictures, buttons and kinds that nobody here knows become parts.
 */
import { type Part, part } from "../../session/parts.js";
import { field, isThere, listIn, textIn, wordsIn } from "../untrusted.js";
import { plainTextOf, type SlackReader } from "./plain-text.js";

export interface BlockContent {
  readonly text: string;
  readonly parts: readonly Part[];
}

const DEEPEST = 12;
/** Nothing to read. */
const SILENT = new Set(["divider", "call"]);

export function blocksContent(blocks: readonly unknown[], reader: SlackReader): BlockContent {
  const texts = blocks.map((block) => blockText(block, reader, 0));
  return {
    text: texts.filter((text) => text.trim() !== "").join("\n"),
    parts: blocks.flatMap((block, n) => partsOf(block, texts[n] ?? "")),
  };
}

function blockText(block: unknown, reader: SlackReader, depth: number): string {
  if (depth > DEEPEST) return "";
  const inner = (list: readonly unknown[]): string[] =>
    list.map((each) => blockText(each, reader, depth + 1)).filter((text) => text !== "");
  const elements = listIn(block, "elements");
  switch (field(block, "type")) {
    case "rich_text":
      return inner(elements).join("\n");
    case "rich_text_section":
    case "rich_text_quote":
    case "rich_text_preformatted":
      return elements.map((each) => inlineText(each, reader)).join("");
    case "rich_text_list": {
      const isOrdered = field(block, "style") === "ordered";
      return inner(elements)
        .map((text, n) => `${isOrdered ? `${n + 1}.` : "-"} ${text}`)
        .join("\n");
    }
    case "table":
      return listIn(block, "rows")
        .map((row) => (Array.isArray(row) ? inner(row).join(" | ") : ""))
        .join("\n");
    case "raw_text":
    case "plain_text":
      return wordsIn(block, "text");
    case "mrkdwn":
      return plainTextOf(wordsIn(block, "text"), reader);
    case "markdown":
      return wordsIn(block, "text");
    case "actions":
    case "image":
    case "video":
      return "";
    default: {
      const own = [
        field(block, "title"),
        field(block, "label"),
        field(block, "text"),
        ...listIn(block, "fields"),
      ];
      return inner([...own.filter(isThere), ...elements]).join("\n");
    }
  }
}

function inlineText(element: unknown, reader: SlackReader): string {
  switch (field(element, "type")) {
    case "link":
      return plainTextOf(`<${wordsIn(element, "url")}|${wordsIn(element, "text")}>`, reader);
    case "user":
      return plainTextOf(`<@${wordsIn(element, "user_id")}>`, reader);
    case "channel":
      return plainTextOf(`<#${wordsIn(element, "channel_id")}>`, reader);
    case "usergroup":
      return `@${wordsIn(element, "usergroup_id")}`;
    case "broadcast":
      return `@${wordsIn(element, "range")}`;
    case "emoji":
      return `:${wordsIn(element, "name")}:`;
    case "date":
      return wordsIn(element, "fallback");
    default:
      return wordsIn(element, "text") || wordsIn(element, "value");
  }
}

function partsOf(block: unknown, text: string): readonly Part[] {
  const type = textIn(block, "type");
  if (type === "image" || type === "video") return [mediaPart(block)];
  if (type === "actions") {
    const labels = listIn(block, "elements").flatMap(
      (each) => textIn(each, "text", "text") ?? textIn(each, "placeholder", "text") ?? [],
    );
    return [part("card", labels.length > 0 ? `buttons: ${labels.join(", ")}` : "buttons")];
  }
  const isRead = text !== "" || type === undefined || SILENT.has(type);
  return isRead ? [] : [part("unsupported", type)];
}

function mediaPart(block: unknown): Part {
  const url = textIn(block, "image_url") ?? textIn(block, "video_url") ?? textIn(block, "title_url");
  return part("link", textIn(block, "title", "text") ?? textIn(block, "alt_text"), url);
}
