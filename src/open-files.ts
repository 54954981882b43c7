/** Configuration → who reads the files of messages, documents and voice messages, and which files the agent may send. */
import { type Config, mediaFolder } from "./config/config.js";
import { childEnvironment } from "./config/environment.js";
import { documentReading } from "./document/reading.js";
import type { GatewayFiles } from "./gateway/kept-files.js";
import type { VoiceListening, VoiceSpeaking } from "./gateway/listening.js";

/** `reader`: the program that reads documents. */
export async function openFiles(config: Config, reader: string): Promise<GatewayFiles> {
  return {
    folder: mediaFolder(config),
    documents: documentReading({ program: reader }),
    listening: await listeningOf(config),
    speaking: await speakingOf(config),
    outgoing: async () => (await import("./open-tools.js")).openOutgoing(config),
  };
}

/** Null if nobody set one up. */
async function listeningOf({ voice }: Config): Promise<VoiceListening | null> {
  const { baseUrl, apiKey, model, command, timeoutSeconds } = voice.transcribe;
  const [program, ...args] = command ?? [];
  if (baseUrl === null && program === undefined) return null;
  const { transcriptionAt, transcriptionBy } = await import("./voice/transcription.js");
  const timeoutMs = timeoutSeconds * 1_000;
  if (program !== undefined)
    return {
      transcript: transcriptionBy({
        command: [program, ...args],
        environment: childEnvironment(),
        timeoutMs,
      }),
    };
  const key = apiKey === null ? null : () => apiKey.reveal();
  return { transcript: transcriptionAt({ baseUrl: baseUrl ?? "", apiKey: key, model, timeoutMs }) };
}

/** Null if nobody set one up. */
async function speakingOf({ voice }: Config): Promise<VoiceSpeaking | null> {
  const { baseUrl, apiKey, timeoutSeconds, ...speech } = voice.speak;
  if (baseUrl === null) return null;
  const { speechAt } = await import("./voice/speech.js");
  const key = apiKey === null ? null : () => apiKey.reveal();
  return { speech: speechAt({ ...speech, baseUrl, apiKey: key, timeoutMs: timeoutSeconds * 1_000 }) };
}
