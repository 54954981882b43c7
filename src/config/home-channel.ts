/** A place of a platform as people write it: a chat's id, or `chat:thread`, as in an address. */
import type { HomeChannel } from "../session/context.js";
import { BatonError } from "../session/errors.js";
import { type Address, parseAddress } from "../session/source.js";

/** What a setting names, called by its ids: nobody gave it another name. */
export function homeChannelIn(platform: string, text: string): HomeChannel {
  const address = addressIn(platform, text);
  const { chatId, threadId } = address;
  return { address, name: threadId === undefined ? `chat ${chatId}` : `chat ${chatId}, thread ${threadId}` };
}

/** Refuses what is neither. */
export function addressIn(platform: string, text: string): Address {
  return parseAddress(`${platform}:${text.trim()}`);
}

export function isHomeChannel(platform: string, text: string): boolean {
  try {
    return addressIn(platform, text).chatId.trim() !== "";
  } catch (error) {
    if (error instanceof BatonError) return false;
    throw error;
  }
}
