import { PassThrough } from "node:stream";
import type { ReadStream, WriteStream } from "node:tty";
import fc from "fast-check";
import stringWidth from "string-width";
import { expect, test } from "vitest";
import { type Column, printTable } from "./table.js";
import { Terminal } from "./terminal.js";

/** What a terminal this wide shows; null for a pipe. */
async function printed(
  columns: readonly Column<string[]>[],
  rows: string[][],
  width: number | null,
): Promise<string[]> {
  const stdout = Object.assign(new PassThrough(), { isTTY: width !== null, columns: width });
  const streams = { stdin: new PassThrough(), stdout, stderr: new PassThrough() };
  const terminal = new Terminal(
    streams as unknown as { stdin: ReadStream; stdout: WriteStream; stderr: WriteStream },
    false,
    { hide: (text) => text, redact: (text) => text },
  );
  await printTable(terminal, columns, rows);
  return String(stdout.read()).replace(/\n$/, "").split("\n");
}

const column = (index: number, rest: Partial<Column<string[]>> = {}): Column<string[]> => ({
  title: `C${index}`,
  cell: (row) => row[index] ?? "",
  ...rest,
});

test("columns line up, numbers to the right, wide characters counted as two", async () => {
  expect(
    await printed(
      [column(0), column(1, { align: "right" }), column(2)],
      [
        ["日本", "7", "x"],
        ["abcdef", "123", ""],
      ],
      40,
    ),
  ).toEqual(["C0       C1  C2", "日本      7  x", "abcdef  123"]);
});

test("in a pipe, cells are whole, and a long one does not push the others away", async () => {
  const long = "x".repeat(300);
  const rows = [
    [long, "1"],
    ["short", "2"],
  ];
  const lines = await printed([column(0, { flexible: true }), column(1)], rows, null);
  expect(lines[1]).toBe(`${long}  1`);
  expect(lines[2]).toBe(`${"short".padEnd(100)}  2`);
});

test("flexible columns give way, the widest first", async () => {
  const long = "abcdefghijklmnopqrstuvwxyz";
  expect(
    await printed([column(0), column(1, { flexible: true }), column(2)], [["id_1", long, "end"]], 30),
  ).toEqual(["C0    C1                   C2", "id_1  abcdefghijklmnopqr…  end"]);
});

test("a column that wraps shows its cells whole, in several rows", async () => {
  const columns = [column(0, { align: "right" }), column(1, { flexible: true, wraps: true }), column(2)];
  const rows = [
    ["7", "likes tea and very long walks", "now"],
    ["18", "日本語の長いメモ", "then"],
  ];
  expect(await printed(columns, rows, 24)).toEqual([
    "C0  C1              C2",
    " 7  likes tea and   now",
    "    very long",
    "    walks",
    "18  日本語の長いメ  then",
    "    モ",
  ]);
  expect((await printed(columns, rows, null))[1]).toBe(" 7  likes tea and very long walks  now");
});

test("where that is not enough, the last columns go", async () => {
  const lines = await printed(
    [column(0), column(1), column(2)],
    [["0123456789", "abcdefghij", "xyzxyzxyz"]],
    22,
  );
  expect(lines).toEqual(["C0          C1", "0123456789  abcdefghij"]);
});

test("a cell is one harmless line", async () => {
  expect(await printed([column(0)], [["a\nb\u001b[31mc\u001b]0;title\u0007d\u202ee"]], 40)).toEqual([
    "C0",
    "a bcde",
  ]);
});

test("no line is ever wider than the terminal, whatever the cells hold", async () => {
  const cell = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 60 }),
    fc.string({ unit: "binary", maxLength: 60 }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 30, max: 120 }),
      async (rows, width) => {
        const columns = [column(0, { flexible: true }), column(1, { flexible: true }), column(2)];
        for (const line of await printed(columns, rows, width))
          expect(stringWidth(line)).toBeLessThanOrEqual(width);
      },
    ),
  );
});
