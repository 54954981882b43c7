/**
 * What a message says, whoever wrote it: its text, its files and its other parts. Also of a message that was answered or
 * forwarded, and so of bots, which write in embeds and components where people write text.
 */
import { type Part, part, pollPart } from "../../session/parts.js";
import type { Fields } from "../../util/json.js";
import { shorten } from "../../util/text.js";
import type { RemoteFile } from "../adapter.js";
import { boundedText } from "../inbound-limit.js";
import { field, firstUnknown, listIn, numberIn, objectIn, record, textIn } from "../untrusted.js";
import { type DiscordNames, plainTextOf } from "./plain-text.js";

export interface DiscordContent {
  /** As it was written, with the names of those whom it mentions. */
  readonly text: string;
  readonly parts: readonly Part[];
  readonly files: readonly RemoteFile[];
}

/** How a file that came with a message is fetched. */
export type DiscordDownload = (url: string, size: number | undefined) => RemoteFile["read"];

const VOICE_MESSAGE = 1 << 13;
/** Kinds of components: those to press, those with words, and those with pictures or a file. */
const BUTTON = 2;
const SELECTS = [3, 5, 6, 7, 8];
const DEEPEST = 10;
const PREVIEW = 300;

/** They say nothing by themselves. */
const TOLD = new Set(
  `id type channel_id guild_id author member timestamp edited_timestamp tts mention_everyone mentions mention_roles
  mention_channels reactions nonce pinned webhook_id application application_id flags message_reference message_snapshots
  referenced_message interaction_metadata interaction thread position resolved channel_type`.split(/\s+/),
);

export function contentOf(message: Fields, nameOf: DiscordNames, download: DiscordDownload): DiscordContent {
  const written = plainTextOf(boundedText(textIn(message, "content") ?? ""), message, nameOf);
  const components = componentsOf(listIn(message, "components"), 0);
  const embeds = listIn(message, "embeds");
  const previews = embeds.filter((embed) => isPersons(message) || isLinked(embed, written));
  const texts = [
    written,
    ...embeds.filter((embed) => !previews.includes(embed)).map(embedText),
    ...components.map((each) => textIn(each, "content") ?? ""),
  ];
  return {
    text: boundedText(texts.filter((text) => text !== "").join("\n")),
    parts: [
      ...partsOf(message),
      ...previews.flatMap((embed) => previewPart(embed, written)),
      ...componentParts(message, components),
    ],
    files: filesOf(message, download),
  };
}

/** People write no embeds: theirs are pages that Discord shows. Whose a copy is, Discord does not say. */
function isPersons(message: Fields): boolean {
  const author = objectIn(message, "author");
  return author !== undefined && author.bot !== true && textIn(message, "webhook_id") === undefined;
}

/** For a message of which nothing else is known. */
export function unknownPart(message: Fields): Part {
  return part("unsupported", firstUnknown(message, TOLD));
}

function partsOf(message: Fields): Part[] {
  const poll = objectIn(message, "poll");
  const game = objectIn(message, "activity");
  return [
    ...listIn(message, "sticker_items").map((sticker) => part("sticker", textIn(sticker, "name"))),
    ...(poll ? [pollOf(poll)] : []),
    ...(game ? [part("invitation", textIn(message, "application", "name") ?? "an activity")] : []),
    ...listIn(message, "attachments").flatMap((file) => {
      const words = textIn(file, "description");
      return words ? [part("card", textIn(file, "filename"), words)] : [];
    }),
  ];
}

function pollOf(poll: Fields): Part {
  const answers = listIn(poll, "answers").map((answer) => objectIn(answer, "poll_media"));
  const words = answers.map((media) =>
    [textIn(media, "emoji", "name"), textIn(media, "text")].filter(Boolean).join(" "),
  );
  return pollPart(textIn(poll, "question", "text"), words);
}

function isLinked(embed: unknown, text: string): boolean {
  const url = textIn(embed, "url");
  return url !== undefined && text.includes(url);
}

/** What is shown of a page; its address if the text has another one. */
function previewPart(embed: unknown, text: string): readonly Part[] {
  const description = textIn(embed, "description");
  const words = description && shorten(description, PREVIEW);
  const url = isLinked(embed, text) ? undefined : textIn(embed, "url");
  const shown = part("link", url, textIn(embed, "author", "name"), textIn(embed, "title"), words);
  return shown.words ? [shown] : [];
}

function embedText(embed: unknown): string {
  const fields = listIn(embed, "fields").map((each) =>
    [textIn(each, "name"), textIn(each, "value")].filter(Boolean).join(": "),
  );
  return [
    textIn(embed, "author", "name"),
    textIn(embed, "title"),
    textIn(embed, "description"),
    ...fields,
    textIn(embed, "footer", "text"),
    textIn(embed, "url") ?? textIn(embed, "image", "url") ?? textIn(embed, "video", "url"),
  ]
    .filter(Boolean)
    .join("\n");
}

/** All of them, also those that stand in others, in the order in which people see them. */
function componentsOf(list: readonly unknown[], depth: number): readonly Fields[] {
  if (depth > DEEPEST) return [];
  return list.map(record).flatMap((each) => {
    const inner = [
      ...listIn(each, "components"),
      ...[objectIn(each, "accessory")].flatMap((one) => one ?? []),
    ];
    return [each, ...componentsOf(inner, depth + 1)];
  });
}

function componentParts(message: Fields, components: readonly Fields[]): Part[] {
  const kept = new Set(listIn(message, "attachments").map((file) => textIn(file, "url")));
  const media = components.flatMap((each) => [each, ...listIn(each, "items")]).flatMap(mediaOf);
  const labels = components.flatMap((each) =>
    each.type === BUTTON || SELECTS.includes(each.type as number)
      ? (textIn(each, "label") ?? textIn(each, "placeholder") ?? [])
      : [],
  );
  return [
    ...media.filter(({ url }) => !kept.has(url)).map(({ url, words }) => part("link", words, url)),
    ...(labels.length > 0 ? [part("card", `buttons: ${labels.join(", ")}`)] : []),
  ];
}

/** Of a gallery, a thumbnail or a file. */
function mediaOf(component: unknown): { readonly url: string; readonly words: string | undefined }[] {
  const url = textIn(component, "media", "url") ?? textIn(component, "file", "url");
  return url ? [{ url, words: textIn(component, "description") ?? textIn(component, "name") }] : [];
}

function filesOf(message: Fields, download: DiscordDownload): RemoteFile[] {
  const isVoice = ((numberIn(message, "flags") ?? 0) & VOICE_MESSAGE) !== 0;
  return listIn(message, "attachments").flatMap((file) => {
    const url = textIn(file, "url");
    if (!url) return [];
    const name = textIn(file, "filename");
    const size = numberIn(file, "size");
    return [
      {
        ...(name ? { name } : {}),
        mediaType: textIn(file, "content_type") ?? "application/octet-stream",
        ...(isVoice || field(file, "waveform") ? { voice: true } : {}),
        ref: url,
        read: download(url, size !== undefined && size >= 0 ? size : undefined),
      },
    ];
  });
}
