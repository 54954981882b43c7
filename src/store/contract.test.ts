/** One contract over a SQLite file, SQLite in memory and a real PostgreSQL. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { type Postgres, startPostgres } from "../../test/support/postgres.js";
import { openDb } from "../open-sessions.js";
import { consolidationContract } from "../testing/consolidation-contract.js";
import { erasureStoreContract } from "../testing/erasure-store-contract.js";
import { factsContract } from "../testing/facts-contract.js";
import { gatewayStoreContract } from "../testing/gateway-store-contract.js";
import { handoffStoreContract } from "../testing/handoff-store-contract.js";
import { jobStoreContract } from "../testing/job-store-contract.js";
import { laneStoreContract } from "../testing/lane-store-contract.js";
import { memoryNotesContract } from "../testing/memory-notes-contract.js";
import { peopleStoreContract } from "../testing/people-store-contract.js";
import { processStoreContract } from "../testing/process-store-contract.js";
import { retentionContract } from "../testing/retention-contract.js";
import { sessionStoreContract } from "../testing/session-store-contract.js";
import { usageStoreContract } from "../testing/usage-store-contract.js";
import { openSqlStore } from "./sql-store.js";

async function fixtureAt(url: string, remove: () => void | Promise<void>) {
  const opened: { close(): Promise<void> }[] = [];
  return {
    open: async () => {
      const store = await openSqlStore(await openDb(url), 0);
      opened.push(store);
      return store;
    },
    dispose: async () => {
      for (const store of opened) await store.close();
      await remove();
    },
  };
}

for (const contract of [
  sessionStoreContract,
  consolidationContract,
  gatewayStoreContract,
  handoffStoreContract,
  laneStoreContract,
  factsContract,
  peopleStoreContract,
  processStoreContract,
  jobStoreContract,
  usageStoreContract,
  memoryNotesContract,
  erasureStoreContract,
  retentionContract,
]) {
  contract("SQLite file", async () => {
    const folder = mkdtempSync(join(tmpdir(), "baton-contract-"));
    return fixtureAt(join(folder, "baton.db"), () => rmSync(folder, { recursive: true }));
  });

  contract("SQLite memory", async () => {
    const fixture = await fixtureAt("sqlite::memory:", () => {});
    const only = fixture.open(); // memory has one connection
    return { ...fixture, open: () => only };
  });

  contract("PostgreSQL", async () => {
    const url = await postgres.createDatabase();
    return fixtureAt(url, () => postgres.reuseDatabase(url));
  });
}

let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
}, 180_000);
afterAll(() => postgres.stop(), 180_000);
