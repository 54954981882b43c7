/**
 * What is to be sent, and what could not be: for somebody who decides what becomes of a message that failed, or of which
 * nobody knows whether it arrived. Baton sends neither again by itself.
 */
import type { Purpose } from "../adapter/adapter.js";
import type { SessionBelonging } from "../session/access.js";
import type { Page } from "../session/store.js";
import type { DeliveryState } from "./delivery.js";

/** `waiting`: it is still to be sent, or being sent. */
export const DELIVERY_LISTS = ["waiting", "failed", "unknown"] as const;
export type DeliveryList = (typeof DELIVERY_LISTS)[number];

export const DELIVERY_DECISIONS = ["send", "drop"] as const;
export type DeliveryDecision = (typeof DELIVERY_DECISIONS)[number];

export interface ListedDelivery {
  readonly id: number;
  readonly state: DeliveryState;
  /** Its address as text: the platform may no longer be known. */
  readonly to: string;
  readonly purpose: Purpose;
  readonly text: string;
  readonly createdAt: number;
  readonly attempts: number;
  readonly error: string | null;
  /** Whose conversation it is from; null if it is from none. */
  readonly belongs: SessionBelonging | null;
}

/** `changed`: it is neither failed nor unknown now. `handoff`: it announces a handoff that is over, so it is not sent again. */
export type DeliveryDecided = "done" | "changed" | "handoff";

export interface Deliveries {
  /** What waits: oldest first. Everything else: newest first. */
  list(which: DeliveryList, limit: number, cursor?: string): Promise<Page<ListedDelivery>>;
  /** Sends one that failed or is in doubt as if it had just been written, or drops it. */
  decide(id: number, decision: DeliveryDecision): Promise<DeliveryDecided>;
}
