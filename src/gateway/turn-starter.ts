/**
 * Begins the turn that answers a message, if it may begin: its author has a turn to spare, no other turn runs in the
 * session, no handoff moves it, no script has borrowed it, and nothing older waits.
 */
import { deliveryIdOf, newTurnId } from "../session/ids.js";
import { platformTraits } from "../session/platform.js";
import type { SessionEntry } from "../session/session.js";
import { isShared, type SessionKey, type SessionScopes } from "../session/session-key.js";
import type { ResolveRequest } from "../session/store.js";
import type { Allowance } from "./allowance.js";
import { isTriedAlone } from "./attempts.js";
import type { Access, Who } from "./authorize.js";
import type { Common } from "./common.js";
import { messageOf } from "./inbound-text.js";
import type { Lane } from "./lane.js";
import { isLeft, LeftTurns } from "./left-turns.js";
import type { Notices } from "./notices.js";
import { authorIn, type Requests } from "./requests.js";
import { resetText } from "./reset-words.js";
import { Solitude } from "./solitude.js";
import type { InboxItem, NewDelivery, RunningTurn } from "./store.js";
import type { Surfaces } from "./surfaces.js";
import { TerminalDesk } from "./terminals/terminal-desk.js";
import type { TurnRunner } from "./turn-runner.js";

export interface TurnStarterSetting extends Common {
  readonly scopes: SessionScopes;
  readonly allowance: Allowance;
  readonly requests: Requests;
  readonly notices: Notices;
  readonly surfaces: Surfaces;
  readonly turnRunner: TurnRunner;
  /** Called again and again while a message waits for another process that answers in its session. */
  readonly onElsewhere: (key: SessionKey) => void;
  /** Aborted when the gateway stops. */
  readonly stopping: AbortSignal;
}

const LEFT =
  "This conversation is no longer in this terminal, so I did not answer that. /resume brings it back, /new starts another.";
const TOO_MANY =
  "You already have as many requests running as you are allowed, so I skipped this one. Send it again when one of them is done.";

/** How long a turn that is tried alone waits for others, and they for it. */
const ALONE_MS = 60_000;

export class TurnStarter {
  readonly #setting: TurnStarterSetting;
  readonly #leftTurns: LeftTurns;
  readonly #terminals: TerminalDesk;
  readonly #solitude = new Solitude(ALONE_MS);

  constructor(setting: TurnStarterSetting) {
    this.#setting = setting;
    this.#leftTurns = new LeftTurns(setting);
    this.#terminals = new TerminalDesk(setting);
  }

  /** False if it waits: for another process, a handoff, a script, older messages, or its author's other turns. */
  async answer(lane: Lane, item: InboxItem, author: Promise<Access>): Promise<boolean> {
    const who = await author;
    const end = who.allowed ? this.#setting.allowance.tryTurn(who) : () => {};
    if (!end) return this.#waitOrSkip(item);
    try {
      return await this.#beside(false, () => this.#beginAndRun(lane, item, who));
    } finally {
      end();
    }
  }

  /** Goes on with a turn that was left; alone, if a process that ran it ended more than once. */
  async goOn(lane: Lane, left: RunningTurn, author: Promise<Access>): Promise<void> {
    const alone = isTriedAlone({ attempt: left.turn.attempt + 1 });
    await this.#beside(alone, () => this.#leftTurns.takeOver(lane, left, author));
  }

  /**
   * Its author has as many turns as they may have. In a lane of their own they wait; in a shared one nobody waits for
   * them, but what Baton tells the agent is never skipped.
   */
  async #waitOrSkip(item: InboxItem): Promise<boolean> {
    const { scopes } = this.#setting;
    if (!isShared(item.source, scopes) || item.inBackground) return false;
    await this.#skip(item, TOO_MANY);
    return true;
  }

  async #skip(item: InboxItem, text: string): Promise<void> {
    const { store, notices, holder, clock } = this.#setting;
    const deliveries = await notices.about(item, deliveryIdOf("inbox", item.id, "skipped"), text);
    await store.inbox.skip(item.id, holder, deliveries, clock());
  }

  /** Runs it beside other turns of this process, or alone. It waits before it begins, so nothing runs while it waits. */
  async #beside<Result>(alone: boolean, work: () => Promise<Result>): Promise<Result | false> {
    const end = await this.#solitude.enter(alone);
    try {
      return this.#setting.stopping.aborted ? false : await work();
    } finally {
      end();
    }
  }

  async #beginAndRun(lane: Lane, item: InboxItem, who: Access): Promise<boolean> {
    const { sessions, store, surfaces, turnRunner, holder, leaseMs } = this.#setting;
    const interrupting = lane.takeInterrupting();
    const message = messageOf(item, authorIn(item, who));
    const isTheirs = item.by && platformTraits(item.source.platform).isInternal;
    const options = { touch: !item.inBackground, ...(isTheirs ? { of: item.by } : {}) };
    const begun = await sessions.resolveIn(item.source, options, message, (request) =>
      store.turns.begin(newTurnId(), item, resetting(item, request), { holder, leaseMs }, (entry, before) =>
        this.#resetNotices(item, entry, before),
      ),
    );
    switch (begun.kind) {
      case "begun":
        await turnRunner.run(lane, { item, turn: begun.turn, entry: begun.entry, who });
        return true;
      case "gone":
        return true;
      case "left":
        await this.#skip(item, LEFT);
        return true;
      case "behind":
        await surfaces.takeOn(item); // What it is behind comes before it here, too.
        return false;
      case "busy":
        await this.#waitFor(begun.running, lane, item, interrupting);
        return false;
      case "moving":
        return false;
      case "lent":
        await this.#terminals.tidy(holder); // A script that was killed gives nothing back.
        return false;
      default:
        return begun satisfies never;
    }
  }

  /** Another turn runs in the session: it was left, or somebody may interrupt it, or it is waited for. */
  async #waitFor(
    running: RunningTurn,
    lane: Lane,
    { key }: InboxItem,
    interrupting: readonly Who[],
  ): Promise<void> {
    const { store, clock, onElsewhere } = this.#setting;
    if (isLeft(running.lease, clock())) lane.left.push(running);
    else if (await this.#mayInterrupt(interrupting, running))
      await store.turns.askToStop(running.turn, "interrupted");
    else onElsewhere(key);
  }

  async #mayInterrupt(interrupting: readonly Who[], { item }: RunningTurn): Promise<boolean> {
    const { requests } = this.#setting;
    if (interrupting.length === 0) return false;
    const author = await requests.authorOf(item);
    return interrupting.some((who) => requests.may(who, author));
  }

  #resetNotices(item: InboxItem, entry: SessionEntry, before: SessionEntry | null): NewDelivery[] {
    const { sessions, notices } = this.#setting;
    const text = resetText(entry, before);
    if (text === null || !sessions.policyFor(entry).notify) return [];
    const { sessionId } = entry;
    return notices
      .shortly(item, deliveryIdOf("inbox", item.id, "reset"), text)
      .map((notice) => ({ ...notice, sessionId }));
  }
}

/** What no person asked is about the session that is there: only a person's message begins a fresh one. */
function resetting({ inBackground }: InboxItem, request: ResolveRequest): ResolveRequest {
  return inBackground ? { ...request, dueReset: () => null } : request;
}
