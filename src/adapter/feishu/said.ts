/** What a message says: its words, its files and what else it has, for every type of message that Feishu knows. */
import { checklistPart, contactPart, locationPart, type Part, part, pollPart } from "../../session/parts.js";
import { mediaTypeOfName } from "../../util/media-type.js";
import type { RemoteFile } from "../adapter.js";
import { field, listIn, textIn, wordsIn } from "../untrusted.js";
import { isKey } from "./ids.js";
import { type Mentions, mentionsIn } from "./mentions.js";
import { cardPart, type InText, richText } from "./rich.js";

/** A file as Feishu names it: by its message and its key. */
export interface FeishuFile {
  readonly messageId: string;
  readonly key: string;
  /** As the API calls it. */
  readonly type: "image" | "file";
  readonly name?: string;
  readonly mediaType: string;
  readonly voice?: true;
}

export interface FeishuSaid {
  readonly words: string;
  readonly parts: readonly Part[];
  readonly files: readonly RemoteFile[];
  /** It names the bot. */
  readonly isNamed: boolean;
}

/** A message as an event has it, or as the API has it. */
export interface FeishuContent {
  readonly messageId: string;
  readonly type: string;
  readonly content: unknown;
  readonly mentions: unknown;
}

export interface FeishuReading {
  readonly self: { readonly openId: string; readonly appId: string };
  readonly file: (file: FeishuFile) => RemoteFile;
}

/** Feishu does not say what a picture is; whoever keeps it looks. */
const PICTURE = "image/png";
const VOICE = "audio/ogg";
const VIDEO = "video/mp4";

interface ReadContent {
  readonly words?: string;
  readonly parts?: readonly Part[];
  readonly files?: readonly (Omit<FeishuFile, "messageId" | "key"> & { readonly key: unknown })[];
}

/** Null for a notice of Feishu's own. */
export function saidIn(message: FeishuContent, { self, file }: FeishuReading): FeishuSaid | null {
  const { messageId, type, content } = message;
  if (type === "system") return null;
  const mentions = mentionsIn(message.mentions, self);
  const { words = "", parts = [], files = [] } = contentOf(type, content, mentions);
  const here = files.flatMap(({ key, ...each }) => (isKey(key) ? [file({ ...each, key, messageId })] : []));
  const lost = files.length - here.length;
  const said = mentions.named(words);
  const isNothing = said === "" && parts.length === 0 && files.length === 0 && !mentions.isNamed;
  const isEmpty = isNothing && (type === "text" || type === "post");
  return {
    words: said,
    parts: [
      ...parts,
      ...(lost > 0 ? [part("unsupported", `${lost} ${lost > 1 ? "files" : "file"} without a key`)] : []),
      ...(isNothing && !isEmpty ? [part("unsupported", type)] : []),
    ],
    files: here,
    isNamed: mentions.isNamed,
  };
}

function contentOf(type: string, content: unknown, mentions: Mentions): ReadContent {
  const name = textIn(content, "file_name");
  const key = field(content, "file_key");
  switch (type) {
    case "text":
      return { words: wordsIn(content, "text").trim() };
    case "post": {
      const { words, media, parts } = richText(content, mentions);
      return { words, parts, files: media.map(inTextFile) };
    }
    case "image":
      return { files: [{ key: field(content, "image_key"), type: "image", mediaType: PICTURE }] };
    case "file":
      return {
        files: [{ key, type: "file", mediaType: mediaTypeOfName(name ?? ""), ...(name && { name }) }],
      };
    case "audio":
      return { files: [{ key, type: "file", mediaType: VOICE, name: "voice.ogg", voice: true }] };
    case "media":
      return { files: [{ key, type: "file", mediaType: VIDEO, name: name ?? "video.mp4" }] };
    case "interactive":
      return { parts: [cardPart(content, mentions)] };
    default: {
      const told = partOf(type, content);
      return { parts: [told ?? part("unsupported", type, textIn(content, "text"))] };
    }
  }
}

function inTextFile({ kind, key }: InText) {
  return kind === "picture"
    ? { key, type: "image" as const, mediaType: PICTURE }
    : { key, type: "file" as const, mediaType: VIDEO, name: "video.mp4" };
}

/** What is neither words nor a file. */
function partOf(type: string, content: unknown): Part | null {
  switch (type) {
    case "sticker":
      return part("sticker");
    case "folder":
      return part("unsupported", "a folder", textIn(content, "file_name"));
    case "share_chat":
      return part("invitation", "to a group", textIn(content, "chat_name"), textIn(content, "chat_id"));
    case "share_user":
      return contactPart(textIn(content, "user_name"), listed(textIn(content, "user_id")));
    case "location":
      return locationPart({
        name: textIn(content, "name"),
        latitude: degrees(field(content, "latitude")),
        longitude: degrees(field(content, "longitude")),
      });
    case "video_chat":
      return part("call", textIn(content, "topic"), timeIn(content, "start_time"));
    case "calendar":
    case "share_calendar_event":
    case "general_calendar": {
      const [start, end] = [timeIn(content, "start_time"), timeIn(content, "end_time")];
      return part("event", textIn(content, "summary"), start && end ? `${start} to ${end}` : start);
    }
    case "todo": {
      const due = timeIn(content, "due_time");
      const summary = richText(field(content, "summary"), NO_MENTIONS).words;
      return checklistPart(summary || "a task", due ? [{ text: `due ${due}` }] : []);
    }
    case "vote":
      return pollPart(
        textIn(content, "topic"),
        listIn(content, "options").flatMap((option) => (typeof option === "string" ? option : [])),
      );
    case "hongbao":
      return part("gift", "a red packet");
    case "merge_forward":
      return part("unsupported", "forwarded messages that cannot be read");
    default:
      return null;
  }
}

const NO_MENTIONS: Mentions = { named: (text) => text, isNamed: false, placeOf: () => undefined };

function listed(value: string | undefined): readonly string[] {
  return value ? [value] : [];
}

function degrees(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

/** Milliseconds as a time that anybody can read. */
function timeIn(content: unknown, name: string): string | undefined {
  const ms = Number(wordsIn(content, name) || Number.NaN);
  const isTime = Number.isFinite(ms) && ms > 0 && ms < 8.64e15;
  return isTime ? `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC` : undefined;
}
