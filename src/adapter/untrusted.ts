/** JSON from outside, read field by field: nothing is taken to be what it should be, and nothing throws. */
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

export function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
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
