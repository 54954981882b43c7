/** The lines typed in earlier chats: one JSON text per line, in a private file. */
import { appendFile, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { HistoryFile } from "../adapter/terminal/history.js";
import { refuseOtherKinds } from "../util/file-problem.js";
import { makeFolder } from "../util/make-folder.js";
import type { Hide } from "../util/redact.js";

const LONGEST = 1_000;

export function chatHistory(home: string, hide: Hide): HistoryFile {
  const path = join(home, "history");
  return {
    load: async () => {
      const text = await textOf(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return "";
        throw error;
      });
      return text.split("\n").slice(-LONGEST).flatMap(readLine);
    },
    add: async (entry) => {
      makeFolder(home);
      await appendFile(path, `${JSON.stringify(hide(entry))}\n`, { mode: 0o600 });
    },
  };
}

async function textOf(path: string): Promise<string> {
  refuseOtherKinds(await stat(path));
  return readFile(path, "utf8");
}

/** A damaged line is skipped. */
function readLine(line: string): string[] {
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === "string" ? [entry] : [];
  } catch {
    return [];
  }
}
