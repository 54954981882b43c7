/** The arguments of a tool call, short for its line and whole for those who open it. */
import { beginningOf } from "./words.js";

const MOST_SHORT = 90;
const MOST_PRETTY = 200_000;
/** What is deeper has more blanks than words, and ends the stack of whoever writes it. */
const MOST_DEEP = 50;

/** What it is about, in one line: the first text in it. */
export function shortArguments(json: string): string {
  const given = parsed(json);
  if (typeof given !== "object" || given === null) return beginningOf(json, MOST_SHORT);
  const texts = Object.values(given).filter((value) => typeof value === "string" && value.trim() !== "");
  return beginningOf(String(texts[0] ?? (Object.keys(given).length > 0 ? json : "")), MOST_SHORT);
}

/** As one reads it; what is no JSON, or too long or too deep to be read, stays as it is. */
export function prettyArguments(json: string): string {
  const given = parsed(json);
  return given === undefined ? json : JSON.stringify(given, null, 2);
}

function parsed(json: string): unknown {
  if (json.length > MOST_PRETTY || isDeep(json)) return undefined;
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Brackets in texts count, too: that makes them plainer at worst. */
function isDeep(json: string): boolean {
  let depth = 0;
  for (const sign of json) {
    if (sign === "[" || sign === "{") depth += 1;
    else if (sign === "]" || sign === "}") depth -= 1;
    if (depth > MOST_DEEP) return true;
  }
  return false;
}
