import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { folder, put } from "../../../test/support/session-files.js";
import { readLines } from "./lines.js";

async function linesOf(content: string | Buffer) {
  const path = join(folder({ f: content }), "f");
  const all = [];
  for await (const line of readLines(path)) all.push(line);
  return all;
}

it("ends lines at line feeds only, and counts blank ones", async () => {
  const read = await linesOf('\ufeff"a\u2028b"\r\n\n  \n"c\u0085d"\n"torn');
  expect(read).toEqual([
    { number: 1, text: '"a\u2028b"', ended: true, damaged: false },
    { number: 4, text: '"c\u0085d"', ended: true, damaged: false },
    { number: 5, text: '"torn', ended: false, damaged: false },
  ]);
});

it("says where bytes are no UTF-8", async () => {
  const [line] = await linesOf(Buffer.from([0x22, 0xff, 0x22, 0x0a]));
  expect(line).toEqual({ number: 1, text: '"\ufffd"', ended: true, damaged: true });
});

it("gives back any lines, however they fall into chunks", async () => {
  const path = join(folder(), "f");
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.integer({ min: 1, max: 3 }).map((n) => "é".repeat(n * 150_000)),
        ),
      ),
      async (texts) => {
        const json = texts.map((text) => JSON.stringify(text));
        put(path, json.join("\n"));
        const read: (string | null)[] = [];
        for await (const line of readLines(path)) read.push(line.text);
        expect(read).toEqual(json.map((text) => text.toWellFormed()));
      },
    ),
    { numRuns: 40 },
  );
});
