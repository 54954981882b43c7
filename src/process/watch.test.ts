/** What is said about watched processes, and when: seldom enough, and nothing is lost. */
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addLines,
  admit,
  afterSaying,
  BREAKER_PAUSE_MS,
  type Breaker,
  heedPatterns,
  matchingLines,
  NEW_BREAKER,
  NEW_PATTERN_WATCH,
  NO_LINES,
  nextCheck,
  nextHeed,
  PATTERN_PAUSE_MS,
  type PatternWatch,
} from "./watch.js";

const held = (lines: readonly string[]) => ({ lines, count: lines.length });

/** Goes through calls at these times, and looks by itself when the rule says so. */
function play(calls: readonly { readonly at: number; readonly lines: readonly string[] }[]) {
  let watch: PatternWatch = NEW_PATTERN_WATCH;
  const said: { at: number; kind: "say" | "promote"; count: number; lines: readonly string[] }[] = [];
  const heed = (lines: readonly string[], at: number): void => {
    const verdict = heedPatterns(watch, held(lines), at);
    watch = verdict.watch;
    if (verdict.kind !== "nothing") said.push({ at, kind: verdict.kind, ...verdict.matches });
  };
  const tick = (until: number): void => {
    for (let due = nextHeed(watch); due !== null && due <= until; due = nextHeed(watch)) heed([], due);
  };
  for (const { at, lines } of calls) {
    tick(at);
    heed(lines, at);
  }
  tick(Number.POSITIVE_INFINITY);
  return { said, watch };
}

const s = 1_000;

describe("watch patterns", () => {
  it("match lines that contain one of the texts, as it is", () => {
    expect(matchingLines("all fine\nERROR 1\nerror 2\n[a.c] x", ["ERROR", "[a.c]"])).toEqual({
      lines: ["ERROR 1", "[a.c] x"],
      count: 2,
    });
  });

  it("keep the beginnings of the last 20 lines, and count all of them", () => {
    const text = Array.from({ length: 600 }, (_, n) => `${n} ${"x".repeat(400)}`).join("\n");
    const { lines, count } = matchingLines(text, ["x"]);
    expect(count).toBe(600);
    expect(lines).toHaveLength(20);
    expect(lines[0]).toBe(`580 ${"x".repeat(296)}`);
  });

  it("keep no more of a long text than the lines that are shown", () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const used = () => {
      collect();
      return getHeapStatistics().used_heap_size;
    };
    const [before, size] = [used(), 1_000_000];
    let held = NO_LINES;
    for (let n = 0; n < 20; n++) held = addLines(held, matchingLines(`${n}${"x".repeat(size)}`, ["x"]));
    expect(used() - before).toBeLessThan(5 * size);
    expect(held).toMatchObject({ count: 20 });
  });

  it("say the first match at once, and the next ones together after the pause", () => {
    const { said } = play([
      { at: 0, lines: ["one"] },
      { at: 2 * s, lines: ["two"] },
      { at: 4 * s, lines: ["three"] },
    ]);
    expect(said).toEqual([
      { at: 0, kind: "say", count: 1, lines: ["one"] },
      { at: 15 * s, kind: "say", count: 2, lines: ["two", "three"] },
    ]);
  });

  it("are switched off after three pauses in a row with further matches", () => {
    const { said, watch } = play(Array.from({ length: 100 }, (_, n) => ({ at: n * s, lines: [`${n}`] })));
    expect(said.map(({ at, kind }) => [at / s, kind])).toEqual([
      [0, "say"],
      [15, "say"],
      [30, "say"],
      [45, "promote"],
    ]);
    expect(watch.isOff).toBe(true);
  });

  it("keep the pause after what another gateway said, and count it as if it were said here", () => {
    let watch = afterSaying(NEW_PATTERN_WATCH, 10 * s); // It begins with what the last gateway said.
    expect(heedPatterns(watch, held(["one"]), 25 * s - 1)).toMatchObject({ kind: "nothing" });
    const kinds: string[] = [];
    for (let pause = 1; pause <= 3; pause++) {
      const at = (10 + 15 * pause) * s;
      watch = heedPatterns(watch, held(["more"]), at - 1).watch;
      const verdict = heedPatterns(watch, held([]), at);
      kinds.push(verdict.kind);
      watch = afterSaying(watch, at);
    }
    expect(kinds).toEqual(["say", "say", "promote"]);
    expect(afterSaying({ ...watch, isOff: true }, 0).isOff).toBe(true);
  });

  it("go on for ever where each pause is over before the next match", () => {
    const { said, watch } = play(Array.from({ length: 50 }, (_, n) => ({ at: n * 16 * s, lines: [`${n}`] })));
    expect(said).toHaveLength(50);
    expect(watch.isOff).toBe(false);
  });

  it("never say two things within the pause, and count each line once, unless they are switched off", () => {
    const call = fc.record({
      gap: fc.integer({ min: 0, max: 40 * s }),
      count: fc.integer({ min: 0, max: 30 }),
    });
    fc.assert(
      fc.property(fc.array(call, { maxLength: 40 }), (gaps) => {
        let at = 0;
        const calls = gaps.map(({ gap, count }) => {
          at += gap;
          return { at, lines: Array.from({ length: count }, () => "x") };
        });
        const { said, watch } = play(calls);
        for (const [n, each] of said.entries()) {
          const before = said[n - 1];
          if (before) expect(each.at - before.at).toBeGreaterThanOrEqual(PATTERN_PAUSE_MS);
          expect(each.lines.length).toBeLessThanOrEqual(20);
          if (each.kind === "promote") expect(n).toBe(said.length - 1);
        }
        const count = said.reduce((sum, each) => sum + each.count, 0);
        const all = calls.reduce((sum, { lines }) => sum + lines.length, 0);
        if (!watch.isOff) expect(count).toBe(all);
        else expect(count).toBeLessThanOrEqual(all);
      }),
    );
  });

  it("do not wait longer than the pause if the clock was set back", () => {
    const { watch } = heedPatterns(NEW_PATTERN_WATCH, held(["one"]), 1_000 * s);
    expect(heedPatterns(watch, held(["two"]), 10 * s).kind).toBe("say");
  });
});

it("sends new output at equal spans since the start, whenever it is asked", () => {
  const times = fc.integer({ min: 0, max: 10_000_000 });
  fc.assert(
    fc.property(times, fc.integer({ min: 30_000, max: 600_000 }), times, (startedAt, interval, now) => {
      const next = nextCheck(startedAt, interval, now);
      expect(next).toBeGreaterThan(now);
      expect(next - now).toBeLessThanOrEqual(interval); // Also if the clock was set back to before the start.
      if (now < startedAt) return;
      expect((next - startedAt) % interval).toBe(0);
      expect(nextCheck(startedAt, interval, next - 1)).toBe(next);
    }),
  );
});

describe("the breaker", () => {
  it("lets 15 notices in 10 seconds pass, then pauses once for 30 seconds", () => {
    let breaker: Breaker = NEW_BREAKER;
    const ask = (at: number) => {
      const { breaker: next, ...answer } = admit(breaker, at);
      breaker = next;
      return answer;
    };
    for (let n = 0; n < 15; n++) expect(ask(n).waitUntil).toBeNull();
    expect(ask(20)).toEqual({ waitUntil: 20 + BREAKER_PAUSE_MS, beginsPause: true });
    expect(ask(21)).toEqual({ waitUntil: 20 + BREAKER_PAUSE_MS, beginsPause: false });
    expect(ask(20 + BREAKER_PAUSE_MS)).toEqual({ waitUntil: null, beginsPause: false });
  });

  it("never lets more than 15 pass in any 10 seconds, and always lets one pass at the time it named", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 2 * s }), { maxLength: 200 }), (gaps) => {
        let breaker: Breaker = NEW_BREAKER;
        let at = 0;
        const passed: number[] = [];
        for (const gap of gaps) {
          at += gap;
          const admission = admit(breaker, at);
          breaker = admission.breaker;
          if (admission.waitUntil === null) passed.push(at);
          else expect(admit(breaker, admission.waitUntil).waitUntil).toBeNull();
        }
        for (const from of passed)
          expect(passed.filter((time) => time >= from && time < from + 10 * s).length).toBeLessThanOrEqual(
            15,
          );
      }),
    );
  });
});
