/** What Feishu can do and how much it accepts. */
import type { PlatformLimits } from "../adapter.js";

const MEBIBYTE = 2 ** 20;

export const LIMITS = {
  maxText: 16_000, // It takes calls of 30 kB; a text in one is longer by its marks.
  unit: "bytes",
  edit: true,
  threads: true,
  redelivers: true,
  paceMs: 3_000, // A message can be edited 20 times.
  maxFile: 30 * MEBIBYTE,
  voice: true,
  buttons: 5,
} as const satisfies PlatformLimits;

/** A larger picture goes as a file. */
export const MAX_PICTURE = 10 * MEBIBYTE;
