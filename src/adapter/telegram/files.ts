/** The files of a message, and how they are fetched: bounded, and with no word of where from, for the address holds the token. */

import type { Fields } from "../../util/json.js";
import type { RemoteFile } from "../adapter.js";
import { within } from "../http-call.js";
import { listIn, numberIn, objectIn, textIn } from "../untrusted.js";
import { richNodes } from "./rich.js";

/** Fails where the file is larger. */
export type ReadFile = (fileId: string, maxBytes: number, end: AbortSignal) => Promise<Uint8Array>;

/** Where files are in a message, with what they are where it does not say. An animation comes as a document too. */
const KINDS = [
  ["animation", "video/mp4"],
  ["document", "application/octet-stream"],
  ["audio", "audio/mpeg"],
  ["video", "video/mp4"],
  ["voice", "audio/ogg"],
  ["voice_note", "audio/ogg"],
  ["video_note", "video/mp4"],
] as const;
/** Somebody spoke instead of typing. */
const SPOKEN: readonly string[] = ["voice", "voice_note", "video_note"];

/** Also those of its poll, of media that are paid for, and of the blocks of a rich message. */
export function filesOf(message: Fields, read: ReadFile): readonly RemoteFile[] {
  const rich = objectIn(message, "rich_message");
  const within = [
    ...listIn(message, "paid_media", "paid_media"),
    ...[objectIn(message, "poll", "media")].flatMap((media) => media ?? []),
    ...(rich ? richNodes(rich).filter((node) => Object.hasOwn(node, String(node.type))) : []),
  ];
  return [message, ...within].flatMap((each) => mediaOf(each, read));
}

function mediaOf(message: unknown, read: ReadFile): readonly RemoteFile[] {
  const photo = fileOf(largest(listIn(message, "photo")), "image/jpeg", read);
  const moving = fileOf(objectIn(message, "live_photo"), "video/mp4", read);
  for (const [kind, mediaType] of KINDS) {
    const file = fileOf(objectIn(message, kind), mediaType, read, SPOKEN.includes(kind));
    if (file.length > 0) return [...photo, ...moving, ...file];
  }
  return [...photo, ...moving];
}

function fileOf(file: unknown, usualType: string, read: ReadFile, isSpoken = false): readonly RemoteFile[] {
  const id = textIn(file, "file_id");
  if (!id) return [];
  const name = textIn(file, "file_name") ?? songOf(file);
  const size = numberIn(file, "file_size") ?? 0;
  return [
    {
      ...(name ? { name } : {}),
      mediaType: textIn(file, "mime_type") ?? usualType,
      ...(isSpoken ? { voice: true } : {}),
      ref: id,
      read: async (maxBytes, end) => {
        if (size > maxBytes) throw tooLarge(maxBytes);
        return read(id, maxBytes, end);
      },
    },
  ];
}

/** Who plays what. */
function songOf(file: unknown): string {
  return [textIn(file, "performer"), textIn(file, "title")].filter(Boolean).join(" - ");
}

/** Of the sizes of a photo. */
function largest(sizes: readonly unknown[]): unknown {
  const area = (size: unknown): number => (numberIn(size, "width") ?? 0) * (numberIn(size, "height") ?? 0);
  return sizes
    .filter((size) => textIn(size, "file_id") !== undefined)
    .reduce<unknown>(
      (best, size) => (best === undefined || area(size) > area(best) ? size : best),
      undefined,
    );
}

const TIMEOUT_MS = 60_000;

/** The bytes behind `file_path`, as the Bot API gave it. */
export async function fetchFile(
  root: string,
  token: string,
  path: string,
  maxBytes: number,
  end: AbortSignal,
): Promise<Uint8Array> {
  const parts = path.split("/");
  if (parts.some((part) => part === "" || part === "." || part === ".."))
    throw new Error("it is not where Telegram keeps files");
  const url = `${root}/file/bot${token}/${parts.map(encodeURIComponent).join("/")}`;
  return within(TIMEOUT_MS, end, (signal) => fetchBounded(url, maxBytes, signal));
}

async function fetchBounded(url: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
  const response = await fetch(url, { signal, redirect: "error" }).catch(unreachable);
  if (!response.ok || !response.body) {
    await response.body?.cancel();
    throw new Error(`Telegram did not give it (${response.status})`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  const body = response.body.getReader();
  for (;;) {
    const { done, value } = await body.read().catch(unreachable);
    if (done) return Buffer.concat(chunks);
    size += value.byteLength;
    if (size > maxBytes) {
      await body.cancel();
      throw tooLarge(maxBytes);
    }
    chunks.push(value);
  }
}

function tooLarge(maxBytes: number): Error {
  return new Error(`larger than ${Math.floor(maxBytes / 1024 / 1024)} MB`);
}

/** What fetch says of a failure may name the address. */
function unreachable(): never {
  throw new Error("Telegram could not be reached");
}
