/** "Did you mean these lines": where a file has something similar to a text that it does not contain. */
import { shorten } from "../../util/text.js";

const MOST_LINES = 50_000;
const MOST_SHOWN = 3;
const LONGEST = 200;
const LEAST_LIKENESS = 0.5;

/** The number of the line that contains a position of the text. */
export function lineOf(text: string, place: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < place; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

/**
 * The numbered lines that are most similar to the first line of the wanted text that is not blank; empty if none is
 * similar.
 */
export function nearestLines(text: string, wanted: string): string {
  const first = wanted.split("\n").find((line) => line.trim() !== "") ?? "";
  const pairs = pairsOf(first);
  return text
    .split("\n", MOST_LINES)
    .map((line, index) => ({ line, number: index + 1, likeness: likeness(pairs, pairsOf(line)) }))
    .filter(({ likeness }) => likeness >= LEAST_LIKENESS)
    .sort((a, b) => b.likeness - a.likeness || a.number - b.number)
    .slice(0, MOST_SHOWN)
    .map(({ line, number }) => `line ${number}: ${JSON.stringify(shorten(line, LONGEST))}`)
    .join("\n");
}

/** The pairs of neighbouring characters, without white space. */
function pairsOf(line: string): ReadonlySet<string> {
  const plain = line.slice(0, LONGEST).replace(/\s+/g, "").toLowerCase();
  return new Set(Array.from({ length: Math.max(1, plain.length - 1) }, (_, at) => plain.slice(at, at + 2)));
}

/** From 0 to 1: how many pairs two lines share. */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const pair of a) if (b.has(pair)) shared++;
  return (2 * shared) / (a.size + b.size);
}
