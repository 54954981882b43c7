/** For those who build on Baton: the suites that our own stores, agents and adapters pass, and an adapter to script. */
export {
  type AdapterFixture,
  adapterContract,
  type Trouble,
  type Unplayable,
  type Written,
} from "./adapter-contract.js";
export { type AgentCues, agentContract } from "./agent-contract.js";
export { type GatewayStoreFixture, gatewayStoreContract } from "./gateway-store-contract.js";
export { movesStoreContract } from "./moves-store-contract.js";
export { peopleStoreContract } from "./people-store-contract.js";
export {
  type ScriptedAbility,
  ScriptedAdapter,
  type ScriptedEdit,
  type ScriptedOptions,
} from "./scripted-adapter.js";
export { scriptedFixture } from "./scripted-fixture.js";
export { type ScriptedMessage, ScriptedPlatform } from "./scripted-platform.js";
export { type StoreFixture, sessionStoreContract } from "./session-store-contract.js";
