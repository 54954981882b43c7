/** A server with OpenAI's endpoints on loopback, and commands: what is said, and why not. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { speechAt } from "./speech.js";
import { transcriptionAt, transcriptionBy } from "./transcription.js";

const never = new AbortController().signal;
const voice = { file: "a", mediaType: "audio/ogg", name: "voice.oga" };
let server: Server;
let baseUrl: string;
let path: string;
let asked: { url: string; headers: IncomingMessage["headers"]; body: string }[];
let answer: { status: number; body: string | Buffer } | null;

beforeEach(async () => {
  asked = [];
  answer = { status: 200, body: JSON.stringify({ text: "hello" }) };
  path = join(mkdtempSync(join(tmpdir(), "baton-voice-")), "a.ogg");
  writeFileSync(path, "OggS and so on");
  server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString("latin1");
    asked.push({ url: request.url ?? "", headers: request.headers, body });
    if (answer === null) return void request.socket.destroy();
    response.writeHead(answer.status).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

describe("a transcription server", () => {
  const at = () => transcriptionAt({ baseUrl, apiKey: () => "key", model: "small", timeoutMs: 5_000 });

  it("is sent the recording and the model, with the key", async () => {
    expect(await at()(path, voice, never)).toBe("hello");
    const [{ url, headers, body }] = asked as [(typeof asked)[0]];
    expect(url).toBe("/v1/audio/transcriptions");
    expect(headers.authorization).toBe("Bearer key");
    expect(body).toContain('filename="voice.ogg"');
    expect(body).toContain("OggS and so on");
    expect(body).toMatch(/name="model"\r\n\r\nsmall/);
  });

  it("that fails says why", async () => {
    const why = async () => at()(path, voice, never).catch((error: Error) => error.message);
    answer = { status: 500, body: "<html>broken</html>" };
    expect(await why()).toBe("the transcription server answered 500");
    answer = { status: 200, body: "<html>" };
    expect(await why()).toBe("the transcription server answered without a text");
    answer = null;
    expect(await why()).toMatch(/^the transcription server did not answer \(/);
  });
});

describe("a transcription command", () => {
  const by = (...command: [string, ...string[]]) =>
    transcriptionBy({ command, environment: { PATH: process.env.PATH ?? "" }, timeoutMs: 60_000 })(
      path,
      voice,
      never,
    ).catch((error: Error) => `failed: ${error.message}`);

  it("is given the recording, and its output is the text", async () => {
    expect(await by("cat", "{file}")).toBe("OggS and so on");
  });

  it("that fails says why", async () => {
    expect(await by("sh", "-c", "echo 'no model' >&2; exit 3")).toBe(
      "failed: the transcription command failed (no model)",
    );
    expect(await by("/no/such/program")).toBe("failed: the transcription command can't be started (ENOENT)");
  });

  it("ends with all that it started when nobody waits any more", async () => {
    const end = new AbortController();
    const command: [string, ...string[]] = ["sh", "-c", "sleep 600 | cat"];
    const transcript = transcriptionBy({
      command,
      environment: { PATH: "/usr/bin:/bin" },
      timeoutMs: 60_000,
    });
    const heard = transcript(path, voice, end.signal).catch((error: Error) => error.message);
    end.abort();
    expect(await heard).toBe("nobody waits for it any more");
  });
});

describe("a voice server", () => {
  const at = () => speechAt({ baseUrl, apiKey: null, model: "tts", voice: "nova", timeoutMs: 5_000 });

  it("speaks a text as Opus", async () => {
    answer = { status: 200, body: Buffer.from("OggS voice") };
    expect(Buffer.from(await at()("hi", never)).toString()).toBe("OggS voice");
    expect(asked[0]?.url).toBe("/v1/audio/speech");
    expect(JSON.parse(asked[0]?.body ?? "")).toEqual({
      model: "tts",
      voice: "nova",
      input: "hi",
      response_format: "opus",
    });
  });

  it("that fails says why", async () => {
    answer = { status: 401, body: "" };
    expect(await at()("hi", never).catch((error: Error) => error.message)).toBe(
      "the voice server answered 401",
    );
  });
});
