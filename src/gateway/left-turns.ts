/** Goes on with a turn that a process left unfinished, or gives it up if every process that tried it ended. */
import { deliveryIdOf } from "../session/ids.js";
import { LOCAL } from "../session/platform.js";
import { mayBeAlive, runningGroup } from "../util/holder.js";
import { counted } from "../util/words.js";
import { isGivenUp } from "./attempts.js";
import type { Access } from "./authorize.js";
import type { Common } from "./common.js";
import { quoted } from "./describe.js";
import type { Lane } from "./lane.js";
import type { Notices } from "./notices.js";
import type { InboxItem, RunningTurn, Turn } from "./store.js";
import type { TurnRunner } from "./turn-runner.js";
import { interruptedNotice, interruptedStep } from "./unfinished-calls.js";

export interface LeftTurnsSetting extends Common {
  readonly notices: Notices;
  readonly turnRunner: TurnRunner;
}

export class LeftTurns {
  readonly #setting: LeftTurnsSetting;

  constructor(setting: LeftTurnsSetting) {
    this.#setting = setting;
  }

  async takeOver(
    lane: Lane,
    { turn, item, wish, lease }: RunningTurn,
    author: Promise<Access>,
  ): Promise<void> {
    const { sessions, store, turnRunner, holder, leaseMs, clock } = this.#setting;
    const taken = await store.turns.takeOver(turn, { holder, leaseMs }, clock());
    if (!taken) return;
    if (wish) lane.stop(wish); // The process before was asked to stop it, and ended first.
    if (!(await this.#keepInterrupted(taken, item))) return;
    await this.#tellOfGoingOn(taken, item, lease.holder);
    const entry = await sessions.get(taken.sessionId);
    if (!entry || isGivenUp(taken, item)) return this.#giveUp(taken, item);
    await turnRunner.run(lane, { item, turn: taken, entry, who: await author });
  }

  /**
   * A person at a terminal did not ask just now, so they hear what is being answered. In other chats they still wait for it:
   * they hear only what they must know, that a call was interrupted or that the answer is given up.
   */
  async #tellOfGoingOn(turn: Turn, item: InboxItem, before: string): Promise<void> {
    const { store, notices, clock } = this.#setting;
    if (item.platform !== LOCAL || item.inBackground) return;
    const why = before === "" ? "You left while I answered" : "Baton ended while I answered";
    const text = `${why} ${quoted(item.text)}. I continue now.`;
    await store.outbox.add(
      await notices.about(item, deliveryIdOf(turn.id, turn.fence, "continued"), text),
      clock(),
    );
  }

  async #giveUp(turn: Turn, item: InboxItem): Promise<void> {
    const { store, notices, clock, onProblem } = this.#setting;
    const tries = turn.attempt - 1;
    const sentence = `Gave up a turn: its process ended ${counted(tries, "time")} while it ran (${turn.id}).`;
    onProblem(sentence, { turn: turn.id, session: turn.sessionId });
    const text = `I gave up on this: I was interrupted ${tries} times while working on it. Try again with /retry.`;
    const deliveries = await notices.about(item, deliveryIdOf(turn.id, "parked"), text);
    const step = { messages: [], deliveries, steeredIn: [] };
    await store.turns.finish(turn, "parked", step, `its process ended ${tries} times`, clock());
  }

  /**
   * Adds to the transcript what the process before was doing, as far as it is known; false if another process has the
   * turn now.
   */
  async #keepInterrupted(turn: Turn, item: InboxItem): Promise<boolean> {
    const { store, notices, leaseMs, clock } = this.#setting;
    const calls = await store.journal.open(turn);
    const messages = interruptedStep(calls, runningGroup);
    if (!messages) return true;
    const said = calls.map((call) => call.said).join("");
    const texts = [said, interruptedNotice(calls, runningGroup) ?? ""];
    const told = texts.map((text, n) =>
      text.trim() ? notices.about(item, deliveryIdOf(turn.id, turn.fence, "interrupted", n), text) : [],
    );
    const deliveries = (await Promise.all(told)).flat();
    return store.turns.step(turn, { messages, deliveries, steeredIn: [] }, leaseMs, clock());
  }
}

/** True if a process no longer works on what it leased: the lease ran out, or the process has certainly ended. */
export function isLeft(lease: { readonly holder: string; readonly until: number }, now: number): boolean {
  return lease.until <= now || !mayBeAlive(lease.holder);
}
