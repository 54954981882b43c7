/** What is sent, call by call: a text, or a file with a few words. Each falls back rather than being lost, if it may. */
import { readFile } from "node:fs/promises";
import { type Api, InputFile } from "grammy";
import type { Address } from "../../session/source.js";
import { cleanLine, shorten } from "../../util/text.js";
import { type LocalFile, type OutboundMessage, SendError } from "../adapter.js";
import { isRefusal } from "./failure.js";
import { tooLarge } from "./files.js";
import { textOf, toHtml } from "./format.js";
import { numberOf } from "./moves.js";

export const MAX_FILE = 50 * 1024 * 1024;
const MAX_PHOTO = 10 * 1024 * 1024;
const MAX_CAPTION = 1_024;
const PHOTOS = new Set(["image/jpeg", "image/png", "image/webp"]);
export const NO_PREVIEW = { is_disabled: true } as const;

/** Uploads take longer. */
export interface Clients {
  readonly calls: Api;
  readonly uploads: Api;
}

/** One call's worth of a message. */
export type Part =
  | { readonly kind: "text"; readonly html: string }
  | { readonly kind: "file"; readonly file: LocalFile; readonly html: string };

/** What the calls that send have in common. */
export interface Target {
  readonly message_thread_id?: number;
  readonly reply_parameters?: { readonly message_id: number; readonly allow_sending_without_reply: true };
}

/** One file takes a short text with it; several, or a long text, are messages of their own. */
export function partsOf({ text, files = [] }: OutboundMessage): readonly Part[] {
  const html = text.trim() === "" ? "" : toHtml(text);
  const [file, ...more] = files;
  if (file && more.length === 0 && textOf(html).length <= MAX_CAPTION) return [{ kind: "file", file, html }];
  const said: Part[] = html === "" ? [] : [{ kind: "text", html }];
  return [...said, ...files.map((each): Part => ({ kind: "file", file: each, html: "" }))];
}

function targetOf({ address, replyTo }: OutboundMessage): Target {
  const answered = replyTo === undefined ? Number.NaN : numberOf(replyTo);
  return {
    ...threadOf(address),
    ...(Number.isNaN(answered)
      ? {}
      : { reply_parameters: { message_id: answered, allow_sending_without_reply: true } }),
  };
}

export function threadOf({ threadId }: Address): Pick<Target, "message_thread_id"> {
  if (threadId === undefined) return {};
  if (!/^\d{1,15}$/.test(threadId)) throw new SendError("permanent", `${threadId} is no topic.`);
  return { message_thread_id: Number(threadId) };
}

/** One call; returns Telegram's number of the message. */
export async function sendPart(
  clients: Clients,
  chat: string,
  part: Part,
  message: OutboundMessage,
): Promise<number> {
  const target = targetOf(message);
  const { message_thread_id: thread, ...plain } = target;
  const sendTo = (to: Target): Promise<{ readonly message_id: number }> =>
    part.kind === "text"
      ? sendText(clients.calls, chat, part, to)
      : sendFile(clients.uploads, chat, part, to);
  try {
    return (await sendTo(target)).message_id;
  } catch (error) {
    if (thread === undefined || !isRefusal(error, /thread not found/i)) throw error;
    if (message.onlyThere) throw new SendError("permanent", "That topic is not there any more.");
    // The same people see the chat around it.
    return (await sendTo(plain)).message_id;
  }
}

function sendText(
  api: Api,
  chat: string,
  { html }: Extract<Part, { kind: "text" }>,
  target: Target,
): Promise<{ readonly message_id: number }> {
  return inHtml(html, (text, mode) =>
    api.sendMessage(chat, text, { ...target, ...mode, link_preview_options: NO_PREVIEW }),
  );
}

async function sendFile(
  api: Api,
  chat: string,
  { file, html }: Extract<Part, { kind: "file" }>,
  target: Target,
): Promise<{ readonly message_id: number }> {
  const bytes = await readFile(file.path).catch(() => {
    throw new SendError("permanent", `${cleanLine(file.name)} is not there any more.`);
  });
  if (bytes.byteLength > MAX_FILE)
    throw new SendError("permanent", `${cleanLine(file.name)} is ${tooLarge(MAX_FILE).message}.`);
  const content = () => new InputFile(bytes, fileName(file));
  return inHtml(html, async (text, mode) => {
    const caption = text === "" ? {} : { caption: text, ...mode };
    const asDocument = () => api.sendDocument(chat, content(), { ...target, ...caption });
    if (!PHOTOS.has(file.mediaType) || bytes.byteLength > MAX_PHOTO) return asDocument();
    // Not every picture is taken as a photo: what is too long and narrow, or broken, still goes as a file.
    return api
      .sendPhoto(chat, content(), { ...target, ...caption })
      .catch((error: unknown) => (isNoPhoto(error) ? asDocument() : Promise.reject(error)));
  });
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
