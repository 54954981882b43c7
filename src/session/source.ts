/**
 * Where a message came from (`SessionSource`) and where a reply goes (`Address`). Ids are strings, exact and
 * case-sensitive. Anything missing or unknown is an error that names the field, never a guess.
 */
import { escapePart, unescapePart } from "../util/escape.js";
import { InputError } from "./errors.js";
import { isPlatform, LOCAL, type Platform, platformTraits } from "./platform.js";

export type ChatType = "dm" | "group" | "channel" | "thread";

export const CHAT_TYPES: readonly ChatType[] = ["dm", "group", "channel", "thread"];

export interface SessionSource {
  readonly platform: Platform;
  readonly chatId: string;
  readonly chatName?: string;
  readonly chatType: ChatType;
  readonly userId?: string;
  readonly userName?: string;
  readonly threadId?: string;
  readonly chatTopic?: string;
  /** A second stable id of the same user; if known, it decides the participant. */
  readonly userIdAlt?: string;
  readonly chatIdAlt?: string;
  readonly isBot?: boolean;
  readonly parentChatId?: string;
  readonly messageId?: string;
}

/** Where a reply goes. */
export interface Address {
  readonly platform: Platform;
  readonly chatId: string;
  readonly threadId?: string;
}

type IdField = "chatId" | "userId" | "threadId" | "userIdAlt" | "chatIdAlt" | "parentChatId" | "messageId";
type NameField = "chatName" | "userName" | "chatTopic";

/** The optional text fields beside their JSON names, in the order they are written. */
const OPTIONAL_FIELDS: readonly (readonly [Exclude<IdField, "chatId"> | NameField, string])[] = [
  ["chatName", "chat_name"],
  ["userId", "user_id"],
  ["userName", "user_name"],
  ["threadId", "thread_id"],
  ["chatTopic", "chat_topic"],
  ["userIdAlt", "user_id_alt"],
  ["chatIdAlt", "chat_id_alt"],
  ["parentChatId", "parent_chat_id"],
  ["messageId", "message_id"],
];

/** Reads a source from JSON (snake_case) or from a loosely typed object (camelCase). */
export function parseSource(json: unknown): SessionSource {
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    throw new InputError(
      "invalid_source",
      "A session source must be an object with at least platform and chat_id.",
    );
  }
  const fields = json as Record<string, unknown>;
  const pick = (name: string, jsonName: string): unknown => fields[jsonName] ?? fields[name];

  const platform = fields.platform;
  if (typeof platform !== "string") {
    throw new InputError("unknown_platform", "The source has no platform. Set `platform` to a known name.");
  }
  platformTraits(platform);
  const chatId = text(pick("chatId", "chat_id"), "chat_id");
  if (chatId === undefined) {
    throw new InputError("missing_chat_id", `The ${platform} source has no chat id. Set \`chat_id\`.`);
  }
  const chatType = pick("chatType", "chat_type") ?? "dm";
  if (!CHAT_TYPES.includes(chatType as ChatType)) {
    throw new InputError(
      "invalid_source",
      `chat_type ${JSON.stringify(chatType)} is unknown: use one of ${CHAT_TYPES.join(", ")}.`,
    );
  }
  const optional: Partial<Record<(typeof OPTIONAL_FIELDS)[number][0], string>> = {};
  for (const [name, jsonName] of OPTIONAL_FIELDS) {
    const value = text(pick(name, jsonName), jsonName);
    if (value !== undefined) optional[name] = value;
  }
  const isBot = pick("isBot", "is_bot");
  return {
    platform,
    chatId,
    chatType: chatType as ChatType,
    ...optional,
    ...(isBot === true ? { isBot } : {}),
  };
}

/** The JSON form, snake_case; optional keys are left out when empty. */
export function serializeSource(source: SessionSource): Record<string, string | boolean> {
  const json: Record<string, string | boolean> = {
    platform: source.platform,
    chat_id: source.chatId,
    chat_type: source.chatType,
  };
  for (const [name, jsonName] of OPTIONAL_FIELDS) {
    const value = source[name];
    if (value) json[jsonName] = value;
  }
  if (source.isBot) json.is_bot = true;
  return json;
}

/** A few words for people: `DM with Alice`, `group: Team, thread: 7`, `CLI terminal`. */
export function describeSource(source: SessionSource): string {
  if (source.platform === LOCAL) return "CLI terminal";
  if (isPlatform(source.platform) && platformTraits(source.platform).isInternal)
    return source.chatName || source.chatId;
  const place = describePlace(source);
  return source.threadId ? `${place}, thread: ${source.threadId}` : place;
}

function describePlace(source: SessionSource): string {
  const name = source.chatName || source.chatId;
  switch (source.chatType) {
    case "dm":
      return `DM with ${source.userName || source.userId || "user"}`;
    case "group":
      return `group: ${name}`;
    case "channel":
      return `channel: ${name}`;
    case "thread":
      return name;
    default:
      return source.chatType satisfies never;
  }
}

/** The terminal on the machine that runs Baton. */
export function localSource(): SessionSource {
  return { platform: LOCAL, chatId: "cli", chatType: "dm" };
}

export function addressOf(source: SessionSource): Address {
  const { platform, chatId, threadId } = source;
  return threadId ? { platform, chatId, threadId } : { platform, chatId };
}

/** `platform:chat[:thread]`, parts escaped as in session keys. */
export function formatAddress(address: Address): string {
  const parts = [address.chatId, ...(address.threadId ? [address.threadId] : [])];
  return [address.platform, ...parts.map(escapePart)].join(":");
}

/**
 * Reads `platform:chat[:thread]`, where people are; the platform in any case, ids exactly as they are. If ids of the
 * platform contain colons, they may be written as people know them: `matrix:!room:server`.
 */
export function parseAddress(text: string): Address {
  const [name = "", ...rest] = text.split(":");
  const platform = name.trim().toLowerCase();
  const { escapeColons } = platformTraits(platform);
  const address = parseAnyAddress(escapeColons ? `${platform}:${escapeColons(rest.join(":"))}` : text);
  if (platformTraits(address.platform).isInternal)
    throw new InputError("invalid_address", `Nobody reads what is sent to ${JSON.stringify(text)}.`);
  return address;
}

/** What `formatAddress` wrote, also where no people are: as the store has it. */
export function parseAnyAddress(text: string): Address {
  const [name = "", ...rest] = text.split(":");
  const platform = name.trim().toLowerCase();
  platformTraits(platform);
  const [chatId, threadId, ...excess] = rest.map((part) => unescapePart(part));
  if (!chatId || threadId === null || threadId === "" || excess.length > 0) {
    throw new InputError(
      "invalid_address",
      `${JSON.stringify(text)} is not an address. Write platform:chat or platform:chat:thread, with ":" inside an id as %3A.`,
    );
  }
  return threadId === undefined ? { platform, chatId } : { platform, chatId, threadId };
}

/** Ids and names arrive as strings or numbers; empty counts as absent. */
function text(value: unknown, field: string): string | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string") return value;
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number" && Number.isSafeInteger(value)) return value.toString();
  throw new InputError(
    field === "chat_id" ? "missing_chat_id" : "invalid_source",
    `${field} must be a string or a whole number within 2^53 (larger ids lose digits as numbers: pass them as strings).`,
  );
}
