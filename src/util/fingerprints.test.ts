import fc from "fast-check";
import { expect, test } from "vitest";
import { Fingerprints } from "./fingerprints.js";

/** Reads bytes in chunks of these sizes. */
function foundIn(
  fingerprints: Fingerprints,
  bytes: Buffer,
  sizes: readonly number[] = [bytes.length],
): number {
  const reading = fingerprints.reading();
  let at = 0;
  for (let n = 0; at < bytes.length; n++) {
    const size = Math.max(1, sizes[n % sizes.length] ?? 1);
    reading.read(bytes.subarray(at, at + size));
    at += size;
  }
  reading.end();
  expect(reading.bytes).toBe(bytes.length);
  return reading.found;
}

const WORDS = "The plum tree by the shed needs cutting before the frost, she said.";

test("words are found anywhere in a stream, however it is cut", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 300 }),
      fc.uint8Array({ maxLength: 300 }),
      fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 5 }),
      (before, after, sizes) => {
        const fingerprints = new Fingerprints();
        fingerprints.addWords(WORDS);
        const bytes = Buffer.concat([before, Buffer.from(WORDS), after]);
        expect(foundIn(fingerprints, bytes, sizes)).toBe(fingerprints.size);
        expect(foundIn(fingerprints, Buffer.concat([before, after]), sizes)).toBe(0);
      },
    ),
  );
});

test("a piece of a long text is enough, wherever it was cut out", () => {
  const fingerprints = new Fingerprints();
  const text = Array.from({ length: 500 }, (_, n) => `word${n * 7919}`).join(" ");
  fingerprints.addWords(text);
  expect(foundIn(fingerprints, Buffer.from(text.slice(1_000, 1_100)))).toBeGreaterThan(0);
  expect(fingerprints.hasWordsIn(text.slice(2_000, 2_200))).toBe(true);
});

test("a name counts as a whole, at the end of a chunk and of the stream, too", () => {
  const fingerprints = new Fingerprints();
  fingerprints.addName("chat:123456");
  const found = (text: string, sizes?: number[]) => foundIn(fingerprints, Buffer.from(text), sizes);
  for (const sizes of [[1], [3], [11], [100]]) {
    expect(found("person:chat:123456", sizes)).toBe(1);
    expect(found('x "chat:123456" y', sizes)).toBe(1);
    expect(found("chat:1234567", sizes)).toBe(0);
    expect(found("chat:12345", sizes)).toBe(0);
  }
  expect(fingerprints.hasNameIn("chat:123456:7")).toBe(true);
  expect(fingerprints.hasNameIn("chat:123456%3A7")).toBe(false);
});

test("what others say as well is not looked for any more", () => {
  const fingerprints = new Fingerprints();
  fingerprints.addWords("Good morning everybody, how are you?");
  fingerprints.addWords(WORDS);
  const all = fingerprints.size;
  const left = fingerprints.leaveOut("He wrote: Good morning everybody, how are you? And left.");
  expect(left).toBeGreaterThan(0);
  expect(fingerprints.size).toBe(all - left);
  expect(fingerprints.hasWordsIn("Good morning everybody, how are you?")).toBe(false);
  expect(fingerprints.hasWordsIn(WORDS)).toBe(true);
});

test("what says nothing is not looked for", () => {
  const fingerprints = new Fingerprints();
  fingerprints.addWords("-".repeat(5_000));
  fingerprints.addWords("short");
  fingerprints.addName("a:1");
  expect(fingerprints.size).toBe(0);
  expect(foundIn(fingerprints, Buffer.from(`${"-".repeat(9_000)} short a:1`))).toBe(0);
});
