/** What WhatsApp takes and shows, by whichever way it is reached. */
import type { Mark, PlatformLimits } from "../adapter.js";

const SHARED = {
  maxText: 4_096,
  unit: "utf16",
  threads: false,
  typingMs: 25_000,
  maxFile: 16 * 2 ** 20,
  maxCaption: 1_024,
  voice: true,
} as const;
/** By the business API. */
export const LIMITS = {
  ...SHARED,
  edit: false,
  redelivers: true,
  buttons: 3,
} as const satisfies PlatformLimits;
/** As a linked device. WhatsApp watches for accounts that send many edits. */
export const DEVICE_LIMITS = { ...SHARED, edit: true, paceMs: 5_000 } as const satisfies PlatformLimits;
export const MARKS: Readonly<Record<Mark, string>> = { seen: "👀", failed: "❌" };

/** The only recording that is a voice message. */
export const VOICE_TYPE = "audio/ogg; codecs=opus";

export type MediaKind = "image" | "video" | "audio" | "document";

/** Only a few types are shown as what they are; all others are documents. */
export function kindOf(mediaType: string): MediaKind {
  if (/^image\/(?:jpeg|png)$/.test(mediaType)) return "image";
  if (/^video\/(?:mp4|3gpp)$/.test(mediaType)) return "video";
  if (/^audio\/(?:aac|amr|mpeg|mp4|ogg)$/.test(mediaType)) return "audio";
  return "document";
}
