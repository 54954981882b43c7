/** What the ports of a store mention, for people who write one. */

export type * from "../gateway/erasure.js";
export type * from "../gateway/facts.js";
export type { MemoryStores } from "../gateway/memory/memory-stores.js";
export type { TitleStore } from "../gateway/memory/titles.js";
export type * from "../gateway/people-store.js";
export type * from "../gateway/store.js";
export type * from "../gateway/usage-store.js";
export type * from "../memory/consolidations.js";
export type { MemoryNote, NoteMaker } from "../memory/notes.js";
export type { RefusedRanges } from "../memory/range.js";
export type * from "../memory/store.js";
export type { EndedBy, ProcessEnd } from "../process/process.js";
export type * from "../process/store.js";
export type { DeliveryId, InboxId, ProcessId, TurnId } from "../session/ids.js";
export type * from "../session/lane-store.js";
export type * from "../session/rescope.js";
