/**
 * What is said about background processes in the chat that their session is in: each once, also after a crash and if
 * several gateways are about to say it. Each method is one atomic step.
 */
import type { KeptProcess } from "../process/store.js";
import type { SessionKey } from "../session/session-key.js";
import type { SessionSource } from "../session/source.js";
import type { NewDelivery } from "./delivery.js";
import type { Account, NewInboxItem } from "./inbox-item.js";

/** Where a session is, or was last if its lane has another one now. */
export interface ReportPlace {
  readonly key: SessionKey;
  readonly source: SessionSource;
  /** The one that its last turn on this platform came through; null if it has had none there yet. */
  readonly account: string | null;
  /** False if the lane has another session now, as after a reset: then the agent there knows nothing of the process. */
  readonly isCurrent: boolean;
}

export interface PlacedProcess {
  readonly process: KeptProcess;
  readonly place: ReportPlace;
}

/**
 * What is said: that the process has ended, or what it printed, or the lines of it that match, between two positions of its
 * output, in bytes. `from` is as far as that was reported before.
 */
export type ReportStep =
  | { readonly kind: "completion" }
  | {
      readonly kind: "matches";
      readonly from: number;
      readonly through: number;
      /** True if too many match: from then on no patterns are watched, but its end will be told. */
      readonly isStorm: boolean;
    }
  | {
      readonly kind: "output";
      readonly from: number;
      readonly through: number;
      /** True if that is all that it will ever print: then its output is not watched any more. */
      readonly isLast: boolean;
    };

/** How it is said. */
export interface ReportEffects {
  /** Wakes the agent: a message for the process that is to answer it, or "" for the one that has the account. */
  readonly wake?: { readonly item: NewInboxItem; readonly holder: string };
  readonly deliveries?: readonly NewDelivery[];
}

export interface ProcessReports {
  /**
   * Ended processes of whose end somebody in this account's chats is to hear, oldest first. A session that has had no
   * turn on the account's platform yet counts for each of its accounts.
   */
  due(account: Account, limit: number): Promise<PlacedProcess[]>;
  /** The processes of a home whose output is watched, with those that ended and whose last output nobody has reported. */
  watched(home: string): Promise<PlacedProcess[]>;
  /**
   * False, and nothing is written, if somebody was faster, or the session is no longer as it was seen in its place: then
   * look again.
   */
  report(seen: PlacedProcess, step: ReportStep, effects: ReportEffects, now: number): Promise<boolean>;
}
