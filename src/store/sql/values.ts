/** How a column becomes a value. A value that does not fit is an error of the store, not a lie in the types. */
import { StoreError } from "../../session/errors.js";
import {
  type Address,
  CHAT_TYPES,
  parseAnyAddress,
  parseSource,
  type SessionSource,
} from "../../session/source.js";
import type { SqlValue } from "../db.js";

/** Undefined if the row or the column is missing, which fits no type either. */
type Stored = SqlValue | undefined;

/** The caller may name a narrower type if only Baton writes the column, as with ids. The same for numbers. */
export function text<Text extends string = string>(value: Stored): Text {
  return typeof value === "string" ? (value as Text) : unreadable("a text", value);
}

export function number<Count extends number = number>(value: Stored): Count {
  if (typeof value === "number") return value as Count;
  const read = value ? Number(value) : Number.NaN; // PostgreSQL gives some sums as text.
  return Number.isNaN(read) ? unreadable("a number", value) : (read as Count);
}

export function flag(value: Stored): boolean {
  return value === 1 || (value === 0 ? false : unreadable("0 or 1", value));
}

export function json<Value>(value: Stored): Value {
  const written = text(value);
  try {
    return JSON.parse(written) as Value;
  } catch (error) {
    return unreadable("JSON", value, error);
  }
}

export function source(value: Stored): SessionSource {
  return parseSource(json(value));
}

/** Also if its platform is registered only in the program that stored it: then its chat is known, and nobody in it. */
export function sourceOfAnyPlatform(value: Stored): SessionSource {
  const stored = json<Record<string, unknown>>(value);
  try {
    return parseSource(stored);
  } catch {
    const { platform, chat_id, chat_type } = stored;
    const chatType = CHAT_TYPES.find((type) => type === chat_type) ?? unreadable("a source", value);
    return { platform: String(platform), chatId: String(chat_id), chatType };
  }
}

export function address(value: Stored): Address {
  return parseAnyAddress(text(value));
}

export function oneOf<Value extends string>(value: Stored, values: readonly Value[]): Value {
  const words: readonly Stored[] = values;
  return words.includes(value) ? (value as Value) : unreadable(`one of ${values.join(", ")}`, value);
}

/** Null for NULL. */
export function maybe<Value>(value: Stored, read: (value: Stored) => Value): Value | null {
  return value === null ? null : read(value);
}

/** What the value is, it does not say: it may be part of a message. */
function unreadable(expected: string, value: Stored, cause?: unknown): never {
  const found = {
    string: "another text",
    number: "a number",
    object: "nothing",
    undefined: "no such column",
  };
  throw new StoreError(
    "store_corrupt",
    `The store is damaged, or a newer Baton wrote it: a column should have ${expected}, but has ${found[typeof value as keyof typeof found]}. Update Baton, or restore a backup.`,
    { cause },
  );
}
