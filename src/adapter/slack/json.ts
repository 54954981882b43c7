/** Reading JSON that somebody else made: own fields only, and nothing is believed to be what it should be. */
import { boundedText } from "../inbound-limit.js";

type Fields = Readonly<Record<string, unknown>>;

/** The object, or one without fields. */
function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export function field(value: unknown, name: string): unknown {
  const fields = fieldsOf(value);
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** The field's text; empty where it is no text. */
export function textField(value: unknown, name: string): string {
  const found = field(value, name);
  return typeof found === "string" ? boundedText(found) : "";
}

export function listField(value: unknown, name: string): readonly unknown[] {
  const found = field(value, name);
  return Array.isArray(found) ? found : [];
}
