/**
 * What became of a message whose call did not say so: the connection broke, or the server or this program ended. The platform is asked until
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
  const there = idempotent ? "not there" : await foundLater(surface, letter, setting);
  if (there === null) return unknown;
  if (there !== "not there") return { kind: "sent", messageId: there.messageId };
  const again = failedOutcome(new SendError("retryable", error), setting.tried());
  return idempotent && again.kind === "failed" ? unknown : again;
}

async function foundLater(surface: Surface, letter: Letter, setting: LookUpSetting): Promise<FoundMessage> {
  if (surface.speaker && !surface.speaker.find) return null;
  await setting.pause(SETTLED_MS);
  return found(surface, letter, setting);
}

/** Asks until the platform answers. Null too if it can't tell, or if this process stops first. */
export async function found(
  surface: Surface,
  letter: Letter,
  { tried, pause, isStopped }: LookUpSetting,
): Promise<FoundMessage> {
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
