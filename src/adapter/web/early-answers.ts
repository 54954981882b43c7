/**
 * What is refused before a route is found, because it is no HTTP, or none that Baton speaks. Node.js would answer it without
 * the headers that every answer has; with these answers the connection ends, too.
 */
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { RequestError } from "@hono/node-server";
import { refused } from "./answers.js";
import { headersOf } from "./headers.js";

const CLOSING = { ...headersOf(true), connection: "close" };
const STATUS_OF: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** To a request whose host or target is none; everything else that went wrong is no fault of it. */
export function unanswered(error: unknown): Response {
  return error instanceof RequestError
    ? refused(400, "malformed", "This is not a request that Baton can read.", CLOSING)
    : refused(503, "failed", "Baton can't do this now. Try again in a moment.", CLOSING);
}

export function answerEarly(server: Server): void {
  /** The last answer of each connection. */
  const answers = new WeakMap<Duplex, ServerResponse>();
  server.prependListener("request", (incoming: IncomingMessage, outgoing: ServerResponse) => {
    answers.set(incoming.socket, outgoing);
  });
  server.on("checkExpectation", (_: IncomingMessage, outgoing: ServerResponse) => {
    outgoing.writeHead(417, CLOSING).end();
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    const answer = answers.get(socket);
    const isInAnAnswer = answer?.headersSent === true && !answer.writableFinished;
    if (socket.writable && !isInAnAnswer) socket.write(headFor(STATUS_OF[error.code ?? ""] ?? 400));
    socket.destroy();
  });
}

function headFor(status: number): string {
  const lines = Object.entries({ ...CLOSING, "content-length": "0" }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n`;
}
