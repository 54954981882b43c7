/** Looking into JSON from outside: whatever it is, nothing throws, and only own properties count. */
import { boundedText } from "../inbound-limit.js";

export type Json = { readonly [name: string]: unknown };

const NOTHING: Json = Object.freeze(Object.create(null) as Json);

/** The object, as far as it is one; `__proto__` and its like are only names in it. */
export function record(value: unknown): Json {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return NOTHING;
  return Object.assign(Object.create(null) as Json, Object.fromEntries(Object.entries(value)));
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A text that is not empty. */
export function string(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? boundedText(value) : undefined;
}

/** An id of Matrix: it begins with this sign, has no blanks, and is no longer than ids are. */
export function id(value: unknown, sign: "@" | "!" | "$"): string | undefined {
  return typeof value === "string" &&
    value.startsWith(sign) &&
    value.length > 1 &&
    value.length <= 255 &&
    !/[\s\p{Cc}]/u.test(value) &&
    value.isWellFormed()
    ? value
    : undefined;
}
