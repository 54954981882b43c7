/**
 * What became of a message whose call did not say so: the connection broke, or the server did. The platform is asked until
 * it answers; nothing else is sent to that chat meanwhile, so everything stays in order. What certainly is not there is
 * sent again.
 */
import { type FoundMessage, type Letter, SendError } from "../adapter/adapter.js";
import { repeatable } from "../adapter/failure.js";
import { failedOutcome, type SendOutcome, type SendTries } from "./send-outcome.js";
import { type Surface, speakerOf } from "./surface.js";

export interface LookUpSetting {
  /** How often the message was sent, and how old it is by now. */
  readonly tried: () => SendTries;
  /** Waits, but not past the end of this process. */
  readonly pause: (ms: number) => Promise<void>;
  readonly isStopped: () => boolean;
}

/** The platform may still be working on the call that broke: if it were asked at once, it might not have the message yet. */
const SETTLED_MS = 2_000;

/** `error`: how the call ended. */
export async function lookedUp(
  surface: Surface,
  letter: Letter,
  error: string,
  setting: LookUpSetting,
): Promise<SendOutcome> {
  const unknown = { kind: "unknown", error } as const;
  const { idempotent } = surface.capabilities;
  const found = idempotent ? "not there" : await find(surface, letter, setting);
  if (found === null) return unknown;
  if (found !== "not there") return { kind: "sent", messageId: found.messageId };
  const again = failedOutcome(new SendError("retryable", error), setting.tried());
  return idempotent && again.kind === "failed" ? unknown : again;
}

/** Null too if this process stops first. */
async function find(
  surface: Surface,
  letter: Letter,
  { tried, pause, isStopped }: LookUpSetting,
): Promise<FoundMessage> {
  if (surface.speaker && !surface.speaker.find) return null;
  await pause(SETTLED_MS);
  for (let attempts = 0; !isStopped(); attempts++) {
    try {
      const speaker = await speakerOf(surface);
      return (await speaker.find?.(letter)) ?? null;
    } catch (error) {
      const failure = error instanceof SendError ? repeatable(error) : error;
      const outcome = failedOutcome(failure, { ...tried(), attempts });
      if (outcome.kind !== "later") return null;
      await pause(outcome.waitMs);
    }
  }
  return null;
}
