/** Loosely typed values of other programs' files, read field by field. What cannot be meant counts as absent. */
import { type Fields, isFields } from "../../util/json.js";

/** A text that says something; numbers and bytes as text. */
export function textIn(value: unknown): string | undefined {
  if (typeof value === "string") return value === "" ? undefined : value;
  if (typeof value === "bigint" || Number.isSafeInteger(value)) return String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("utf8") || undefined;
  return undefined;
}

/** What a JSON text says; undefined if it is none. */
export function jsonIn(value: unknown): unknown {
  try {
    return JSON.parse(textIn(value) ?? "");
  } catch {
    return undefined;
  }
}

/** The fields of an object in a JSON text; none if it is something else. */
export function fieldsIn(value: unknown): Fields {
  const json = jsonIn(value);
  return isFields(json) ? json : {};
}

/** The platform that a source of another program names. */
export function platformIn(origin: unknown): string {
  return (isFields(origin) && textIn(origin.platform)) || "unknown";
}

/** The texts of a list; none if it is no list. */
export function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string" && item !== "") : [];
}

/** A whole number of zero or more. */
export function countIn(value: unknown): number {
  const number = typeof value === "bigint" ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : 0;
}

/** An amount of zero or more. */
export function amountIn(value: unknown): number {
  const number = typeof value === "bigint" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) && number >= 0 ? number : 0;
}

/** What a `Date` can hold. */
const LAST_MOMENT = 8.64e15;
/** As seconds this is the year 5138, as milliseconds 1973: what is below counts seconds; likewise further up. */
const MILLISECONDS_FROM = 1e11;
const MICROSECONDS_FROM = 1e14;
const NANOSECONDS_FROM = 1e17;

/** A moment in milliseconds UTC, from an ISO text or a number of seconds, milliseconds, micro- or nanoseconds. */
export function timeIn(value: unknown): number | undefined {
  const number = typeof value === "bigint" ? Number(value) : value;
  const time =
    typeof number === "number"
      ? milliseconds(number)
      : typeof number === "string"
        ? textTime(number)
        : Number.NaN;
  return Math.abs(time) <= LAST_MOMENT ? time : undefined;
}

/** ISO text; one without a zone is of this machine's, as programs write it that run here. Numbers come as text too. */
function textTime(text: string): number {
  return /^\d{9,19}(?:\.\d+)?$/.test(text) ? milliseconds(Number(text)) : Date.parse(text);
}

function milliseconds(number: number): number {
  const size = Math.abs(number);
  if (size < MILLISECONDS_FROM) return Math.round(number * 1_000);
  if (size < MICROSECONDS_FROM) return Math.round(number);
  return Math.round(size < NANOSECONDS_FROM ? number / 1_000 : number / 1_000_000);
}

/** The moment as ISO text, or as it is where no date can hold it. */
export function timeText(time: number): string | number {
  return Math.abs(time) <= LAST_MOMENT ? new Date(time).toISOString() : time;
}
