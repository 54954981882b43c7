/**
 * The HTTP server of the page: Node.js listens, hono finds the route. Each request passes the guard before anything else of
 * it is read, every answer has the headers, and what is not an answer of a route is an error in JSON. What a connection
 * may cost before it is known is bounded: the size and the time of its head, the time of its body, and how many there are.
 * Who is refused, or is nobody, keeps no connection; and those that wait for nothing make room when there is none.
 */
import { createServer, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Socket } from "node:net";
import { getRequestListener, type Http2Bindings, type HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { timerMs } from "../../util/timer-ms.js";
import { refused, type WebApp } from "./answers.js";
import type { OwnNames } from "./bind.js";
import { answerEarly, unanswered } from "./early-answers.js";
import { type BodyRoom, isApiPath, refusalOf } from "./guard.js";
import { headersOf } from "./headers.js";
import type { PageFiles } from "./page-files.js";

export interface WebServerSetting {
  readonly host: string;
  readonly port: number;
  readonly tls?: { readonly key: string | Buffer; readonly cert: string | Buffer };
  readonly names: (port: number) => OwnNames;
  readonly room: BodyRoom;
  readonly page: PageFiles;
  readonly maxConnections: number;
  /** How long a head and a whole request may take. */
  readonly headMs?: number;
  readonly bodyMs?: number;
  readonly problem: (sentence: string) => void;
}

const HEAD_MS = 10_000;
const BODY_MS = 5 * 60_000;
/** Longer than proxies wait, so that they never use a connection that we are about to close. */
const KEEP_ALIVE_MS = 75_000;
const LONGEST_HEAD = 16 * 1024;
/** In the address of a request that names none; the guard refuses it. */
const NO_HOST = "unnamed.invalid";
/** How long calls that are being answered may take when the server closes. */
const LEAVE_MS = 2_000;

export class WebServer {
  readonly app: WebApp = new Hono();
  readonly #setting: WebServerSetting;
  readonly #server: Server;
  readonly #connections = new Set<Socket>();
  readonly #answering = new Set<Promise<unknown>>();
  #names: OwnNames = { hosts: new Set(), origins: new Set() };
  #isClosed = false;

  constructor(setting: WebServerSetting) {
    this.#setting = setting;
    const { tls, headMs = HEAD_MS, bodyMs = BODY_MS } = setting;
    const limits = {
      headersTimeout: timerMs(headMs),
      requestTimeout: timerMs(Math.max(headMs, bodyMs)),
      connectionsCheckingInterval: timerMs(Math.min(headMs, 1_000)),
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: LONGEST_HEAD,
      requireHostHeader: false, // The guard requires it.
    };
    this.#routes();
    const listener = getRequestListener(this.#fetch, {
      overrideGlobalObjects: false,
      hostname: NO_HOST,
      errorHandler: unanswered,
    });
    this.#server = tls
      ? createTlsServer({ ...limits, handshakeTimeout: limits.headersTimeout, ...tls }, listener)
      : createServer(limits, listener);
    answerEarly(this.#server);
    this.#keepRoom(setting.maxConnections);
  }

  /** Of connections that were answered and wait for nothing, none keeps anybody out. */
  #keepRoom(most: number): void {
    const server = this.#server;
    server.maxConnections = most;
    server.on("connection", (socket: Socket) => {
      this.#connections.add(socket);
      socket.once("close", () => this.#connections.delete(socket));
      if (this.#connections.size >= most) server.closeIdleConnections();
    });
    server.on("drop", () => server.closeIdleConnections());
  }

  /** The port that it has. Fails as Node.js does. */
  async listen(): Promise<number> {
    const { host, port } = this.#setting;
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, host, () => {
        this.#server.off("error", reject);
        resolve();
      });
    });
    this.#server.on("error", (error) => this.#setting.problem(`The page's server failed: ${error.message}`));
    const address = this.#server.address();
    const listening = typeof address === "object" && address ? address.port : port;
    this.#names = this.#setting.names(listening);
    return listening;
  }

  /** Takes no more, and gives what it is answering a moment. Streams have been ended before. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (!this.#server.listening) return;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeIdleConnections();
    let cancel: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => {
      cancel = setTimeout(resolve, LEAVE_MS);
    });
    await Promise.race([Promise.allSettled(this.#answering), late]);
    clearTimeout(cancel);
    for (const socket of this.#connections) socket.destroySoon();
    this.#server.closeAllConnections();
    await closed;
  }

  readonly #fetch = async (request: Request, env: HttpBindings | Http2Bindings): Promise<Response> => {
    const answering = Promise.resolve(this.app.fetch(request, env as HttpBindings)); // It speaks HTTP/1.1 only.
    this.#answering.add(answering);
    try {
      return await answering;
    } finally {
      this.#answering.delete(answering);
    }
  };

  #routes(): void {
    const { app } = this;
    const { room, page, problem } = this.#setting;
    app.use("*", async (context, next) => {
      const { incoming, outgoing } = context.env;
      const { path } = context.req;
      for (const [name, value] of Object.entries(headersOf(isApiPath(path)))) outgoing.setHeader(name, value);
      if (this.#isClosed) {
        outgoing.setHeader("connection", "close");
        return refused(503, "closing", "Baton is about to stop. Try again in a moment.", {
          "retry-after": "1",
        });
      }
      const refusal = refusalOf(
        { method: context.req.method, target: incoming.url ?? "", path, headers: incoming.headers },
        this.#names,
        room,
      );
      if (refusal) {
        outgoing.setHeader("connection", "close"); // Nothing more of it is read.
        return refused(refusal.status, refusal.code, refusal.message);
      }
      await next();
      if (context.res.status === 401) outgoing.setHeader("connection", "close");
      return;
    });
    app.notFound((context) => {
      const { path, method, raw } = context.req;
      const isPage = !isApiPath(path) && (method === "GET" || method === "HEAD");
      const file = isPage ? page.answer(path, raw.headers) : null;
      if (file) return file;
      return isPage && !page.isBuilt
        ? refused(404, "page_missing", "The page is not in this package. Run `npm run build`.")
        : refused(404, "not_found", "There is nothing here.");
    });
    app.onError((error) => {
      problem(`A call of the page failed: ${error.message}`);
      return refused(503, "failed", "Baton can't do this now. Try again in a moment.");
    });
  }
}
