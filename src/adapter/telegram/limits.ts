/** What Telegram can do and how much it accepts. */
import type { PlatformLimits } from "../adapter.js";

const MEBIBYTE = 2 ** 20;

export const LIMITS = {
  maxText: 4_096,
  unit: "utf16",
  edit: true,
  threads: true,
  redelivers: true,
  typingMs: 5_000,
  paceMs: 3_000, // A group takes twenty messages a minute, edits among them.
  drafts: { lastMs: 30_000, paceMs: 1_000 }, // In private chats only, which take one call a second.
  maxFile: 50 * MEBIBYTE,
  maxCaption: 1_024,
  maxAlbum: 10,
  voice: true,
  buttons: 8,
} as const satisfies PlatformLimits;
