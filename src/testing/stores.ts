/** For people who write a store: the suites of its ports, and the types that these mention. */

export type * from "../gateway/facts.js";
export type * from "../gateway/people-store.js";
export type * from "../gateway/store.js";
export type { MemoryNote, NoteMaker } from "../memory/notes.js";
export type * from "../memory/store.js";
export type { EndedBy, ProcessEnd } from "../process/process.js";
export type * from "../process/store.js";
export type { DeliveryId, InboxId, ProcessId, TurnId } from "../session/ids.js";
export { factsContract } from "./facts-contract.js";
export { type GatewayStoreFixture, gatewayStoreContract } from "./gateway-store-contract.js";
export { handoffStoreContract } from "./handoff-store-contract.js";
export { jobStoreContract } from "./job-store-contract.js";
export { memoryNotesContract } from "./memory-notes-contract.js";
export { peopleStoreContract } from "./people-store-contract.js";
export { processStoreContract } from "./process-store-contract.js";
export { type StoreFixture, sessionStoreContract } from "./session-store-contract.js";
