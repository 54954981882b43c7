/**
 * The server that Meta posts to. It listens on this machine only, unless told otherwise. Nothing is parsed before its
 * signature was checked, over the bytes as they came; "200" is said when all that was in it was received, and otherwise
 * "500", so that it comes again. What a post may cost before that is bounded: one without a signature is not read, and
 * only so many are read at once, each for so long and no longer than Meta's are.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { timerMs } from "../../util/timer-ms.js";
import { jsonOf } from "../untrusted.js";

const LONGEST_BODY = 1024 * 1024;
const LONGEST_WAIT_MS = 15_000;
/** How long the head of a request may take. */
const LONGEST_HEAD_MS = 5_000;
const MOST_CONNECTIONS = 64;
const MOST_BODIES = 16;
const SIGNATURE = /^sha256=[0-9a-f]{64}$/;

export interface WebhookOptions {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly appSecret: () => string;
  readonly verifyToken: () => string;
  /** Everything in it was received; where it throws, it comes again. */
  readonly onPost: (body: unknown) => Promise<void>;
  /** How long a body may take. */
  readonly bodyMs?: number;
}

export class Webhook {
  readonly #options: WebhookOptions;
  readonly #server: Server;
  readonly #running = new Set<Promise<void>>();
  #isClosed = false;
  /** How many bodies are being read. */
  #reading = 0;

  constructor(options: WebhookOptions) {
    if (options.appSecret() === "")
      throw new Error("A webhook needs the app's secret: set WHATSAPP_APP_SECRET.");
    this.#options = options;
    const limits = {
      requestTimeout: LONGEST_WAIT_MS,
      headersTimeout: LONGEST_HEAD_MS,
      connectionsCheckingInterval: 1_000,
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

  /** Takes no more, and finishes what it has. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (!this.#server.listening) return;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    await Promise.allSettled(this.#running);
    this.#server.closeAllConnections();
    await closed;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#isClosed) return answer(response, 503);
    const path = request.url ?? "/";
    const url = URL.canParse(path, "http://webhook") ? new URL(path, "http://webhook") : null;
    if (url?.pathname !== this.#options.path) return answer(response, 404);
    if (request.method === "GET") return this.#verify(url.searchParams, response);
    if (request.method !== "POST") return answer(response, 405);
    const signature = request.headers["x-hub-signature-256"];
    if (typeof signature !== "string" || !SIGNATURE.test(signature)) return answer(response, 401, true);
    if (Number(request.headers["content-length"] ?? 0) > LONGEST_BODY) return answer(response, 413, true);
    if (this.#reading >= MOST_BODIES) return answer(response, 503, true); // Meta posts it again.
    const body = await this.#read(request);
    if (body === null) return answer(response, 413, true);
    if (!isSigned(body, signature, this.#options.appSecret())) return answer(response, 401, true);
    await this.#options.onPost(jsonOf(body.toString("utf8")));
    answer(response, 200);
  }

  async #read(request: IncomingMessage): Promise<Buffer | null> {
    const { bodyMs = LONGEST_WAIT_MS } = this.#options;
    const timer = setTimeout(() => request.destroy(), timerMs(bodyMs));
    this.#reading += 1;
    try {
      return await readBody(request);
    } finally {
      clearTimeout(timer);
      this.#reading -= 1;
    }
  }

  /** The handshake: whoever knows the token gets the challenge back. */
  #verify(query: URLSearchParams, response: ServerResponse): void {
    const challenge = query.get("hub.challenge") ?? "";
    const isTheirs =
      query.get("hub.mode") === "subscribe" &&
      isSame(query.get("hub.verify_token"), this.#options.verifyToken());
    if (isTheirs && /^[\w-]{1,200}$/.test(challenge)) {
      response.writeHead(200, { "content-type": "text/plain" });
      response.end(challenge);
    } else answer(response, 403);
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

/** Nothing is signed with an empty secret: anybody could. */
function isSigned(body: Buffer, signature: string, secret: string): boolean {
  if (secret === "") return false;
  return isSame(signature, `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`);
}

/** In the same time, however much of it is right; a secret that is not set opens nothing. */
function isSame(given: string | null, secret: string): boolean {
  if (given === null || secret === "") return false;
  const digest = (text: string): Buffer => createHmac("sha256", "compare").update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}

function answer(response: ServerResponse, status: number, close = false): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, close ? { connection: "close" } : {});
  response.end();
}
