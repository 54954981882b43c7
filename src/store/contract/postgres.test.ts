/** The contract over a real PostgreSQL. */
import { afterAll, beforeAll } from "vitest";
import { type Postgres, startPostgres } from "../../../test/support/postgres.js";
import { type KeptRows, keepRows } from "../../../test/support/postgres-rows.js";
import { fixtureAt, storeContracts } from "../../../test/support/store-contracts.js";

let postgres: Postgres;
let url: string;
let rows: KeptRows;
beforeAll(async () => {
  postgres = await startPostgres();
  url = await postgres.createDatabase();
  const first = fixtureAt(url, () => {});
  await first.open();
  await first.dispose();
  rows = await keepRows(url);
}, 180_000);
afterAll(async () => {
  await rows?.close();
  await postgres?.stop();
}, 180_000);

storeContracts("PostgreSQL", async () => fixtureAt(url, rows.bringBack));
