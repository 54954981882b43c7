/**
 * A model on loopback that plays a script, in the streaming protocols of OpenAI (`/v1/chat/completions`) and Anthropic
 * (`/v1/messages`). What it was asked is kept to be looked at. It can also fail in the ways that real ones do.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

interface ScriptedCall {
  readonly name: string;
  /** Sent as it is, so that it need not be JSON. */
  readonly arguments: string;
  readonly id?: string;
}

interface ScriptedUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

/** An answer, or a failure. */
export type Reply =
  | {
      readonly reasoning?: string;
      /** Each piece is an event of its own. */
      readonly text?: string | readonly string[];
      readonly calls?: readonly ScriptedCall[];
      readonly usage?: ScriptedUsage;
      /** What it says that it is; the model that was asked for by default. */
      readonly model?: string;
      readonly finish?: "stop" | "length";
      /** Waited for between two pieces of text. */
      readonly pauseMs?: number;
      /** Waited for before the last piece of text. */
      readonly gate?: Promise<unknown>;
      /**
       * What happens after the text, instead of an end: the connection drops; the stream ends as if nothing were
       * missing; an event is not JSON; an error is streamed; words come forever; nothing more comes; or not even
       * headers come, or comments only.
       */
      readonly ending?: "drop" | "cut" | "malformed" | "error" | "endless" | "silence" | "hang" | "comments";
    }
  | {
      readonly status: number;
      readonly message?: string;
      readonly type?: string;
      readonly headers?: Readonly<Record<string, string>>;
    };

export interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was sent.
  readonly body: any;
}

export type Script = (request: SeenRequest, number: number) => Reply | Promise<Reply>;

type Protocol = "openai" | "anthropic";

export class ModelServer {
  readonly requests: SeenRequest[] = [];
  /** What `GET /models` and Ollama's tags list. */
  models: readonly string[] = ["model-a", "model-b"];
  script: Script;
  readonly #server: Server;

  static async start(script: Script | readonly Reply[] = []): Promise<ModelServer> {
    const server = new ModelServer(script);
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  private constructor(script: Script | readonly Reply[]) {
    this.script = typeof script === "function" ? script : inOrder(script);
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  /** The last reply is given again and again. */
  play(...replies: readonly Reply[]): void {
    this.requests.length = 0;
    this.script = inOrder(replies);
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `http://${this.host}/v1`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on("error", () => {});
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    const path = request.url ?? "";
    const seen = { path, headers: request.headers, body: text === "" ? null : JSON.parse(text) };
    if (request.method === "GET") return this.#list(path, response);
    this.requests.push(seen);
    await this.#play(
      await this.script(seen, this.requests.length),
      response,
      path.endsWith("/messages") ? "anthropic" : "openai",
      seen.body?.model ?? "m",
    );
  }

  #list(path: string, response: ServerResponse): void {
    const body = path.startsWith("/api/tags")
      ? { models: this.models.map((name) => ({ name })) }
      : { data: this.models.map((id) => ({ id })) };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  }

  async #play(reply: Reply, response: ServerResponse, protocol: Protocol, asked: string): Promise<void> {
    if ("status" in reply) {
      const { status, message = "No.", type = "error", headers = {} } = reply;
      const error = { message, type, code: type };
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(JSON.stringify(protocol === "openai" ? { error } : { type: "error", error }));
      return;
    }
    if (reply.ending === "hang") return; // Until somebody hangs up.
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (reply.ending === "comments") {
      while (!response.destroyed) {
        response.write(": still here\n\n");
        await pause(20);
      }
      return;
    }
    const { model = asked } = reply;
    const say = protocol === "openai" ? openaiWords(response, model) : anthropicWords(response, model);
    say.begin(reply.usage);
    if (reply.reasoning) say.reasoning(reply.reasoning);
    const pieces = [reply.text ?? []].flat();
    for (const [index, piece] of pieces.entries()) {
      if (index > 0 && reply.pauseMs) await pause(reply.pauseMs);
      if (index === pieces.length - 1) await reply.gate;
      if (response.destroyed) return;
      say.text(piece);
    }
    switch (reply.ending) {
      case "drop":
        await flushed(response);
        response.destroy();
        return;
      case "cut":
        response.end();
        return;
      case "malformed":
        response.write('data: {"choices":[{"delta":\n\n');
        response.end();
        return;
      case "error":
        say.error("The engine is on fire.");
        response.end();
        return;
      case "endless":
        while (!response.destroyed) {
          say.text("word ".repeat(200));
          if (response.writableNeedDrain) await drained(response);
        }
        return;
      case "silence":
        return; // Until somebody hangs up.
      case undefined:
        for (const call of reply.calls ?? []) say.call(call);
        say.end(reply);
        response.end();
        return;
      default:
        reply.ending satisfies never;
    }
  }
}

interface Words {
  begin(usage?: ScriptedUsage): void;
  reasoning(text: string): void;
  text(text: string): void;
  call(call: ScriptedCall): void;
  error(message: string): void;
  end(reply: Extract<Reply, { ending?: unknown }>): void;
}

function openaiWords(response: ServerResponse, model: string): Words {
  let calls = 0;
  const event = (fields: object) =>
    response.write(
      `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", model, ...fields })}\n\n`,
    );
  const delta = (fields: object) => event({ choices: [{ index: 0, delta: fields }] });
  return {
    begin: () => delta({ role: "assistant", content: "" }),
    reasoning: (text) => delta({ reasoning_content: text }),
    text: (text) => delta({ content: text }),
    call({ name, arguments: json, id }) {
      const index = calls++;
      const half = Math.floor(json.length / 2);
      delta({
        tool_calls: [
          {
            index,
            id: id ?? `call_${index}`,
            type: "function",
            function: { name, arguments: json.slice(0, half) },
          },
        ],
      });
      delta({ tool_calls: [{ index, function: { arguments: json.slice(half) } }] });
    },
    error: (message) => response.write(`data: ${JSON.stringify({ error: { message, code: 502 } })}\n\n`),
    end({ usage, finish, calls: wanted = [] }) {
      const reason = wanted.length > 0 ? "tool_calls" : (finish ?? "stop");
      event({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });
      if (usage) {
        const { input, output, cacheRead = 0 } = usage;
        event({
          choices: [],
          usage: {
            prompt_tokens: input + cacheRead,
            completion_tokens: output,
            total_tokens: input + cacheRead + output,
            prompt_tokens_details: { cached_tokens: cacheRead },
          },
        });
      }
      response.write("data: [DONE]\n\n");
    },
  };
}

function anthropicWords(response: ServerResponse, model: string): Words {
  let block = -1;
  let open: "text" | "thinking" | null = null;
  const event = (type: string, fields: object = {}) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
  const close = () => {
    if (open === "thinking") {
      event("content_block_delta", { index: block, delta: { type: "signature_delta", signature: "signed" } });
    }
    if (open !== null) event("content_block_stop", { index: block });
    open = null;
  };
  const start = (kind: "text" | "thinking", content_block: object) => {
    if (open === kind) return;
    close();
    open = kind;
    event("content_block_start", { index: ++block, content_block });
  };
  return {
    begin: (usage) =>
      event("message_start", {
        message: {
          type: "message",
          id: "m1",
          role: "assistant",
          model,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: {
            input_tokens: usage?.input ?? 0,
            output_tokens: 1,
            cache_read_input_tokens: usage?.cacheRead ?? 0,
            cache_creation_input_tokens: usage?.cacheWrite ?? 0,
          },
        },
      }),
    reasoning(thinking) {
      start("thinking", { type: "thinking", thinking: "" });
      event("content_block_delta", { index: block, delta: { type: "thinking_delta", thinking } });
    },
    text(text) {
      start("text", { type: "text", text: "" });
      event("content_block_delta", { index: block, delta: { type: "text_delta", text } });
    },
    call({ name, arguments: json, id }) {
      close();
      const content_block = { type: "tool_use", id: id ?? `toolu_${block + 1}`, name, input: {} };
      event("content_block_start", { index: ++block, content_block });
      event("content_block_delta", { index: block, delta: { type: "input_json_delta", partial_json: json } });
      event("content_block_stop", { index: block });
    },
    error: (message) => event("error", { error: { type: "overloaded_error", message } }),
    end({ usage, finish, calls = [] }) {
      close();
      const stop_reason = calls.length > 0 ? "tool_use" : finish === "length" ? "max_tokens" : "end_turn";
      event("message_delta", {
        delta: { stop_reason, stop_sequence: null },
        usage: { output_tokens: usage?.output ?? 1 },
      });
      event("message_stop");
    },
  };
}

function inOrder(replies: readonly Reply[]): Script {
  return (_, number) => replies[Math.min(number, replies.length) - 1] ?? { status: 500 };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function flushed(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => response.write(": \n\n", () => setImmediate(resolve)));
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.on("drain", done).on("close", done);
  });
}
