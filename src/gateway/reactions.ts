/**
 * What people's reactions mean: a command, or words to the agent. One counts only on the latest answer of a conversation,
 * for the person who put it there, and once: taking it off and putting it on again changes nothing. It has no rights of
 * its own; it passes the entrance as a message of that person.
 */
import type { InboundMessage } from "../adapter/adapter.js";
import { emojiNamed } from "../adapter/emoji-names.js";
import { buildSessionKey, type SessionScopes } from "../session/session-key.js";
import type { SessionSource } from "../session/source.js";
import { plainEmoji } from "../util/emoji.js";
import { senderOf } from "./authorize.js";
import type { Lanes } from "./lanes.js";
import type { Account, Outbox } from "./store.js";

export interface ReactionsSetting {
  /** By emoji: the command or the words that it stands for. Others mean nothing. */
  readonly meanings: Readonly<Record<string, string>>;
  readonly outbox: Pick<Outbox, "answerAs">;
  readonly lanes: Pick<Lanes, "showing">;
  readonly scopes: SessionScopes;
}

export class Reactions {
  readonly #setting: ReactionsSetting;
  readonly #meanings: ReadonlyMap<string, string>;

  constructor(setting: ReactionsSetting) {
    this.#setting = setting;
    const meanings = Object.entries(setting.meanings);
    // Adapters hand over the emoji if they know its name.
    const named = meanings.flatMap(([key, text]) => {
      const [, name] = /^:([^:]+):$/.exec(key) ?? [];
      return name === undefined ? [] : [[emojiNamed(name), text] as const];
    });
    this.#meanings = new Map([...named, ...meanings.map(([key, text]) => [plainEmoji(key), text] as const)]);
  }

  /** True if it can mean something, whatever it is on. */
  has({ source, text }: InboundMessage): boolean {
    return !source.isBot && this.#meanings.has(plainEmoji(text));
  }

  /** The same as its person would have written it there; null if it is not on the latest answer. */
  async meant(account: Account, reaction: InboundMessage): Promise<InboundMessage | null> {
    const { outbox, lanes, scopes } = this.#setting;
    const emoji = plainEmoji(reaction.text);
    const text = this.#meanings.get(emoji);
    const sender = senderOf(reaction.source);
    if (text === undefined || sender === null) return null;
    const asked = lanes.showing(account, reaction) ?? (await outbox.answerAs(account, reaction));
    if (!asked) return null;
    const source = inPlaceOf(asked.source, reaction.source);
    // Where each member has a conversation, this one may be another member's.
    if (buildSessionKey(source, scopes) !== asked.key) return null;
    const messageId = JSON.stringify([reaction.messageId, sender, emoji]);
    return { kind: "reaction", source, messageId, text };
  }
}

/** Platforms do not say in which thread a reaction is: it is where the answer is, by the person who reacted. */
function inPlaceOf(asked: SessionSource, { userId, userName, userIdAlt }: SessionSource): SessionSource {
  const { userId: asker, userName: name, userIdAlt: _, isBot: __, messageId: ___, ...place } = asked;
  const shown = userName ?? (userId === asker ? name : undefined);
  return {
    ...place,
    ...(userId === undefined ? {} : { userId }),
    ...(userIdAlt === undefined ? {} : { userIdAlt }),
    ...(shown === undefined ? {} : { userName: shown }),
  };
}
