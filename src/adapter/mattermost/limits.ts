/** What Mattermost can do and how much it accepts. */
import type { PlatformLimits } from "../adapter.js";

const MEBIBYTE = 2 ** 20;

export const LIMITS = {
  maxText: 16_383,
  unit: "utf16",
  edit: true,
  threads: true,
  typingMs: 5_000,
  paceMs: 1_000,
  maxFile: 50 * MEBIBYTE, // Servers take 100 MB unless their administrator says less.
  maxCaption: 16_383,
  maxAlbum: 10,
} as const satisfies PlatformLimits;
