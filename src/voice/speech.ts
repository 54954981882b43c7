/** A text as a recording, by a server with OpenAI's `/audio/speech`. What is thrown is a clause. */
import { HttpRefusal, readBounded, reasonOf, within } from "../adapter/http-call.js";
import { withoutSlashes } from "../util/text.js";
import type { VoiceServer } from "./transcription.js";

const MOST_BYTES = 16 * 1024 * 1024;

export interface SpeechServer extends VoiceServer {
  /** The server's name for the voice. */
  readonly voice: string;
}

export function speechAt({
  baseUrl,
  apiKey,
  model,
  voice,
  timeoutMs,
}: SpeechServer): (text: string, end: AbortSignal) => Promise<Uint8Array> {
  const url = `${withoutSlashes(baseUrl)}/audio/speech`;
  return async (text, end) => {
    const headers: Record<string, string> = {
      "content-type": "application/json",
      ...(apiKey ? { authorization: `Bearer ${apiKey()}` } : {}),
    };
    const body = JSON.stringify({ model, voice, input: text, response_format: "opus" });
    try {
      return await within(timeoutMs, end, async (signal) => {
        const response = await fetch(url, { method: "POST", redirect: "error", headers, body, signal });
        const bytes = await readBounded(response, MOST_BYTES, signal);
        if (!response.ok) throw new HttpRefusal(response, "");
        return bytes;
      });
    } catch (error) {
      if (error instanceof HttpRefusal)
        throw new Error(`the voice server answered ${error.status}`, { cause: error });
      throw new Error(`the voice server did not answer (${reasonOf(error)})`, { cause: error });
    }
  };
}
