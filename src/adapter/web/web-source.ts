/**
 * Whose chat is whose in the browser. Somebody signs in as an identity that they have elsewhere, `telegram:123`: that is
 * who they are in the page too. Their chat has its id after that identity, with a slash, because a colon parts an address.
 */
import { type Platform, registerPlatform } from "../../session/platform.js";
import type { SessionSource } from "../../session/source.js";
import { LIMITS } from "./limits.js";

export const WEB: Platform = "web";

/** There is one page for a store. */
export const WEB_ACCOUNT = "page";

registerPlatform(WEB, {
  title: "Web",
  dmPerChat: true, // Each is somebody else's, whatever platform they are from.
  signedInAs: identityOfChat,
  chatOf: chatOfIdentity,
  limits: LIMITS,
});

/** `telegram:123` → `telegram/123`. */
export function chatOfIdentity(identity: string): string {
  return identity.replace(":", "/");
}

/** The other way; null for what is no such id. Nobody is somebody here alone. */
export function identityOfChat(chatId: string): string | null {
  if (chatId.startsWith(`${WEB}/`)) return null;
  return /^[a-z][a-z0-9_-]{0,31}\/[^:\p{Cc}]+$/u.test(chatId) ? chatId.replace("/", ":") : null;
}

/** The ids of threads: made by the browser, or from the name of a handoff. */
export const THREAD = /^[A-Za-z0-9_-]{8,64}$/;

/** What this person writes in that thread of theirs. `alias`: as `Device` has it. */
export function webSource(
  identity: string,
  name: string | null,
  thread: string | null = null,
  alias: string | null = null,
): SessionSource {
  const chatId = chatOfIdentity(identity);
  return {
    platform: WEB,
    chatId,
    chatType: "dm",
    ...(alias === null ? { userId: chatId } : { userId: chatOfIdentity(alias), userIdAlt: chatId }),
    ...(name === null ? {} : { userName: name }),
    ...(thread === null ? {} : { threadId: thread }),
  };
}
