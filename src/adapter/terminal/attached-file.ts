/** A file of this machine that goes with a message from the terminal. */
import { readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import { mediaTypeOfName } from "../../util/media-type.js";
import type { RemoteFile } from "../adapter.js";

export function attachedFile(path: string): RemoteFile {
  return {
    name: basename(path),
    mediaType: mediaTypeOfName(path),
    read: async (maxBytes, end) => {
      const { size } = await stat(path);
      if (size > maxBytes) throw new Error(`larger than ${Math.floor(maxBytes / 1024 / 1024)} MB`);
      return readFile(path, { signal: end });
    },
  };
}
