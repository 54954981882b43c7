/** What a message of WhatsApp Web says: its words, its files and what else it has. Also of one that is quoted or changed. */
import { type Part, part } from "../../../session/parts.js";
import type { RemoteFile } from "../../adapter.js";
import { field, isThere, textIn, textOf } from "../../untrusted.js";
import { isSaid, partsIn, unreadPart } from "./parts.js";
import { contextOf, unwrapped } from "./unwrap.js";

/** A file as the message names it: where it lies, and the key to it. */
export interface WebFile {
  readonly kind: "image" | "video" | "audio" | "document" | "sticker";
  readonly media: unknown;
  readonly name: string | undefined;
  readonly mediaType: string;
  /** Somebody spoke it: a voice message, or a round video. */
  readonly isVoice: boolean;
}

export interface WebContent {
  readonly text: string;
  readonly files: readonly RemoteFile[];
  readonly parts: readonly Part[];
}

const FILES: readonly (readonly [path: readonly string[], kind: WebFile["kind"]])[] = [
  [["imageMessage"], "image"],
  [["videoMessage"], "video"],
  [["ptvMessage"], "video"],
  [["audioMessage"], "audio"],
  [["documentMessage"], "document"],
  [["stickerMessage"], "sticker"],
  [["productMessage", "product", "productImage"], "image"],
  [["buttonsMessage", "imageMessage"], "image"],
  [["buttonsMessage", "videoMessage"], "video"],
  [["buttonsMessage", "documentMessage"], "document"],
  [["templateMessage", "hydratedTemplate", "imageMessage"], "image"],
  [["templateMessage", "hydratedTemplate", "videoMessage"], "video"],
  [["templateMessage", "hydratedTemplate", "documentMessage"], "document"],
  [["interactiveMessage", "header", "imageMessage"], "image"],
  [["interactiveMessage", "header", "videoMessage"], "video"],
  [["interactiveMessage", "header", "documentMessage"], "document"],
];
/** Where the words are, in the order they are looked for. */
const WORDS: readonly (readonly string[])[] = [
  ["conversation"],
  ["extendedTextMessage", "text"],
  ["imageMessage", "caption"],
  ["videoMessage", "caption"],
  ["ptvMessage", "caption"],
  ["documentMessage", "caption"],
  ["buttonsResponseMessage", "selectedDisplayText"],
  ["listResponseMessage", "title"],
  ["templateButtonReplyMessage", "selectedDisplayText"],
  ["interactiveResponseMessage", "body", "text"],
  ["locationMessage", "comment"],
  ["liveLocationMessage", "caption"],
  ["groupInviteMessage", "caption"],
  ["newsletterAdminInviteMessage", "caption"],
  ["newsletterFollowerInviteMessageV2", "caption"],
  ["stickerPackMessage", "caption"],
  ["orderMessage", "message"],
  ["productMessage", "body"],
  ["buttonsMessage", "contentText"],
  ["listMessage", "description"],
  ["templateMessage", "hydratedTemplate", "hydratedContentText"],
  ["templateMessage", "hydratedFourRowTemplate", "hydratedContentText"],
  ["interactiveMessage", "body", "text"],
  ["questionResponseMessage", "text"],
  ["statusQuestionAnswerMessage", "text"],
  ["statusQuotedMessage", "text"],
];
const ONCE: Readonly<Record<WebFile["kind"], string>> = {
  image: "picture",
  video: "video",
  audio: "voice message",
  document: "file",
  sticker: "sticker",
};

/** Null if nobody says anything with it. */
export function readContent(message: unknown, file: (file: WebFile) => RemoteFile): WebContent | null {
  const { content, isOnce } = unwrapped(message);
  if (!isSaid(content)) return null;
  const text = WORDS.map((path) => textIn(content, ...path)).find((words) => words !== undefined) ?? "";
  const media = FILES.flatMap(([path, kind]) =>
    mediaAt(field(content, ...path), kind, path[0] === "ptvMessage"),
  );
  const isHidden = ({ media: each }: WebFile): boolean => isOnce || field(each, "viewOnce") === true;
  const once = media
    .filter(isHidden)
    .map(({ kind }) => part("unsupported", `a ${ONCE[kind]} that may be opened only once`));
  const files = media.filter((each) => !isHidden(each)).map(file);
  const known = [...partsIn(content), ...once, ...advertisement(contextOf(content))];
  const isUnread = text === "" && files.length === 0 && known.length === 0;
  return { text, files, parts: isUnread ? [unreadPart(content)] : known };
}

function mediaAt(media: unknown, kind: WebFile["kind"], isRound: boolean): WebFile[] {
  if (!isThere(field(media, "mediaKey"))) return [];
  const mediaType = textOf(field(media, "mimetype")) ?? "application/octet-stream";
  const isVoice = isRound || field(media, "ptt") === true;
  return [{ kind, media, name: textOf(field(media, "fileName")), mediaType, isVoice }];
}

/** From which advertisement somebody writes. */
function advertisement(context: unknown): Part[] {
  const shown = field(context, "externalAdReply");
  const words = ["title", "body", "sourceUrl"].map((name) => textIn(shown, name));
  return words.some(isThere) ? [part("link", ...words)] : [];
}
