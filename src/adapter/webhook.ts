/**
 * The server that a platform posts to. It listens on this machine only, unless told otherwise, and answers on one path.
 * Nothing is parsed before it is proven, over the bytes as they came, that the platform sent it. "200" is said when all
 * that was in a post was received, and otherwise "500", so that it comes again. What a post may cost before that is
 * bounded: one whose head cannot be the platform's is not read, and only so many are read at once, each for so long and
 * no longer than the platform's are.
 */

import { createHmac, timingSafeEqual } from "node:crypto";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { parsedUrl } from "../util/parsed-url.js";
import { timerMs } from "../util/timer-ms.js";
import { ConnectError } from "./adapter.js";
import { ended } from "./ended.js";
import { reasonOf } from "./http-call.js";

const LONGEST_BODY = 1024 * 1024;
const LONGEST_WAIT_MS = 15_000;
const LONGEST_HEAD_MS = 5_000;
const MOST_CONNECTIONS = 64;
const MOST_BODIES = 16;
export const LOOPBACK = "127.0.0.1";

/** Where a webhook listens for the platform, or for the proxy by which the platform reaches it. */
export interface WebhookPlace {
  readonly host?: string;
  readonly port?: number;
  readonly path?: string;
}

export interface WebhookOptions extends Required<WebhookPlace> {
  /** Decides by the head alone: how the body is checked, or null if it cannot be the platform's. */
  readonly proof: (headers: IncomingHttpHeaders) => ((body: Buffer) => boolean) | null;
  /** Settles when all of it was received, with what the platform is told; if it throws, the platform posts it again. */
  readonly onPost: (body: Buffer, headers: IncomingHttpHeaders) => Promise<WebhookAnswer | undefined>;
  /** A handshake by GET; null refuses it. Without this there is none. */
  readonly onGet?: (query: URLSearchParams) => WebhookAnswer | null;
  /** How long the head of a post and its body may take. */
  readonly headMs?: number;
  readonly bodyMs?: number;
}

export interface WebhookAnswer {
  readonly type: "text/plain" | "application/json";
  readonly body: string;
}

/** A line that is a webhook: it listens until the end. There is no connection that could be cut. */
export async function serveWebhook(
  options: WebhookOptions & {
    /** The variable of the port, for people whose port is taken. */
    readonly portVariable: string;
    readonly end: AbortSignal;
  },
  /** It listens on this port. The webhook goes on until this settles and the end has come; it goes if this fails. */
  whileListening: (port: number) => Promise<void>,
): Promise<void> {
  const { host, port, portVariable, end } = options;
  const webhook = new Webhook(options);
  try {
    const listening = await webhook.listen().catch((error: unknown) => {
      throw new ConnectError(
        "retryable",
        `The webhook can't listen on ${host}:${port} (${reasonOf(error)}): does another program or bot use it? Set ${portVariable}.`,
        { cause: error },
      );
    });
    await whileListening(listening);
    await ended(end);
  } finally {
    await webhook.close();
  }
}

export class Webhook {
  readonly #options: WebhookOptions;
  readonly #server: Server;
  readonly #running = new Set<Promise<void>>();
  /** The posts whose bodies are being read. */
  readonly #reading = new Set<IncomingMessage>();
  #isClosed = false;

  constructor(options: WebhookOptions) {
    this.#options = options;
    const { headMs = LONGEST_HEAD_MS, bodyMs = LONGEST_WAIT_MS } = options;
    const limits = {
      requestTimeout: Math.max(headMs, bodyMs),
      headersTimeout: headMs,
      connectionsCheckingInterval: Math.min(headMs, 1_000),
      keepAliveTimeout: LONGEST_HEAD_MS,
    };
    this.#server = createServer(limits, (request, response) => {
      const run = this.#handle(request, response)
        .catch(() => answer(response, 500))
        .finally(() => this.#running.delete(run));
      this.#running.add(run);
    });
    this.#server.maxConnections = MOST_CONNECTIONS;
  }

  /** The port that it has. */
  async listen(): Promise<number> {
    const { host, port } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, host, () => {
        this.#server.off("error", reject);
        resolve();
      });
    });
    const address = this.#server.address();
    return typeof address === "object" && address ? address.port : port;
  }

  /** Takes no more, and finishes what it has. A body that has not come yet is not waited for: it comes again. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (!this.#server.listening) return;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const request of this.#reading) request.destroy();
    await Promise.allSettled(this.#running);
    this.#server.closeAllConnections();
    await closed;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { path, proof, onPost, onGet } = this.#options;
    // One connection can carry many posts at once.
    if (this.#isClosed || this.#running.size >= MOST_CONNECTIONS) return answer(response, 503, true);
    const asked = request.url ?? "/";
    const url = parsedUrl(asked, "http://webhook");
    if (url?.pathname !== path) return answer(response, 404, true);
    if (request.method === "GET" && onGet) {
      const said = onGet(url.searchParams);
      return said ? say(response, said) : answer(response, 403);
    }
    if (request.method !== "POST") return answer(response, 405, true);
    const isProven = proof(request.headers);
    if (!isProven) return answer(response, 401, true);
    if (Number(request.headers["content-length"] ?? 0) > LONGEST_BODY) return answer(response, 413, true);
    if (this.#reading.size >= MOST_BODIES) return answer(response, 503, true); // The platform posts it again.
    const body = await this.#read(request);
    if (body === null) return answer(response, 413, true);
    if (!isProven(body)) return answer(response, 401, true);
    const said = await onPost(body, request.headers);
    if (said) say(response, said);
    else answer(response, 200);
  }

  async #read(request: IncomingMessage): Promise<Buffer | null> {
    const { bodyMs = LONGEST_WAIT_MS } = this.#options;
    const timer = setTimeout(() => request.destroy(), timerMs(bodyMs));
    this.#reading.add(request);
    try {
      return await readBody(request);
    } finally {
      clearTimeout(timer);
      this.#reading.delete(request);
    }
  }
}

/** Null where it is too long. */
async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request.iterator({ destroyOnReturn: false })) {
    bytes += (piece as Buffer).byteLength;
    if (bytes > LONGEST_BODY) return null;
    pieces.push(piece as Buffer);
  }
  return Buffer.concat(pieces);
}

/** What only those can make who know the secret, in hex; null if there is no secret: anybody could. */
export function signatureOf(secret: string, ...signed: readonly (string | Buffer)[]): string | null {
  if (secret === "") return null;
  const hmac = createHmac("sha256", secret);
  for (const part of signed) hmac.update(part);
  return hmac.digest("hex");
}

/** In the same time, however much of it is right; a secret that is not set opens nothing. */
export function isSame(given: string | null | undefined, secret: string | null): boolean {
  if (typeof given !== "string" || secret === null || secret === "") return false;
  const digest = (text: string): Buffer => createHmac("sha256", "compare").update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}

/** A header that was sent once. */
export function headerIn(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  return typeof value === "string" ? value : "";
}

function say(response: ServerResponse, { type, body }: WebhookAnswer): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(200, { "content-type": type });
  response.end(body);
}

function answer(response: ServerResponse, status: number, close = false): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, close ? { connection: "close" } : {});
  response.end();
}
