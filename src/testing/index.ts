/**
 * For people who build on Baton: the test suites that our own adapters, agents and stores pass, and an adapter that a
 * test can script.
 */

import "../adapter/platforms.js";

// Test an adapter, or a gateway with an adapter that does what the test says.

export type { Surface } from "../gateway/surface.js";
export type { AdapterFixture, Trouble, Unplayable, Written } from "./adapter/fixture.js";
export { adapterContract } from "./adapter-contract.js";
export { KeptAdapter, type KeptSetting, type LineNews, memoryOf } from "./kept-adapter.js";
export {
  type ScriptedAbility,
  ScriptedAdapter,
  type ScriptedEdit,
  type ScriptedOptions,
} from "./scripted-adapter.js";
export { scriptedFixture } from "./scripted-fixture.js";
export { type ScriptedMessage, ScriptedPlatform } from "./scripted-platform.js";

// Test an agent.

export { type AgentCues, agentContract } from "./agent-contract.js";

// Test a store of sessions, or of all that a gateway keeps.

export type * from "../gateway/facts.js";
export type * from "../gateway/people-store.js";
export type * from "../gateway/store.js";
export type { EndedBy, ProcessEnd } from "../process/process.js";
export type * from "../process/store.js";
export type { DeliveryId, InboxId, ProcessId, TurnId } from "../session/ids.js";
export { factsContract } from "./facts-contract.js";
export { type GatewayStoreFixture, gatewayStoreContract } from "./gateway-store-contract.js";
export { handoffStoreContract } from "./handoff-store-contract.js";
export { jobStoreContract } from "./job-store-contract.js";
export { peopleStoreContract } from "./people-store-contract.js";
export { processStoreContract } from "./process-store-contract.js";
export { type StoreFixture, sessionStoreContract } from "./session-store-contract.js";
