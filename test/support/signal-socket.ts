/**
 * `signal-cli daemon --socket --receive-mode=manual` as a real Unix socket in a private folder, before a daemon that is
 * spoken to by HTTP: each line is passed on to it, and its events come as notifications once they are subscribed to.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { readEvents } from "../../src/adapter/signal/events.js";
import type { DoorFault, Fault } from "../../src/testing/adapter/fixture.js";

interface Request {
  readonly id: number;
  readonly method: string;
  readonly params: { readonly account?: string };
}

export class SignalSocket {
  readonly folder: string;
  readonly #http: string;
  readonly #clients = new Set<Socket>();
  #server: Server;
  /** What the next message meets. */
  #next: Fault | null = null;
  #door: DoorFault | null = null;

  static async open(http: string): Promise<SignalSocket> {
    const folder = await mkdtemp(join(tmpdir(), "baton-socket-"));
    const socket = new SignalSocket(folder, http);
    await socket.start();
    return socket;
  }

  private constructor(folder: string, http: string) {
    this.folder = folder;
    this.#http = http;
    this.#server = createServer();
  }

  get path(): string {
    return join(this.folder, "signal.sock");
  }

  get url(): string {
    return `unix:${this.path}`;
  }

  get clients(): number {
    return this.#clients.size;
  }

  async start(): Promise<void> {
    this.#server = createServer((client) => this.#serve(client));
    await new Promise<void>((resolve) => this.#server.listen(this.path, resolve));
  }

  /** As if the daemon died: the connections are gone, and so is the socket. */
  async stop(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  cut(): void {
    for (const client of this.#clients) client.destroy();
  }

  async play(fault: Fault): Promise<void> {
    if (fault === "unreachable") await this.stop();
    else if (fault === "reachable") await this.start();
    else this.#next = fault;
  }

  /** What the next connection meets. */
  door(fault: DoorFault): void {
    this.#door = fault;
  }

  /** To everybody who is connected, as it is. */
  say(bytes: string | Uint8Array): Promise<unknown> {
    const written = [...this.#clients].map(
      (client) => new Promise((resolve) => client.write(bytes, resolve)),
    );
    return Promise.all(written);
  }

  async close(): Promise<void> {
    await this.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  #serve(client: Socket): void {
    const gone = new AbortController();
    this.#clients.add(client);
    client.on("error", () => {}); // It is closed next.
    client.on("close", () => {
      this.#clients.delete(client);
      gone.abort();
    });
    const door = this.#door;
    this.#door = null;
    if (door === "reset") client.destroy();
    if (door) return;
    const say = (said: object): void => void client.write(`${JSON.stringify({ jsonrpc: "2.0", ...said })}\n`);
    const lines = createInterface({ input: client });
    lines.on("error", () => {}); // The same as the client's.
    lines.on("line", (line) => {
      const request = JSON.parse(line) as Request;
      const fault = request.method === "send" ? this.#next : null;
      if (fault) this.#next = null;
      if (fault === "silence") return;
      if (fault === "reset") return void client.destroy();
      const last = (said: object): void => {
        const answer = JSON.stringify({ jsonrpc: "2.0", ...said });
        client.end(fault === "half an answer" ? answer.slice(0, answer.length / 2) : "");
      };
      this.#answer(request, fault ? last : say, gone.signal).catch(() => client.destroy()); // The daemon has gone.
    });
  }

  async #answer(request: Request, say: (said: object) => void, signal: AbortSignal): Promise<void> {
    const { id, method, params } = request;
    if (method === "subscribeReceive") {
      const query = new URLSearchParams({ account: params.account ?? "" });
      const response = await fetch(`${this.#http}/api/v1/events?${query}`, { signal });
      say({ id, result: 0 });
      if (!response.body) throw new Error("no stream");
      for await (const { data } of readEvents(response.body, signal))
        say({ method: "receive", params: { subscription: 0, result: data } });
      throw new Error("the stream ended");
    }
    const response = await fetch(`${this.#http}/api/v1/rpc`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(request),
      signal,
    });
    const text = await response.text();
    if (response.ok) say({ ...(JSON.parse(text || "{}") as object), id });
    else say({ id, error: { code: -32603, message: `Internal error (${response.status})` } });
  }
}
