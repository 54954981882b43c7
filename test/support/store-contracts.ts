/** What every store must do, in one list, and a store of Baton's for it. */
import { openDb } from "../../src/open-sessions.js";
import { openSqlStore } from "../../src/store/sql-store.js";
import { consolidationContract } from "../../src/testing/consolidation-contract.js";
import { erasureStoreContract } from "../../src/testing/erasure-store-contract.js";
import { factsContract } from "../../src/testing/facts-contract.js";
import { type GatewayStoreFixture, gatewayStoreContract } from "../../src/testing/gateway-store-contract.js";
import { handoffStoreContract } from "../../src/testing/handoff-store-contract.js";
import { jobStoreContract } from "../../src/testing/job-store-contract.js";
import { laneStoreContract } from "../../src/testing/lane-store-contract.js";
import { memoryNotesContract } from "../../src/testing/memory-notes-contract.js";
import { overviewContract } from "../../src/testing/overview-contract.js";
import { peopleStoreContract } from "../../src/testing/people-store-contract.js";
import { processStoreContract } from "../../src/testing/process-store-contract.js";
import { retentionContract } from "../../src/testing/retention-contract.js";
import { sessionStoreContract } from "../../src/testing/session-store-contract.js";
import { terminalStoreContract } from "../../src/testing/terminal-store-contract.js";
import { usageStoreContract } from "../../src/testing/usage-store-contract.js";
import { webStoreContract } from "../../src/testing/web-store-contract.js";

export function storeContracts(name: string, createFixture: () => Promise<GatewayStoreFixture>): void {
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
    terminalStoreContract,
    overviewContract,
    webStoreContract,
  ])
    contract(name, createFixture);
}

/** What it opened is closed before `remove`. */
export function fixtureAt(url: string, remove: () => void | Promise<void>): GatewayStoreFixture {
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
