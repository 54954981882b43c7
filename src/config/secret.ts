/** Secrets in files of their own, and passwords in URLs. */
import {
  closeSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { InputError } from "../session/errors.js";
import { fileReason, refuseOtherKinds } from "../util/file-problem.js";
import { makeFolder } from "../util/make-folder.js";

/** What a secret's file holds, without the line break at its end. Only its owner may be able to get at it. */
export function readSecretFile(path: string): string {
  const { mode, text } = contentOf(path);
  if ((mode & 0o077) !== 0) {
    const chmod = `chmod 600 '${path.replaceAll("'", "'\\''")}'`;
    throw unusable(path, `other users can get at the file. Make it private: ${chmod}`);
  }
  const secret = text.replace(/\r?\n$/, "");
  if (secret === "") throw unusable(path, "the file is empty");
  return secret;
}

/** Keeps a secret in a private file, in a private folder; a file that was there is replaced as a whole. */
export function writeSecretFile(path: string, secret: string): void {
  makeFolder(dirname(path));
  const beside = `${path}.${process.pid}.tmp`;
  try {
    const file = openSync(beside, "wx", 0o600);
    try {
      writeSync(file, `${secret}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(beside, path);
  } finally {
    rmSync(beside, { force: true });
  }
}

function contentOf(path: string): { mode: number; text: string } {
  try {
    refuseOtherKinds(statSync(path));
    const file = openSync(path, "r");
    try {
      return { mode: fstatSync(file).mode, text: readFileSync(file, "utf8") };
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === "ENOENT";
    throw unusable(path, isMissing ? "there is no such file" : fileReason(cause), cause);
  }
}

function unusable(path: string, why: string, cause?: unknown): InputError {
  return new InputError("invalid_config", `The secret in ${path} cannot be used: ${why}.`, { cause });
}

/** A URL without its password: rather too much is hidden than too little. Other text is left as it is. */
export function withoutPassword(url: string): string {
  if (/^(?:sqlite|file):/i.test(url)) return url;
  return url
    .replace(/^([a-z][a-z0-9+.-]*:\/*[^:/?#@]*):.*@/is, "$1:***@")
    .replace(/[?&]([^=&#?]*)=[^&#]*/g, (pair, name: string) =>
      /pass|key|token|secret|auth|sig/i.test(name) ? `${pair.slice(0, name.length + 2)}***` : pair,
    );
}
