/**
 * A reply's beginning: the message that showed it while it was made. The reply itself is a row of the outbox like any
 * other; whoever sends it edits that message instead of sending a second one. Beginnings are kept in memory only: after
 * a crash the reply is sent anew, beside the beginning, which is better than one that is never finished.
 */
import { type Letter, SendError, type Speaker } from "../adapter/adapter.js";
import { repeatable } from "../adapter/failure.js";
import { prepareMarkdown } from "../adapter/markdown/prepare.js";

export interface BegunMessage {
  readonly messageId: string;
  /** What it shows; null where nobody knows. */
  readonly text: string | null;
}

export interface Beginning {
  /** It was begun, or is about to be. */
  readonly isSeen: boolean;
  /** Settles when no call for it is under way; null where the reply is to be a message of its own. Does not reject. */
  readonly message: Promise<BegunMessage | null>;
  /** The reply is there, or never will be: what comes after it may be shown. */
  settle(): void;
}

/** Makes the reply of its beginning, or sends it: also where the platform refuses the edit, so that it is not lost. */
export async function post(
  speaker: Speaker,
  message: Letter,
  begun: BegunMessage | null,
): Promise<{ readonly messageId: string }> {
  if (begun !== null && begun.text === message.text) return begun;
  await prepareMarkdown(message.text);
  if (begun === null || !speaker.edit) return speaker.send(message);
  try {
    await speaker.edit(message, begun.messageId);
    return begun;
  } catch (error) {
    if (!(error instanceof SendError)) throw error;
    if (error.outcome === "permanent") return insteadOf(begun, speaker, message);
    throw repeatable(error); // The same edit once more does no harm.
  }
}

/** The reply is there as a whole, so its beginning goes if the platform can take it back: it may say that a tool still runs. */
async function insteadOf(
  { messageId }: BegunMessage,
  speaker: Speaker,
  message: Letter,
): Promise<{ readonly messageId: string }> {
  const sent = await speaker.send(message);
  await speaker.remove?.(message.address, messageId).catch(() => {}); // It stays, above the reply.
  return sent;
}
