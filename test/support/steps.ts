/**
 * How much work something is, counted and not timed: how often each block of the program ran, as V8 counts it for
 * coverage, and how many characters or items the built-in functions went through that scan a whole text or list. The same
 * run has the same count on every machine, also in the code of other people's parsers.
 */
import { Session } from "node:inspector";

const session = new Session();
session.connect();
session.post("Profiler.enable");
// From the beginning: what was compiled before it has no counters in its loops.
session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });

/** What a built-in function goes through: by default all of the text or list that it is called on. */
type Scan = (on: { readonly length: number }, result: unknown, args: readonly unknown[]) => number;
const whole: Scan = (on) => on.length;
const toWhere: Scan = (on, result, [, from]) =>
  (result === -1 ? on.length : (result as number)) - (typeof from === "number" ? from : 0);

const TEXT = { indexOf: toWhere, lastIndexOf: whole, includes: whole, split: whole, replaceAll: whole };
const CHANGED = ["normalize", "toLowerCase", "toUpperCase", "toWellFormed", "trim", "trimEnd", "trimStart"];
const LIST = ["includes", "indexOf", "join", "shift", "slice", "sort", "splice", "toSorted", "unshift"];

let scanned = 0;

/** The steps that a run takes; other runs must not be under way. */
export async function stepsOf(run: () => unknown): Promise<number> {
  const restore = [
    ...Object.entries(TEXT).map(([name, scan]) => counting(String.prototype, name, scan)),
    ...CHANGED.map((name) => counting(String.prototype, name, whole)),
    ...LIST.map((name) => counting(Array.prototype, name, whole)),
    counting(JSON, "parse", (_on, _result, [text]) => String(text).length),
    counting(JSON, "stringify", (_on, result) => String(result).length),
    iterating(Array.prototype),
    iterating(String.prototype),
    matching(),
  ];
  blocksRun();
  scanned = 0;
  try {
    await run();
    return blocksRun() + scanned;
  } finally {
    for (const each of restore) each();
  }
}

/** How many blocks ran since it was last asked, in all but this file. */
function blocksRun(): number {
  let sum = 0;
  session.post("Profiler.takePreciseCoverage", (error, answer) => {
    if (error) throw error;
    for (const { url, functions } of answer.result) {
      if (url.includes("/support/steps.")) continue;
      for (const { ranges } of functions) for (const { count } of ranges) sum += count;
    }
  });
  return sum;
}

function counting(home: object, name: string, scan: Scan): () => void {
  const original = Reflect.get(home, name);
  return replacing(home, name, function (this: { length: number }, ...args: unknown[]) {
    const on = { length: this.length };
    const result = Reflect.apply(original, this, args);
    scanned += Math.max(0, scan(on, result, args));
    return result;
  });
}

/** What is spread, or read by `for … of`. */
function iterating(home: object): () => void {
  const original = Reflect.get(home, Symbol.iterator);
  return replacing(home, Symbol.iterator, function (this: unknown) {
    const iterator = Reflect.apply(original, this, []) as Iterator<unknown>;
    return {
      next: () => {
        scanned += 1;
        return iterator.next();
      },
      [Symbol.iterator]() {
        return this;
      },
    };
  });
}

/**
 * Every use of a regular expression comes down to this one function. That none of ours is slow is another test's matter;
 * one that is made of what was sent counts once for each hundred characters it has.
 */
function matching(): () => void {
  const original = RegExp.prototype.exec;
  return replacing(RegExp.prototype, "exec", function (this: RegExp, text: string) {
    const from = this.global || this.sticky ? this.lastIndex : 0;
    const found = Reflect.apply(original, this, [text]);
    const end = found ? found.index + found[0].length : this.sticky ? from : String(text).length;
    scanned += (1 + Math.max(0, end - from)) * Math.ceil((this.source.length + 1) / 100);
    return found;
  });
}

function replacing(home: object, name: string | symbol, by: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(home, name) as PropertyDescriptor;
  Object.defineProperty(home, name, { ...before, value: by });
  return () => Object.defineProperty(home, name, before);
}
