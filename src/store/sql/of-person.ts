/** What tells that something is a person's: their sessions, what they wrote, and the places where only they are. */
import type { ErasedPerson, Hear } from "../../gateway/erasure.js";
import { aliasOf, chatOf, identityOf, ownersFor } from "../../session/access.js";
import { type Platform, platforms, platformTraits } from "../../session/platform.js";
import type { SessionSource } from "../../session/source.js";
import type { Author } from "../../session/transcript.js";
import type { Queries, Row } from "../db.js";
import { readAttachments } from "./rows.js";
import { json, text } from "./values.js";

/** The chats in which only this person talks with Baton, and the keys of the lanes that are theirs. */
export interface PrivatePlaces {
  readonly chats: ReadonlySet<string>;
  readonly keys: ReadonlySet<string>;
}

export function marks(values: readonly unknown[]): string {
  return values.map(() => "?").join(", ");
}

/** As `sessions.owner` and `routes.owner` name them. */
export function ownersOf({ identities }: ErasedPerson): string[] {
  return ownersFor({ kind: "person", identities });
}

/** Whether the source names them, by either of its ids. */
export function wrote({ identities }: ErasedPerson, source: SessionSource): boolean {
  const names = [identityOf(source), aliasOf(source)];
  return names.some((name) => name !== null && identities.includes(name));
}

/** Whether the author of a message is one of them. */
export function isAuthor({ identities }: ErasedPerson, row: Row): boolean {
  if (typeof row.author !== "string") return false;
  const { id, alias = id } = json<Author>(row.author);
  return identities.includes(id) || identities.includes(alias);
}

/** The chats that everybody with an identity has where people sign in. */
export function ownChats({ identities }: ErasedPerson): { platform: Platform; chatId: string }[] {
  return platforms().flatMap((platform) => {
    const { chatOf: chatOfIdentity } = platformTraits(platform);
    return chatOfIdentity
      ? identities.map((identity) => ({ platform, chatId: chatOfIdentity(identity) }))
      : [];
  });
}

/** The names of the files of a row with attachments. */
export function noteFiles(row: Row): string[] {
  return (readAttachments(row).attachments ?? []).map(({ file }) => file);
}

/** From now on nothing keeps these files, unless another message has them: the next sweep removes them. */
export async function releaseFiles(tx: Queries, files: readonly string[], hear: Hear): Promise<void> {
  for (const name of files) {
    hear("id", name);
    await tx.run("UPDATE media_files SET taken_at = 0 WHERE name = ?", name);
  }
}

/** The same source without the people in it; a private chat is nobody's then. */
export function withoutPeople({
  platform,
  chatId,
  chatType,
  chatName,
  threadId,
}: SessionSource): SessionSource {
  if (chatType === "dm") return { platform, chatId: "erased", chatType };
  return { platform, chatId, chatType, ...(chatName ? { chatName } : {}), ...(threadId ? { threadId } : {}) };
}

export async function privatePlaces(on: Queries, whose: ErasedPerson): Promise<PrivatePlaces> {
  const owners = ownersOf(whose);
  const theirs = `owner IN (${marks(owners)})`;
  const sessions = await on.all(
    `SELECT DISTINCT key, chat, chat_type FROM sessions WHERE ${theirs} AND lane_owner IN (${marks(owners)})`,
    ...owners,
    ...owners,
  );
  const routes = await on.all(`SELECT key, chat, origin FROM routes WHERE ${theirs}`, ...owners);
  const dms = [
    ...sessions.filter((row) => row.chat_type === "dm"),
    ...routes.filter((row) => json<{ chat_type?: string }>(row.origin).chat_type === "dm"),
  ];
  return {
    chats: new Set([
      ...whose.identities,
      ...ownChats(whose).map(chatOf),
      ...dms.map((row) => text(row.chat)),
    ]),
    keys: new Set([...sessions, ...routes].map((row) => text(row.key))),
  };
}

/** Whether an address is in one of these chats. */
export function isIn({ chats }: PrivatePlaces, place: { platform: string; chatId: string }): boolean {
  return chats.has(chatOf(place));
}
