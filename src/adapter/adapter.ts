/**
 * The adapter port: one platform, spoken. Small and in the order of the story. An adapter keeps nothing: what it
 * receives is the gateway's before the platform is told, and what it sends stays in the outbox until it is there.
 */
import type { Platform } from "../session/platform.js";
import type { Address, SessionSource } from "../session/source.js";
import type { ToolCall } from "../session/transcript.js";

export interface Adapter {
  readonly platform: Platform;
  /** Which account of the platform this is; message ids are unique within it and a chat. */
  readonly account: string;
  readonly capabilities: Capabilities;
  /** Nobody is there to answer a question while a turn runs, as in a script. */
  readonly isUnattended?: boolean;
  /** Begins to receive. The platform is told that a message arrived only once `receive` has returned. */
  connect(receive: Receive): Promise<void>;
  /** Sends one text and returns the platform's id of it. Fails with a `SendError`. */
  send(message: OutboundMessage): Promise<{ readonly messageId: string }>;
  /** Replaces the text of a message sent before. */
  edit?(message: OutboundMessage, messageId: string): Promise<void>;
  /** Shows that an answer is being made, for as long as the platform shows it. */
  typing?(address: Address): Promise<void>;
  /** Shows a turn while it runs, where the surface can do better than sends and edits. */
  live?(address: Address): LiveReply;
  /** A thread for a handoff; null where the place has none. */
  createThread?(parent: Address, title: string): Promise<Address | null>;
  disconnect(): Promise<void>;
}

export interface Capabilities {
  /** The longest text of one message, counted in `unit`. */
  readonly maxText: number;
  readonly unit: "utf16" | "bytes";
  readonly edit: boolean;
  readonly threads: boolean;
}

export type Receive = (message: InboundMessage) => Promise<Received>;

/** Every kind of entry passes the same gate. */
export interface InboundMessage {
  readonly kind: "message" | "edit" | "reaction" | "button" | "command";
  readonly source: SessionSource;
  /** The platform's id, unique in its chat; a redelivery has the same. */
  readonly messageId: string;
  readonly text: string;
}

export type Received = "accepted" | "duplicate" | "refused";

export interface OutboundMessage {
  readonly address: Address;
  readonly text: string;
  /** Ours, and the same for every attempt: an idempotency key where the platform takes one. */
  readonly deliveryId: string;
}

/** A turn as it happens. Calls come in order; none throws. */
export interface LiveReply {
  text(delta: string): void;
  reasoning(delta: string): void;
  toolCall(call: ToolCall): void;
  toolResult(call: ToolCall, content: string): void;
  /** The turn is over; what was shown as text need not be sent again. */
  end(outcome: "done" | "stopped" | "failed"): void;
}

/** Why a text was not sent. `unknown`: it may or may not have arrived, and is never blindly sent again. */
export class SendError extends Error {
  readonly outcome: "permanent" | "retryable" | "unknown";
  readonly retryAfterMs: number | undefined;

  constructor(
    outcome: "permanent" | "retryable" | "unknown",
    message: string,
    options: { retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.outcome = outcome;
    this.retryAfterMs = options.retryAfterMs;
  }
}
