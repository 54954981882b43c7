/** What people and chats are called. */
import { textIn } from "../untrusted.js";

export function nameOf(who: unknown): string | undefined {
  const names = [textIn(who, "first_name"), textIn(who, "last_name")].filter((name) => name !== undefined);
  return names.join(" ") || textIn(who, "username");
}

/** A chat's title; a private one has the name of whom it is with. */
export function titleOf(chat: unknown): string | undefined {
  return textIn(chat, "title") ?? nameOf(chat);
}
