/** A file of this machine that goes with a message from the terminal. */
import { readFile, stat } from "node:fs/promises";
import { basename, extname } from "node:path";
import type { RemoteFile } from "../adapter.js";

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".pdf": "application/pdf",
  ".txt": "text/plain",
  ".md": "text/markdown",
};

export function attachedFile(path: string): RemoteFile {
  return {
    name: basename(path),
    mediaType: MEDIA_TYPES[extname(path).toLowerCase()] ?? "application/octet-stream",
    read: async (maxBytes, end) => {
      const { size } = await stat(path);
      if (size > maxBytes) throw new Error(`larger than ${Math.floor(maxBytes / 1024 / 1024)} MB`);
      return readFile(path, { signal: end });
    },
  };
}
