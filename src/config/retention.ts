/** How long ended sessions stay. Nothing is removed unless one of these is set. */
import { number, type Setting } from "../util/setting.js";
import { group } from "./groups.js";
import { pathFrom } from "./paths.js";

/** Written instead of a folder: removes without an archive. */
export const NO_ARCHIVE = "none";

const archive: Setting<string | null> = {
  description:
    "The folder into which sessions are written before they are removed. `none` removes them without an archive.",
  fallback: "`<home>/archive`",
  takes: { is: "text", error: "give the path of a folder, or none" },
  resolve: (written: string, from) => (written === NO_ARCHIVE ? NO_ARCHIVE : pathFrom(from, written)),
};

export const retentionSettings = group({
  endedAfterDays: number(
    null,
    {
      description: "The gateway removes sessions that ended this many days ago, once a day.",
      fallback: "none are removed",
    },
    { min: 0, max: 36_500, error: "use a number of days from 0 to 36500" },
  ),
  maxMegabytes: number(
    null,
    {
      description:
        "The gateway removes the sessions that ended first, until the texts of all messages have at most this many megabytes.",
      fallback: "no limit",
    },
    { min: 0, max: 1e9, error: "use a number of megabytes" },
  ),
  archive,
});
