/**
 * While a question is open, plain words answer it: "yes" means the command that allows it. Only words that can mean nothing
 * else do: of somebody who may answer, alone in a message that is for Baton, where the question was shown and long enough
 * ago to be read. If they may mean another question, they mean the command that asks which one. All else stays a message.
 */
import type { InboundMessage } from "../adapter/adapter.js";
import { type AnswerInWords, answerOf } from "../adapter/answer-words.js";
import { buildSessionKey, type SessionScopes } from "../session/session-key.js";
import type { Clock } from "../util/clock.js";
import { type ApprovalQuestion, type Approvals, shownAt } from "./approvals.js";
import type { Who } from "./authorize.js";
import type { Account, Outbox } from "./store.js";

export interface SpokenAnswersSetting {
  readonly approvals: Approvals;
  readonly outbox: Pick<Outbox, "sentAt" | "messageIdOf">;
  readonly scopes: SessionScopes;
  readonly clock: Clock;
}

/** Nobody reads a question and answers it sooner: such a word was on its way before. */
const REACTION_MS = 1_000;
/** Names no question, so the command asks which one. */
const UNCLEAR = "?";

export class SpokenAnswers {
  readonly #setting: SpokenAnswersSetting;

  constructor(setting: SpokenAnswersSetting) {
    this.#setting = setting;
  }

  /** The command that a message means; null if it is just a message. */
  async commandIn({ account }: Account, message: InboundMessage, who: Who): Promise<string | null> {
    const { approvals, outbox, scopes, clock } = this.#setting;
    const { source, isAddressed } = message;
    const said = isAddressed === false ? null : answerOf(message);
    const open = said ? approvals.openTo(buildSessionKey(source, scopes), who) : [];
    if (!said || open.length === 0) return null;
    const latest = clock() - REACTION_MS;
    const seenAt = async (question: ApprovalQuestion): Promise<number | null> => {
      const at = await shownAt(question, { account, source }, outbox);
      return at !== null && at <= latest ? at : null;
    };
    const seen: ApprovalQuestion[] = [];
    for (const question of open) if ((await seenAt(question)) !== null) seen.push(question);
    const quoted = quotedIn(message);
    if (quoted !== null) {
      const answered = await this.#shownAs(seen, quoted);
      return answered && commandOf(said, answered.token); // Otherwise it is about something else.
    }
    if (seen.length === 0) return null;
    const meant =
      said.number === null
        ? await approvals.meant(open, seenAt)
        : seen.find(({ number }) => number === said.number);
    return commandOf(said, meant?.token ?? UNCLEAR);
  }

  /** The question that this message of ours shows. */
  async #shownAs(seen: readonly ApprovalQuestion[], messageId: string): Promise<ApprovalQuestion | null> {
    for (const question of seen)
      for (const { deliveryId } of question.shown)
        if ((await this.#setting.outbox.messageIdOf(deliveryId)) === messageId) return question;
    return null;
  }
}

/** The message that it answers. Some platforms name the beginning of a thread for everything in it: that says nothing. */
function quotedIn({ replyTo, source }: InboundMessage): string | null {
  return replyTo && replyTo.messageId !== source.threadId ? replyTo.messageId : null;
}

function commandOf({ answer }: AnswerInWords, which: string): string {
  if (answer === "no") return `/deny ${which}`;
  return answer === "always" ? `/approve ${which} always` : `/approve ${which}`;
}
