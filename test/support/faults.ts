/**
 * What goes wrong on the way to an HTTP server, played at the server itself: nobody listens, connections are reset,
 * proxies answer with pages of their own, answers break off or never come.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { DoorFault, Fault } from "../../src/testing/adapter/fixture.js";

type Meeting = Exclude<Fault, "unreachable" | "reachable">;

const PAGE =
  "<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title></head><body>cloudflare</body></html>\n";
const HTML = { "content-type": "text/html; charset=UTF-8", server: "cloudflare" };

export class Faults {
  readonly #server: Server;
  readonly #isSend: (method: string, path: string) => boolean;
  readonly #cut: () => void;
  #next: Meeting | null = null;
  /** What the next request meets, whatever it asks for. */
  #door: DoorFault | null = null;
  /** What the next download meets. */
  #held: { isIt: (path: string, body: Buffer) => boolean; settle: () => void } | null = null;
  /** What stops the next large upload. */
  #upload: { atLeast: number; settle: () => void } | null = null;
  #port = 0;

  /** To be made before the server gets its first request. `cut`: ends the lines that stay open. */
  constructor(server: Server, isSend: (method: string, path: string) => boolean, cut: () => void) {
    this.#server = server;
    this.#isSend = isSend;
    this.#cut = cut;
    const serve = server.listeners("request") as ((...args: unknown[]) => void)[];
    server.removeAllListeners("request");
    server.on("request", (request, response) => {
      this.#holdIfAsked(request, response);
      if (!this.#stops(request) && !this.#meets(request, response))
        for (const each of serve) each.call(server, request, response);
    });
  }

  async play(fault: Fault): Promise<void> {
    if (fault === "unreachable") return this.#vanish();
    if (fault === "reachable") return this.#appear();
    this.#next = fault;
  }

  door(fault: DoorFault): void {
    this.#door = fault;
  }

  /** The next answer that is such a download stops in the middle, and stays there. Settles when it has. */
  hold(isIt: (path: string, body: Buffer) => boolean): Promise<void> {
    return new Promise((settle) => {
      this.#held = { isIt, settle };
    });
  }

  /** The next upload of so many bytes stops in the middle, and stays there. Settles when it has. */
  holdUpload(atLeast: number): Promise<void> {
    return new Promise((settle) => {
      this.#upload = { atLeast, settle };
    });
  }

  #stops(request: IncomingMessage): boolean {
    const { atLeast = 0, settle } = this.#upload ?? {};
    const { "content-length": length, "transfer-encoding": encoding } = request.headers;
    if (!settle || !(Number(length) >= atLeast || encoding === "chunked")) return false;
    this.#upload = null;
    let read = 0;
    request.on("data", (piece: Buffer) => {
      read += piece.byteLength;
      if (read < atLeast / 2) return;
      request.pause();
      settle();
    });
    return true;
  }

  #holdIfAsked({ url = "/" }: IncomingMessage, response: ServerResponse): void {
    const end = response.end.bind(response) as (body?: unknown) => ServerResponse;
    response.end = ((body?: unknown) => {
      const bytes = Buffer.from((body ?? "") as Uint8Array);
      const held = this.#held;
      if (!held?.isIt(url, bytes)) return end(body);
      this.#held = null;
      response.write(bytes.subarray(0, bytes.byteLength / 2), held.settle);
      return response;
    }) as ServerResponse["end"];
  }

  async #vanish(): Promise<void> {
    this.#port = (this.#server.address() as AddressInfo).port;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#cut();
    this.#server.closeAllConnections();
    await closed;
  }

  /** Another process may have the port for a moment. */
  async #appear(): Promise<void> {
    for (;;) {
      const failure = await new Promise<Error | null>((resolve) => {
        this.#server.once("error", resolve);
        this.#server.listen(this.#port, "127.0.0.1", () => {
          this.#server.off("error", resolve);
          resolve(null);
        });
      });
      if (failure === null) return;
      await sleep(20);
    }
  }

  /** True if the server is not to answer it. */
  #meets(request: IncomingMessage, response: ServerResponse): boolean {
    const isSend = this.#isSend(request.method ?? "GET", request.url ?? "/");
    const fault = this.#door ?? (isSend ? this.#next : null);
    if (fault === null) return false;
    if (this.#door === null) this.#next = null;
    this.#door = null;
    switch (fault) {
      case "reset":
        request.socket.resetAndDestroy();
        return true;
      case "page":
        request.resume().on("end", () => response.writeHead(502, HTML).end(PAGE));
        return true;
      case "page to wait":
        request.resume().on("end", () => response.writeHead(429, { ...HTML, "retry-after": "3" }).end(PAGE));
        return true;
      case "silence":
        request.resume();
        return true;
      case "reset after":
        answerWith(response, () => request.socket.resetAndDestroy());
        return false;
      case "page after":
        answerWith(response, (answer) => answer(502, HTML, PAGE));
        return false;
      case "half an answer":
        answerWith(response, (answer) =>
          answer(200, { "content-type": "application/json" }, '{"ok":true,"mess'),
        );
        return false;
    }
  }
}

type Answer = (status: number, headers: Readonly<Record<string, string>>, body: string) => void;

/** Whatever the server says, this is done instead. */
function answerWith(response: ServerResponse, instead: (answer: Answer) => void): void {
  const [writeHead, end] = [response.writeHead.bind(response), response.end.bind(response)];
  response.setHeader = () => response;
  response.writeHead = () => response;
  response.write = () => true;
  response.end = () => {
    instead((status, headers, body) => {
      response.writeHead = writeHead;
      response.end = end;
      writeHead(status, headers);
      end(body);
    });
    return response;
  };
}
