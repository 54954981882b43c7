/** The attached images of a conversation, read once a turn. Images that can't be read or are too large are left out. */
import { open } from "node:fs/promises";
import { isPicture } from "../../session/attachments.js";
import type { Message } from "../../session/transcript.js";

/** Providers refuse larger ones. */
const MAX_BYTES = 5 * 1024 * 1024;

/** By their names in the media store; `pathOf` knows where those are. */
export async function imagesOf(
  messages: readonly Message[],
  pathOf: (file: string) => string | null,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const images = new Map<string, Uint8Array>();
  for (const message of messages) {
    if (message.role !== "user") continue;
    for (const { file, mediaType } of message.attachments ?? []) {
      const path = isPicture({ mediaType }) && !images.has(file) ? pathOf(file) : null;
      const bytes = path === null ? null : await bytesOf(path);
      if (bytes) images.set(file, bytes);
    }
  }
  return images;
}

async function bytesOf(path: string): Promise<Uint8Array | null> {
  try {
    const file = await open(path, "r");
    try {
      const { size } = await file.stat();
      return size > 0 && size <= MAX_BYTES ? await file.readFile() : null;
    } finally {
      await file.close();
    }
  } catch {
    return null; // The prompt says that there was one.
  }
}
