/**
 * What a turn sends: its replies, in pieces that the platform accepts, and notices. A step that could not be stored may be
 * tried again, so each message gets the same pieces and the same beginning each time.
 */
import type { LiveReply } from "../adapter/live-reply.js";
import { type DeliveryId, deliveryIdOf } from "../session/ids.js";
import type { Message } from "../session/transcript.js";
import { counted } from "../util/words.js";
import type { Beginning } from "./beginning.js";
import type { EditStream } from "./edit-stream.js";
import type { NewDelivery, Turn } from "./store.js";

/**
 * Stands in the transcript instead of an answer, if somebody stopped the turn before it said anything, and is not sent.
 * Without it the agent would read the question as a part of the next message, and answer it after all.
 */
export const NO_ANSWER: Message = { role: "assistant", content: "(Stopped before I was done.)" };

export interface RepliesSetting {
  /** Shows the turn live, so its replies need not be sent. */
  readonly live: LiveReply | undefined;
  /** Shows the beginning of replies while they are written; the outbox still sends them. */
  readonly stream: EditStream | undefined;
  /** The text in pieces that the platform accepts. */
  readonly pieces: (text: string) => readonly string[];
  /** True for an answer that means that nothing is to be said. */
  readonly isUnsaid?: (text: string) => boolean;
  /** How many messages the turn may send beyond one for each of its steps. */
  readonly maxSends: number;
  /** The platform's id of the message that is answered, if the reply should quote it. */
  readonly replyTo: string | null;
  /** Called before the reply with that id is stored. */
  readonly onBegun: (deliveryId: DeliveryId, beginning: Beginning) => void;
  /** The account that replies are sent through, and the process that sends them. */
  readonly account: string;
  readonly holder: () => string;
}

export class TurnReplies {
  readonly #turn: Turn;
  readonly #setting: RepliesSetting;
  readonly #beginnings = new WeakMap<Message, Beginning>();
  /** How many pieces of each message are sent, and how many more may be. */
  readonly #shares = new WeakMap<Message, number>();
  #room: number;
  #sent = 0;

  constructor(turn: Turn, setting: RepliesSetting) {
    this.#turn = turn;
    this.#setting = setting;
    this.#room = setting.maxSends;
  }

  /** The deliveries of an agent's message. `isStopped`: it is the last one of a turn that was ended from outside. */
  of(message: Message, isStopped: boolean): NewDelivery[] {
    if (message === NO_ANSWER) return [];
    if (this.#setting.live || this.#setting.isUnsaid?.(message.content))
      return [this.#delivery("reply", message.content, true)];
    const deliveries = this.#bounded(message).map((piece) => this.#delivery("reply", piece, false));
    const [first] = deliveries;
    const beginning = first && this.#beginningOf(message, first.text);
    // An interrupted turn's text was either shown live or is no longer wanted. But that is known only at its end: if
    // this process ends before, the next one continues the turn and sends it.
    if (isStopped && !beginning?.isSeen) return [];
    if (first && beginning) this.#setting.onBegun(first.deliveryId, beginning);
    return isStopped ? deliveries.slice(0, 1) : deliveries;
  }

  notice(text: string): NewDelivery[] {
    return this.#setting.pieces(text).map((piece) => this.#delivery("notice", piece, false));
  }

  /** As many pieces of a reply as may be sent, and a note about the rest. */
  #bounded(message: Message): readonly string[] {
    const pieces = this.#setting.pieces(message.content);
    const share = this.#shares.get(message) ?? Math.min(pieces.length, Math.max(1, this.#room));
    if (!this.#shares.has(message)) this.#room -= share - 1;
    this.#shares.set(message, share);
    const left = pieces.length - share;
    if (left === 0) return pieces;
    const more = `${counted(left, "more message")} of this answer ${left === 1 ? "was" : "were"} not sent`;
    const where = `Run \`baton sessions show ${this.#turn.sessionId}\` to see all of it`;
    return [...pieces.slice(0, share), `(Cut off here: ${more}. ${where}, or ask me for a part.)`];
  }

  #beginningOf(message: Message, firstPiece: string): Beginning | undefined {
    const beginning = this.#beginnings.get(message) ?? this.#setting.stream?.handOver(firstPiece);
    if (beginning) this.#beginnings.set(message, beginning);
    return beginning;
  }

  #delivery(purpose: "reply" | "notice", text: string, shown: boolean): NewDelivery {
    const { id, address, sessionId, fence } = this.#turn;
    const { account, holder, replyTo } = this.#setting;
    this.#sent += 1;
    return {
      deliveryId: deliveryIdOf(id, fence, this.#sent),
      replyTo: this.#sent === 1 ? replyTo : null,
      account,
      holder: holder(),
      address,
      purpose,
      text,
      sessionId,
      turnId: id,
      shown,
    };
  }
}
