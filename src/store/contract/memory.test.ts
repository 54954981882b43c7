/** The contract over SQLite in memory, which has one connection. */
import { fixtureAt, storeContracts } from "../../../test/support/store-contracts.js";

storeContracts("SQLite memory", async () => {
  const fixture = fixtureAt("sqlite::memory:", () => {});
  const only = fixture.open();
  return { ...fixture, open: () => only };
});
