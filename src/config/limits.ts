/** How much somebody may ask for, by their role or their person, and how much all people together. */
import type { Setting, Takes } from "../util/setting.js";
import { each, group } from "./groups.js";
import { A_PERSON, personNames } from "./names.js";
import { LIMITS, type LimitName, type RoleLimits } from "./role-defaults.js";

const COUNT = "use a whole number above 0, or none";
const AMOUNT = "use a number above 0, or none";

type Usual = Pick<Setting<number | "none">, "default" | "fallback">;

/** A whole number, or none. */
function count(usual: Usual, description: string): Setting<number | "none"> {
  return limit(usual, description, { is: "number", isWhole: true, min: 1, error: COUNT }, COUNT);
}

/** US dollars, or none. */
function dollars(usual: Usual, description: string): Setting<number | "none"> {
  return limit(usual, description, { is: "number", above: 0, error: AMOUNT }, AMOUNT);
}

function limit(usual: Usual, description: string, takes: Takes, error: string): Setting<number | "none"> {
  const none: Takes = { is: "choice", options: ["none"] };
  return { description, ...usual, takes: { is: "either", of: [takes, none], error } };
}

const TOKENS_PER_DAY =
  "Tokens in a day (UTC), of every kind: input, output, read from and written to the cache.";
const COST_PER_DAY = "US dollars in a day (UTC), at the prices in `agent.prices`.";

/** What holds for all people together if nobody sets it. */
const NONE: Usual = { default: "none" };

function limits(written?: RoleLimits) {
  const usual = (name: LimitName): Usual =>
    written ? { default: written[name] } : { fallback: "as their role" };
  return group({
    messagesPerMinute: count(
      usual("messagesPerMinute"),
      "Messages in a minute. Baton skips more, and says so once.",
    ),
    turnsAtOnce: count(usual("turnsAtOnce"), "Turns at the same time; more turns wait."),
    modelCallsPerDay: count(usual("modelCallsPerDay"), "Calls of a model in a day (UTC)."),
    mediaMegabytesPerDay: count(
      usual("mediaMegabytesPerDay"),
      "Megabytes of files that Baton accepts in a day (UTC).",
    ),
    tokensPerDay: count(usual("tokensPerDay"), TOKENS_PER_DAY),
    costPerDay: dollars(usual("costPerDay"), COST_PER_DAY),
    tokensPerSession: count(
      usual("tokensPerSession"),
      "Tokens that a session may have used when they ask; then they need a new one.",
    ),
    costPerSession: dollars(
      usual("costPerSession"),
      "US dollars that a session may have cost when they ask; then they need a new one.",
    ),
  });
}

export const limitSettings = group({
  guests: limits(LIMITS.guests),
  members: limits(LIMITS.members),
  owners: limits(LIMITS.owners),
  everyone: group({
    tokensPerDay: count(NONE, `All people together. ${TOKENS_PER_DAY}`),
    costPerDay: dollars(NONE, `All people together. ${COST_PER_DAY}`),
  }),
  byPerson: each(A_PERSON, personNames, limits()),
});
