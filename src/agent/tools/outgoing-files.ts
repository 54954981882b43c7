/**
 * Files that the agent sends to people. They are opened the way `read_file` opens them: in the same folders, with the
 * same questions, never a folder or a device. Each is read whole, up to what the platform takes.
 */
import { basename } from "node:path";
import { mediaTypeOf } from "../../util/media-type.js";
import type { Redactor } from "../../util/redact.js";
import type { Danger, ToolContext } from "../agent.js";
import type { Confined } from "./confined.js";
import { placeDanger } from "./file-danger.js";
import { readableBy } from "./given-files.js";
import { Refused } from "./refused.js";
import { boundedBytes, sizeText } from "./text-file.js";

export interface OutgoingFile {
  /** Where it is, with links resolved. */
  readonly from: string;
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

export interface OutgoingFiles {
  /** What is dangerous about sending one of these; the arguments are what the person sees. */
  danger(paths: readonly string[], args: unknown): Promise<Danger | null>;
  /** Fails with `Refused`, also if it is larger. */
  read(path: string, maxBytes: number, context: ToolContext): Promise<OutgoingFile>;
}

export function outgoingFiles(confined: Confined): OutgoingFiles {
  return {
    async danger(paths, args) {
      // Of several, the first is asked about; the others are refused when the tool acts, unless they are beside it.
      for (const path of paths) {
        const danger = await placeDanger(confined, "read", path, args);
        if (danger) return danger;
      }
      return null;
    },
    async read(path, maxBytes, context) {
      const readable = await readableBy(confined, context, path);
      const file = await readable.confined.openFile(path, readable.check);
      try {
        const bytes = await boundedBytes(file, maxBytes);
        if (bytes === null)
          throw new Refused(
            `${file.path} is too large: ${sizeText(file.stats.size)}. At most ${sizeText(maxBytes)} can be sent there.`,
          );
        const name = basename(file.path);
        return { from: file.path, name, mediaType: mediaTypeOf(name, bytes), bytes };
      } finally {
        await file.handle.close();
      }
    },
  };
}

const PIECE = 65_536;

/** The same, but a file that contains a secret of Baton's is not sent. */
export function hidingFiles(files: OutgoingFiles, redactor: Pick<Redactor, "stream">): OutgoingFiles {
  return {
    danger: (paths, args) => files.danger(paths, args),
    async read(path, maxBytes, context) {
      const file = await files.read(path, maxBytes, context);
      if (await hasSecret(file.bytes, redactor))
        throw new Refused(`${file.from} contains a secret that Baton uses, so it can't be sent.`);
      return file;
    },
  };
}

/** Reads in pieces, and lets other work run meanwhile. */
async function hasSecret(bytes: Uint8Array, redactor: Pick<Redactor, "stream">): Promise<boolean> {
  const hiding = redactor.stream();
  const decoder = new TextDecoder();
  let [read, shown] = [0, 0];
  for (let at = 0; at < bytes.byteLength; at += PIECE) {
    const piece = decoder.decode(bytes.subarray(at, at + PIECE), { stream: true });
    read += piece.length;
    shown += hiding.push(piece).length;
    await new Promise((resolve) => setImmediate(resolve));
  }
  const rest = decoder.decode();
  read += rest.length;
  return shown + hiding.push(rest).length + hiding.end().length !== read;
}
