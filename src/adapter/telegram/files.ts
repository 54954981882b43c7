/** The files of a message, and how they are fetched: bounded, and with no word of where from, for the address holds the token. */

import type { Fields } from "../../util/json.js";
import type { RemoteFile } from "../adapter.js";
import { within } from "../http-call.js";
import { listIn, numberIn, objectIn, textIn } from "../untrusted.js";

/** Fails where the file is larger. */
export type ReadFile = (fileId: string, maxBytes: number, end: AbortSignal) => Promise<Uint8Array>;

/** Where files are in a message, with what they are where it does not say. An animation comes as a document too. */
const KINDS = [
  ["animation", "video/mp4"],
  ["document", "application/octet-stream"],
  ["audio", "audio/mpeg"],
  ["video", "video/mp4"],
  ["voice", "audio/ogg"],
  ["video_note", "video/mp4"],
] as const;

export function filesOf(message: Fields, read: ReadFile): readonly RemoteFile[] {
  const photo = largest(listIn(message, "photo"));
  if (photo) return fileOf(photo, "image/jpeg", read);
  for (const [kind, mediaType] of KINDS) {
    const file = objectIn(message, kind);
    if (file) return fileOf(file, mediaType, read);
  }
  return [];
}

function fileOf(file: unknown, usualType: string, read: ReadFile): readonly RemoteFile[] {
  const id = textIn(file, "file_id");
  if (!id) return [];
  const name = textIn(file, "file_name");
  const size = numberIn(file, "file_size") ?? 0;
  return [
    {
      ...(name ? { name } : {}),
      mediaType: textIn(file, "mime_type") ?? usualType,
      read: async (maxBytes, end) => {
        if (size > maxBytes) throw tooLarge(maxBytes);
        return read(id, maxBytes, end);
      },
    },
  ];
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
