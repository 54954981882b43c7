/**
 * The table of platforms and their traits: the one place in the heart that knows a platform by name.
 * Its order is the order in which platforms are shown.
 */
import { InputError } from "./errors.js";

/** A name from the platform table. */
export type Platform = string;

export interface PlatformTraits {
  /** The name shown to people and to the agent. */
  readonly title: string;
  /** Direct messages stay one session a chat even where `dm: platform` is set. */
  readonly dmPerChat?: boolean;
  /** Maps the spellings of one id to one; must leave ids it does not know alone. */
  readonly foldId?: (id: string) => string;
  /** What people's ids look like, once folded: one that does not can match nobody. */
  readonly userId?: IdShape;
  /** The same of chats; those of two may be a person's id. */
  readonly chatId?: IdShape;
}

interface IdShape {
  readonly pattern: RegExp;
  /** An example, in words. */
  readonly like: string;
}

/** The platform of the machine that runs Baton. */
export const LOCAL: Platform = "local";

const table = new Map<Platform, PlatformTraits>([
  [LOCAL, { title: "Local" }],
  [
    "telegram",
    {
      title: "Telegram",
      userId: { pattern: /^\d{1,15}$/, like: "a number such as 123456789" },
      chatId: { pattern: /^-?\d{1,15}$/, like: "a number such as -1001234567890" },
    },
  ],
  [
    "discord",
    {
      title: "Discord",
      userId: { pattern: /^\d{1,21}$/, like: "a number such as 123456789012345678" },
      chatId: { pattern: /^\d{1,21}$/, like: "a number such as 123456789012345678" },
    },
  ],
  [
    "slack",
    {
      title: "Slack",
      userId: { pattern: /^[UW][A-Z0-9]+$/, like: "U012ABCDEF" },
      chatId: { pattern: /^[CDG][A-Z0-9]+$/, like: "C012ABCDEF" },
    },
  ],
  [
    "whatsapp",
    {
      title: "WhatsApp",
      dmPerChat: true,
      foldId: foldWhatsAppId,
      userId: {
        pattern: /^[1-9]\d{0,14}$|^\d+@lid$/,
        like: "a number with its country code such as +15551234567",
      },
      chatId: {
        pattern: /^[1-9]\d{0,14}$|^\d+@lid$|^[\d-]+@g\.us$/,
        like: "a number with its country code such as +15551234567, or a group such as 123456789012345678@g.us",
      },
    },
  ],
  [
    "signal",
    {
      title: "Signal",
      userId: {
        pattern: /^\+[1-9]\d{6,14}$|^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
        like: "a number with its country code such as +15551234567, or a UUID",
      },
      chatId: {
        pattern:
          /^\+[1-9]\d{6,14}$|^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$|^[a-z0-9+/_-]{22,128}={0,2}$/i,
        like: "a number with its country code such as +15551234567, a UUID, or a group's id in base64",
      },
    },
  ],
  [
    "matrix",
    {
      title: "Matrix",
      userId: { pattern: /^@[^:\s]+:\S+$/, like: "@ann:example.org" },
      chatId: { pattern: /^!\S+$/, like: "a room such as !abc:example.org" },
    },
  ],
]);

/** Adds a platform of one's own. Registering a name again with other traits is refused. */
export function registerPlatform(name: string, traits: PlatformTraits): void {
  if (!/^[a-z][a-z0-9_-]{0,31}$/.test(name)) {
    throw new InputError(
      "invalid_platform",
      `Platform name ${JSON.stringify(name)} is not usable: take lower-case letters, digits, "-" and "_".`,
    );
  }
  if (table.has(name)) {
    throw new InputError("invalid_platform", `Platform "${name}" is already registered.`);
  }
  table.set(name, traits);
}

/** Every platform, in the fixed order of the table. */
export function platforms(): Platform[] {
  return [...table.keys()];
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

/** Why nobody on this platform can have that id, as a sentence; null if somebody can. */
export function unmatchableId(platform: Platform, id: string): string | null {
  const { userId, title } = platformTraits(platform);
  if (!userId || userId.pattern.test(foldId(platform, id))) return null;
  return `${JSON.stringify(id)} matches nobody on ${title}: names can be taken by others, so people are known by their id, ${userId.like}.`;
}

/** The same of a chat. */
export function unmatchableChat(platform: Platform, id: string): string | null {
  const { chatId, title } = platformTraits(platform);
  if (!chatId || chatId.pattern.test(foldId(platform, id))) return null;
  return `${JSON.stringify(id)} is no chat's id on ${title}. An id there is ${chatId.like}.`;
}

/** The one spelling of an id on its platform. */
export function foldId(platform: Platform, id: string): string {
  return platformTraits(platform).foldId?.(id) ?? id;
}

/**
 * WhatsApp writes one phone number as `+15551234567`, `15551234567@s.whatsapp.net`, `15551234567@c.us` and, with a
 * device, `15551234567:12@s.whatsapp.net`. All fold to the digits. A `@lid` is another id space and keeps its domain;
 * groups and broadcasts are left alone.
 */
function foldWhatsAppId(id: string): string {
  const phone = /^\+?(\d+)(?:[:.]\d+)?(?:@(?:s\.whatsapp\.net|c\.us))?$/.exec(id);
  if (phone?.[1]) return phone[1];
  const lid = /^(\d+)(?:[:.]\d+)?@lid$/.exec(id);
  return lid?.[1] ? `${lid[1]}@lid` : id;
}
