/** What somebody has begun to write: it survives a refresh, by conversation. Nobody else who signs in here sees it. */
import { dropAll } from "./kept.js";
import { me } from "./me.js";

const PREFIX = "baton.draft.";

const placeOf = (thread: string | null): string => `${me.value?.identity ?? ""}/${thread ?? ""}`;
const keyOf = (thread: string | null): string => `${PREFIX}${placeOf(thread)}`;

export function draftOf(thread: string | null): string {
  try {
    return localStorage.getItem(keyOf(thread)) ?? "";
  } catch {
    return "";
  }
}

export function saveDraft(thread: string | null, text: string): void {
  try {
    if (text === "") localStorage.removeItem(keyOf(thread));
    else localStorage.setItem(keyOf(thread), text);
  } catch {
    // The browser has no room for it: it stays in the field.
  }
}

export function draftFilesKey(thread: string | null): string {
  return `draft/${placeOf(thread)}`;
}

export function forgetDrafts(): void {
  for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key);
  void dropAll("draft/").catch(() => undefined);
}
