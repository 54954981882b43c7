/** Background processes: how many may run, and how much is kept of them. */
import { number } from "../util/setting.js";
import { group } from "./groups.js";
import { seconds } from "./seconds.js";

function count(usual: number, description: string, max: number) {
  const error = `use a whole number from 1 to ${max}`;
  return number(usual, { description }, { isWhole: true, min: 1, max, error });
}

export const processSettings = group({
  max: count(64, "How many background processes may run at the same time.", 1_000),
  maxPerSession: count(16, "How many of them may belong to one session.", 1_000),
  keepMinutes: number(
    30,
    { description: "How long Baton keeps a process and its output after it ends." },
    { above: 0, max: 10_080, error: "use a number of minutes above 0, at most 10080" },
  ),
  graceSeconds: seconds(5, {
    description: "How long Baton waits after the signal TERM before it sends KILL.",
  }),
  maxWaitSeconds: seconds(180, {
    description: "The longest time that the agent may wait for a process in one call.",
  }),
  outputCharacters: number(
    200_000,
    { description: "How many of the last characters of a process's output the agent can read." },
    {
      isWhole: true,
      min: 1_000,
      max: 250_000,
      error: "use a whole number from 1000 to 250000",
    },
  ),
});
