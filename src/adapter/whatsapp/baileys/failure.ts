/** What it means when WhatsApp ends a connection, refuses a message, or does not answer. */
import { DisconnectReason } from "baileys";
import { ConnectError, SendError } from "../../adapter.js";
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
export function sendFailure(error: unknown): SendError {
  if (error instanceof SendError) return error;
  const code = codeOf(error);
  // Only failures of Baileys' own have a code, and those are of the steps before the message is handed over.
  if (code === null)
    return new SendError("unknown", `WhatsApp: nobody knows what became of it (${wordsOf(error)}).`, {
      cause: error,
    });
  if (code === 429) return tooFast();
  const isForGood = code >= 400 && code < 500 && code !== DisconnectReason.timedOut && code !== 428;
  return new SendError(
    isForGood ? "permanent" : "retryable",
    `WhatsApp did not take it: ${wordsOf(error)}.`,
    { cause: error },
  );
}

/** Of a message that WhatsApp answered with a number. */
export function refusalOf(code: string): SendError {
  const number = Number(code);
  if (number === 429) return tooFast();
  if (number === 463)
    return new SendError(
      "permanent",
      "WhatsApp does not let the account write to this person first (463): they have to write, or it is restricted.",
    );
  // It said no to this very message; and sent again, it has the same id, which is shown once.
  if (number >= 500) return new SendError("retryable", `WhatsApp is not well (${number}).`);
  return new SendError("permanent", `WhatsApp refused it (${code.slice(0, 20)}).`);
}

function tooFast(): SendError {
  return new SendError("retryable", "WhatsApp asks to wait before more is sent.", {
    retryAfterMs: USUAL_WAIT_MS,
  });
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
