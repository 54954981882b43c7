/** What Slack can do and how much it accepts. */
import type { PlatformLimits } from "../adapter.js";

const MEBIBYTE = 2 ** 20;

export const LIMITS = {
  maxText: 3_900, // Slack advises to stay below 4,000, and truncates in silence far above.
  unit: "utf16",
  edit: true,
  threads: true,
  threadsOnce: true,
  paceMs: 1_200,
  maxFile: 100 * MEBIBYTE,
  maxCaption: 3_900,
  maxAlbum: 10,
  buttons: 5,
} as const satisfies PlatformLimits;
