/**
 * The table of platforms and their traits. The heart knows only this machine by name: every other platform registers
 * itself, and the order of registering is the order in which platforms are shown.
 */
import type { Settings } from "../util/setting.js";
import { InputError } from "./errors.js";

/** A name from the platform table. */
export type Platform = string;

export interface PlatformTraits {
  /** The name shown to people and to the agent. */
  readonly title: string;
  /** Direct messages stay one session a chat even if `dm: platform` is set. */
  readonly dmPerChat?: boolean;
  /** Maps all spellings of an id to one; must not change ids that it does not know. */
  readonly foldId?: (id: string) => string;
  /** What people's ids look like, once folded: one that does not can match nobody. */
  readonly userId?: IdShape;
  /** The same for chats; a chat of two may have a person's id. */
  readonly chatId?: IdShape;
  /** Escapes the colons inside the ids of an address that a person wrote, if ids have colons there. */
  readonly escapeColons?: (written: string) => string;
  /** The same chat as the adapter tells of it, so that what comes in from another program has the key of what is said there. */
  readonly liveChat?: (told: ToldChat) => LiveChat;
  /** True if no people are there, as with scheduled jobs: then it is shown to nobody, and nothing can be sent there. */
  readonly isInternal?: boolean;
  /**
   * If people sign in there as somebody that they are elsewhere: the identity that a user's id stands for; null for an id
   * that stands for none. Then this is who they are, with all rights and sessions of that identity.
   */
  readonly signedInAs?: (userId: string) => string | null;
  /** The other way: the chat of two that everybody with an identity has there. */
  readonly chatOf?: (identity: string) => string;
  /** How people set it up; without settings, only a program can open it. */
  readonly settings?: Settings;
  /** The platform of which this is a further bot: further-bot.ts. */
  readonly like?: Platform;
}

/** A chat as another program tells of it. */
export interface ToldChat {
  readonly chatId: string;
  /** `shared` if that program says only that it is not a chat of two, `unknown` if not even that. */
  readonly chatType: "dm" | "group" | "channel" | "thread" | "shared" | "unknown";
  readonly threadId?: string;
  /** The chat in which a thread was begun, if `chatId` names the thread. */
  readonly parentChatId?: string;
}

/** The same chat as its adapter tells of it. */
export interface LiveChat extends ToldChat {
  /** The adapter tells of such chats in several ways, and what was told fits more than one. */
  readonly isGuess?: true;
}

interface IdShape {
  readonly pattern: RegExp;
  /** An example, in words. */
  readonly like: string;
  /** Where people find it, if an example does not say enough. */
  readonly hint?: string;
}

/** The platform of the machine that runs Baton. */
export const LOCAL: Platform = "local";

const table = new Map<Platform, PlatformTraits>([[LOCAL, { title: "Local" }]]);

/** Adds a platform of one's own. Registering a name again with other traits is refused. */
export function registerPlatform<Traits extends PlatformTraits>(name: string, traits: Traits): void {
  if (!/^[a-z][a-z0-9_-]{0,31}$/.test(name)) {
    throw new InputError(
      "invalid_platform",
      `Platform name ${JSON.stringify(name)} can't be used: use only lower-case letters, digits, "-" and "_".`,
    );
  }
  if (table.has(name)) {
    throw new InputError("invalid_platform", `Platform "${name}" is already registered.`);
  }
  table.set(name, traits);
}

/** Every platform where people are, in the fixed order of the table. */
export function platforms(): Platform[] {
  return [...table].flatMap(([name, { isInternal }]) => (isInternal ? [] : [name]));
}

export function isPlatform(name: unknown): name is Platform {
  return typeof name === "string" && table.has(name);
}

export function platformTraits(platform: Platform): PlatformTraits {
  const traits = table.get(platform);
  if (!traits) {
    throw new InputError(
      "unknown_platform",
      `Unknown platform ${JSON.stringify(platform)}. Known: ${platforms().join(", ")}. Add others with registerPlatform().`,
    );
  }
  return traits;
}

/** Why nobody on this platform can have this id, as a sentence; null if somebody can. */
export function unmatchableId(platform: Platform, id: string): string | null {
  const { userId, title } = platformTraits(platform);
  if (!userId || userId.pattern.test(foldId(platform, id))) return null;
  return `${JSON.stringify(id)} matches nobody on ${title}. Use the person's id, ${userId.like}: anybody can take a name.`;
}

/** The same for a chat. */
export function unmatchableChat(platform: Platform, id: string): string | null {
  const { chatId, title } = platformTraits(platform);
  if (!chatId || chatId.pattern.test(foldId(platform, id))) return null;
  return `${JSON.stringify(id)} is not a chat id on ${title}. A chat id there is ${chatId.like}.`;
}

/** The one spelling of an id on its platform. */
export function foldId(platform: Platform, id: string): string {
  return platformTraits(platform).foldId?.(id) ?? id;
}
