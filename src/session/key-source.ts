/**
 * What a key says about its chat, read back: a source whose messages have exactly this key under these scopes. Null if
 * no message has it: then a session with this key would hear from nobody. A key alone does not name the person of a DM.
 */
import { buildSessionKey, parseSessionKey, type SessionKey, type SessionScopes } from "./session-key.js";
import type { SessionSource } from "./source.js";

export function sourceOfKey(key: SessionKey, scopes: SessionScopes): SessionSource | null {
  const { agent, platform, chatType, parts } = parseSessionKey(key);
  const [chatId, ...rest] = parts;
  if (!chatId) return null; // All DMs of a platform: it names no chat.
  const sources = readings(rest).map((reading) => ({ platform, chatType, chatId, ...reading }));
  return sources.find((source) => keyUnder(source, { ...scopes, agent }) === key) ?? null;
}

/** The key of a source; null if its messages are refused under these scopes. */
export function keyUnder(source: SessionSource, scopes: SessionScopes): SessionKey | null {
  try {
    return buildSessionKey(source, scopes);
  } catch {
    return null; // Each member has their own lane there, and it names nobody; or its platform is not registered here.
  }
}

/** What the parts after the chat can mean. */
function readings(rest: readonly string[]): Pick<SessionSource, "threadId" | "userId">[] {
  const [first, second] = rest;
  if (first === undefined) return [{}];
  if (second === undefined) return [{ threadId: first }, { userId: first }];
  return [second === "" ? { threadId: first } : { threadId: first, userId: second }];
}
