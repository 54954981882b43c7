/** What most parts of a gateway share. */
import type { Sessions } from "../session/sessions.js";
import type { Clock } from "../util/clock.js";
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
  readonly onProblem: OnProblem;
}
