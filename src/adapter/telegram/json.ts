/** Reads what came over the wire, whatever it is: what is not of the wanted kind is not there. Nothing here throws. */
import { boundedText } from "../inbound-limit.js";

export type Fields = Readonly<Record<string, unknown>>;

/** An object's own field; undefined where there is none, or no object. */
export function field(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Fields)[name];
}

export function objectIn(value: unknown, name: string): Fields | undefined {
  const found = field(value, name);
  return typeof found === "object" && found !== null && !Array.isArray(found) ? (found as Fields) : undefined;
}

export function textIn(value: unknown, name: string): string | undefined {
  const found = field(value, name);
  return typeof found === "string" && found !== "" ? boundedText(found) : undefined;
}

export function isTrueIn(value: unknown, name: string): boolean {
  return field(value, name) === true;
}

export function numberIn(value: unknown, name: string): number | undefined {
  const found = field(value, name);
  return typeof found === "number" && Number.isFinite(found) ? found : undefined;
}

/** A whole number that lost no digits, as a string; zero is nobody. */
export function idIn(value: unknown, name: string): string | undefined {
  const found = field(value, name);
  return Number.isSafeInteger(found) && found !== 0 ? String(found) : undefined;
}

export function listIn(value: unknown, name: string): readonly unknown[] {
  const found = field(value, name);
  return Array.isArray(found) ? found : [];
}
