/**
 * Rich texts and cards, in plain words. A rich text is a list of lines, each a list of nodes; a card is a tree of any
 * depth, of which the words and the labels of buttons are read.
 */
import { type Part, part } from "../../session/parts.js";
import { isFields } from "../../util/json.js";
import { field, listIn, listOf, textIn, wordsIn } from "../untrusted.js";
import type { Mentions } from "./mentions.js";

/** A picture or a video that stands in a text. */
export interface InText {
  readonly kind: "picture" | "video";
  readonly key: unknown;
}

export interface RichText {
  readonly words: string;
  readonly media: readonly InText[];
  readonly parts: readonly Part[];
}

const DEEPEST = 12;
const MOST_WORDS = 60;
const MOST_LABELS = 20;
const MOST_NODES = 200;
const SILENT = new Set(["hr", "text", "md", "a", "at", "code_block", "emotion", "img", "media", "note"]);

/** As it came, or under the name of a language. */
function bodyOf(content: unknown): unknown {
  if (Array.isArray(field(content, "content"))) return content;
  const languages = isFields(content) ? Object.values(content) : [];
  return languages.find((each) => Array.isArray(field(each, "content"))) ?? content;
}

export function richText(content: unknown, mentions: Mentions): RichText {
  const body = bodyOf(content);
  const lines = listIn(body, "content").map((line) => listOf(line));
  const nodes = lines.flat();
  const words = lines.map((line) => line.map((node) => wordsOf(node, mentions)).join(""));
  const title = textIn(body, "title");
  return {
    words: [...(title ? [title] : []), ...words].join("\n").trim(),
    media: nodes.flatMap(mediaOf),
    parts: nodes.flatMap(unknownPart),
  };
}

function wordsOf(node: unknown, mentions: Mentions): string {
  const text = wordsIn(node, "text");
  switch (field(node, "tag")) {
    case "a": {
      const href = wordsIn(node, "href");
      return href === "" || href === text ? text : text === "" ? href : `${text} (${href})`;
    }
    case "at": {
      const id = wordsIn(node, "user_id");
      const place = /^@_/.test(id) ? id : id === "all" ? "@_all" : mentions.placeOf(id);
      return place ?? `@${wordsIn(node, "user_name") || id}`;
    }
    case "emotion":
      return `:${wordsIn(node, "emoji_type")}:`;
    case "code_block":
      return `\`\`\`${wordsIn(node, "language").toLowerCase()}\n${text}\n\`\`\``;
    case "hr":
      return "---";
    default:
      return text;
  }
}

function mediaOf(node: unknown): readonly InText[] {
  const tag = field(node, "tag");
  if (tag === "img") return [{ kind: "picture", key: field(node, "image_key") }];
  return tag === "media" ? [{ kind: "video", key: field(node, "file_key") }] : [];
}

function unknownPart(node: unknown): readonly Part[] {
  const tag = textIn(node, "tag");
  const isRead = tag === undefined || SILENT.has(tag) || wordsIn(node, "text") !== "";
  return isRead ? [] : [part("unsupported", tag)];
}

/** What a card shows. `content`: the card as it was made, or as Feishu retells it. */
export function cardPart(content: unknown, mentions: Mentions): Part {
  const found: { words: string[]; labels: string[] } = { words: [], labels: [] };
  collect(content, found, 0);
  const words = found.words.map((each) => mentions.named(each));
  const labels = found.labels.length > 0 ? `buttons: ${found.labels.join(", ")}` : undefined;
  return part("card", ...words, labels);
}

/** In the order in which they stand there. */
function collect(value: unknown, found: { words: string[]; labels: string[] }, depth: number): void {
  if (depth > DEEPEST || found.words.length >= MOST_WORDS || found.labels.length >= MOST_LABELS) return;
  if (Array.isArray(value)) for (const each of value.slice(0, MOST_NODES)) collect(each, found, depth + 1);
  if (!isFields(value)) return;
  if (field(value, "tag") === "button") {
    const label = textIn(value, "text") ?? textIn(value, "text", "content");
    if (label) found.labels.push(label);
    return;
  }
  if (field(value, "tag") === "at") return void found.words.push(wordsIn(value, "user_id") || "@");
  for (const name of ["title", "header", "text", "content", "href"]) {
    const own = textIn(value, name);
    if (own) found.words.push(own);
    else collect(field(value, name), found, depth + 1);
  }
  for (const name of IN_CARDS) collect(field(value, name), found, depth + 1);
}

/** Where the parts of a card are. */
const IN_CARDS = [
  "subtitle",
  "body",
  "elements",
  "i18n_elements",
  "fields",
  "columns",
  "actions",
  "zh_cn",
  "en_us",
];
