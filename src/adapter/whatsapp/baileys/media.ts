/**
 * Files that people sent: fetched from WhatsApp's own hosts whatever the message says, up to what is allowed, and taken
 * only where they are what the sender sealed.
 */
import { createDecipheriv, createHmac, timingSafeEqual } from "node:crypto";
import { getMediaKeys } from "baileys";
import { readBounded, within } from "../../http-call.js";
import { field } from "../../untrusted.js";
import type { WebFile } from "./content.js";

const ROOT = "https://mmg.whatsapp.net";
const HOSTS = /(?:^|\.)whatsapp\.net$/;
const BLOCK = 16;
const SEAL = 10;

export interface DownloadSetting {
  /** Another server in WhatsApp's place. */
  readonly root: string | undefined;
  readonly timeoutMs: number;
  readonly end: AbortSignal;
}

export async function download(
  { kind, media }: WebFile,
  maxBytes: number,
  { root, timeoutMs, end }: DownloadSetting,
): Promise<Uint8Array> {
  const tooLarge = new Error(`larger than ${Math.floor(maxBytes / 1024)} kB`);
  if (Number(field(media, "fileLength")) > maxBytes) throw tooLarge;
  const key = field(media, "mediaKey");
  if (!(key instanceof Uint8Array)) throw new Error("its key is missing");
  const url = placeOf(media, root);
  const sealed = await within(timeoutMs, end, async (signal) => {
    const response = await fetch(url, { redirect: "error", signal });
    if (!response.ok) throw new Error(`WhatsApp answered ${response.status}`);
    return readBounded(response, maxBytes + BLOCK + SEAL, signal);
  });
  const bytes = await opened(sealed, key, kind);
  if (bytes.byteLength > maxBytes) throw tooLarge;
  return bytes;
}

/** The path and the address are the sender's words: neither leads away from WhatsApp. */
function placeOf(media: unknown, root = ROOT): URL {
  const [path, address] = [field(media, "directPath"), field(media, "url")];
  const given = typeof path === "string" && path !== "" ? path : address;
  const url = typeof given === "string" && URL.canParse(given, root) ? new URL(given, root) : null;
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
