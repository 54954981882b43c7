/** What a gateway is put together from, to be loaded at once: a program that imports the library may never open one. */
export { hidingAdapter } from "../adapter/hiding-adapter.js";
export { hidingAgent } from "../agent/hiding-agent.js";
export { processHolder } from "../util/holder.js";
export { Gateway } from "./gateway.js";
export { keptFiles } from "./kept-files.js";
export { MemoryDesk } from "./memory/desk.js";
export { Upkeep } from "./memory/upkeep.js";
export { warnOfScopes } from "./scope-memory.js";
export { TerminalDesk } from "./terminals/terminal-desk.js";
