import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const STORE = fileURLToPath(new URL("..", import.meta.url));

/** Asks for whatever columns there are, which `count(*)` does not. */
const ALL_COLUMNS = /(?:SELECT|RETURNING|,|\.)\s*\*(?!\))/;
const CAST = /\bas (?!const\b)[A-Za-z]/;

/** Lines of the store's files that match, without comments. */
function linesLike(pattern: RegExp, isLooked: (file: string) => boolean): string[] {
  const files = readdirSync(STORE, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && isLooked(file),
  );
  expect(files.length).toBeGreaterThan(20);
  return files.flatMap((file) =>
    readFileSync(join(STORE, file), "utf8")
      .split("\n")
      .filter((line) => !/^\s*(\/\*\*|\*|\/\/)/.test(line) && pattern.test(line.replace(/\/\*\*.*$/, "")))
      .map((line) => `${file}: ${line.trim()}`),
  );
}

it("is asked for by name: a migration changes nothing for who prepared a statement before it", () => {
  // Databases of other programs are read as they are.
  expect(linesLike(ALL_COLUMNS, (file) => !file.startsWith("jsonl"))).toEqual([]);
});

it("becomes a value in values.ts: no other file casts what it reads", () => {
  const reads = /^(?:sql|search)\b(?!.*values\.ts$)/;
  const found = linesLike(CAST, (file) => reads.test(file));
  expect(found.filter((line) => !/: import |\/\/.* as /.test(line))).toEqual([]);
});

it.each(["row.id as string", "Number(row.id) as InboxId", "(value ?? null) as Role | null"])(
  "would be seen if it were a cast: %s",
  (code) => expect(code).toMatch(CAST),
);

it.each(["SELECT * FROM x", "SELECT s.* FROM x s", "RETURNING *", "SELECT s.id, m.* FROM x"])(
  "would be seen if it were asked for all: %s",
  (sql) => expect(sql).toMatch(ALL_COLUMNS),
);
