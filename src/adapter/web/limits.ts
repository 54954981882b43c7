/** What the page takes. It shows turns live, so nothing is sent in pieces. */
import type { PlatformLimits } from "../adapter.js";

const MEBIBYTE = 2 ** 20;

export const LIMITS = {
  maxText: 1_000_000,
  unit: "utf16",
  edit: true,
  threads: true,
  threadsOnce: true,
  idempotent: true,
  redelivers: true,
  maxFile: 50 * MEBIBYTE,
  maxCaption: 1_000_000,
  maxAlbum: 10,
  voice: true,
  buttons: 8,
} as const satisfies PlatformLimits;
