/** Paths in settings: `~/` is the user's folder, others count from the place they stand in. */
import { homedir, userInfo } from "node:os";
import { join, resolve } from "node:path";
import type { Meaning, Setting } from "../util/setting.js";

/** Also if `HOME` is set to nothing, for which Node.js gives no path at all. */
export function userFolder(): string {
  return homedir() || userInfo().homedir;
}

export function pathFrom(folder: string, written: string): string {
  if (written === "~") return userFolder();
  return written.startsWith("~/") ? join(userFolder(), written.slice(2)) : resolve(folder, written);
}

/** The path in a store's URL likewise; URLs of servers stay as they are. */
export function storeUrlFrom(folder: string, written: string): string {
  const [, scheme = "", path = ""] = /^(sqlite:(?:\/\/(?=\/))?)?(.*)$/s.exec(written) ?? [];
  if (path === ":memory:" || /^[a-z][a-z0-9+.-]+:/i.test(path)) return written;
  return scheme.slice(0, 7) + pathFrom(folder, path);
}

const FOLDER = { is: "text", error: "give the path of a folder" } as const;

export function folder(meaning: Meaning): Setting<string | null> {
  return { ...meaning, takes: FOLDER, resolve: (written: string, from) => pathFrom(from, written) };
}

export function folders(meaning: Meaning): Setting<readonly string[] | null> {
  return {
    ...meaning,
    takes: { is: "list", of: FOLDER },
    resolve: (written: readonly string[], from) => written.map((each) => pathFrom(from, each)),
  };
}
