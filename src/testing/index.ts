/** For those who build on Baton: the suites that our own stores pass. */
export { type StoreFixture, sessionStoreContract } from "./session-store-contract.js";
