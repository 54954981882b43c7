/** A job that looks around from time to time. It is off unless a person makes it. */
import type { JobWish } from "./wish.js";

export const HEARTBEAT = "heartbeat";

export function heartbeatWish(schedule = "every 1h"): JobWish {
  return {
    name: HEARTBEAT,
    schedule,
    prompt:
      "Look around: is there something that your person should know now, or that you promised and have not done? If not, answer [SILENT].",
    dailyTokens: 20_000,
  };
}
