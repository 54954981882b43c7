/**
 * A server over streamable HTTP: the library's transport, plus what it lacks. A request ends if its stream ends without
 * an answer (the library waits for the time-out), answers are bounded like those of a process, and a broken stream is
 * not reopened at once, whatever the server says.
 */
import { type JSONRPCMessage, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { timerMs } from "../../util/timer-ms.js";
import { LONGEST_MESSAGE } from "./message-lines.js";

const REOPEN_MS = { least: 1_000, most: 30_000 };
const LEAVE_MS = 1_000;

/** The `data` of the error that ends a request whose stream ended too early. */
export const STREAM_ENDED = Object.freeze({ reason: "the stream ended without an answer" });

type SendOptions = Parameters<StreamableHTTPClientTransport["send"]>[1];

export class McpHttpTransport extends StreamableHTTPClientTransport {
  constructor(url: string, headers: Readonly<Record<string, string>>) {
    super(new URL(url), {
      requestInit: { headers },
      fetch: boundedFetch,
      reconnectionScheduler: (reopen, suggestedMs) => {
        const timer = setTimeout(
          reopen,
          timerMs(Math.min(Math.max(suggestedMs, REOPEN_MS.least), REOPEN_MS.most)),
        ).unref();
        return () => clearTimeout(timer);
      },
    });
  }

  override send(message: JSONRPCMessage | JSONRPCMessage[], options?: SendOptions): Promise<void> {
    return super.send(message, { ...options, onRequestStreamEnd: () => this.#answerFor(message) });
  }

  /** Says goodbye to the server, if it listens, and closes. */
  async leave(): Promise<void> {
    const told = this.terminateSession().catch(() => {}); // A server that is gone needs no goodbye.
    let timer: NodeJS.Timeout | undefined;
    const enough = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, LEAVE_MS);
    });
    await Promise.race([told, enough]);
    clearTimeout(timer);
    await this.close();
  }

  /** If the request was already answered, nobody waits for this any more. */
  #answerFor(message: JSONRPCMessage | JSONRPCMessage[]): void {
    if (Array.isArray(message) || !("method" in message) || !("id" in message)) return;
    const error = { code: -32_000, message: STREAM_ENDED.reason, data: STREAM_ENDED };
    this.onmessage?.({ jsonrpc: "2.0", id: message.id, error });
  }
}

/** Cuts off a response that is too long; then the stream for notifications is opened again. */
async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (!response.body || (response.status >= 300 && response.status < 400)) return response;
  let size = 0;
  const bounded = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        size += bytes.length;
        if (size > LONGEST_MESSAGE) controller.error(new Error("the server sent more than 10 MB"));
        else controller.enqueue(bytes);
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(bounded, { status, statusText, headers });
}
