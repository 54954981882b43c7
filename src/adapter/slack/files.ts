/**
 * Files, in and out. The token goes to Slack's own hosts and to nobody else: a file's address comes with a message, and a
 * file that somebody only linked lies wherever they like.
 */

import type { WebClient } from "@slack/web-api";
import { parsedUrl } from "../../util/parsed-url.js";
import type { LocalFile, RemoteFile } from "../adapter.js";
import { HttpRefusal, readBounded, within } from "../http-call.js";
import { bytesOf } from "../local-file.js";
import type { SlackSettings } from "./config.js";
import type { SharedFile } from "./content.js";
import { LIMITS } from "./limits.js";
import { baseUrlOf } from "./web.js";

/** A file is larger than a call. */
const TRANSFER_MS = 120_000;

/** Fetched with the bot's token, and no further than the limit. */
export function remoteFile(file: SharedFile, settings: SlackSettings): RemoteFile {
  return {
    ...(file.name && { name: file.name }),
    mediaType: file.mediaType || "application/octet-stream",
    ...(file.voice && { voice: file.voice }),
    ref: file.url,
    read: async (maxBytes, end) => {
      if (!isSlacks(file.url, settings)) throw new Error("it is not kept by Slack");
      const headers = { authorization: `Bearer ${settings.botToken()}` };
      return within(TRANSFER_MS, end, async (signal) => {
        const response = await fetch(file.url, { headers, redirect: "error", signal });
        if (!response.ok) throw new Error(`Slack did not give it (HTTP ${response.status})`);
        if (isPage(response) && !file.mediaType.startsWith("text/html")) {
          throw new Error("Slack gave a page in its place: the app may lack the scope files:read");
        }
        return readBounded(response, maxBytes, signal);
      });
    },
  };
}

function isSlacks(address: string, settings: SlackSettings): boolean {
  const url = parsedUrl(address);
  if (!url) return false;
  const { protocol, hostname, origin, username, password } = url;
  if (username || password) return false;
  if (origin === new URL(baseUrlOf(settings)).origin) return true;
  return protocol === "https:" && (hostname === "slack.com" || hostname.endsWith(".slack.com"));
}

function isPage(response: Response): boolean {
  return response.headers.get("content-type")?.startsWith("text/html") ?? false;
}

export interface UploadedFile {
  readonly id: string;
  readonly title: string;
}

/** Brings a file to Slack, where nobody sees it until it is shared. */
export async function upload(web: WebClient, file: LocalFile): Promise<UploadedFile> {
  const { name } = file;
  const bytes = await bytesOf(file, LIMITS.maxFile);
  const { upload_url: url, file_id: id } = await web.files.getUploadURLExternal({
    filename: name,
    length: bytes.byteLength,
  });
  if (!url || !id) throw new Error("Slack gave no place for the file");
  const response = await fetch(url, {
    method: "POST",
    body: bytes,
    headers: { "content-type": "application/octet-stream" },
    redirect: "error",
    signal: AbortSignal.timeout(TRANSFER_MS),
  });
  await response.body?.cancel();
  if (!response.ok) throw new HttpRefusal(response, "");
  return { id, title: name };
}
