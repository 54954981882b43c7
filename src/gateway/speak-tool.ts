/**
 * The tool `send_voice`: says something as a voice message in this chat. The agent has it only if somebody set up a voice,
 * and where the platform has voice messages; it is told to use it only if the person asks for that.
 */
import type { Adapter } from "../adapter/adapter.js";
import type { Tool } from "../agent/agent.js";
import { answering, Refused } from "../agent/tools/refused.js";
import { deliveryIdOf } from "../session/ids.js";
import type { Clock } from "../util/clock.js";
import type { VoiceSpeaking } from "./listening.js";
import type { Media } from "./media.js";
import type { Outbox, Turn } from "./store.js";

/** What servers take at once. */
const MAX_TEXT = 4_000;

export interface SpeakSetting {
  readonly speaking: VoiceSpeaking;
  readonly media: Pick<Media, "save" | "forget">;
  readonly turn: Turn;
  readonly account: string;
  readonly adapters: readonly Adapter[];
  readonly outbox: Pick<Outbox, "say">;
  readonly holder: string;
  readonly clock: Clock;
}

/** Null if this chat has no voice messages. */
export function speakTool(setting: SpeakSetting): Tool | null {
  const { turn, account, adapters } = setting;
  const { address } = turn;
  const here = adapters.find((each) => each.platform === address.platform && each.account === account);
  if (!here?.capabilities.voice) return null;
  return {
    name: "send_voice",
    description:
      "Says a text as a voice message in this chat. Use it only if the person asks for an answer by voice, and then do not repeat the text in your answer.",
    parameters: {
      type: "object",
      properties: {
        text: {
          type: "string",
          description: `What to say, without Markdown: at most ${MAX_TEXT} characters.`,
        },
      },
      required: ["text"],
      additionalProperties: false,
    },
    run: answering(async (args, { call, signal }) => {
      const text = args.words("text", MAX_TEXT);
      const spoken = await speech(setting.speaking, text, signal);
      return say(setting, here, spoken, call.id);
    }),
  };
}

async function speech(speaking: VoiceSpeaking, text: string, end: AbortSignal): Promise<Uint8Array> {
  try {
    return await speaking.speech(text, end);
  } catch (error) {
    throw new Refused(`nothing was sent, because ${(error as Error).message}. Answer in writing.`);
  }
}

async function say(
  { media, turn, account, outbox, holder, clock }: SpeakSetting,
  { capabilities: { maxFile = 0 } }: Adapter,
  bytes: Uint8Array,
  callId: string,
): Promise<string> {
  if (bytes.byteLength > maxFile)
    throw new Refused("the voice message is too large for this chat. Say less.");
  const file = await media.save({ bytes, name: "voice.ogg", mediaType: "audio/ogg", voice: true });
  const delivery = {
    deliveryId: deliveryIdOf(turn.id, turn.fence, "spoken", callId),
    account,
    holder,
    address: turn.address,
    purpose: "reply" as const,
    text: "",
    files: [file],
    sessionId: turn.sessionId,
    turnId: turn.id, // So that /stop drops it.
    shown: false,
  };
  if (await outbox.say(turn.sessionId, null, [delivery], clock())) return "The voice message is on its way.";
  await media.forget([file]);
  throw new Refused("this call has already sent its message.");
}
