/**
 * The port for summing up. One process at a time works on a session, by a lease; the lease has a fence, so that a process
 * that was replaced records nothing. What is recorded is one commit.
 */
import type { SessionId } from "../session/ids.js";
import type { ModelUse, SessionEntry } from "../session/session.js";
import type { Summary } from "../session/summary.js";
import type { RefusedRanges } from "./range.js";

/** How often something failed in a row, and when the next try may be. */
export interface FailedTries {
  readonly failures: number;
  readonly nextTryAt: number;
}

/** What is known about a session, from earlier requests and earlier tries. */
export interface ConsolidationState {
  /** By what its model counts differently from our estimate; null before the first answer. */
  readonly ratio: number | null;
  /** The `seq` of the last message that its summary covers; 0 if it has none. */
  readonly after: number;
  /** How often it was claimed: a claim that follows this state has the next number. */
  readonly fence: number;
  /** Of summing it up, and of writing down what should be remembered of it: one does not hold up the other. */
  readonly summary: FailedTries;
  readonly memory: FailedTries;
  /** The ranges from here on whose summaries were not shorter; null if there are none. */
  readonly refused: RefusedRanges | null;
}

export interface ConsolidationClaim {
  readonly sessionId: SessionId;
  readonly fence: number;
  /** The cursor and the summary as they were when the claim began. */
  readonly after: number;
  readonly before: Summary | null;
  /** The last activity of the session then. */
  readonly updatedAt: number;
  /** True if what should be remembered of it was written down since. */
  readonly isRemembered: boolean;
  /** Its messages up to this one were looked at then, or before. */
  readonly rememberedThrough: number;
}

/** What is worth remembering in other conversations: notes of one owner, which may have so many characters together. */
export interface NewFacts {
  readonly owner: string;
  readonly texts: readonly string[];
  readonly most: number;
}

export interface ConsolidatedRange {
  readonly through: number;
  /** How many active messages it has: if there are others by now, nothing is recorded. */
  readonly count: number;
  readonly summary: Summary;
  readonly facts: NewFacts | null;
  readonly spent: ModelUses;
}

/** What a model took, and for whom: an identity, or empty if nobody is known. */
export interface ModelUses {
  readonly identity: string;
  readonly uses: readonly ModelUse[];
}

/** What should be remembered of a session as far as this message. */
export interface RememberedRange {
  readonly through: number;
  readonly facts: NewFacts | null;
  readonly spent: ModelUses;
}

/** A try that came to nothing. `refused` if the summary was not shorter. */
export interface FailedTry {
  readonly of: "summary" | "memory";
  readonly nextTryAt: number;
  readonly refused?: RefusedRanges;
  readonly spent: ModelUses;
}

export interface Consolidations {
  state(sessionId: SessionId): Promise<ConsolidationState>;
  learn(sessionId: SessionId, ratio: number): Promise<void>;
  /** Null if another process has it, or there is no such session. */
  claim(
    sessionId: SessionId,
    hold: { readonly holder: string; readonly leaseMs: number },
    now: number,
  ): Promise<ConsolidationClaim | null>;
  /** False if another process has it by now. */
  renew(claim: ConsolidationClaim, leaseMs: number, now: number): Promise<boolean>;
  /** Moves the cursor, sets the summary and ends the claim. False if somebody changed the session meanwhile. */
  record(claim: ConsolidationClaim, range: ConsolidatedRange, now: number): Promise<boolean>;
  fail(claim: ConsolidationClaim, failed: FailedTry, now: number): Promise<void>;
  /**
   * Writes down what should be remembered of a session that ends, says so in the session, and ends the claim. False if
   * somebody used the session meanwhile.
   */
  remember(claim: ConsolidationClaim, found: RememberedRange, now: number): Promise<boolean>;
  /** Sessions that a policy ended before anybody looked what should be remembered of them, and that may be tried now. */
  unremembered(now: number, limit: number): Promise<SessionEntry[]>;
  release(claim: ConsolidationClaim): Promise<void>;
  /** Takes the last summary back; null if there is none. `pauseUntil`: until then none is made without being asked for. */
  undo(
    sessionId: SessionId,
    pauseUntil: number,
  ): Promise<{ readonly after: number; readonly through: number } | null>;
}
