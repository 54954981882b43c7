/**
 * Files that people sent: fetched from WhatsApp's own hosts whatever the message says, up to what is allowed, and taken
 * only where they are what the sender sealed.
 */

import { createDecipheriv, createHmac, timingSafeEqual } from "node:crypto";
import { getMediaKeys } from "baileys";
import { parsedUrl } from "../../../util/parsed-url.js";
import { readBounded, within } from "../../http-call.js";
import { field, textOf } from "../../untrusted.js";
import type { WebFile } from "./content.js";

const ROOT = "https://mmg.whatsapp.net";
const HOSTS = /(?:^|\.)whatsapp\.net$/;
const BLOCK = 16;
const SEAL = 10;

/** Where a file lies, and its key, in base64: as it can be stored. */
export interface SealedFile extends Pick<WebFile, "kind"> {
  readonly directPath?: string;
  readonly url?: string;
  readonly key?: string;
  readonly size?: number;
}

export function sealedFile({ kind, media }: WebFile): SealedFile {
  const [directPath, url] = [textOf(field(media, "directPath")), textOf(field(media, "url"))];
  const [key, size] = [field(media, "mediaKey"), Number(field(media, "fileLength"))];
  return {
    kind,
    ...(directPath ? { directPath } : {}),
    ...(url ? { url } : {}),
    ...(key instanceof Uint8Array ? { key: Buffer.from(key).toString("base64") } : {}),
    ...(size >= 0 ? { size } : {}),
  };
}

export interface DownloadSetting {
  /** Another server in WhatsApp's place. */
  readonly root: string | undefined;
  readonly timeoutMs: number;
  readonly end: AbortSignal;
}

export async function download(
  file: SealedFile,
  maxBytes: number,
  { root, timeoutMs, end }: DownloadSetting,
): Promise<Uint8Array> {
  const tooLarge = new Error(`larger than ${Math.floor(maxBytes / 1024)} kB`);
  const { kind, key, size = 0 } = file;
  if (size > maxBytes) throw tooLarge;
  if (!key) throw new Error("its key is missing");
  const url = placeOf(file, root);
  const sealed = await within(timeoutMs, end, async (signal) => {
    const response = await fetch(url, { redirect: "error", signal });
    if (!response.ok) throw new Error(`WhatsApp answered ${response.status}`);
    return readBounded(response, maxBytes + BLOCK + SEAL, signal);
  });
  const bytes = await opened(sealed, Buffer.from(key, "base64"), kind);
  if (bytes.byteLength > maxBytes) throw tooLarge;
  return bytes;
}

/** The path and the address are the sender's words: neither leads away from WhatsApp. */
function placeOf({ directPath, url: address }: SealedFile, root = ROOT): URL {
  const given = directPath ?? address;
  const url = given === undefined ? null : parsedUrl(given, root);
  const isTheirs = root === ROOT && url?.protocol === "https:" && url.port === "" && HOSTS.test(url.hostname);
  if (!url || (url.origin !== new URL(root).origin && !isTheirs))
    throw new Error("it lies at a place that is not WhatsApp's");
  return url;
}

async function opened(sealed: Uint8Array, key: Uint8Array, kind: WebFile["kind"]): Promise<Uint8Array> {
  const { iv, cipherKey, macKey } = await getMediaKeys(key, kind);
  if (!macKey || sealed.byteLength < SEAL) throw new Error("it is not what was sent");
  const [body, seal] = [sealed.subarray(0, -SEAL), sealed.subarray(-SEAL)];
  const expected = createHmac("sha256", macKey).update(iv).update(body).digest().subarray(0, SEAL);
  if (!timingSafeEqual(seal, expected)) throw new Error("it is not what was sent");
  const cipher = createDecipheriv("aes-256-cbc", cipherKey, iv);
  return Buffer.concat([cipher.update(body), cipher.final()]);
}
