/** `baton usage`. */
import { wholeNumber } from "../options.js";
import { EXAMPLE_IDENTITY, whom } from "../people/who.js";
import { JSON_FLAG, type Verb } from "../verb.js";

const BY = ["day", "person", "session", "job", "model"] as const;
const MOST_DAYS = 3_660;

export const usage: Verb = {
  name: "usage",
  description: "show how many tokens were used and what they cost, with a bar chart",
  options: [
    { flags: "--by <what>", description: "what the rows are", choices: BY, default: "day" },
    {
      flags: "--days <number>",
      description: "how many days up to today (UTC)",
      parse: wholeNumber(MOST_DAYS),
      default: 30,
    },
    {
      flags: "--person <who>",
      description: `only this person: their id, or one of their accounts, such as ${EXAMPLE_IDENTITY}`,
      parse: whom,
    },
    JSON_FLAG,
  ],
  notes:
    "Baton knows a cost only if the price of the model is in agent.prices in config.yaml. To see limits, run `baton people limits`.",
  examples: ["usage", "usage --by person --days 7", `usage --by model --person ${EXAMPLE_IDENTITY}`],
  run: async () => (await import("../usage.js")).showUsage,
};
