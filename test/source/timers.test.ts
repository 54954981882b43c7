/**
 * A timer of Node's that is to wait for more than 24.8 days fires at once, and so again and again. So a delay is either a
 * constant or passed through `timerMs`: this reads the source, and finds the next one that is not.
 */
import fc from "fast-check";
import type { Expression } from "oxc-parser";
import { expect, it } from "vitest";
import { LONGEST_TIMER_MS, timerMs } from "../../src/util/timer-ms.js";
import { nodesOf, placeOf, type SourceFile, sourceFile, sourceFiles } from "../support/source-files.js";

/** Which argument of a call is its delay. */
const DELAYS = new Map([
  ["setTimeout", 1],
  ["setInterval", 1],
  ["AbortSignal.timeout", 0],
]);

it("every delay is a constant, or is bounded", () => {
  expect(sourceFiles("src").flatMap(unboundedDelays)).toEqual([]);
});

it("finds one that is not", () => {
  const sleeping = 'import { setTimeout as sleep } from "node:timers/promises"; ';
  const found = (text: string): string[] => unboundedDelays(sourceFile("a.ts", text));
  for (const text of ["setTimeout(f, ms)", "setInterval(f, 2 * ms)", `${sleeping}await sleep(ms)`])
    expect(found(text)).toHaveLength(1);
  for (const text of [
    "setTimeout(f, 5_000)",
    "setTimeout(f, PACE_MS)",
    `${sleeping}await sleep(timerMs(ms))`,
  ])
    expect(found(text)).toEqual([]);
});

it("a bounded delay is one that a timer takes, and the same where it was one before", () => {
  fc.assert(
    fc.property(fc.double(), (ms) => {
      const bounded = timerMs(ms);
      expect(bounded >= 0 && bounded <= LONGEST_TIMER_MS).toBe(true);
      if (ms > 0 && ms <= LONGEST_TIMER_MS) expect(bounded).toBe(ms);
      if (ms > LONGEST_TIMER_MS) expect(bounded).toBe(LONGEST_TIMER_MS);
    }),
  );
});

function unboundedDelays(file: SourceFile): string[] {
  const sleeps = sleepNames(file);
  const found: string[] = [];
  for (const node of nodesOf(file.program)) {
    if (node.type !== "CallExpression") continue;
    const name = file.text.slice(node.callee.start, node.callee.end);
    const index = sleeps.has(name) ? 0 : DELAYS.get(name);
    const delay = index === undefined ? undefined : node.arguments[index];
    if (delay && !isBounded(delay as Expression)) found.push(placeOf(file, node));
  }
  return found;
}

/** The names under which a file has the timers that are promises. */
function sleepNames({ program }: SourceFile): Set<string> {
  const names = new Set<string>();
  for (const node of program.body) {
    if (node.type !== "ImportDeclaration" || node.source.value !== "node:timers/promises") continue;
    for (const each of node.specifiers)
      if (each.type === "ImportSpecifier" && "name" in each.imported && each.imported.name === "setTimeout")
        names.add(each.local.name);
  }
  return names;
}

function isBounded(delay: Expression): boolean {
  if (delay.type === "Literal") return true;
  if (delay.type === "Identifier") return /^[A-Z][A-Z0-9_]*$/.test(delay.name);
  return delay.type === "CallExpression" && "name" in delay.callee && delay.callee.name === "timerMs";
}
