/** What it means when WhatsApp ends a connection, refuses a message, or does not answer. */
import { DisconnectReason } from "baileys";
import { ConnectError } from "../../adapter.js";
import { type FailedAnswer, failuresOf } from "../../failure.js";
import { field } from "../../untrusted.js";

/** How to link this machine, in words. */
export const LINK = "run `baton gateway link whatsapp`";
/** What WhatsApp says to clients that are out of date. */
const TOO_OLD = 405;
const USUAL_WAIT_MS = 30_000;

export type Ending =
  /** Somebody has to mend it. `isUnlinked`: WhatsApp does not know this device any more. */
  | { readonly kind: "failed"; readonly reason: string; readonly isUnlinked: boolean }
  /** Try again; at once where WhatsApp itself asks for it. */
  | { readonly kind: "lost"; readonly reason: string; readonly atOnce: boolean };

/** Of a connection that was closed. */
export function endingOf(error: unknown): Ending {
  switch (codeOf(error)) {
    case DisconnectReason.loggedOut:
      return failed(`WhatsApp has unlinked this machine: ${LINK}, then start the gateway again.`, true);
    case DisconnectReason.forbidden:
      return failed("WhatsApp has banned or locked the account: open WhatsApp on its phone to see why.");
    case DisconnectReason.connectionReplaced:
      return failed(
        "another program uses the link of this machine: stop it, then start the gateway again. A link cannot be shared.",
      );
    case DisconnectReason.multideviceMismatch:
      return failed("the phone's WhatsApp is too old for linked devices: update it, and link this machine.");
    case TOO_OLD:
      return failed("WhatsApp no longer accepts this version of Baileys: update Baton, and Baileys with it.");
    case DisconnectReason.restartRequired:
      return { kind: "lost", reason: "WhatsApp asks Baton to connect again.", atOnce: true };
    default:
      return { kind: "lost", reason: `the connection to WhatsApp ended: ${wordsOf(error)}.`, atOnce: false };
  }
}

/** The same as the port has it. */
export function connectErrorOf(error: unknown): ConnectError {
  const ending = endingOf(error);
  if (ending.kind === "failed") return new ConnectError("permanent", ending.reason);
  return new ConnectError("retryable", ending.reason, ending.atOnce ? { retryAfterMs: 0 } : {});
}

function failed(reason: string, isUnlinked = false): Ending {
  return { kind: "failed", reason, isUnlinked };
}

/** Of a call that failed before the message was handed over, as far as that is certain. */
export const { sendError } = failuresOf({
  name: "WhatsApp",
  answerIn(error) {
    // Only failures of Baileys' own have a code, and those are of the steps before the message is handed over.
    const status = codeOf(error);
    if (status === null) return null;
    const isForGood = status >= 400 && status < 500 && status !== 428;
    return { ...answerOf(status, wordsOf(error)), outcome: isForGood ? undefined : "retryable" };
  },
});

/** Of a message that WhatsApp answered with a number. */
export const { sendError: refusalOf } = failuresOf({
  name: "WhatsApp",
  answerIn(given) {
    const status = Number(given);
    // It said no to this very message; and sent again, it has the same id, which is shown once.
    const outcome = status >= 500 ? "retryable" : status === 429 ? undefined : "permanent";
    return {
      ...answerOf(status, String(given).slice(0, 20)),
      outcome,
      sentence:
        status === 463
          ? "WhatsApp does not let the account write to this person first (463): they have to write, or it is restricted."
          : undefined,
    };
  },
});

function answerOf(status: number, words: string): FailedAnswer {
  return { status, words, retryAfterMs: status === 429 ? USUAL_WAIT_MS : undefined };
}

/** Baileys says what happened as a status; what WhatsApp answered a question with stands beside it. */
function codeOf(error: unknown): number | null {
  const answered = field(error, "data");
  const code = typeof answered === "number" ? answered : field(error, "output", "statusCode");
  return typeof code === "number" ? code : null;
}

function wordsOf(error: unknown): string {
  const words = error instanceof Error ? error.message : String(error ?? "no reason given");
  return words.split("\n")[0]?.slice(0, 200).replace(/\.$/, "") || "no reason given";
}
