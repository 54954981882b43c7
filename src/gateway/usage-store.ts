/**
 * What model calls used, by day (UTC), session, person, job and model. The store counts each call in the commit of its
 * step, so nothing is counted twice or lost. A read of anybody's usage says who reads: nobody sees another person's.
 */
import type { SessionId } from "../session/ids.js";
import type { NewDelivery } from "./delivery.js";

/** Who reads: the machine's owner, who sees all, or one person by all their identities. */
export type UsageReader =
  | { readonly kind: "owner" }
  | { readonly kind: "person"; readonly identities: readonly string[] };

export type UsageBy = "day" | "identity" | "session" | "job" | "model" | "platform";

/** From that day on (UTC, `2026-01-10`), and only in that session if one is named. */
export interface UsageRange {
  readonly fromDay: string;
  readonly sessionId?: SessionId;
}

export interface UsageSum {
  /**
   * The day, the identity, the id of the session or of the job, the name of the model, or the platform where the session is
   * now; empty if there is none.
   */
  readonly key: string;
  readonly modelCalls: number;
  /** Calls of models whose price is not known: the cost leaves them out. */
  readonly unpricedCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** All four together. */
  readonly totalTokens: number;
  /** In US dollars. */
  readonly cost: number;
}

/** What a limit is compared with. */
export interface Spend {
  readonly tokens: number;
  readonly cost: number;
}

/** What to measure: a person on a day, everybody on a day, or a session. */
export type Measured =
  | { readonly kind: "person"; readonly identities: readonly string[]; readonly day: string }
  | { readonly kind: "everyone"; readonly day: string }
  | { readonly kind: "session"; readonly sessionId: SessionId };

/** That a person was told about a limit: of a day, or of a session. */
export interface LimitNotice {
  readonly identities: readonly string[];
  readonly limit: string;
  readonly of: { readonly day: string } | { readonly sessionId: SessionId };
}

export interface UsageStore {
  /** Reads few rows, however much was used before. */
  measure(what: Measured): Promise<Spend>;
  /** The sums of what the reader may see, by key. Days come in order, everything else by tokens, most first. */
  sums(reader: UsageReader, by: UsageBy, range: UsageRange): Promise<UsageSum[]>;
  /** Puts a notice into the outbox, once: false if the person was told before. */
  tell(notice: LimitNotice, deliveries: readonly NewDelivery[], now: number): Promise<boolean>;
}
