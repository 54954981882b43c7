/** What may be restored: a whole file of this Baton or an older one, and nothing else. */
import {
  copyFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSessions } from "../../open-sessions.js";
import { localSource } from "../../session/source.js";
import { backUpSqlite, checkBackup, publish } from "./backup.js";
import { restoreSqlite } from "./restore.js";

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "baton-backup-"));
  const sessions = await openSessions({ url: join(folder, "baton.db") });
  for (let n = 0; n < 5; n++)
    await sessions.receive(localSource(), { role: "user", content: "x".repeat(9_000) });
  await sessions.close();
  await backUpSqlite(join(folder, "baton.db"), join(folder, "whole.db"), () => {});
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function edit(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

test("a backup is one file, which tells what it holds", () => {
  const { file, bytes, schema, rows } = checkBackup(join(folder, "whole.db"));
  expect({ file, bytes }).toEqual({ file: join(folder, "whole.db"), bytes: statSync(file).size });
  expect(rows).toMatchObject({ sessions: 1, messages: 5, migrations: schema });
});

test("a name that is taken is refused before anything is copied", async () => {
  const copy = backUpSqlite(join(folder, "baton.db"), join(folder, "whole.db"), () => expect.unreachable());
  await expect(copy).rejects.toMatchObject({ code: "backup_exists" });
});

test("on a file system without links it gets its name all the same, and replaces nothing", () => {
  const [part, to] = [join(folder, "part"), join(folder, "published")];
  const refused = () => {
    throw Object.assign(new Error("EPERM: operation not permitted, link"), { code: "EPERM" });
  };
  for (const content of ["first", "second"]) {
    writeFileSync(part, content);
    if (content === "first") publish(part, to, refused);
    else expect(() => publish(part, to, refused)).toThrow("is there already");
    expect(readFileSync(to, "utf8")).toBe("first");
  }
});

test("restores of one second each keep what was there under a name of its own", async () => {
  const path = join(folder, "twice.db");
  const kept: (string | null)[] = [];
  for (const content of ["first", "second"]) {
    writeFileSync(path, `${content}: no database at all `.repeat(100));
    kept.push((await restoreSqlite(path, join(folder, "whole.db"), 0, () => {})).aside);
  }
  expect(kept.map((aside) => readFileSync(aside ?? "", "utf8").slice(0, 6))).toEqual(["first:", "second"]);
});

describe("refused", () => {
  test.each<[string, (file: string) => void, string]>([
    ["that is not there", (file) => rmSync(file), "There is no backup at"],
    ["cut off", (file) => truncateSync(file, statSync(file).size - 6_000), "damaged or was cut off"],
    ["cut off to its head", (file) => truncateSync(file, 100), "damaged or was cut off"],
    ["that is empty", (file) => truncateSync(file, 0), "is not a backup of Baton"],
    [
      "with a page of rubbish",
      (file) => {
        const bytes = readFileSync(file);
        bytes.fill(0x5a, 4096 * 3, 4096 * 5);
        writeFileSync(file, bytes);
      },
      "damaged or was cut off",
    ],
    [
      "of text",
      (file) => writeFileSync(file, "not SQLite, just a note ".repeat(100)),
      "is not a backup of Baton",
    ],
    [
      "of another program",
      (file) => {
        rmSync(file);
        edit(file, "CREATE TABLE bookmarks (url TEXT)");
      },
      "is not a backup of Baton",
    ],
    [
      "of a newer Baton",
      (file) => edit(file, "INSERT INTO migrations VALUES (999, 0)"),
      "is of a newer Baton (schema 999",
    ],
  ])("a file %s", (_, spoil, words) => {
    const file = join(folder, "spoilt.db");
    copyFileSync(join(folder, "whole.db"), file);
    spoil(file);
    expect(() => checkBackup(file)).toThrow(words);
  });
});
