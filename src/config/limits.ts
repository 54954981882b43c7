/** How much somebody may ask for, by their role or their person. */
import type { Setting } from "../util/setting.js";
import { each, group } from "./groups.js";
import { A_PERSON, personNames } from "./names.js";

export type LimitName = "messagesPerMinute" | "turnsAtOnce" | "modelCallsPerDay" | "mediaMegabytesPerDay";

/** What is absent is as the role has it. */
export type WrittenLimits = Readonly<Partial<Record<LimitName, number | "none">>>;

type Limits = Readonly<Record<LimitName, number | "none">>;

/** What holds for each role if nobody sets it. */
export const LIMITS: Readonly<Record<"guests" | "members" | "owners", Limits>> = {
  guests: { messagesPerMinute: 20, turnsAtOnce: 2, modelCallsPerDay: 200, mediaMegabytesPerDay: 50 },
  members: { messagesPerMinute: 60, turnsAtOnce: 4, modelCallsPerDay: 2_000, mediaMegabytesPerDay: 500 },
  owners: {
    messagesPerMinute: "none",
    turnsAtOnce: "none",
    modelCallsPerDay: "none",
    mediaMegabytesPerDay: "none",
  },
};

const LIMIT = "use a whole number above 0, or none";

function limits(usual?: Limits) {
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
    turnsAtOnce: limit("turnsAtOnce", "Turns that run at the same time; more wait."),
    modelCallsPerDay: limit("modelCallsPerDay", "Calls of a model in a day (UTC)."),
    mediaMegabytesPerDay: limit("mediaMegabytesPerDay", "Megabytes of files that are taken in a day (UTC)."),
  });
}

export const limitSettings = group({
  guests: limits(LIMITS.guests),
  members: limits(LIMITS.members),
  owners: limits(LIMITS.owners),
  byPerson: each(A_PERSON, personNames, limits()),
});
