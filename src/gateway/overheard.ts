/**
 * What people in a group said to others lately, for the moment when somebody names the bot: only then the agent reads it.
 * It is in the memory of this process alone, bounded in number, length and age. Words of people without access are not
 * even remembered, unless a setting says so; who has access is asked again before the agent reads anything.
 */
import type { InboundMessage } from "../adapter/adapter.js";
import { type SaidMessage, saidBefore } from "../session/said-before.js";
import type { SessionSource } from "../session/source.js";
import type { Clock } from "../util/clock.js";
import { shorten } from "../util/text.js";
import { type Access, senderOf } from "./authorize.js";
import type { GroupRules } from "./group-rules.js";
import { saidIn } from "./inbound-text.js";
import type { People } from "./people.js";
import { authorIn } from "./requests.js";
import type { Surface } from "./surface.js";

export interface OverheardSetting {
  readonly groups: GroupRules;
  readonly people: Pick<People, "isLetIn" | "lookUp">;
  readonly clock: Clock;
}

interface Heard {
  readonly messageId: string;
  readonly source: SessionSource;
  readonly words: string;
  readonly at: number;
}

/** Longer ago is another matter. */
const AGE_MS = 3_600_000;
const LONGEST_WORDS = 500;
const MOST_CHARACTERS = 4_000;
const MOST_CHATS = 500;

export class Overheard {
  readonly #setting: OverheardSetting;
  /** By chat and thread, the one that was written in last at the end; the newest message is the last. */
  readonly #chats = new Map<string, readonly Heard[]>();

  constructor(setting: OverheardSetting) {
    this.#setting = setting;
  }

  /** A message to others, or a change of one. */
  async hear(surface: Surface, message: InboundMessage): Promise<void> {
    const { groups, people, clock } = this.#setting;
    const { context = 0 } = groups;
    const { kind, source, messageId } = message;
    if (context === 0 || source.chatType === "dm") return;
    if (kind === "deletion") return this.forget(surface, message);
    if (kind !== "message" && kind !== "edit") return;
    if (groups.contextFrom !== "all" && !(await people.isLetIn(source))) return;
    const chat = placeOf(surface, message);
    const before = this.#in(chat);
    const heard = { messageId, source, words: shorten(saidIn(message), LONGEST_WORDS), at: clock() };
    const isThere = before.some((each) => each.messageId === messageId);
    if (kind === "edit" && !isThere) return;
    const after = isThere
      ? before.map((each) => (each.messageId === messageId ? { ...heard, at: each.at } : each))
      : [...before, heard].slice(-context);
    this.#chats.delete(chat);
    this.#chats.set(chat, after);
    const [oldest] = this.#chats.keys();
    if (this.#chats.size > MOST_CHATS && oldest !== undefined) this.#chats.delete(oldest);
  }

  /** A message was deleted. */
  forget(surface: Surface, message: InboundMessage): void {
    const chat = placeOf(surface, message);
    const left = this.#in(chat).filter(({ messageId }) => messageId !== message.messageId);
    this.#keep(chat, left);
  }

  /** What was said before this message, as notes; empty if that is nothing. */
  async before(surface: Surface, message: InboundMessage): Promise<string> {
    const heard = this.#in(placeOf(surface, message));
    const access = new Map<string | null, Access>();
    for (const { source } of heard) {
      const sender = senderOf(source);
      if (!access.has(sender)) access.set(sender, (await this.#setting.people.lookUp(source)).access);
    }
    return saidBefore(
      newest(heard).flatMap(({ source, words }) => this.#said(source, words, access.get(senderOf(source)))),
    );
  }

  /** The agent reads it now. */
  empty(surface: Surface, message: InboundMessage): void {
    this.#keep(placeOf(surface, message), []);
  }

  #said(source: SessionSource, words: string, access: Access | undefined): SaidMessage[] {
    if (!access || words === "") return [];
    if (!access.allowed && this.#setting.groups.contextFrom !== "all") return [];
    const author = authorIn({ source }, access);
    const role = access.allowed ? access.role : "no access";
    return [{ name: source.userName, words, ...(author ? { author: { ...author, role } } : {}) }];
  }

  #in(chat: string): readonly Heard[] {
    const since = this.#setting.clock() - AGE_MS;
    return (this.#chats.get(chat) ?? []).filter(({ at }) => at > since);
  }

  #keep(chat: string, heard: readonly Heard[]): void {
    if (heard.length === 0) this.#chats.delete(chat);
    else this.#chats.set(chat, heard);
  }
}

/** A message that begins a thread stands in the chat itself. */
function placeOf({ platform, account }: Surface, { source, messageId }: InboundMessage): string {
  const { chatId, threadId } = source;
  return JSON.stringify([platform, account, chatId, threadId === messageId ? null : (threadId ?? null)]);
}

/** The newest ones that are not too long together. */
function newest(heard: readonly Heard[]): readonly Heard[] {
  let characters = 0;
  const tooOld = heard.findLastIndex(({ words }) => {
    characters += words.length;
    return characters > MOST_CHARACTERS;
  });
  return heard.slice(tooOld + 1);
}
