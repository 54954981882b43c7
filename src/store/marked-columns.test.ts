import { expect, test } from "vitest";
import { markedColumns } from "./marked-columns.js";

test.each([
  ["INSERT INTO t (a, b, c) VALUES (?, 'x', ?)", ["a", "c"]],
  ["INSERT INTO t (a,\n b)\n VALUES (? + (now() - ?), ?::tsvector)", ["a", "a", "b"]],
  [
    "INSERT INTO t (a, b) VALUES (?, ?) ON CONFLICT (a) DO UPDATE SET b = excluded.b WHERE t.a = ? OR t.c <= ?",
    ["a", "b", "a", null],
  ],
  [
    "INSERT INTO t (a, b, c) SELECT ?, ?, 'waiting' FROM s WHERE one = 1 AND version = ?",
    ["a", "b", "version"],
  ],
  ["UPDATE t SET a = ?, n = n + ?, b = ? WHERE t.id = ? AND c <> ?", ["a", null, "b", "id", "c"]],
  ["SELECT a FROM t WHERE id IN (?, ?) LIMIT ?", [null, null, null]],
  ["SELECT 1", []],
])("%s", (sql, columns) => {
  expect(markedColumns(sql)).toEqual(columns);
});
