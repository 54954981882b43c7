/** What WhatsApp takes and shows, by whichever way it is reached. */
import type { Mark } from "../adapter.js";

export const MAX_TEXT = 4_096;
export const MAX_FILE = 16 * 1024 * 1024;
export const TYPING_MS = 25_000;
export const MARKS: Readonly<Record<Mark, string>> = { seen: "👀", failed: "❌" };

export type MediaKind = "image" | "video" | "audio" | "document";

/** Only a few types are shown as what they are; all others are documents. */
export function kindOf(mediaType: string): MediaKind {
  if (/^image\/(?:jpeg|png)$/.test(mediaType)) return "image";
  if (/^video\/(?:mp4|3gpp)$/.test(mediaType)) return "video";
  if (/^audio\/(?:aac|amr|mpeg|mp4|ogg)$/.test(mediaType)) return "audio";
  return "document";
}

/** A place that somebody shared, in words; undefined where it is none. */
export function placeText(
  latitude: unknown,
  longitude: unknown,
  names: readonly string[],
): string | undefined {
  if (typeof latitude !== "number" || typeof longitude !== "number") return undefined;
  return [`[location: ${latitude}, ${longitude}]`, ...names].join(" ");
}
