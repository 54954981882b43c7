/** Names below which settings stand: platforms, and the chats and people of platforms by their exact ids. */
import { isPlatform, platforms } from "../session/platform.js";
import { didYouMean } from "../util/nearest.js";
import { each, type KeyNames, type Node } from "./groups.js";

const PLATFORM = "<platform>";
export const A_CHAT = `${PLATFORM}:<chat id>`;
export const A_PERSON = `${PLATFORM}:<user id>`;

export const chatNames: KeyNames = { refuse: (name) => refused(name, `name a chat as ${A_CHAT}.`) };
export const personNames: KeyNames = { refuse: (name) => refused(name, `name a person as ${A_PERSON}.`) };

function refused(name: string, message: string): string | null {
  const [, platform = "", exact = ""] = /^([^:]*):(.*)$/s.exec(name) ?? [];
  if (isPlatform(platform) && exact !== "" && exact !== "*") return null;
  return message + (isPlatform(platform) ? "" : didYouMean(platform, platforms()));
}

export function eachPlatform<const Of extends Node>(of: Of) {
  return each(PLATFORM, { among: platforms }, of);
}
