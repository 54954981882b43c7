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

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const DAY_WORDS: Readonly<Record<string, string>> = { "*": "day", "1-5": "weekday", "0,6": "weekend" };

/** A cron line in words that `parseSchedule` reads back as the same line, or as it is: `every weekday at 09:00`. */
export function cronWords(expression: string): string {
  const [, minute = "", hour = "", date = "", day = ""] =
    /^(\d{1,2}) (\d{1,2}) (\*|\d{1,2}) \* (\*|1-5|[0-6](?:,[0-6])*)$/.exec(expression) ?? [];
  if (minute === "") return expression;
  const at = `at ${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
  if (date !== "*") return day === "*" ? `every month on the ${ordinal(Number(date))} ${at}` : expression;
  const named = DAY_WORDS[day] ?? andWords(day.split(",").map((digit) => WEEKDAYS[Number(digit)] ?? ""));
  return `every ${named} ${at}`;
}

/** `Monday, Tuesday and Friday`. */
function andWords(words: readonly string[]): string {
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} and ${last}`;
}

/** `1st`, `12th`, `23rd`. */
function ordinal(count: number): string {
  const isTeen = count > 10 && count < 14;
  return `${count}${(isTeen ? undefined : ["th", "st", "nd", "rd"][count % 10]) ?? "th"}`;
}
