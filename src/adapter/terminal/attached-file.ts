/** A file of this machine that goes with a message from the terminal, or what comes out of a pipe. */
import { closeSync, constants, openSync, readSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { Socket } from "node:net";
import { basename } from "node:path";
import { fileReason } from "../../util/file-problem.js";
import { mediaTypeOfName } from "../../util/media-type.js";
import type { RemoteFile } from "../adapter.js";

export function attachedFile(path: string): RemoteFile {
  return {
    name: basename(path),
    mediaType: mediaTypeOfName(path),
    read: async (maxBytes, end) => {
      try {
        const stats = await stat(path);
        if (stats.isFIFO()) return await pipedFile(path, maxBytes, end);
        if (stats.size > maxBytes) throw tooLarge(maxBytes);
        return await readFile(path, { signal: end });
      } catch (error) {
        throw new Error(fileReason(error), { cause: error });
      }
    },
  };
}

/** As the shell's `<(command)` gives it. Nobody waits for a pipe without a writer, and the wait for a slow one can end. */
async function pipedFile(path: string, maxBytes: number, end: AbortSignal): Promise<Uint8Array> {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const first = beginning(fd);
  if (first?.length === 0) {
    closeSync(fd);
    return first;
  }
  const pieces = first ? [first] : [];
  let bytes = first?.length ?? 0;
  for await (const piece of new Socket({ fd, writable: false, signal: end })) {
    bytes += piece.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Empty if nobody writes to the pipe; null if it has a writer that says nothing yet. */
function beginning(fd: number): Buffer | null {
  const room = Buffer.alloc(65_536);
  try {
    return room.subarray(0, readSync(fd, room));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EAGAIN") return null;
    closeSync(fd);
    throw error;
  }
}

function tooLarge(maxBytes: number): Error {
  return new Error(`larger than ${Math.floor(maxBytes / 1024 / 1024)} MB`);
}
