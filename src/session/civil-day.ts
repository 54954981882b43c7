/**
 * Which day it is for the agent. The context says on which day the session began, and the first message of each later day
 * says so: what was sent to a model before stays the same, byte for byte, when a new day begins.
 */
import { Temporal } from "temporal-polyfill";
import type { Message } from "./transcript.js";

const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

interface CivilDay {
  /** `Wednesday, 18 November 2026`. */
  readonly name: string;
  /** The instant at which it is over. */
  readonly until: number;
}

export function civilDay(at: number, timeZone: string): CivilDay {
  const time = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone);
  const name = `${WEEKDAYS[time.dayOfWeek - 1]}, ${time.day} ${MONTHS[time.month - 1]} ${time.year}`;
  return { name, until: time.startOfDay().add({ days: 1 }).epochMilliseconds };
}

/**
 * The history in which the first message of each day after the one on which the session began has that day in a field of
 * its own: its text stays what the person wrote. `times`: when the last user messages of the history were written, oldest
 * first.
 */
export function withDays(
  history: readonly Message[],
  times: readonly number[],
  began: number,
  timeZone: string,
): readonly Message[] {
  let today = civilDay(began, timeZone);
  if (times.every((at) => at < today.until)) return history;
  let next = times.length - history.filter(({ role }) => role === "user").length;
  return history.map((message) => {
    if (message.role !== "user") return message;
    const at = times[next++];
    if (at === undefined || at < today.until) return message; // A clock that went back begins no new day.
    today = civilDay(at, timeZone);
    return { ...message, today: today.name };
  });
}
