/**
 * For people who build on Baton: the test suites that our own adapters, agents and stores pass, and an adapter that a
 * test can script.
 */

import "../adapter/platforms.js";

// Test an adapter, or a gateway with an adapter that does what the test says.

export type { Surface } from "../gateway/surface.js";
export type {
  AdapterFixture,
  DoorFault,
  Fault,
  ShownFile,
  Trouble,
  Unplayable,
  Written,
} from "./adapter/fixture.js";
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

export * from "./stores.js";
