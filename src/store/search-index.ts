/** The port to a full-text index. Each engine has its own. */
import type { SessionId } from "../session/ids.js";
import type { Queries } from "./db.js";
import type { Phrase } from "./search/query.js";

/** A message as the index takes it. */
export interface IndexedMessage {
  readonly id: number;
  readonly terms: readonly string[];
}

/** What the two engines do differently. */
export interface SearchIndex {
  /** The id up to which every message is committed or never will be; null where that cannot be told just now. */
  settledThrough(): Promise<number | null>;
  /** Adds messages, in the order of their ids, or gives those that are there other terms. */
  put(tx: Queries, messages: readonly IndexedMessage[]): Promise<void>;
  /** Puts the index in order, a little at a time: called after each `put`, outside of its transaction. */
  tidy(): Promise<void>;
  /** Takes a session's messages out, before they are deleted. */
  forget(tx: Queries, sessionId: SessionId): Promise<void>;
  /** Takes out these messages, which stay but were changed. */
  forgetMessages(tx: Queries, ids: readonly number[]): Promise<void>;
  /** The index as a FROM item joined to messages `m`, the column with the message's id, and the matching condition. */
  readonly from: string;
  readonly idColumn: string;
  readonly condition: string;
  /** The parameter of that condition; each group of `anyOf` needs one of its terms. */
  match(phrases: readonly Phrase[], anyOf: readonly (readonly string[])[]): string;
}
