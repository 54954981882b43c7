import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const STORE = fileURLToPath(new URL("..", import.meta.url));

/** Asks for whatever columns there are, which `count(*)` does not. */
const ALL_COLUMNS = /(?:SELECT|RETURNING|,|\.)\s*\*(?!\))/;

it("is asked for by name: a migration changes nothing for who prepared a statement before it", () => {
  // Databases of other programs are read as they are.
  const files = readdirSync(STORE, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.startsWith("jsonl"),
  );
  expect(files.length).toBeGreaterThan(30);
  const asking = files.flatMap((file) =>
    readFileSync(join(STORE, file), "utf8")
      .split("\n")
      .filter((line) => !/^\s*(\/\*\*|\*|\/\/)/.test(line) && ALL_COLUMNS.test(line.replace(/\/\*\*.*$/, "")))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(asking).toEqual([]);
});

it.each(["SELECT * FROM x", "SELECT s.* FROM x s", "RETURNING *", "SELECT s.id, m.* FROM x"])(
  "would be seen if it were asked for all: %s",
  (sql) => expect(sql).toMatch(ALL_COLUMNS),
);
