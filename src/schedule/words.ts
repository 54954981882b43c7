/** Times of jobs in words. */
import { Temporal } from "temporal-polyfill";

const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `Tue 17 Nov 2026 09:00`, and the seconds if there are any. Done by hand: loading the host's locales takes 15 ms. */
export function zonedTime(at: number, timeZone: string): string {
  const time = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone);
  const day = `${DAYS[time.dayOfWeek - 1]} ${time.day} ${MONTHS[time.month - 1]} ${time.year}`;
  const clock = [time.hour, time.minute, ...(time.second === 0 ? [] : [time.second])].map((part) =>
    String(part).padStart(2, "0"),
  );
  return `${day} ${clock.join(":")}`;
}

/** `2026-11-17`. */
export function zonedDay(at: number, timeZone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone).toPlainDate().toString();
}
