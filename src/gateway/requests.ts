/**
 * Whose requests there are, and who may touch them. A request belongs to its author, wherever it is answered and even if
 * somebody else repeats it: it runs with the author's rights. The rule is `mayTouch`; this file finds out who the people
 * are and what they may do now.
 */
import { aliasOf, partsOfIdentity, personOf } from "../session/access.js";
import { ConflictError } from "../session/errors.js";
import { isPlatform, LOCAL, platformTraits } from "../session/platform.js";
import type { SessionEntry } from "../session/session.js";
import { localSource, type SessionSource } from "../session/source.js";
import type { Author, Message } from "../session/transcript.js";
import { type Access, seenFrom, senderOf, TERMINAL, type Who } from "./authorize.js";
import type { People } from "./people.js";
import { mayTouch, type ToolLists } from "./permissions.js";
import type { InboxItem } from "./store.js";

const OTHERS =
  "Not done: this would stop or change a request of someone who may do more than you here. Ask them, or wait for their answer.";

export class Requests {
  readonly #people: Pick<People, "access">;
  readonly #lists: ToolLists;

  constructor(people: Pick<People, "access">, lists: ToolLists) {
    this.#people = people;
    this.#lists = lists;
  }

  /** The author of a request, with their rights in the chat where it is answered, or, if nobody is there, where they asked. */
  async authorOf({ source, by }: Pick<InboxItem, "source" | "by">): Promise<Access> {
    const access = await this.#accessOf(by ?? source, source);
    if (platformTraits(source.platform).isInternal) return access;
    return access.allowed && by ? { allowed: true, ...seenFrom(access, source) } : access;
  }

  /** The author's rights. A group may let somebody in who has no access elsewhere: they count where it is answered. */
  async #accessOf(by: SessionSource, place: SessionSource): Promise<Access> {
    const access = await this.#people.access(by);
    if (access.allowed || by.platform !== place.platform || place.chatType === "dm") return access;
    const { chatIdAlt: _, ...author } = by;
    const { chatId, chatIdAlt, chatType } = place;
    const there = { chatId, chatType, ...(chatIdAlt === undefined ? {} : { chatIdAlt }) };
    return this.#people.access({ ...author, ...there });
  }

  may(actor: Who, author: Access | null): boolean {
    return mayTouch(actor, author, this.#lists);
  }

  /** Fails with a sentence for the chat if the person may not touch what these people wrote; null is somebody unknown. */
  must(actor: Who, authors: readonly (Access | null)[]): void {
    if (!authors.every((author) => this.may(actor, author))) throw new ConflictError("not_yours", OTHERS);
  }

  /** The same for messages in the inbox. */
  async mustForItems(actor: Who, items: readonly InboxItem[]): Promise<void> {
    const byAuthor = new Map(items.map((item) => [senderOf(item.by ?? item.source), item]));
    this.must(actor, await Promise.all([...byAuthor.values()].map((item) => this.authorOf(item))));
  }

  /** The same for messages in a transcript that is answered in that chat. */
  async mustForMessages(
    actor: Who,
    messages: readonly Message[],
    { owner }: Pick<SessionEntry, "owner">,
    place: SessionSource,
  ): Promise<void> {
    const sources = new Map<string, SessionSource | null>();
    for (const message of messages) {
      if (message.role !== "user") continue;
      const author = message.author ?? ownerOf(owner);
      sources.set(author?.id ?? "", author && sourceOf(author));
    }
    const authors = [...sources.values()].map((by) => by && this.authorOf({ source: place, by }));
    this.must(actor, await Promise.all(authors));
  }
}

/** The author of an inbox item, as the transcript stores it. */
export function authorIn({ source, by }: Pick<InboxItem, "source" | "by">, access: Access): Author | null {
  const writer = by ?? source;
  const id = senderOf(writer);
  if (id === null) return null;
  const alias = writer.platform === LOCAL ? null : aliasOf(writer);
  return {
    id,
    ...(alias === null ? {} : { alias }),
    ...(access.allowed ? { role: access.role } : {}),
  };
}

/** The source of an author in a transcript; null if their platform is no longer known here. */
export function sourceOf({ id, alias }: Author, userName?: string): SessionSource | null {
  const named = userName ? { userName } : {};
  if (id === TERMINAL) return { ...localSource(), ...named };
  const parts = partsOfIdentity(id);
  if (!parts || !isPlatform(parts.platform)) return null;
  const { platform, id: userId } = parts;
  const second = alias ? (partsOfIdentity(alias)?.id ?? userId) : userId;
  return { platform, chatId: userId, chatType: "dm", userId: second, userIdAlt: userId, ...named };
}

/** A message without an author in a person's own session counts as theirs. */
function ownerOf(owner: string): Author | null {
  const id = personOf({ owner });
  return id === null ? null : { id };
}
