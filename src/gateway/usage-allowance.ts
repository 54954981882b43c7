/**
 * Compares what was used with the limits of tokens and cost: before each call of a model, and after an answer, when the
 * person is told that a limit is near. It reads only what there is a limit for.
 */
import { AgentError } from "../agent/agent.js";
import type { SessionId } from "../session/ids.js";
import type { Clock } from "../util/clock.js";
import { relativeTime } from "../util/words.js";
import type { Access, Who } from "./authorize.js";
import { dayOf, everyonesLimits, type LimitLists, limitsFor } from "./limits.js";
import {
  type LimitReader,
  nearOf,
  noticeOf,
  reachedOf,
  refusalOf,
  type Spends,
  type UsageLimit,
  type UsedLimit,
  usageLimits,
  usedOf,
} from "./usage-limits.js";
import type { LimitNotice, Measured, Spend, UsageStore } from "./usage-store.js";

export interface UsageAllowanceSetting {
  readonly usage: UsageStore;
  readonly lists: LimitLists;
  readonly clock: Clock;
}

/** A notice that is due, unless the person has read it before. */
export interface DueNotice {
  readonly notice: LimitNotice;
  readonly text: string;
}

const NOTHING: Spend = { tokens: 0, cost: 0 };

export class UsageAllowance {
  readonly #setting: UsageAllowanceSetting;

  constructor(setting: UsageAllowanceSetting) {
    this.#setting = setting;
  }

  /** Throws the refusal if the next call of a model in that session is not allowed. */
  async check(who: Access, sessionId: SessionId): Promise<void> {
    const reached = reachedOf(await this.used(who, sessionId));
    if (reached) throw new AgentError(refusalOf(reached, this.#readerFor(who)));
  }

  /** What the person should read after an answer in that session. */
  async notices(who: Who, sessionId: SessionId): Promise<readonly DueNotice[]> {
    const { day } = dayOf(this.#setting.clock());
    const near = nearOf(await this.used({ allowed: true, ...who }, sessionId));
    return near.flatMap((limit) => {
      const text = noticeOf(limit, this.#readerFor({ allowed: true, ...who }));
      const of = limit.whose === "session" ? { sessionId } : { day };
      return text === null
        ? []
        : [{ notice: { identities: [...who.identities].sort(), limit: limit.name, of }, text }];
    });
  }

  /** The person's limits, and how much of each is used; without a session, those of days only. */
  async used(who: Access, sessionId: SessionId | null): Promise<readonly UsedLimit[]> {
    const { lists } = this.#setting;
    const own = who.allowed ? limitsFor(who, lists) : null;
    const all = usageLimits(own, everyonesLimits(lists));
    const limits = sessionId === null ? all.filter(({ whose }) => whose !== "session") : all;
    return usedOf(limits, await this.#spends(limits, who, sessionId));
  }

  async #spends(limits: readonly UsageLimit[], who: Access, sessionId: SessionId | null): Promise<Spends> {
    const { day } = dayOf(this.#setting.clock());
    const measured = async (whose: UsageLimit["whose"], what: Measured | null): Promise<Spend> =>
      what && limits.some((limit) => limit.whose === whose) ? this.#setting.usage.measure(what) : NOTHING;
    return {
      everyone: await measured("everyone", { kind: "everyone", day }),
      person: await measured(
        "person",
        who.allowed ? { kind: "person", identities: who.identities, day } : null,
      ),
      session: await measured("session", sessionId === null ? null : { kind: "session", sessionId }),
    };
  }

  #readerFor(who: Access): LimitReader {
    const now = this.#setting.clock();
    return {
      isAlone: who.allowed && who.viewer.kind !== "chat",
      isOwner: who.allowed && who.role === "owner",
      freeAgain: `at midnight UTC, ${relativeTime(dayOf(now).endsAt, now)}`,
    };
  }
}
