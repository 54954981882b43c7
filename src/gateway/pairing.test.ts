import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  afterWrongTry,
  askingBy,
  CODE_MS,
  LOCK_MS,
  lockedUntil,
  MOST_AGAIN,
  MOST_WAITING,
  makeCode,
  readCode,
  type Tries,
} from "./pairing.js";

describe("a code", () => {
  it("has 8 characters that cannot be taken for one another, each as likely as any", () => {
    const every = Array.from({ length: 256 }, (_, byte) =>
      makeCode((count) => new Uint8Array(count).fill(byte)),
    );
    for (const code of every) expect(code).toMatch(/^([2-9A-HJ-NP-Z])\1{7}$/);
    const counts = new Map<string, number>();
    for (const code of every) counts.set(code, (counts.get(code) ?? 0) + 1);
    expect([...counts.values()]).toEqual(Array(32).fill(8));
  });

  it("is read as people write it, and nothing else is", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 8, maxLength: 8 }), (bytes) => {
        const code = makeCode(() => bytes);
        expect(readCode(code)).toBe(code);
        expect(readCode(` ${code.slice(0, 4).toLowerCase()}-${code.slice(4)}\n`)).toBe(code);
      }),
    );
    for (const text of [
      "",
      "ABCDEFG",
      "ABCDEFGHJ",
      "ABCDEFG0",
      "ABCDEFGI",
      "ABCDEFG*",
      "ÄBCDEFGH",
      "ABCD\0EFGH",
    ])
      expect(readCode(text)).toBeNull();
  });
});

describe("wrong tries", () => {
  it("five in any hour are looked at, whatever the times, and no more", () => {
    const times = fc.array(fc.integer({ min: 0, max: LOCK_MS * 2 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(times, (gaps) => {
        const looked: number[] = [];
        let tries: Tries | null = null;
        let now = 0;
        for (const gap of gaps) {
          now += gap;
          if (lockedUntil(tries, now) !== null) continue;
          looked.push(now);
          tries = afterWrongTry(tries, now);
        }
        for (const from of looked) {
          expect(looked.filter((at) => at >= from && at < from + LOCK_MS).length).toBeLessThanOrEqual(5);
        }
      }),
    );
  });

  it("of a million guesses in a day, 120 are looked at: a chance of one in ten thousand million", () => {
    const day = 24 * LOCK_MS;
    let tries: Tries | null = null;
    let looked = 0;
    for (let guess = 0; guess < 1_000_000; guess++) {
      const now = Math.floor((guess * day) / 1_000_000);
      if (lockedUntil(tries, now) !== null) continue;
      looked += 1;
      tries = afterWrongTry(tries, now);
    }
    expect(looked).toBeLessThanOrEqual(120);
    expect(looked).toBeGreaterThan(100);
    expect(looked / 32 ** 8).toBeLessThan(1.2e-10);
  });

  it("are not forgotten by a clock that goes back", () => {
    let tries: Tries | null = null;
    for (let n = 0; n < 5; n++) tries = afterWrongTry(tries, 10 * LOCK_MS - n * LOCK_MS);
    expect(lockedUntil(tries, LOCK_MS)).toBe(11 * LOCK_MS);
  });
});

describe("somebody unknown who writes", () => {
  const request = { identity: "x:1", called: null, askedAt: 0, expiresAt: CODE_MS, denied: false };
  const standing = { request, answers: 1, othersWaiting: 0 };

  it("asks anew when the code is over, unless they were denied or too many wait", () => {
    expect(askingBy({ ...standing, request: null }, 0)).toBe("asked");
    expect(askingBy({ ...standing, request: null, othersWaiting: MOST_WAITING - 1 }, 0)).toBe("asked");
    expect(askingBy({ ...standing, request: null, othersWaiting: MOST_WAITING }, 0)).toBe("full");
    expect(askingBy(standing, CODE_MS - 1)).toBe("waiting");
    expect(askingBy(standing, CODE_MS)).toBe("asked");
    expect(askingBy({ ...standing, othersWaiting: MOST_AGAIN - 1 }, CODE_MS)).toBe("asked");
    expect(askingBy({ ...standing, othersWaiting: MOST_AGAIN }, CODE_MS)).toBe("full");
    expect(askingBy({ ...standing, request: { ...request, denied: true } }, 2 * CODE_MS)).toBe("denied");
  });
});
