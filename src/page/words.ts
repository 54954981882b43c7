/** Times, sizes and beginnings of texts as people read them. */

/** The page speaks English, whatever the browser speaks: its words and its dates belong together. */
const LANGUAGE = "en-GB";
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const UNITS = [
  { one: "min", many: "min", ms: MINUTE, below: HOUR },
  { one: "h", many: "h", ms: HOUR, below: DAY },
  { one: "day", many: "days", ms: DAY, below: 7 * DAY },
] as const;

/** `5 min ago`; what is more than a week away is a date. */
export function relativeTime(at: number, now: number): string {
  const away = Math.abs(now - at);
  if (away < MINUTE) return at > now + SECOND ? "in a moment" : "now";
  const found = UNITS.find(({ below }) => away < below);
  if (!found) return dateOf(at, now);
  const span = counted(Math.round(away / found.ms), found.one, found.many);
  return at > now ? `in ${span}` : `${span} ago`;
}

function dateOf(at: number, now: number): string {
  const isThisYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  const year = isThisYear ? {} : { year: "numeric" as const };
  return timeAs({ day: "numeric", month: "short", ...year }, at);
}

/** `Thursday 19 November` */
export function dayTitle(at: number): string {
  return timeAs({ weekday: "long", day: "numeric", month: "long" }, at);
}

/** `19 Nov 2026, 22:34` */
export function shortTime(at: number): string {
  return timeAs({ dateStyle: "medium", timeStyle: "short" }, at);
}

export function exactTime(at: number): string {
  return timeAs({ dateStyle: "full", timeStyle: "medium" }, at);
}

export function timeOfDay(at: number): string {
  return timeAs({ timeStyle: "short" }, at);
}

/** Where the person is. */
function timeAs(style: Intl.DateTimeFormatOptions, at: number): string {
  return new Intl.DateTimeFormat(LANGUAGE, style).format(at);
}

/** `3.4 MB` */
export function sizeText(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  const units = ["KB", "MB", "GB"];
  let size = bytes / 1_024;
  let unit = 0;
  while (size >= 1_024 && unit < units.length - 1) {
    size /= 1_024;
    unit += 1;
  }
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`;
}

/** One line of it, of at most that many characters. */
export function beginningOf(text: string, most: number): string {
  const line = cut(text, most * 4)
    .replaceAll(/\s/g, " ")
    .replaceAll(/ {2,}/g, " ")
    .trim();
  return line.length > most ? `${cut(line, most - 1)}…` : line;
}

/** Never within a character. */
function cut(text: string, most: number): string {
  return text.length > most ? text.slice(0, most).replace(/[\ud800-\udbff]$/, "") : text;
}

/** What somebody else has written, within a sentence: whatever its letters do, the words around it stay where they are. */
export function isolated(text: string): string {
  return `\u2068${text}\u2069`;
}

/** `3 files` */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
