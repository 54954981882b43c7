/** Scheduled jobs: how many there may be, how long they may take, and where their results are kept. */
import { number } from "../util/setting.js";
import { group } from "./groups.js";
import { folder } from "./paths.js";
import { seconds } from "./seconds.js";

export const jobSettings = group({
  maxPerPerson: number(
    50,
    { description: "How many scheduled jobs a person may have that are not done." },
    { isWhole: true, min: 0, max: 100_000, error: "use a whole number from 0 to 100000" },
  ),
  maxRunning: number(
    4,
    { description: "How many runs of jobs may go on at the same time." },
    { isWhole: true, min: 1, max: 1_000, error: "use a whole number from 1 to 1000" },
  ),
  timeoutSeconds: seconds(600, { description: "How long a run may take if its job says nothing else." }),
});

export const outputFolder = folder({
  description: "The folder in which the results of scheduled jobs are kept, one file a run.",
  fallback: "`<home>/cron/output`",
});
