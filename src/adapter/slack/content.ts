/**
 * What a message says, whoever wrote it: its text, its files, and its other parts; and the messages that it shares, each
 * with its author. Also of a message that begins a thread, and so of bots, who write in blocks and attachments.
 */
import { type Part, part } from "../../session/parts.js";
import { shorten } from "../../util/text.js";
import type { RemoteFile } from "../adapter.js";
import { boundedText } from "../inbound-limit.js";
import { field, listIn, textIn, wordsIn } from "../untrusted.js";
import { blocksContent } from "./blocks.js";
import { plainTextOf, type SlackReader } from "./plain-text.js";

/** A file as an event tells of it. */
export interface SharedFile {
  readonly name: string;
  readonly mediaType: string;
  readonly url: string;
  readonly voice?: true;
}

export type SlackReading = SlackReader & {
  /** How a file that came with a message is fetched. */
  readonly file: (file: SharedFile) => RemoteFile;
};

export interface SlackContent {
  readonly text: string;
  readonly parts: readonly Part[];
  readonly files: readonly RemoteFile[];
}

/** A message that another one passes on. */
export interface SharedMessage extends SlackContent {
  readonly ts: string;
  readonly from: string | undefined;
}

const PREVIEW = 300;

/** People write text; what hangs on it are pages that Slack shows, or the words of an app. */
export function contentOf(said: unknown, reading: SlackReading): SlackContent {
  const written = plainTextOf(wordsIn(said, "text"), reading);
  const isApps = wordsIn(said, "bot_id") !== "";
  const hasBlocks = isApps || written === "";
  const blocks = hasBlocks ? blocksContent(listIn(said, "blocks"), reading) : { text: "", parts: [] };
  const attached = listIn(said, "attachments").filter((each) => !isShared(each));
  const files = listIn(said, "files");
  return {
    text: joined([
      blocks.text || written,
      ...(isApps ? attached.map((each) => attachmentText(each, reading)) : []),
    ]),
    parts: [
      ...blocks.parts,
      ...(isApps ? [] : attached.flatMap((each) => attachmentPart(each, reading))),
      ...files.flatMap((file) => partOf(file) ?? []),
    ],
    files: files.flatMap((file) => (isGiven(file) ? [reading.file(fileOf(file))] : [])),
  };
}

/** The messages that it shares, or that it links and Slack shows. */
export function sharedIn(said: unknown, reading: SlackReading): readonly SharedMessage[] {
  return listIn(said, "attachments")
    .filter(isShared)
    .map((shared) => {
      const blocks = listIn(shared, "message_blocks").flatMap((each) => listIn(each, "message", "blocks"));
      const { text, parts, files } = contentOf({ ...(shared as object), blocks, attachments: [] }, reading);
      const author = textIn(shared, "author_name") ?? textIn(shared, "author_subname");
      const from = author ?? reading.nameOf(wordsIn(shared, "author_id"));
      const pictures = textIn(shared, "image_url") ? [part("link", textIn(shared, "image_url"))] : [];
      return { ts: wordsIn(shared, "ts"), from, text, parts: [...parts, ...pictures], files };
    });
}

/** As one; the words of others with their names before them. */
export function together(
  contents: readonly (SlackContent & { readonly from?: string | undefined })[],
): SlackContent {
  return {
    text: joined(contents.map(({ text, from }) => (text && from ? `${from}: ${text}` : text))),
    parts: contents.flatMap(({ parts }) => parts),
    files: contents.flatMap(({ files }) => files),
  };
}

function isShared(attachment: unknown): boolean {
  return field(attachment, "is_share") === true || field(attachment, "is_msg_unfurl") === true;
}

function attachmentPart(attachment: unknown, reading: SlackReading): readonly Part[] {
  const isPage = (textIn(attachment, "from_url") ?? textIn(attachment, "original_url")) !== undefined;
  if (!isPage) return [part("card", attachmentText(attachment, reading))];
  const words = shorten(plainTextOf(wordsIn(attachment, "text"), reading), PREVIEW);
  const shown = part("link", textIn(attachment, "service_name"), textIn(attachment, "title"), words);
  return shown.words ? [shown] : [];
}

function attachmentText(attachment: unknown, reading: SlackReading): string {
  const blocks = blocksContent(listIn(attachment, "blocks"), reading).text;
  const fields = listIn(attachment, "fields").map((each) =>
    [textIn(each, "title"), textIn(each, "value")].filter(Boolean).join(": "),
  );
  const own = [
    textIn(attachment, "pretext"),
    textIn(attachment, "author_name"),
    textIn(attachment, "title"),
    textIn(attachment, "text"),
    ...fields,
    textIn(attachment, "footer"),
    textIn(attachment, "image_url"),
  ].map((text) => plainTextOf(text ?? "", reading));
  return blocks || joined(own) || wordsIn(attachment, "fallback");
}

function joined(texts: readonly string[]): string {
  return boundedText(texts.filter((text) => text.trim() !== "").join("\n"));
}

/** Slack's documents: no file lies behind them, only a page for people who are signed in. */
const DOCUMENTS = new Map([
  ["canvas", "canvas"],
  ["quip", "canvas"],
  ["list", "list"],
  ["space", "post"],
]);

/** In words, what cannot be fetched; undefined for a file that can. */
function partOf(file: unknown): Part | undefined {
  const title = textIn(file, "title") ?? textIn(file, "name");
  const mode = wordsIn(file, "mode");
  if (mode === "tombstone") return part("unsupported", "a deleted file");
  if (mode === "hidden_by_limit") return part("unsupported", "a file that the workspace's plan hides");
  const kind = DOCUMENTS.get(mode) ?? DOCUMENTS.get(wordsIn(file, "filetype"));
  const preview = shorten(wordsIn(file, "preview_plain_text") || wordsIn(file, "preview"), PREVIEW);
  if (kind) return part("link", kind, title, textIn(file, "permalink"), preview);
  if (field(file, "is_external") === true || mode === "external")
    return part("link", title, textIn(file, "external_url") ?? textIn(file, "url_private"));
  return mode === "email" ? part("card", "e-mail", textIn(file, "subject") ?? title, preview) : undefined;
}

function isGiven(file: unknown): boolean {
  return partOf(file) === undefined || wordsIn(file, "mode") === "email";
}

function fileOf(file: unknown): SharedFile {
  const subtype = wordsIn(file, "subtype");
  const isSpoken = subtype === "slack_audio" || subtype === "slack_video";
  return {
    name: wordsIn(file, "name") || wordsIn(file, "title"),
    mediaType: mediaTypeOf(wordsIn(file, "mimetype"), subtype),
    url: wordsIn(file, "url_private_download") || wordsIn(file, "url_private"),
    ...(isSpoken ? { voice: true } : {}),
  };
}

/** Slack calls its voice clips videos, or says nothing. */
function mediaTypeOf(told: string, subtype: string): string {
  if (subtype !== "slack_audio") return told;
  return told === "" ? "audio/mp4" : told.replace(/^video\//, "audio/");
}
