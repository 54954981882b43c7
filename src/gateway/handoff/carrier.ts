/**
 * Carries out handoffs whose destination is connected here. Each step is stored and fenced, so another gateway can continue
 * where this one ended, without a second thread or a second notice. Until the last commit the session stays where it was.
 * That commit moves it with its waiting messages, and tells the asker.
 */

import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { SendError } from "../../adapter/adapter.js";
import { type Handoff, type HandoffStep, overdueAt, platformOfTarget } from "../../session/handoff.js";
import { deliveryIdOf, type HandoffId, type SessionId } from "../../session/ids.js";
import { LOCAL } from "../../session/platform.js";
import type { SessionEntry } from "../../session/session.js";
import { addressOf, formatAddress, parseAddress, type SessionSource } from "../../session/source.js";
import type { HandoffStore } from "../../session/store.js";
import { mayBeAlive } from "../../util/holder.js";
import { Looks } from "../../util/looks.js";
import { timerMs } from "../../util/timer-ms.js";
import type { Common } from "../common.js";
import { Impossible } from "../lane-at.js";
import type { Notices } from "../notices.js";
import type { People } from "../people.js";
import type { Account, GatewayEffects, NewDelivery, Outbox } from "../store.js";
import type { Surface } from "../surface.js";
import { decide } from "./decide.js";
import { type HandoffDesk, mayMove, targetWords, told, toldMoved } from "./desk.js";
import { type Aim, type Carried, Destinations, placeAsked, whoAsked } from "./destination.js";
import { askToConfirm, failedText, hereText, movedAwayText, offerText, retractedText } from "./words.js";

export interface CarrierSetting
  extends Pick<Common, "sessions" | "holder" | "leaseMs" | "clock" | "onProblem"> {
  readonly handoffs: HandoffStore<GatewayEffects>;
  readonly outbox: Pick<Outbox, "announcement">;
  readonly desk: HandoffDesk;
  readonly people: People;
  readonly notices: Notices;
  /** The surfaces that are connected in this process. */
  readonly connected: () => readonly Surface[];
  /** A handoff waits for the turn of this session: if the turn's process has ended, it continues here. */
  readonly onAwaited: (sessionId: SessionId) => Promise<void>;
  /** Called each time a handoff that this process requested was looked at, and once it is over. */
  readonly onSeen: (handoff: Handoff) => void;
  /** Called once for each offer to the terminal, in words. */
  readonly onOffer: (text: string) => void;
}

/** Another gateway has it now, or it is over. */
class Lost extends Error {}

/** Nothing can be written there: the chat is gone, or the thread is. */
class Unwritable extends Impossible {}

const LOOK_MS = 10;
/** Between two looks at an announcement without news: the deadline may have passed. */
const SAFETY_LOOK_MS = 1_000;
const RETRY_MS = 500;

export class HandoffCarrier {
  readonly #setting: CarrierSetting;
  readonly #carried = new Map<HandoffId, Promise<void>>();
  /** Requested by this process, and not known to be over. */
  readonly #asked = new Set<HandoffId>();
  readonly #offered = new Set<string>();
  readonly #destinations: Destinations;
  readonly #looks = new Looks(
    () => this.#tryToLook(),
    () => !this.#stopped,
  );
  #stopped = false;
  /** Aborted with the next news, for those who wait for it. */
  #news = new AbortController();

  constructor(setting: CarrierSetting) {
    this.#setting = setting;
    this.#destinations = new Destinations(setting);
  }

  /** Reports this one now, and whenever it may have changed, until it is over. */
  async follow({ id }: Handoff): Promise<void> {
    const handoff = await this.#setting.handoffs.find(id, this.#setting.clock());
    if (handoff) this.#setting.onSeen(handoff);
    this.#asked.add(id);
  }

  /** Something may have changed. However often this is called during a look, one more look follows. */
  wake(): void {
    this.#tellNews();
    void this.#looks.wake();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#tellNews();
    await this.#looks.stop();
    await Promise.allSettled(this.#carried.values());
  }

  #tellNews(): void {
    this.#news.abort();
    this.#news = new AbortController();
  }

  /** Never rejects. */
  async #tryToLook(): Promise<void> {
    this.#tellNews();
    try {
      await this.#look();
    } catch (error) {
      this.#setting.onProblem(`Can't read handoffs: ${(error as Error).message}`, { cause: error });
      this.#looks.wakeAfter(1_000);
    }
  }

  async #look(): Promise<void> {
    const { handoffs, clock } = this.#setting;
    const open = await handoffs.open(clock());
    for (const id of this.#asked) await this.#tellOf(id, open);
    const now = clock();
    for (const handoff of open) if (!this.#carried.has(handoff.id)) await this.#attend(handoff, now);
  }

  async #attend(handoff: Handoff, now: number): Promise<void> {
    const { handoffs, holder, leaseMs, onAwaited } = this.#setting;
    if (handoff.target === LOCAL && handoff.state === "pending") await this.#offer(handoff);
    const isAbandoned = handoff.claimedBy === holder || !mayBeAlive(handoff.claimedBy ?? "");
    const decision = decide(handoff, { now, isHere: this.#surfaceFor(handoff) !== undefined, isAbandoned });
    if (decision.kind === "wait") {
      if (decision.at !== null) this.#looks.wakeAfter(Math.max(decision.at - now, LOOK_MS));
    } else if (decision.kind === "await turn") {
      await onAwaited(handoff.sessionId);
      this.#looks.wakeAfter(leaseMs / 3);
    } else if (decision.kind === "give up") {
      await this.#fail(handoff, handoff.state === "pending" ? null : handoff.fence, decision.reason);
    } else {
      const { id, fence } = handoff;
      const claim = { kind: "claim", fence, holder, leaseMs, left: decision.left } as const;
      const claimed = await handoffs.step(id, claim, now);
      if (claimed?.ok) this.#carried.set(id, this.#carry(claimed.handoff));
      else this.#looks.wakeAfter(RETRY_MS); // Another gateway was faster, or a turn has begun.
    }
  }

  async #tellOf(id: HandoffId, open: readonly Handoff[]): Promise<void> {
    const { handoffs, clock, onSeen } = this.#setting;
    const handoff = open.find((each) => each.id === id) ?? (await handoffs.find(id, clock()));
    if (handoff) onSeen(handoff);
    if (!handoff || handoff.finishedAt !== null) this.#asked.delete(id);
  }

  async #offer({ id, sessionId }: Handoff): Promise<void> {
    if (this.#offered.has(id)) return;
    this.#offered.add(id);
    const entry = await this.#setting.sessions.get(sessionId);
    if (entry) this.#setting.onOffer(offerText(entry));
  }

  #surfaceFor({ target }: Handoff): Surface | undefined {
    const platform = platformOfTarget(target);
    return this.#setting.connected().find((surface) => surface.platform === platform);
  }

  async #carry(held: Handoff): Promise<void> {
    const { handoffs, leaseMs, clock, onProblem } = this.#setting;
    const beat = setInterval(
      () => {
        const renewal = { kind: "renew", fence: held.fence, leaseMs } as const;
        handoffs.step(held.id, renewal, clock()).catch(() => {}); // A busy store does not mean that the lease is lost.
      },
      timerMs(leaseMs / 3),
    );
    try {
      const surface = this.#surfaceFor(held);
      if (!surface) throw new Impossible("Its platform is no longer connected.");
      const entry = await this.#mayStill(held);
      const aim = await this.#announcedAim({ held, entry, surface, step: (step) => this.#step(held, step) });
      await this.#complete(held, await this.#mayStill(held), surface, aim);
    } catch (error) {
      const isOver = error instanceof Impossible && this.#fail(held, held.fence, error.message);
      await (isOver || Promise.reject(error)).catch((cause: Error) => {
        if (cause instanceof Lost) return;
        onProblem(`Can't continue a handoff: ${cause.message}`, { cause, session: held.sessionId });
      });
    } finally {
      clearInterval(beat);
      this.#carried.delete(held.id);
      this.wake();
    }
  }

  /** The destination, once it was told. If the thread of an earlier handoff is gone, that is a new one. */
  async #announcedAim(carried: Carried): Promise<Aim> {
    const { held, entry, surface } = carried;
    const aim = await this.#within(held, () => this.#destinations.aim(carried));
    const isThere = await this.#announce(held, entry, surface, aim).catch((error: unknown) => {
      if (aim.isReused && error instanceof Unwritable) return false;
      throw error;
    });
    if (isThere) return aim;
    const anew = await this.#within(held, () => this.#destinations.aimAnew(carried));
    await this.#announce(held, entry, surface, anew);
    return anew;
  }

  /** The session, if the asker may still move it there. */
  async #mayStill(held: Handoff): Promise<SessionEntry> {
    const { sessions, desk } = this.#setting;
    const entry = await sessions.get(held.sessionId);
    if (!entry) throw new Impossible("The session is gone.");
    if (held.asker === null) return entry;
    const who = await whoAsked(this.#setting.people, held);
    if (!who || !mayMove(who, entry)) throw new Impossible("You may no longer move this conversation.");
    if (!(await desk.places.mayUse(who, await placeAsked(desk, held))))
      throw new Impossible("You may no longer take a conversation there.");
    return entry;
  }

  /** Repeats what the platform could not do now, for as long as the asker waits. */
  async #within<Result>(held: Handoff, attempt: () => Promise<Result>): Promise<Result> {
    const { clock } = this.#setting;
    for (;;) {
      try {
        return await this.#patiently(held, attempt());
      } catch (error) {
        if (!(error instanceof SendError)) throw error;
        const pauseMs = error.retryAfterMs ?? RETRY_MS;
        const overdue = clock() + pauseMs >= this.#deadline(held);
        if (error.outcome !== "retryable" || overdue) throw new Impossible(error.message);
        if (this.#stopped || !this.#surfaceFor(held)) throw new Lost(); // The next process that has the account continues it.
        await sleep(timerMs(pauseMs));
      }
    }
  }

  /** A call that never returns ends here with the patience of the asker. What comes of it later is refused by the store. */
  async #patiently<Result>(held: Handoff, work: Promise<Result>): Promise<Result> {
    const ended = work.then((result) => ({ result }));
    ended.catch(() => {}); // Its failure is thrown below, or nobody waits for it any more.
    for (;;) {
      const pause = new AbortController();
      const paused = sleep(SAFETY_LOOK_MS, null, { signal: pause.signal }).catch(() => null);
      try {
        const done = await Promise.race([ended, paused]);
        if (done) return done.result;
      } finally {
        pause.abort();
      }
      if (this.#setting.clock() >= this.#deadline(held))
        throw new Impossible("The platform did not answer in time.");
    }
  }

  /** As long as the asker waits. A gateway that continues the work of another gets some time, too. */
  #deadline(held: Handoff): number {
    return Math.max(overdueAt(held), held.leaseUntil ?? 0);
  }

  /** Tells the destination, and waits until that has arrived: a chat that can't be written to gets no session. */
  async #announce(
    held: Handoff,
    entry: SessionEntry,
    { account }: Account,
    { source: destination, isReused, refusal }: Aim,
  ): Promise<true> {
    const { outbox, notices, clock } = this.#setting;
    const address = addressOf(destination);
    const present = await this.#setting.sessions.current(this.#setting.sessions.laneOf(destination).key);
    const isTaken = present !== null && present.sessionId !== entry.sessionId && present.messageCount > 0;
    const isMade = address.threadId !== undefined && parseAddress(held.target).threadId === undefined;
    const isOurs = destination.chatType === "dm" || isMade;
    const text = hereText(entry, held.asker?.source ?? entry.origin, { isTaken, isOurs, refusal });
    const why = { purpose: "announcement", handoffId: held.id } as const;
    const id = isReused ? deliveryIdOf(held.id, "again") : deliveryIdOf(held.id, "here");
    const deliveries = await notices.to({ account, address }, id, text, why);
    await this.#step(held, { kind: "announce", fence: held.fence }, { deliveries });
    for (;;) {
      const { signal } = this.#news; // Taken before the look, so no news is missed.
      setMaxListeners(0, signal); // Any number of handoffs may wait: Node.js warns of more than ten.
      const outcome = await outbox.announcement(held.id, address);
      if (outcome?.state === "sent" || outcome?.state === "unknown") return true;
      if (outcome?.state === "failed") throw new Unwritable(outcome.error ?? "I can't write there.");
      if (clock() >= this.#deadline(held))
        throw new Impossible(`I could not write there in time${outcome?.error ? `: ${outcome.error}` : "."}`);
      if (this.#stopped) throw new Lost(); // The next gateway continues from here.
      await sleep(SAFETY_LOOK_MS, undefined, { signal }).catch(() => {}); // There is news.
    }
  }

  async #complete(
    held: Handoff,
    entry: SessionEntry,
    { platform, account }: Account,
    { source: destination, refusal }: Aim,
  ): Promise<void> {
    const { sessions, holder } = this.#setting;
    const place = sessions.laneOf(destination);
    const from = held.asker?.source ?? null;
    const first = {
      platform,
      account,
      kind: "message" as const,
      key: place.key,
      source: destination,
      messageId: held.id,
      made: "handoff" as const,
      text: askToConfirm(entry, from ?? entry.origin),
      ...(from ? { by: from } : {}),
    };
    const deliveries = [
      ...toldMoved(held.id, held.asker, destination, refusal),
      ...(await this.#toldLeft(held, entry, destination)),
    ];
    const effects = { place, answering: { account, holder }, first, deliveries };
    await this.#step(held, { kind: "complete", fence: held.fence }, effects);
  }

  /** For the chat that the session leaves, unless the asker is there: they hear the outcome. A terminal sees it by itself. */
  async #toldLeft({ id, asker }: Handoff, entry: SessionEntry, to: SessionSource): Promise<NewDelivery[]> {
    const { desk, notices } = this.#setting;
    const left = entry.origin;
    const address = addressOf(left);
    if (left.platform === LOCAL) return [];
    if (asker && formatAddress(addressOf(asker.source)) === formatAddress(address)) return [];
    const known = await desk.places.lastAccountOn(address);
    if (!known) return [];
    const text = movedAwayText(entry, to);
    return notices.to({ account: known.account, address }, deliveryIdOf(id, "left"), text);
  }

  /** Fails if another gateway has it now. */
  async #step({ id }: Handoff, step: HandoffStep, effects?: GatewayEffects): Promise<void> {
    const { handoffs, clock } = this.#setting;
    if (!(await handoffs.step(id, step, clock(), effects))?.ok) throw new Lost();
  }

  async #fail(handoff: Handoff, fence: number | null, reason: string): Promise<void> {
    const { handoffs, notices, clock } = this.#setting;
    const { asker, target, id } = handoff;
    const deliveries = asker ? [told(id, asker, failedText(targetWords(target), reason))] : [];
    const retraction = notices.piecesOf(platformOfTarget(target), retractedText(reason));
    const failure: HandoffStep =
      fence === null ? { kind: "cancel", error: reason } : { kind: "fail", fence, error: reason };
    await handoffs.step(id, failure, clock(), { deliveries, retraction });
  }
}
