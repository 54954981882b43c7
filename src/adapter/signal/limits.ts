/** What Signal can do and how much it accepts. */
import type { PlatformLimits } from "../adapter.js";

const MEBIBYTE = 2 ** 20;

export const LIMITS = {
  maxText: 2_048, // Apps drop what is longer without a word.
  unit: "bytes",
  edit: true,
  threads: false,
  typingMs: 12_500,
  // Every edit stays visible in the message's history, and apps make no more than ten.
  paceMs: 5_000,
  maxFile: 10 * MEBIBYTE,
  maxCaption: 2_048,
  maxAlbum: 10,
  voice: true,
} as const satisfies PlatformLimits;
