/** What the commands are told by whoever composes the gateway. */
import type { Clock } from "../../util/clock.js";
import type { Allowed } from "../authorize.js";

export interface Facts {
  /** The agent's name. */
  readonly agent: string;
  readonly people: Allowed;
  readonly clock: Clock;
}
