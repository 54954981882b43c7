/**
 * Ids, each with a type of its own: the compiler refuses one id where another one is meant. At run time an id is a text or a
 * number. Code that makes a new id or reads it from a row gives it its type; nothing else does.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { InputError } from "./errors.js";

declare const idOf: unique symbol;

export type SessionId = string & { readonly [idOf]: "session" };
export type TurnId = string & { readonly [idOf]: "turn" };
export type HandoffId = string & { readonly [idOf]: "handoff" };
export type ProcessId = string & { readonly [idOf]: "process" };
export type JobId = string & { readonly [idOf]: "job" };
/** A row of the runs of jobs. */
export type RunId = number & { readonly [idOf]: "run" };
/** The same for the same words of the same work, so that no process adds them to the outbox twice. */
export type DeliveryId = string & { readonly [idOf]: "delivery" };
/** A row of the inbox. */
export type InboxId = number & { readonly [idOf]: "inbox" };

export function newTurnId(): TurnId {
  return `turn_${randomUUID()}` as TurnId;
}

export function newHandoffId(): HandoffId {
  return `ho_${randomBytes(9).toString("hex")}` as HandoffId;
}

/** Short: people and agents type it. */
export function newProcessId(): ProcessId {
  return `p_${randomBytes(5).toString("hex")}` as ProcessId;
}

/** An id that came from outside; perhaps no process has it. It becomes a file name, so only this shape is accepted. */
export function isProcessId(text: string): text is ProcessId {
  return /^p_[0-9a-f]{10}$/.test(text);
}

/** Short: people and agents type it. */
export function newJobId(): JobId {
  return `j_${randomBytes(4).toString("hex")}` as JobId;
}

export function isJobId(text: string): text is JobId {
  return /^j_[0-9a-f]{8}$/.test(text);
}

/** An id that came from outside; perhaps no handoff has it. */
export function asHandoffId(text: string): HandoffId {
  return text as HandoffId;
}

/** The words that say of what work it is, and which part of it. */
export function deliveryIdOf(...parts: readonly (string | number)[]): DeliveryId {
  return parts.join(".") as DeliveryId;
}

/** `YYYYMMDD_HHMMSS_<12 hex>` in UTC. */
export function sessionIdAt(now: number, hex: string): SessionId {
  const [date = "", time = ""] = new Date(now).toISOString().split("T");
  return `${date.replaceAll("-", "")}_${time.slice(0, 8).replaceAll(":", "")}_${hex}` as SessionId;
}

export function newSessionId(now: number): SessionId {
  return sessionIdAt(now, randomBytes(6).toString("hex"));
}

/** Ids become file names in exports: only this shape is accepted from outside. */
export function isSessionId(text: string): text is SessionId {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(text);
}

/** Checks an id that came from outside. */
export function asSessionId(text: string): SessionId {
  if (isSessionId(text)) return text;
  throw new InputError(
    "invalid_session_id",
    "A session id must have 1 to 100 letters, digits, - and _, and begin with a letter or digit.",
  );
}
