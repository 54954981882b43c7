/** JSON from outside, read field by field: nothing is taken to be what it should be, and nothing throws. */
import { type Fields, isFields } from "../util/json.js";
import { storableText } from "../util/text.js";
import { boundedText } from "./inbound-limit.js";

const LONGEST_ID = 512;

/** What stands at the end of a path of own properties; undefined where the path breaks off. */
export function field(value: unknown, ...path: readonly string[]): unknown {
  let at = value;
  for (const name of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Record<string, unknown>)[name];
  }
  return at;
}

const NOTHING: Fields = Object.freeze(Object.create(null) as Fields);

/** The object, as far as it is one; `__proto__` and its like are only names in it. */
export function record(value: unknown): Fields {
  if (!isFields(value)) return NOTHING;
  return Object.assign(Object.create(null) as Fields, Object.fromEntries(Object.entries(value)));
}

/** The object at the end of the path. */
export function objectIn(value: unknown, ...path: readonly string[]): Fields | undefined {
  const found = field(value, ...path);
  return isFields(found) ? found : undefined;
}

/** The text at the end of the path, if there is something in it. */
export function textIn(value: unknown, ...path: readonly string[]): string | undefined {
  return textOf(field(value, ...path));
}

/** The same; empty if there is none. */
export function wordsIn(value: unknown, ...path: readonly string[]): string {
  return textIn(value, ...path) ?? "";
}

export function numberIn(value: unknown, ...path: readonly string[]): number | undefined {
  const found = field(value, ...path);
  return typeof found === "number" && Number.isFinite(found) ? found : undefined;
}

/** A whole number that lost no digits, as a string; zero is nobody. */
export function numericIdIn(value: unknown, ...path: readonly string[]): string | undefined {
  const found = field(value, ...path);
  return Number.isSafeInteger(found) && found !== 0 ? String(found) : undefined;
}

export function listIn(value: unknown, ...path: readonly string[]): readonly unknown[] {
  return listOf(field(value, ...path));
}

export function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** The first field with something in it that is none of these: what a platform calls a kind of message that we do not know. */
export function firstUnknown(value: Fields, known: ReadonlySet<string>): string | undefined {
  return Object.keys(value).find((name) => {
    const found = value[name];
    const isEmpty = !found || (Array.isArray(found) && found.length === 0);
    return !known.has(name) && !isEmpty;
  });
}

/** Text with something in it. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? storableText(boundedText(value)) : undefined;
}

export function idOf(value: unknown): string | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) ? `${value}` : undefined;
  return typeof value === "string" && value.length <= LONGEST_ID ? textOf(value) : undefined;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
