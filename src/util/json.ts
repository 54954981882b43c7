/** JSON from outside: nothing is known of its fields yet. */

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Code that walks deeper JSON, or writes it again, would run out of stack. */
const DEEPEST = 50;

/** Throws if the text is not JSON, or is nested too deeply. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (isTooDeep(value)) throw new SyntaxError(`It is nested more than ${DEEPEST} deep.`);
  return value;
}

export function isTooDeep(value: unknown, levels = DEEPEST): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isTooDeep(inner, levels - 1));
}
