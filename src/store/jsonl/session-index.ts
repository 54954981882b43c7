/** `sessions.json`: session key → entry, as several gateways keep it. */
import { join } from "node:path";
import { type Fields, isFields } from "../../util/json.js";
import { textIn, timeIn } from "./fields.js";
import type { Folder } from "./folder.js";
import type { Problems } from "./problems.js";
import { errno, readRegular } from "./regular-file.js";

export const INDEX = "sessions.json";

export interface IndexEntry {
  readonly key: string;
  readonly fields: Fields;
  readonly id: string | undefined;
}

/** Newest first; a session that two keys lead to stays with the one that used it last. */
export async function readIndex(folder: Folder, problems: Problems): Promise<IndexEntry[]> {
  const called = folder.called(INDEX);
  const unusable = (why: string): [] => {
    problems.add(called, null, `${why}; the transcripts come in for the gateway's owner only.`);
    return [];
  };
  let index: unknown;
  try {
    index = JSON.parse((await readRegular(join(folder.path, INDEX))).replace(/^\ufeff/, ""));
  } catch (error) {
    if (!(error instanceof SyntaxError)) return unusable(`It cannot be read (${errno(error)})`);
  }
  if (!isFields(index)) return unusable("It is not a JSON object");
  const entries = Object.entries(index).flatMap(([key, fields]): IndexEntry[] => {
    if (key === "") {
      problems.add(
        called,
        null,
        "An entry has an empty key. Its session comes in for the gateway's owner only.",
      );
      return [];
    }
    if (isFields(fields)) return [{ key, fields, id: textIn(fields.session_id) ?? textIn(fields.sessionId) }];
    // A note of the program's own, such as a description of the file.
    if (/^_[a-z]/i.test(key)) problems.bookkeeping += 1;
    else problems.add(called, null, `The entry of ${named(key)} is not an object.`);
    return [];
  });
  return distinctSessions(entries, called, problems);
}

function distinctSessions(entries: readonly IndexEntry[], called: string, problems: Problems): IndexEntry[] {
  const sorted = [...entries].sort((a, b) => lastUse(b) - lastUse(a));
  const holders = new Map<string, string>();
  return sorted.filter(({ key, id }) => {
    if (id === undefined) return true;
    const holder = holders.get(id);
    if (holder === undefined) {
      holders.set(id, key);
      return true;
    }
    problems.add(called, null, `${named(key)} leads to the session of ${named(holder)}, which keeps it.`);
    return false;
  });
}

function lastUse({ fields }: IndexEntry): number {
  return timeIn(fields.updated_at) ?? timeIn(fields.updatedAt) ?? 0;
}

export function named(key: string): string {
  return JSON.stringify(key.slice(0, 200));
}
