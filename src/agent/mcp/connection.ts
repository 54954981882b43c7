/**
 * A connection to one server: opens it, lists its tools, runs them, closes it. It reports its loss once, and calls in
 * flight end with it. Baton refuses everything that a server asks of it, except `ping`.
 */
import { Client, ProtocolError } from "@modelcontextprotocol/client";
import { z } from "zod";
import type { Clock } from "../../util/clock.js";
import { reasonOf } from "./failure.js";
import { McpHttpTransport } from "./http-transport.js";
import { LineLog } from "./line-log.js";
import { ProcessTransport } from "./process-transport.js";
import type { McpToolResult } from "./result-text.js";
import { toolPage } from "./tool-list.js";

/** The part of the format that every server follows; each item is checked on its own. */
const toolResult = z.looseObject({
  content: z.array(z.unknown()).default([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional().catch(undefined),
});

export type Reach =
  | {
      readonly kind: "process";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string;
    }
  | { readonly kind: "http"; readonly url: string; readonly headers: Readonly<Record<string, string>> };

export interface ConnectionOptions {
  readonly reach: Reach;
  readonly version: string;
  readonly clock: Clock;
  /** A line that the server printed beside its messages. */
  readonly onLine: (line: string) => void;
  /** The same as it comes, for the end of it: why the server failed. */
  readonly onStderr: (text: string) => void;
  readonly onToolsChanged: () => void;
  /** Not called if the connection was closed, or never was open. */
  readonly onLost: (reason: string) => void;
  readonly signal: AbortSignal;
}

export interface CallOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** A command may install itself first (`npx -y`). If it fails, its process ends, and that is seen at once. */
const CONNECT_MS = { process: 600_000, http: 60_000 };
const LIST_MS = 30_000;
const PING_MS = 5_000;
const MOST_PAGES = 64;

export class McpConnection {
  readonly #client: Client;
  readonly #transport: ProcessTransport | McpHttpTransport;
  readonly #log: LineLog;
  readonly #connectMs: number;
  readonly #onLost: (reason: string) => void;
  /** False once the connection was lost or closed. */
  #isOpen = false;
  #isChecking = false;

  /** Rejects if the server can't be reached; then nothing of it is left. */
  static async open(options: ConnectionOptions): Promise<McpConnection> {
    const connection = new McpConnection(options);
    await connection.#open(options.signal);
    return connection;
  }

  private constructor({ reach, version, clock, onLine, onStderr, ...on }: ConnectionOptions) {
    this.#client = new Client({ name: "baton", version });
    this.#log = new LineLog(onLine, clock);
    this.#connectMs = CONNECT_MS[reach.kind];
    this.#onLost = on.onLost;
    this.#client.onclose = () => this.#lose(null);
    this.#client.setNotificationHandler("notifications/tools/list_changed", () => on.onToolsChanged());
    if (reach.kind === "http") {
      this.#transport = new McpHttpTransport(reach.url, checkedHeaders(reach.headers));
      // Nothing reports that a server is gone. So any error makes us check.
      this.#transport.onerror = () => void this.#check();
    } else {
      const hear = (text: string): void => {
        this.#log.add(text);
        onStderr(text);
      };
      this.#transport = new ProcessTransport({ ...reach, onStderr: hear });
    }
  }

  async #open(signal: AbortSignal): Promise<void> {
    try {
      await this.#client.connect(this.#transport, { timeout: this.#connectMs, signal });
      this.#isOpen = true;
    } catch (error) {
      await this.#transport.close();
      this.#log.flush();
      const ending = this.#ending();
      throw ending === null ? error : new Error(ending);
    }
  }

  /** Everything that it lists, not validated. */
  async tools(signal: AbortSignal): Promise<unknown[]> {
    if (!this.#client.getServerCapabilities()?.tools) return [];
    const tools: unknown[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MOST_PAGES; page++) {
      const params = cursor === undefined ? {} : { cursor };
      const found = await this.#client.request({ method: "tools/list", params }, toolPage, {
        timeout: LIST_MS,
        signal,
      });
      tools.push(...found.tools);
      cursor = found.nextCursor;
      if (!cursor) break;
    }
    return tools;
  }

  /** Rejects if there is no result; `failedCall` turns that into words. Each progress message extends the time-out. */
  async call(name: string, args: Record<string, unknown>, options: CallOptions): Promise<McpToolResult> {
    const { signal, timeoutMs } = options;
    return await this.#client.request(
      { method: "tools/call", params: { name, arguments: args } },
      toolResult,
      {
        signal,
        timeout: timeoutMs,
        onprogress: () => {},
        resetTimeoutOnProgress: true,
      },
    );
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    if (this.#transport instanceof McpHttpTransport) await this.#transport.leave();
    else await this.#transport.close();
  }

  async #check(): Promise<void> {
    if (this.#isChecking || !this.#isOpen) return;
    this.#isChecking = true;
    try {
      await this.#client.ping({ timeout: PING_MS });
    } catch (error) {
      // A server that answers that it does not know `ping` is alive.
      if (!(error instanceof ProtocolError)) this.#lose(reasonOf(error));
    } finally {
      this.#isChecking = false;
    }
  }

  #lose(reason: string | null): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#log.flush();
    this.#onLost(reason ?? this.#ending() ?? "it closed the connection");
    void this.#transport.close(); // This does not reject; calls in flight end with it.
  }

  /** Why its process ended, if we did not end it. */
  #ending(): string | null {
    return this.#transport instanceof ProcessTransport ? this.#transport.ending : null;
  }
}

/** The library's own error message would contain the value. */
function checkedHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(headers)) {
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) {
      throw new Error(`the header ${name} has characters that HTTP does not allow`);
    }
  }
  return headers;
}
