/** What the suites for session stores need of a store. */
import type { SessionStore } from "../session/store.js";

export interface StoreFixture {
  /** A connection to the fixture's data; called again, another one where the store has several. */
  open(): Promise<SessionStore>;
  /** Closes what is still open and removes the data. */
  dispose(): Promise<void>;
}
