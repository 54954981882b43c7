/**
 * What a commit changed. Row writers record it within their transaction; after the commit the store tells everyone who
 * subscribed, in this process and in the others. So no write needs a second call to be noticed.
 */
import type { SessionId } from "../session/ids.js";
import type { Platform } from "../session/platform.js";
import type { InboxItem } from "./inbox-item.js";

export type Fact =
  /** A session began, changed or was removed. */
  | { readonly kind: "session"; readonly sessionId: SessionId }
  /** Messages were added to a transcript, with the numbers from `first` to `last`. */
  | {
      readonly kind: "messages";
      readonly sessionId: SessionId;
      readonly first: number;
      readonly last: number;
    }
  /** A delivery waits to be sent through this account. */
  | { readonly kind: "outbox"; readonly platform: Platform; readonly account: string }
  /** A message waits for this process to answer it. */
  | { readonly kind: "inbox"; readonly item: InboxItem; readonly holder: string }
  /** A handoff was asked for or made progress, or the turn it waited for ended. */
  | { readonly kind: "handoffs" }
  /** A running turn is asked to end. */
  | { readonly kind: "stops" }
  /** A background process was added, started or ended, or something was said about one. */
  | { readonly kind: "processes" }
  /** A job was made, changed or removed, or a run of one goes on. */
  | { readonly kind: "jobs" }
  /** Somebody was signed out of the page. */
  | { readonly kind: "devices" }
  /** Long work began, went on or ended. */
  | { readonly kind: "work" }
  /** Another process changed this session. */
  | { readonly kind: "elsewhere"; readonly sessionId: SessionId }
  /** Another process committed something, or a notification may have been missed: look at everything. */
  | { readonly kind: "unknown" };

export type Subscriber = (fact: Fact) => void;
