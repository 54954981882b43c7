/** How much somebody may ask for, by their role or their person. */
import type { Setting } from "../util/setting.js";
import { each, group } from "./groups.js";
import { A_PERSON, personNames } from "./names.js";
import { LIMITS, type LimitName, type RoleLimits } from "./role-defaults.js";

const LIMIT = "use a whole number above 0, or none";

function limits(usual?: RoleLimits) {
  const limit = (name: LimitName, description: string): Setting<number | "none"> => ({
    description,
    ...(usual ? { default: usual[name] } : { fallback: "as their role" }),
    takes: {
      is: "either",
      of: [
        { is: "number", isWhole: true, min: 1, error: LIMIT },
        { is: "choice", options: ["none"] },
      ],
      error: LIMIT,
    },
  });
  return group({
    messagesPerMinute: limit(
      "messagesPerMinute",
      "Messages in a minute. Baton skips more, and says so once.",
    ),
    turnsAtOnce: limit("turnsAtOnce", "Turns at the same time; more turns wait."),
    modelCallsPerDay: limit("modelCallsPerDay", "Calls of a model in a day (UTC)."),
    mediaMegabytesPerDay: limit(
      "mediaMegabytesPerDay",
      "Megabytes of files that Baton accepts in a day (UTC).",
    ),
  });
}

export const limitSettings = group({
  guests: limits(LIMITS.guests),
  members: limits(LIMITS.members),
  owners: limits(LIMITS.owners),
  byPerson: each(A_PERSON, personNames, limits()),
});
