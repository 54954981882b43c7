/**
 * When a command changes files outside the folders in which the agent works. It looks at the text of paths, not at
 * links.
 */
import { posix } from "node:path";
import { has, operands } from "./danger-words.js";
import { UNKNOWN } from "./shell-text.js";
import type { Word } from "./shell-words.js";

/** Where the agent works. */
export interface WorkPlace {
  /** Absolute paths; relative ones count from the first. */
  readonly folders: readonly string[];
  readonly home?: string;
}

export const OUTSIDE = "changes files outside the working folder";

/** Not worth a question: they are temporary, or not files. */
const ANYBODYS = /^\/(?:var\/)?tmp\/[^/]|^\/dev\/(?:null|stdout|stderr|tty|fd\/\d+|shm\/.+)$/;

/** `isElsewhere`: the shell has changed to a folder that is not one of these. */
export function isOutside(text: string, { folders, home = "/" }: WorkPlace, isElsewhere: boolean): boolean {
  if (text.includes(UNKNOWN) || text === "" || /^[\w@.-]+:/.test(text)) return false;
  const written = text.replace(/^~(?=\/|$)/, home);
  if (/^[~]/.test(written)) return true;
  if (isElsewhere && !written.startsWith("/")) return true;
  const path = posix.resolve(folders[0] ?? "/", written);
  if (ANYBODYS.test(path)) return false;
  return !folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
}

const LAST = /^(?:cp|install|rsync|scp|cpio|ditto)$/;
const ALL = /^(?:mv|rm|rmdir|unlink|tee|touch|mkdir|truncate|fallocate|shred)$/;
const AFTER_FIRST = /^(?:chmod|chown|chgrp|chattr|setfacl)$/;

/** The words of a command that name what it changes. */
export function changed(name: string, args: readonly Word[]): readonly string[] {
  const all = operands(args).map(({ text }) => text);
  if (LAST.test(name)) return all.slice(-1);
  if (ALL.test(name)) return all;
  if (AFTER_FIRST.test(name)) return all.slice(1);
  if (name === "setfattr" || name === "ln") return all.slice(-1);
  if (name === "dd") return all.filter((text) => text.startsWith("of=")).map((text) => text.slice(3));
  if (/^(?:sed|perl|ruby)$/.test(name) && has(args, /^-[a-zA-Z]*i|^--in-place/)) return all;
  const at = args.findIndex(({ text }) => /^(?:-C|--directory)$/.test(text));
  return /^(?:tar|bsdtar)$/.test(name) && at >= 0 ? [args[at + 1]?.text ?? ""] : [];
}
