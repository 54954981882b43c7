/**
 * A server between an adapter and the server that plays its platform: it passes everything on and sees it, and can
 * answer by itself, let a call vanish, speak into a stream of events, and cut the line.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { Faults } from "./faults.js";

export interface Asked {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

type Answered = Answer | "swallow" | "drop" | null;

export interface BetweenOptions {
  /** `swallow`: it is passed on, and nobody answers. `drop`: nor is it passed on. Null: it is passed on. */
  readonly answer?: (asked: Asked) => Answered | Promise<Answered>;
  /** What the platform answered to what was passed on. */
  readonly heard?: (asked: Asked, status: number, body: string) => void;
  /** Which calls send a message. */
  readonly isSend?: (method: string, path: string) => boolean;
  /** Who takes a socket of the web; it is passed on unless told. */
  readonly upgrade?: (request: IncomingMessage, socket: Socket, head: Buffer) => void;
}

export class Between {
  readonly faults: Faults;
  readonly #server;
  readonly #sockets = new Set<Socket>();
  readonly #streams = new Set<ServerResponse>();
  /** Lines that are sockets of the web now. */
  readonly #upgraded = new Set<Socket>();

  static async open(target: string, options: BetweenOptions = {}): Promise<Between> {
    const between = new Between(target, options);
    await new Promise<void>((resolve) => between.#server.listen(0, "127.0.0.1", resolve));
    return between;
  }

  private constructor(
    target: string,
    {
      answer = () => null,
      heard = () => {},
      isSend = (method) => method === "POST",
      upgrade,
    }: BetweenOptions,
  ) {
    this.#server = createServer(async (request, response) => {
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(piece as Buffer);
      const asked: Asked = {
        method: request.method ?? "GET",
        path: request.url ?? "/",
        headers: Object.fromEntries(
          Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
        ),
        body: Buffer.concat(pieces),
      };
      const own = await answer(asked);
      if (own === "drop") return;
      if (own !== null && own !== "swallow") {
        response.writeHead(own.status, own.headers);
        response.end(own.body);
        return;
      }
      const { host, connection, "content-length": _, "transfer-encoding": __, ...headers } = asked.headers;
      const gone = new AbortController();
      response.on("close", () => gone.abort());
      try {
        const passed = await fetch(target + asked.path, {
          method: asked.method,
          headers,
          signal: gone.signal,
          ...(asked.body.length > 0 ? { body: new Uint8Array(asked.body) } : {}),
        });
        if (passed.headers.get("content-type")?.startsWith("text/event-stream")) {
          response.writeHead(passed.status, { "content-type": "text/event-stream" });
          response.flushHeaders();
          this.#streams.add(response);
          response.on("close", () => this.#streams.delete(response));
          for await (const piece of passed.body ?? []) response.write(piece);
          response.end();
          return;
        }
        const body = await passed.text();
        heard(asked, passed.status, body);
        if (own === "swallow") return;
        response.writeHead(passed.status, { "content-type": passed.headers.get("content-type") ?? "" });
        response.end(body);
      } catch {
        response.destroy(); // One of the two has gone.
      }
    });
    this.faults = new Faults(this.#server, isSend, () => this.cut());
    this.#server.on("upgrade", (request, socket: Socket, head) => {
      if (upgrade) return upgrade(request, socket, head);
      const { method, url, rawHeaders } = request;
      const { hostname, port } = new URL(target);
      const beyond = connect(Number(port), hostname, () => {
        const lines = rawHeaders.flatMap((name, n) => (n % 2 ? [] : [`${name}: ${rawHeaders[n + 1]}`]));
        beyond.write([`${method} ${url} HTTP/1.1`, ...lines, "", ""].join("\r\n"));
      });
      this.#upgraded.add(socket);
      for (const [one, other] of [
        [socket, beyond],
        [beyond, socket],
      ] as const) {
        one.pipe(other);
        one.on("error", () => other.destroy());
        one.on("close", () => other.destroy());
      }
      socket.on("close", () => this.#upgraded.delete(socket));
    });
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** How many listen to the stream of events. */
  get listeners(): number {
    return this.#streams.size;
  }

  /** Into the stream of events. */
  speak(text: string): void {
    for (const stream of this.#streams) stream.write(text);
  }

  /** Into the sockets of the web, in whole frames. */
  inject(bytes: Buffer): void {
    for (const socket of this.#upgraded) socket.write(bytes);
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
