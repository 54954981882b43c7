/** A place of a platform as people write it: a chat's id, or `chat:thread`, with the escapes of an address. */
import { BatonError } from "../session/errors.js";
import { type Address, parseAddress } from "../session/source.js";

/** Refuses what is neither. */
export function addressIn(platform: string, text: string): Address {
  const written = platform === "matrix" ? withoutColons(text.trim()) : text.trim();
  return parseAddress(`${platform}:${written}`);
}

export function isHomeChannel(platform: string, text: string): boolean {
  try {
    return addressIn(platform, text).chatId.trim() !== "";
  } catch (error) {
    if (error instanceof BatonError) return false;
    throw error;
  }
}

/** Matrix has colons in its ids; what they are shows by their signs: `!room:server` and `$event`. */
function withoutColons(text: string): string {
  const [, room, event] = /^(![^$]*?)(?::(\$.*))?$/s.exec(text) ?? [];
  if (room === undefined) return text;
  const parts = event === undefined ? [room] : [room, event];
  return parts.map((part) => part.replaceAll(":", "%3A")).join(":");
}
