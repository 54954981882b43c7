/** Voice messages: who says what people speak, and who speaks for the agent. */
import { address, list, secret, textOr } from "../util/setting.js";
import { group } from "./groups.js";
import { seconds } from "./seconds.js";

export const voiceSettings = group({
  transcribe: group({
    baseUrl: address({
      description:
        "The address of a server with OpenAI's `/audio/transcriptions`, such as `http://127.0.0.1:8080/v1`. Baton asks it what people say in voice messages.",
    }),
    apiKey: secret({ description: "A file with the server's key." }),
    model: textOr("whisper-1", { description: "The server's name for the model." }),
    command: list(
      null,
      {
        description:
          'Instead of a server: a program and its arguments that prints what is said. `{file}` stands for the recording: `[whisper-to-text, "{file}"]`.',
        fallback: "none",
      },
      { is: "text", error: "give a program and its arguments, as a list" },
    ),
    timeoutSeconds: seconds(120, { description: "How many seconds a transcription may take." }),
  }),
  speak: group({
    baseUrl: address({
      description:
        "The address of a server with OpenAI's `/audio/speech`. With it the agent can answer by voice message, if somebody asks for that.",
    }),
    apiKey: secret({ description: "A file with the server's key." }),
    model: textOr("tts-1", { description: "The server's name for the model." }),
    voice: textOr("alloy", { description: "The server's name for the voice." }),
    timeoutSeconds: seconds(120, { description: "How many seconds it may take to speak a text." }),
  }),
});
