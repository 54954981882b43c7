/** What Matrix can do and how much it accepts. */
import type { PlatformLimits } from "../adapter.js";

const MEBIBYTE = 2 ** 20;

export const LIMITS = {
  maxText: 14_000, // Its HTML, up to twice as long, is in the same event: see `MAX_CONTENT`.
  unit: "bytes",
  edit: true,
  threads: true,
  redelivers: true,
  threadsOnce: true,
  idempotent: true,
  typingMs: 30_000,
  paceMs: 1_500,
  maxFile: 50 * MEBIBYTE,
  maxCaption: 14_000,
  voice: true,
} as const satisfies PlatformLimits;
