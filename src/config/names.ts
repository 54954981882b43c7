/** Names below which settings stand: platforms, and the chats and people of platforms by their exact ids. */
import { isPlatform, platforms } from "../session/platform.js";
import { didYouMean } from "../util/nearest.js";
import type { Takes } from "../util/setting.js";
import { each, type KeyNames, type Node } from "./groups.js";

const PLATFORM = "<platform>";
export const A_CHAT = `${PLATFORM}:<chat id>`;
export const A_PERSON = `${PLATFORM}:<user id>`;

export const chatNames: KeyNames = { refuse: (name) => refused(name, `name a chat as ${A_CHAT}.`) };
export const personNames: KeyNames = { refuse: (name) => refused(name, `name a person as ${A_PERSON}.`) };

/** Exact, immutable ids. A number is taken as it is written, so it must be one that JavaScript keeps exactly. */
export const USER_ID: Takes = {
  is: "text",
  orNumber: true,
  error: "give the user's id, in quotes unless it is a plain number",
  refuse: (id) => (id === "*" ? "name each person by id; you cannot let everybody in" : null),
};

function refused(name: string, message: string): string | null {
  const [, platform = "", exact = ""] = /^([^:]*):(.*)$/s.exec(name) ?? [];
  if (isPlatform(platform) && exact !== "" && exact !== "*") return null;
  return message + (isPlatform(platform) ? "" : didYouMean(platform, platforms()));
}

export function eachPlatform<const Of extends Node>(of: Of) {
  return each(PLATFORM, { among: platforms }, of);
}
