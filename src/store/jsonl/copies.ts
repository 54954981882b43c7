/** The files of a mirror, for a process that mirrors nothing by itself: one goes, or is written anew. */
import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { SessionId } from "../../session/ids.js";
import type { Sessions } from "../../session/sessions.js";
import { mirrorSession } from "./mirror-file.js";
import { sessionFileName } from "./session-json.js";

export function mirroredCopies(folder: string, sessions: Sessions) {
  return {
    /** With what a process left that ended while it wrote the file. */
    remove: async (sessionId: SessionId): Promise<void> => {
      const name = sessionFileName(sessionId, "jsonl");
      const names = existsSync(folder) ? await readdir(folder) : [];
      for (const each of names.filter((one) => one === name || one.startsWith(`${name}.`)))
        await rm(join(folder, each), { force: true });
    },
    refresh: async (sessionId: SessionId): Promise<void> => {
      const path = join(folder, sessionFileName(sessionId, "jsonl"));
      const entry = existsSync(path) ? await sessions.get(sessionId) : null;
      if (entry) await mirrorSession(path, sessions, entry, undefined);
    },
  };
}
