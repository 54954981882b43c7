/** Paths as they are written in settings: `~/` is the user's folder, others count from the place they stand in. */
import { homedir } from "node:os";
import { join, resolve } from "node:path";

export function pathFrom(folder: string, written: string): string {
  if (written === "~") return homedir();
  return written.startsWith("~/") ? join(homedir(), written.slice(2)) : resolve(folder, written);
}

/** The path in a store's URL likewise; URLs of servers stay as they are. */
export function storeUrlFrom(folder: string, written: string): string {
  const [, scheme = "", path = ""] = /^(sqlite:(?:\/\/(?=\/))?)?(.*)$/s.exec(written) ?? [];
  if (path === ":memory:" || /^[a-z][a-z0-9+.-]+:/i.test(path)) return written;
  return scheme.slice(0, 7) + pathFrom(folder, path);
}
