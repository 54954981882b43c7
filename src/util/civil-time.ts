/** Times of a civil day as instants. Pure. */
import type { Temporal } from "temporal-polyfill";

/**
 * The instant at which the clock of a zone shows this time. In a fold, the first of the two; in a gap, the first valid
 * instant after it; null for a day that the zone skipped completely.
 */
export function firstInstant(wanted: Temporal.PlainDateTime, timeZone: string): number | null {
  const found = wanted.toZonedDateTime(timeZone, { disambiguation: "earlier" });
  if (found.toPlainDateTime().equals(wanted)) return found.epochMilliseconds;
  const day = wanted.toPlainDate();
  const dayExists = day.toZonedDateTime(timeZone).toPlainDate().equals(day);
  if (!dayExists) return null;
  const gapEnd = found.getTimeZoneTransition("next");
  return gapEnd === null ? found.epochMilliseconds : gapEnd.epochMilliseconds;
}
