/**
 * What we sent lately, so that we never answer ourselves in the account's own chat ("Note to Self"). Signal sends no
 * device its own messages; if a daemon hands one over all the same, it is known here.
 */
import { Recent } from "../recent.js";

/** So many are remembered. */
const MOST_NOTES = 1_000;

export class OwnNotes {
  readonly #sent = new Recent<true>(MOST_NOTES);
  readonly #underWay = new Set<Promise<unknown>>();

  /** One is sent; it gives the message's id. */
  async sending<Sent extends { readonly messageId: string }>(send: Promise<Sent>): Promise<Sent> {
    const settled = send.catch(() => {}); // The sender hears of it.
    this.#underWay.add(settled);
    try {
      const sent = await send;
      this.#sent.set(sent.messageId, true);
      return sent;
    } finally {
      this.#underWay.delete(settled);
    }
  }

  /** Whether we sent what has this time. One that is being sent has none yet: it is waited for. */
  async has(timestamp: number): Promise<boolean> {
    await Promise.all(this.#underWay);
    return this.#sent.get(`${timestamp}`) === true;
  }
}
