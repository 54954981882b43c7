/**
 * Changes a file so that readers see the old text or the new one, never a mixture, and so that of two writers the
 * second sees what the first wrote. The new text is written beside the file and renamed over it; while it is being
 * written its name is the lock, as with git's index.
 */
import { type FileHandle, open, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { BatonError, InputError } from "../session/errors.js";
import { fileReason } from "../util/file-problem.js";
import { makeFolder } from "../util/make-folder.js";
import { configText } from "./config-text.js";

const ATTEMPTS = 50;
const PAUSE_MS = 20;

/** `edit` is given the text, null where there is no file yet, and may refuse by throwing: then nothing changes. */
export async function rewriteFile(path: string, edit: (text: string | null) => string): Promise<void> {
  try {
    makeFolder(dirname(path));
    const file = await realPath(path); // A link stays a link.
    const lock = `${file}.lock`;
    const handle = await openAlone(lock);
    try {
      await handle.writeFile(edit(await configText(file)));
      await handle.chmod(await modeOf(file));
      await handle.sync();
      await handle.close();
      await rename(lock, file);
    } catch (error) {
      await handle.close();
      await rm(lock, { force: true });
      throw error;
    }
    await syncFolder(dirname(file));
  } catch (cause) {
    if (cause instanceof BatonError) throw cause;
    throw new InputError("invalid_config", `${path} can't be written: ${fileReason(cause)}.`, { cause });
  }
}

async function openAlone(lock: string): Promise<FileHandle> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await open(lock, "wx", 0o600);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      if (attempt === ATTEMPTS) {
        throw new InputError(
          "invalid_config",
          `${lock} exists: another process is changing the file, or stopped while it did. If no other process runs, delete that file and try again.`,
        );
      }
      await wait(PAUSE_MS);
    }
  }
}

async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return path;
    throw error;
  }
}

/** A file that was there keeps its mode; a new one is private. */
async function modeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).mode & 0o777;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0o600;
    throw error;
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
