/**
 * What people say in voice messages, by a server with OpenAI's `/audio/transcriptions` (such as whisper.cpp's, Speaches or
 * OpenAI itself) or by a command. What is thrown is a clause for the person who spoke: "the server answered 500".
 */
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { HttpRefusal, reasonOf, textFrom } from "../adapter/http-call.js";
import type { Attachment } from "../session/transcript.js";
import { isFields, parseJson } from "../util/json.js";
import { cleanLine, shorten, withoutSlashes } from "../util/text.js";
import { timerMs } from "../util/timer-ms.js";

/** As the gateway's port wants it. */
type Transcribe = (path: string, attachment: Attachment, end: AbortSignal) => Promise<string>;

export interface VoiceServer {
  /** With its version, as `http://127.0.0.1:8080/v1`. */
  readonly baseUrl: string;
  readonly apiKey: (() => string) | null;
  readonly model: string;
  readonly timeoutMs: number;
}

const MOST_TEXT = 1_000_000;
/** Servers tell the format by the end of the name. */
const ENDS: Readonly<Record<string, string>> = {
  "audio/ogg": ".ogg",
  "audio/opus": ".ogg",
  "audio/mpeg": ".mp3",
  "audio/mp4": ".m4a",
  "audio/x-m4a": ".m4a",
  "audio/aac": ".m4a",
  "audio/wav": ".wav",
  "audio/webm": ".webm",
  "video/mp4": ".mp4",
  "video/webm": ".webm",
};

export function transcriptionAt({ baseUrl, apiKey, model, timeoutMs }: VoiceServer): Transcribe {
  return async (path, { mediaType, name = "" }, end) => {
    const form = new FormData();
    const ending = ENDS[mediaType] ?? (extname(name) || ".ogg");
    form.append("file", new Blob([await readFile(path)], { type: mediaType }), `voice${ending}`);
    form.append("model", model);
    form.append("response_format", "json");
    const headers: Record<string, string> = apiKey ? { authorization: `Bearer ${apiKey()}` } : {};
    const url = `${withoutSlashes(baseUrl)}/audio/transcriptions`;
    const limits = { timeoutMs, maxBytes: MOST_TEXT, end };
    try {
      return textIn(await textFrom(url, { method: "POST", headers, body: form }, limits));
    } catch (error) {
      if (error instanceof HttpRefusal)
        throw new Error(`the transcription server answered ${error.status}`, { cause: error });
      if (error instanceof NoTranscript) throw error;
      throw new Error(`the transcription server did not answer (${reasonOf(error)})`, { cause: error });
    }
  };
}

class NoTranscript extends Error {}

function textIn(answer: string): string {
  try {
    const fields = parseJson(answer);
    if (isFields(fields) && typeof fields.text === "string") return fields.text;
  } catch {
    // As below.
  }
  throw new NoTranscript("the transcription server answered without a text");
}

export interface VoiceCommand {
  /** The program and its arguments; `{file}` stands for the path of the recording. */
  readonly command: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/** The command's output is the text. */
export function transcriptionBy({ command, environment, timeoutMs }: VoiceCommand): Transcribe {
  return (path, _attachment, end) =>
    new Promise((resolve, reject) => {
      const [program, ...args] = command.map((word) => word.replaceAll("{file}", path));
      const child = spawn(program ?? "", args, {
        env: environment,
        stdio: ["ignore", "pipe", "pipe"],
        detached: true, // It may start others, which end with it.
      });
      const said: Buffer[] = [];
      const complained: Buffer[] = [];
      let length = 0;
      let why: string | null = null;
      const stop = (reason: string): void => {
        why ??= reason;
        try {
          if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
        } catch {
          // It has ended.
        }
      };
      const late = setTimeout(() => stop("the transcription took too long"), timerMs(timeoutMs));
      const unwanted = (): void => stop("nobody waits for it any more");
      end.addEventListener("abort", unwanted);
      const keep = (into: Buffer[]) => (piece: Buffer) => {
        length += piece.length;
        if (length > MOST_TEXT) stop("the transcription is too long");
        else into.push(piece);
      };
      child.stdout.on("data", keep(said));
      child.stderr.on("data", keep(complained));
      child.on("error", (error) => {
        why ??= `the transcription command can't be started (${reasonOf(error)})`;
      });
      child.on("close", (code) => {
        clearTimeout(late);
        end.removeEventListener("abort", unwanted);
        if (why !== null) return reject(new Error(why));
        if (code === 0) return resolve(Buffer.concat(said).toString("utf8").trim());
        const words = shorten(cleanLine(Buffer.concat(complained).toString("utf8")), 200);
        return reject(new Error(`the transcription command failed${words ? ` (${words})` : ""}`));
      });
    });
}
