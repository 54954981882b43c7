/** What the commands are told by whoever composes the gateway. */
import type { Clock } from "../../util/clock.js";

export interface Facts {
  /** The agent's name. */
  readonly agent: string;
  readonly clock: Clock;
}
