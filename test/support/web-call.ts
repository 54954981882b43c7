/** One HTTP request with exactly these headers, which no client of a browser's kind would send. */
import { readFileSync } from "node:fs";
import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { request as secureRequest } from "node:https";

/** A certificate for this machine, which signed itself, and its key. */
export const LOOPBACK_PEM = new URL("./loopback.pem", import.meta.url);

export interface WebCall {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface WebAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
  /** As JSON; undefined if it is none. */
  readonly json: unknown;
}

export async function webCall(url: string, call: WebCall): Promise<WebAnswer> {
  const incoming = await webResponse(url, call);
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  const body = Buffer.concat(pieces);
  const text = body.toString();
  return { status: incoming.statusCode ?? 0, headers: incoming.headers, body, text, json: jsonIn(text) };
}

/** Settles when the head of the answer is here. */
export function webResponse(
  url: string,
  { method = "GET", path, headers = {}, body }: WebCall,
): Promise<IncomingMessage> {
  const { protocol, hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const options = { host: hostname.replace(/^\[|\]$/g, ""), port, method, path, agent: false };
    const sent = { ...options, headers: { ...length, ...headers } };
    const asked =
      protocol === "https:"
        ? secureRequest({ ...sent, ca: readFileSync(LOOPBACK_PEM) }, resolve)
        : request(sent, resolve);
    asked.once("error", reject);
    asked.end(body);
  });
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
