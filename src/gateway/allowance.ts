/**
 * What people may still ask for, and what they read when a limit is reached. Messages and turns are counted in this
 * process; the model calls and files of a day are counted in the store, for all identities of a person together, also
 * across restarts. What the calls used is in usage-allowance.ts.
 */
import { AgentError } from "../agent/agent.js";
import type { SessionId } from "../session/ids.js";
import { counted, grouped, relativeTime } from "../util/words.js";
import type { Access, Who } from "./authorize.js";
import { dayOf, isLimit, limitsFor, MEGABYTE, spentToday } from "./limits.js";
import { Pace } from "./pace.js";
import type { Spending } from "./store.js";
import { UsageAllowance, type UsageAllowanceSetting } from "./usage-allowance.js";
import { amount } from "./usage-limits.js";

export interface AllowanceSetting extends UsageAllowanceSetting {
  readonly spending: Spending;
  /** Milliseconds that only grow. */
  readonly elapsedMs?: () => number;
}

/** How many bytes of files may be downloaded now; `settle` says how many were. */
export interface MediaGrant {
  readonly bytes: number;
  /** Why there are not more; null if the limit does not matter here. */
  readonly reason: string | null;
  settle(used: number): Promise<void>;
}

export class Allowance {
  /** Tokens and cost. */
  readonly usage: UsageAllowance;
  readonly #setting: AllowanceSetting;
  readonly #pace: Pace;
  readonly #turns = new Map<string, number>();
  /** For each person, the last message that waits for its files. */
  readonly #media = new Map<string, Promise<void>>();

  constructor(setting: AllowanceSetting) {
    this.#setting = setting;
    this.usage = new UsageAllowance(setting);
    this.#pace = new Pace(setting.elapsedMs ?? (() => performance.now()));
  }

  /**
   * Counts a message, or says why not: once, and then nothing until one was accepted again. Commands are counted
   * separately, so that somebody who wrote too much can still stop what they started.
   */
  message(who: Who, kind: "message" | "command"): { readonly told: string | null } | null {
    const { messagesPerMinute: most } = limitsFor(who, this.#setting.lists);
    if (!isLimit(most)) return null;
    const paced = this.#pace.take(`${kind} ${personOf(who)}`, most);
    if (paced.allowed) return null;
    const seconds = Math.ceil(paced.waitMs / 1_000);
    const told = `You can send ${counted(most, kind)} a minute here, so I skipped this one. Send it again in ${counted(seconds, "second")}.`;
    return { told: paced.first ? told : null };
  }

  /** A message that was counted could not be saved: it comes again, and is counted then. */
  takeBack(who: Who, kind: "message" | "command"): void {
    this.#pace.takeBack(`${kind} ${personOf(who)}`);
  }

  /** Counts a turn until the returned function is called; null if they have as many as they may. */
  tryTurn(who: Who): (() => void) | null {
    const { turnsAtOnce: most } = limitsFor(who, this.#setting.lists);
    const person = personOf(who);
    const running = this.#turns.get(person) ?? 0;
    if (running >= most) return null;
    this.#turns.set(person, running + 1);
    return () => {
      const left = (this.#turns.get(person) ?? 1) - 1;
      if (left > 0) this.#turns.set(person, left);
      else this.#turns.delete(person);
    };
  }

  /** Counts a model call before it is made; throws the refusal if it is one too many, or too much was used. */
  async modelCall(who: Access, sessionId: SessionId): Promise<void> {
    await this.usage.check(who, sessionId);
    if (!who.allowed) return;
    const { modelCallsPerDay: limit } = limitsFor(who, this.#setting.lists);
    if (!isLimit(limit)) return;
    const { day, endsAt } = dayOf(this.#setting.clock());
    const granted = await this.#setting.spending.grant(inOrder(who), "modelCalls", 1, limit, day);
    if (granted === 1) return;
    throw new AgentError(
      `You have used all ${counted(limit, "model call")} of today. You get new ones ${this.#from(endsAt)}.`,
    );
  }

  /**
   * Reserves bytes for their files, after the files of their previous message are settled: unused bytes go to the next
   * message, and each person has the files of only one message downloaded at a time.
   */
  async media(who: Who, wanted: number): Promise<MediaGrant> {
    const settled = await this.#afterMedia(personOf(who));
    try {
      const grant = await this.#grant(who, wanted);
      return { ...grant, settle: (used) => grant.settle(used).finally(settled) };
    } catch (error) {
      settled();
      throw error;
    }
  }

  async #grant(who: Who, wanted: number): Promise<MediaGrant> {
    const { mediaBytesPerDay: limit } = limitsFor(who, this.#setting.lists);
    const { spending, clock } = this.#setting;
    if (!isLimit(limit)) return { bytes: wanted, reason: null, settle: async () => {} };
    const { day, endsAt } = dayOf(clock());
    const bytes = await spending.grant(inOrder(who), "mediaBytes", wanted, limit, day);
    const reason = `you can send ${limit / MEGABYTE} MB of files a day, and can send more ${this.#from(endsAt)}`;
    return {
      bytes,
      reason: bytes < wanted ? reason : null,
      settle: (used) => spending.giveBack(inOrder(who), "mediaBytes", bytes - used, day),
    };
  }

  /** Counts a copy of this many bytes as files of the day, before it is made; returns the refusal if it is too much. */
  async copy(who: Who, bytes: number): Promise<string | null> {
    const { reason, settle } = await this.#grant(who, bytes);
    await settle(reason === null ? bytes : 0);
    return reason === null
      ? null
      : `This conversation is too long to copy today: ${reason}. A copy counts like a file.`;
  }

  /** Waits until the person's files may be downloaded; call the returned function at the end. */
  async #afterMedia(person: string): Promise<() => void> {
    const before = this.#media.get(person);
    let end: () => void = () => {};
    const mine = new Promise<void>((resolve) => {
      end = resolve;
    });
    const line = (before ?? Promise.resolve()).then(() => mine);
    this.#media.set(person, line);
    void line.then(() => {
      if (this.#media.get(person) === line) this.#media.delete(person);
    });
    await before;
    return end;
  }

  /** What they have used today and may use, in words. */
  async today(who: Who): Promise<string> {
    const limits = limitsFor(who, this.#setting.lists);
    const spent = spentToday(
      who.identities,
      await this.#setting.spending.of(dayOf(this.#setting.clock()).day),
    );
    const parts = [
      ...(isLimit(limits.messagesPerMinute)
        ? [`${counted(limits.messagesPerMinute, "message")} a minute`]
        : []),
      ...(isLimit(limits.turnsAtOnce) ? [`${counted(limits.turnsAtOnce, "turn")} at once`] : []),
      ...(isLimit(limits.modelCallsPerDay)
        ? [`${grouped(spent.modelCalls)} of ${counted(limits.modelCallsPerDay, "model call")} used today`]
        : []),
      ...(isLimit(limits.mediaBytesPerDay)
        ? [
            `${(spent.mediaBytes / MEGABYTE).toFixed(1)} of ${grouped(limits.mediaBytesPerDay / MEGABYTE)} MB of files used today`,
          ]
        : []),
    ];
    const { tokensPerSession, costPerSession } = limits;
    const ofSession = [
      ...(isLimit(tokensPerSession) ? [`${amount("tokens", tokensPerSession)} a session`] : []),
      ...(isLimit(costPerSession) ? [`${amount("cost", costPerSession)} a session`] : []),
    ];
    return [...parts, ...(await this.#usageToday(who)), ...ofSession].join(", ") || "none";
  }

  /** In a group, others would read what they used. */
  async #usageToday(who: Who): Promise<string[]> {
    if (who.viewer.kind === "chat") return [];
    const own = (await this.usage.used({ allowed: true, ...who }, null)).filter(
      ({ whose }) => whose === "person",
    );
    return own.map(({ unit, used, most }) => `${amount(unit, used)} of ${amount(unit, most)} used today`);
  }

  #from(endsAt: number): string {
    return `at midnight UTC, ${relativeTime(endsAt, this.#setting.clock())}`;
  }
}

/** The same order for every identity that they write with: the first one stands for the person. */
function inOrder({ identities }: Who): readonly string[] {
  return [...identities].sort();
}

function personOf(who: Who): string {
  return inOrder(who)[0] ?? "";
}
