/** What the store keeps of what is remembered: the ports of `memory/`, and the titles of sessions. */
import type { Consolidations } from "../../memory/consolidations.js";
import type { MemoryCounts, MemoryNotes } from "../../memory/store.js";
import type { TitleStore } from "./titles.js";

export interface MemoryStores {
  readonly consolidations: Consolidations;
  readonly titles: TitleStore;
  readonly memory: MemoryNotes;
  readonly memoryCounts: MemoryCounts;
}
