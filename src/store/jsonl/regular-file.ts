/**
 * Opens regular files of folders that others may write to. A link there could lead anywhere, and a pipe or a device may
 * never end: neither is opened, also if one took the file's place a moment ago.
 */
import { constants as bufferConstants } from "node:buffer";
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

const { MAX_STRING_LENGTH } = bufferConstants;
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

export async function openRegular(path: string): Promise<FileHandle> {
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    if ((await file.stat()).isFile()) return file;
    throw Object.assign(new Error(`${path} is not a regular file.`), { code: "EFTYPE" });
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** The whole file, if a text can be that long. */
export async function readRegular(path: string): Promise<string> {
  const file = await openRegular(path);
  try {
    if ((await file.stat()).size > MAX_STRING_LENGTH)
      throw Object.assign(new Error(`${path} is too large.`), { code: "EFBIG" });
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

/** The system's name for why a file cannot be read; any other error is not about the file. */
export function errno(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (!code) throw error;
  return code;
}
