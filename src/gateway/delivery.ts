/** One letter for one address, as the outbox has it. */
import type { LetterButton, Purpose } from "../adapter/adapter.js";
import type { DeliveryId, HandoffId, RunId, SessionId, TurnId } from "../session/ids.js";
import type { Address } from "../session/source.js";
import type { Attachment } from "../session/transcript.js";

/** A text, or files with or without one: as much as the platform takes at once. What belongs together is added in one transaction. */
export interface NewDelivery {
  readonly deliveryId: DeliveryId;
  /** The account that sends it. */
  readonly account: string;
  /** The process that must send it, while it runs. */
  readonly holder: string;
  readonly address: Address;
  readonly purpose: Purpose;
  /** The handoff that it is about. */
  readonly handoffId?: HandoffId | null;
  /** The run of a job whose result it is. */
  readonly runId?: RunId | null;
  readonly text: string;
  readonly sessionId: SessionId | null;
  /** The turn that it comes from. */
  readonly turnId?: TurnId;
  /** The platform's id of the message that it answers. */
  readonly replyTo?: string | null;
  /** Files of the media store. */
  readonly files?: readonly Attachment[];
  /** Under the text; a press sends the command of the button. */
  readonly buttons?: readonly LetterButton[];
  /** True if it was shown live and need not be sent. */
  readonly shown: boolean;
}

/** `dropped`: somebody stopped the turn before this was sent. */
export const DELIVERY_STATES = ["pending", "sending", "sent", "failed", "unknown", "dropped"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export interface Delivery extends Omit<NewDelivery, "shown" | "turnId"> {
  readonly id: number;
  readonly turnId: TurnId | null;
  readonly state: DeliveryState;
  /** When it was written into the outbox. */
  readonly createdAt: number;
  readonly attempts: number;
  readonly notBefore: number;
}

/** Messages of which nobody knows whether they arrived. */
export interface Doubtful {
  readonly count: number;
  readonly last: number;
}

/** Messages that could not be sent and will not be. */
export interface Undelivered {
  readonly count: number;
  /** `to`: its address as text: the platform may no longer be known. */
  readonly last: { readonly to: string; readonly error: string; readonly at: number } | null;
}
