/** The contract over a SQLite file: a copy of an empty store, since its tables take longer to make than most tests. */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { fixtureAt, storeContracts } from "../../../test/support/store-contracts.js";
import { backUpSqlite } from "../sqlite/backup.js";

const folder = mkdtempSync(join(tmpdir(), "baton-contract-"));
const empty = join(folder, "empty.db");
beforeAll(async () => {
  const first = fixtureAt(join(folder, "first.db"), () => {});
  await first.open();
  await backUpSqlite(join(folder, "first.db"), empty, () => {});
  await first.dispose();
});
afterAll(() => rmSync(folder, { recursive: true }));

let stores = 0;
storeContracts("SQLite file", async () => {
  const own = join(folder, String(++stores));
  mkdirSync(own, { mode: 0o700 });
  copyFileSync(empty, join(own, "baton.db"));
  return fixtureAt(join(own, "baton.db"), () => rmSync(own, { recursive: true }));
});
