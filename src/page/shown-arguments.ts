/** The arguments of a tool call, short for its line and whole for those who open it. */
import { beginningOf } from "./words.js";

const MOST_SHORT = 90;
const MOST_PRETTY = 200_000;

/** What it is about, in one line: the first text in it. */
export function shortArguments(json: string): string {
  const given = parsed(json);
  if (typeof given !== "object" || given === null) return beginningOf(json, MOST_SHORT);
  const texts = Object.values(given).filter((value) => typeof value === "string" && value.trim() !== "");
  return beginningOf(String(texts[0] ?? (Object.keys(given).length > 0 ? json : "")), MOST_SHORT);
}

/** As one reads it; what is no JSON stays as it is. */
export function prettyArguments(json: string): string {
  if (json.length > MOST_PRETTY) return json;
  const given = parsed(json);
  return given === undefined ? json : JSON.stringify(given, null, 2);
}

function parsed(json: string): unknown {
  if (json.length > MOST_PRETTY) return undefined;
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
