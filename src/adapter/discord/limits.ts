/** What Discord can do and how much it accepts. */
import type { PlatformLimits } from "../adapter.js";

const MEBIBYTE = 2 ** 20;

export const LIMITS = {
  maxText: 2_000,
  unit: "utf16",
  edit: true,
  threads: true,
  redelivers: true,
  typingMs: 10_000,
  paceMs: 1_200,
  maxFile: 10 * MEBIBYTE,
  maxCaption: 2_000,
  maxAlbum: 10,
  buttons: 5,
} as const satisfies PlatformLimits;
