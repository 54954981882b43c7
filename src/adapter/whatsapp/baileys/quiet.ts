/**
 * Nothing of Baileys is printed. Its log knows keys; and its Signal library prints whole sessions, keys included, to the
 * console: while a connection is there, what comes from that library is left out.
 */
import type { SocketConfig } from "baileys";

const nothing = (): void => {};

export const SILENT: SocketConfig["logger"] = {
  level: "silent",
  child: () => SILENT,
  trace: nothing,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
};

const METHODS = ["log", "info", "warn", "error"] as const;
const FROM_LIBRARY = /[\\/]node_modules[\\/]libsignal[\\/]/;

/** Until it is called back. */
export function hush(): () => void {
  const restores = METHODS.map((method) => {
    const original = console[method];
    const filtered = (...words: unknown[]): void => {
      if (!FROM_LIBRARY.test(new Error("who prints?").stack ?? "")) original.apply(console, words);
    };
    console[method] = filtered;
    return () => {
      // Somebody else may have taken it over since: then it is theirs.
      if (console[method] === filtered) console[method] = original;
    };
  });
  return () => {
    for (const restore of restores) restore();
  };
}
