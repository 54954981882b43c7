/** For those who build on Baton: the suites that our own stores, agents and adapters pass, and an adapter to script. */
export { type AdapterFixture, adapterContract } from "./adapter-contract.js";
export { type AgentCues, agentContract } from "./agent-contract.js";
export { type GatewayStoreFixture, gatewayStoreContract } from "./gateway-store-contract.js";
export { peopleStoreContract } from "./people-store-contract.js";
export { ScriptedAdapter, type ScriptedEdit, type ScriptedOptions } from "./scripted-adapter.js";
export { type StoreFixture, sessionStoreContract } from "./session-store-contract.js";
