/** What most parts of a gateway share. */
import type { Sessions } from "../session/sessions.js";
import type { Clock } from "../util/clock.js";
import { type Later, later as timers } from "../util/later.js";
import type { OnProblem } from "../util/problem.js";
import type { GatewayStore } from "./store.js";

export interface Common {
  readonly sessions: Sessions;
  readonly store: GatewayStore;
  /** This process, as its leases name it. */
  readonly holder: string;
  readonly leaseMs: number;
  readonly clock: Clock;
  /** Milliseconds that pass whatever the clock says. */
  readonly elapsed: () => number;
  /** For what is shown after a moment. */
  readonly later: Later;
  readonly onProblem: OnProblem;
}

type HasDefault = "leaseMs" | "elapsed" | "later";

const LEASE_MS = 15_000;

/** What is not given is as usual. */
export function commonOf(given: Omit<Common, HasDefault> & Partial<Pick<Common, HasDefault>>): Common {
  const { sessions, store, holder, clock, onProblem } = given;
  const { leaseMs = LEASE_MS, elapsed = () => performance.now(), later = timers } = given;
  return { sessions, store, holder, leaseMs, clock, elapsed, later, onProblem };
}
