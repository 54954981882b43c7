/** A file of our own that is to be sent. */
import { readFile, stat } from "node:fs/promises";
import { cleanLine } from "../util/text.js";
import { type LocalFile, SendError } from "./adapter.js";

/** Fails with a `SendError` if it is gone, or larger than the platform takes. */
export async function bytesOf({ path, name }: LocalFile, maxBytes: number): Promise<Buffer> {
  const gone = (): never => {
    throw new SendError("permanent", `The file ${cleanLine(name)} no longer exists.`);
  };
  const { size } = await stat(path).catch(gone);
  if (size > maxBytes) {
    const most = Math.floor(maxBytes / 1024 / 1024);
    throw new SendError("permanent", `The file ${cleanLine(name)} is larger than ${most} MB.`);
  }
  return readFile(path).catch(gone);
}
