/** For people who write a store: the suites of its ports, and the types that these mention. */

export { consolidationContract } from "./consolidation-contract.js";
export { erasureStoreContract } from "./erasure-store-contract.js";
export { factsContract } from "./facts-contract.js";
export { type GatewayStoreFixture, gatewayStoreContract } from "./gateway-store-contract.js";
export { handoffStoreContract } from "./handoff-store-contract.js";
export { jobStoreContract } from "./job-store-contract.js";
export { laneStoreContract } from "./lane-store-contract.js";
export { memoryNotesContract } from "./memory-notes-contract.js";
export { overviewContract } from "./overview-contract.js";
export { peopleStoreContract } from "./people-store-contract.js";
export { processStoreContract } from "./process-store-contract.js";
export { retentionContract } from "./retention-contract.js";
export { type StoreFixture, sessionStoreContract } from "./session-store-contract.js";
export type * from "./store-types.js";
export { terminalStoreContract } from "./terminal-store-contract.js";
export { usageStoreContract } from "./usage-store-contract.js";
export { webStoreContract } from "./web-store-contract.js";
