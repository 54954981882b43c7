/** The calls that send: a text, or a file. Each falls back rather than being lost, if it may. */
import { type Api, InputFile } from "grammy";
import type { Address } from "../../session/source.js";
import { cleanLine, shorten } from "../../util/text.js";
import { type Letter, type LocalFile, SendError } from "../adapter.js";
import { bytesOf } from "../local-file.js";
import { isRefusal, isTopicGone } from "./failure.js";
import { textOf, toHtml } from "./format.js";
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
  const { file, text } = letter;
  const send = file ? await fileSender(clients.uploads, chat, file) : textSender(clients.calls, chat, text);
  try {
    return (await send(target)).message_id;
  } catch (error) {
    if (thread === undefined || !isTopicGone(error)) throw error;
    if (letter.onlyThere) throw new SendError("permanent", "That topic is closed, or not there any more.");
    // The same people see the chat around it.
    return (await send(plain)).message_id;
  }
}

type Send = (target: TelegramTarget) => Promise<{ readonly message_id: number }>;

function textSender(api: Api, chat: string, text: string): Send {
  const html = toHtml(text);
  return (target) =>
    inHtml(html, (said, mode) =>
      api.sendMessage(chat, said, { ...target, ...mode, link_preview_options: NO_PREVIEW }),
    );
}

async function fileSender(api: Api, chat: string, file: LocalFile): Promise<Send> {
  const bytes = await bytesOf(file, LIMITS.maxFile);
  const content = () => new InputFile(bytes, fileName(file));
  return async (target) => {
    const asDocument = () => api.sendDocument(chat, content(), target);
    if (!PHOTOS.has(file.mediaType) || bytes.byteLength > MAX_PHOTO) return asDocument();
    // Not every picture is taken as a photo: what is too long and narrow, or broken, still goes as a file.
    return api
      .sendPhoto(chat, content(), target)
      .catch((error: unknown) => (isNoPhoto(error) ? asDocument() : Promise.reject(error)));
  };
}

/** In HTML; as plain text where Telegram, against all expectation, cannot read that: better than not at all. */
export async function inHtml<T>(
  html: string,
  call: (text: string, mode: { readonly parse_mode?: "HTML" }) => Promise<T>,
): Promise<T> {
  try {
    return await call(html, { parse_mode: "HTML" });
  } catch (error) {
    if (isRefusal(error, /can't parse entities/i)) return call(textOf(html), {});
    throw error;
  }
}

function isNoPhoto(error: unknown): boolean {
  return isRefusal(error, /photo|image/i);
}

/** As it stands in the head of an upload, where some signs would end it. */
function fileName({ name }: LocalFile): string {
  return shorten(cleanLine(name).replace(/["\\;/]/g, "_"), 100) || "file";
}
