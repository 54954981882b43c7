/** The calls that send: a text, a file, or an album. Each falls back rather than being lost, if it may. */
import { type Api, InputFile } from "grammy";
import type { Address } from "../../session/source.js";
import { cleanLine, shorten } from "../../util/text.js";
import { type Letter, type LocalFile, SendError } from "../adapter.js";
import { pressData } from "../buttons.js";
import { bytesOf } from "../local-file.js";
import { isRefusal, isTopicGone } from "./failure.js";
import { textOf, textWithLinks, toHtml } from "./format.js";
import { LIMITS } from "./limits.js";
import { numberOf } from "./moves.js";

const MAX_PHOTO = 10 * 1024 * 1024;
const PHOTOS = new Set(["image/jpeg", "image/png", "image/webp"]);
export const NO_PREVIEW = { is_disabled: true } as const;

/** Uploads take longer. */
export interface Clients {
  readonly calls: Api;
  readonly uploads: Api;
}

/** What the calls that send have in common. */
export interface TelegramTarget {
  readonly message_thread_id?: number;
  readonly reply_parameters?: { readonly message_id: number; readonly allow_sending_without_reply: true };
}

function targetOf({ address, replyTo }: Letter): TelegramTarget {
  const answered = replyTo === undefined ? Number.NaN : numberOf(replyTo);
  return {
    ...threadOf(address),
    ...(Number.isNaN(answered)
      ? {}
      : { reply_parameters: { message_id: answered, allow_sending_without_reply: true } }),
  };
}

export function threadOf({ threadId }: Address): Pick<TelegramTarget, "message_thread_id"> {
  if (threadId === undefined) return {};
  if (!/^\d{1,15}$/.test(threadId)) throw new SendError("permanent", `${threadId} is no topic.`);
  return { message_thread_id: Number(threadId) };
}

/** Returns Telegram's number of the message. */
export async function sendLetter(clients: Clients, chat: string, letter: Letter): Promise<number> {
  const target = targetOf(letter);
  const { message_thread_id: thread, ...plain } = target;
  const { files, text } = letter;
  const send = files
    ? await filesSender(clients.uploads, chat, text, files)
    : textSender(clients.calls, chat, text, keyboardOf(letter));
  try {
    return (await send(target)).message_id;
  } catch (error) {
    if (thread === undefined || !isTopicGone(error)) throw error;
    if (letter.onlyThere) throw new SendError("permanent", "That topic is closed, or not there any more.");
    // The same people see the chat around it.
    return (await send(plain)).message_id;
  }
}

interface InlineKeyboard {
  readonly reply_markup?: { inline_keyboard: { text: string; callback_data: string }[][] };
}

/** Two beside each other; more of them one below the other, so that a phone shows what each says. */
function keyboardOf({ buttons }: Letter): InlineKeyboard {
  if (!buttons) return {};
  const all = buttons.map((button) => ({ text: button.label, callback_data: pressData(button) }));
  return { reply_markup: { inline_keyboard: all.length > 2 ? all.map((each) => [each]) : [all] } };
}

type Send = (target: TelegramTarget) => Promise<{ readonly message_id: number }>;

function textSender(api: Api, chat: string, text: string, keyboard: InlineKeyboard): Send {
  const html = toHtml(text);
  return (target) =>
    inHtml(html, (said, mode) =>
      api.sendMessage(chat, said, { ...target, ...mode, ...keyboard, link_preview_options: NO_PREVIEW }),
    );
}

interface LoadedFile extends LocalFile {
  readonly bytes: Buffer;
}

interface Caption {
  readonly caption?: string;
  readonly parse_mode?: "HTML";
}

async function filesSender(api: Api, chat: string, text: string, files: readonly LocalFile[]): Promise<Send> {
  const loaded: LoadedFile[] = [];
  for (const file of files) loaded.push({ ...file, bytes: await bytesOf(file, LIMITS.maxFile) });
  return async (target) => {
    const send = (kindOf: KindOf) =>
      captioned(text, (caption) => upload(api, chat, loaded, kindOf, target, caption));
    // Not every picture is taken as a photo: what is too long and narrow, or broken, still goes as a file.
    return send(usualKind).catch((error: unknown) =>
      isNotShown(error) ? send(() => "document") : Promise.reject(error),
    );
  };
}

type KindOf = (file: LoadedFile) => "photo" | "video" | "voice" | "document";

const usualKind: KindOf = ({ mediaType, bytes, voice }) => {
  if (voice) return "voice";
  if (PHOTOS.has(mediaType) && bytes.byteLength <= MAX_PHOTO) return "photo";
  return mediaType === "video/mp4" ? "video" : "document";
};

function captioned<T>(text: string, call: (caption: Caption) => Promise<T>): Promise<T> {
  return text === ""
    ? call({})
    : inHtml(toHtml(text), (caption, mode) => call({ caption, ...mode }), LIMITS.maxCaption);
}

async function upload(
  api: Api,
  chat: string,
  files: readonly LoadedFile[],
  kindOf: KindOf,
  target: TelegramTarget,
  caption: Caption,
): Promise<{ readonly message_id: number }> {
  const [first] = files;
  const sent =
    first && files.length === 1
      ? await uploadOne(api, chat, first, kindOf(first), { ...target, ...caption })
      : (await api.sendMediaGroup(chat, albumOf(files, kindOf, caption), target))[0];
  if (!sent) throw new SendError("unknown", "Telegram did not say what became of the files.");
  return sent;
}

function uploadOne(
  api: Api,
  chat: string,
  file: LoadedFile,
  kind: ReturnType<KindOf>,
  other: TelegramTarget & Caption,
): Promise<{ readonly message_id: number }> {
  switch (kind) {
    case "photo":
      return api.sendPhoto(chat, contentOf(file), other);
    case "video":
      return api.sendVideo(chat, contentOf(file), other);
    case "voice":
      return api.sendVoice(chat, contentOf(file), other);
    case "document":
      return api.sendDocument(chat, contentOf(file), other);
  }
}

/** Photos and videos, or documents: Telegram does not mix them. The first one has the caption. */
function albumOf(files: readonly LoadedFile[], kindOf: KindOf, caption: Caption): Album {
  const media = files.map((file, n) => ({ media: contentOf(file), ...(n === 0 ? caption : {}) }));
  const kinds = files.map((file) => kindOf(file));
  if (!kinds.every((kind) => kind === "photo" || kind === "video"))
    return media.map((each) => ({ type: "document", ...each }));
  return media.map((each, n) => ({ type: kinds[n] === "video" ? "video" : "photo", ...each }));
}

type Album = Parameters<Api["sendMediaGroup"]>[1];

function contentOf(file: LoadedFile): InputFile {
  return new InputFile(file.bytes, fileName(file));
}

/** What Telegram says of markup that it does not take: it cannot read it, or there is too much of it. */
const REFUSED_MARKUP = /can't parse entities|entit(?:y|ies)[_ ](?:too|bounds|text|\w+[_ ]invalid)/i;

/** In HTML; as plain text where Telegram, against all expectation, does not take that: better than not at all. */
export async function inHtml<T>(
  html: string,
  call: (text: string, mode: { readonly parse_mode?: "HTML" }) => Promise<T>,
  max: number = LIMITS.maxText,
): Promise<T> {
  try {
    return await call(html, { parse_mode: "HTML" });
  } catch (error) {
    if (!isRefusal(error, REFUSED_MARKUP)) throw error;
    const plain = textWithLinks(html);
    return call(plain.length > max ? textOf(html) : plain, {});
  }
}

/** Telegram, or the person's privacy settings, refuse it as a photo, a video or a voice message. */
function isNotShown(error: unknown): boolean {
  return isRefusal(error, /photo|image|video|voice/i);
}

/** As it stands in the head of an upload, where some signs would end it. */
function fileName({ name }: LocalFile): string {
  return shorten(cleanLine(name).replace(/["\\;/]/g, "_"), 100) || "file";
}
