/** What Mattermost can do and how much it accepts. */
import type { PlatformLimits } from "../adapter.js";

export const LIMITS = {
  maxText: 16_383,
  unit: "utf16",
  edit: true,
  threads: true,
  typingMs: 5_000,
  paceMs: 1_000,
} as const satisfies PlatformLimits;
