/** For those who build on Baton: the suites that our own stores and agents pass, and an adapter to script. */
export { type AgentCues, agentContract } from "./agent-contract.js";
export { type GatewayStoreFixture, gatewayStoreContract } from "./gateway-store-contract.js";
export { ScriptedAdapter, type ScriptedOptions } from "./scripted-adapter.js";
export { type StoreFixture, sessionStoreContract } from "./session-store-contract.js";
