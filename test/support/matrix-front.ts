/**
 * What stands between an adapter and a homeserver in the tests: it passes everything on, knows when the account
 * remembers that an event arrived (a homeserver is not told), and can make trouble. For a homeserver that knows texts only it also plays the rest: the
 * contents of people's events, single events, and a media store.
 */
import { createServer, type IncomingMessage, type Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Adapter } from "../../src/adapter/adapter.js";
import type { Trouble } from "../../src/testing/adapter/fixture.js";
import { Faults } from "./faults.js";

/** So long without a sync, and nobody is connected: after a failure, the next one comes a second later. */
const QUIET_ROUNDS = 40;

type Content = Record<string, unknown>;
interface Event {
  event_id: string;
  type: string;
  sender: string;
  content: Content;
}

export class MatrixFront {
  readonly faults: Faults;
  readonly #target: string;
  readonly #plays: boolean;
  readonly #server: Server;
  #trouble: Exclude<Trouble, "revoked token"> | null = null;
  #syncs = 0;
  /** Those who wait until it is remembered that this event arrived. */
  readonly #waiting = new Map<string, () => void>();
  /** In which batch an event came. */
  readonly #delivered = new Map<string, number>();
  readonly #batches: string[] = [];
  readonly #settled = new Set<string>();
  readonly #acknowledged = new Set<string>();
  /** What was written last, and where; and whether it is to come again. */
  #last: { readonly roomId: string; readonly event: Event } | null = null;
  #again = false;
  #askAgain: () => void = () => {};
  #onCameAgain: () => void = () => {};
  #isRevoked = false;
  readonly #played = new Map<string, Pick<Event, "content" | "type">>();
  readonly #events = new Map<string, Event>();
  readonly #files = new Map<string, { bytes: Buffer; mediaType: string }>();
  typed = 0;
  /** What the bot has sent, in order. */
  readonly sent: { readonly roomId: string; readonly event: Event }[] = [];
  /** Who was invited, as `room user`; null where nobody may be. */
  invited: string[] | null = [];
  /** How the homeserver refuses what is sent; null where it does not. */
  refuseSend: (body: string) => [number, Content] | null = () => null;
  /** Called when something is sent, before the homeserver has it. */
  onSend: () => Promise<void> = async () => {};

  /** `plays`: the homeserver behind it knows texts only. */
  constructor(target: string, { plays }: { plays: boolean }) {
    this.#target = target;
    this.#plays = plays;
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
    this.faults = new Faults(
      this.#server,
      (method, path) => method === "PUT" && path.includes("/send/"),
      () => this.cut(),
    );
  }

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  cut(): void {
    this.#server.closeAllConnections();
  }

  /** For the next call that sends; a revoked token holds for every call from now on. */
  trouble(what: Trouble): void {
    if (what === "revoked token") this.#isRevoked = true;
    else this.#trouble = what;
  }

  /** A sync brings what was written last, once more; settles when somebody asked for what comes after that. */
  redeliver(): Promise<void> {
    this.#again = true;
    this.#askAgain();
    return new Promise((resolve) => {
      this.#onCameAgain = resolve;
    });
  }

  /** An adapter whose memory and failures are seen here. */
  watch<Watched extends Adapter>(adapter: Watched): Watched {
    const serve = adapter.serve.bind(adapter);
    adapter.serve = (line) =>
      serve({
        ...line,
        receive: async (message) => {
          try {
            return await line.receive(message);
          } catch (error) {
            this.#settle(message.messageId);
            throw error;
          }
        },
        memory: {
          read: (name) => line.memory.read(name),
          write: async (name, value) => {
            await line.memory.write(name, value);
            if (name === "next_batch") this.#kept(value);
          },
        },
      });
    return adapter;
  }

  #kept(token: string): void {
    const batch = this.#batches.lastIndexOf(token);
    for (const [eventId, its] of this.#delivered) {
      if (its > batch) continue;
      this.#acknowledged.add(eventId);
      this.#settle(eventId);
    }
  }

  #settle(eventId: string): void {
    this.#settled.add(eventId);
    this.#waiting.get(eventId)?.();
    this.#waiting.delete(eventId);
  }

  /** The account remembers that it arrived. */
  isAcknowledged(eventId: string): boolean {
    return this.#acknowledged.has(eventId);
  }

  /** The event with this id has this content and type, from now on. */
  play(eventId: string, content: Content, type = "m.room.message"): void {
    this.#played.set(eventId, { content, type });
    const known = this.#events.get(eventId);
    if (known) Object.assign(known, { content, type });
  }

  keepFile(mediaId: string, bytes: Uint8Array, mediaType: string): void {
    this.#files.set(mediaId, { bytes: Buffer.from(bytes), mediaType });
  }

  fileOf(address: string): Buffer | undefined {
    return this.#files.get(address.split("/").at(-1) ?? "")?.bytes;
  }

  /** Settles when the account remembers that it arrived, or it could not be received; or where nobody asks any more. */
  async told(eventId: string): Promise<void> {
    if (this.#settled.has(eventId)) return;
    let quiet = 0;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#waiting.set(eventId, resolve);
      timer = setInterval(() => {
        quiet = this.#syncs === 0 ? quiet + 1 : 0;
        if (quiet > QUIET_ROUNDS) resolve();
      }, 50);
    });
    clearInterval(timer);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.#target);
    const body = await read(request);
    if (request.method === "PUT" && url.pathname.includes("/typing/") && body.includes(":true"))
      this.typed += 1;
    if (this.#isRevoked) return answer(response, 401, { errcode: "M_UNKNOWN_TOKEN", error: "Unknown token" });
    const isSend = request.method === "PUT" && url.pathname.includes("/send/");
    if (isSend) await this.onSend();
    const refusal = isSend ? this.refuseSend(body.toString()) : null;
    if (refusal) return answer(response, ...refusal);
    if (isSend && this.#trouble) {
      const trouble = this.#trouble;
      this.#trouble = null;
      // It is taken, and the answer goes nowhere.
      if (trouble === "swallowed") return this.#take(request, new ServerResponse(request), url, body);
      const [status, error] = TROUBLES[trouble];
      return answer(response, status, error);
    }
    return this.#take(request, response, url, body);
  }

  async #take(request: IncomingMessage, response: ServerResponse, url: URL, body: Buffer): Promise<void> {
    const isSend = request.method === "PUT" && url.pathname.includes("/send/");
    if (this.#plays && (await this.#play(request, url, body, response))) return;
    if (url.pathname.endsWith("/sync")) return this.#sync(request, url, response);
    const passed = await this.#pass(request, url, body);
    const answered = Buffer.from(await passed.arrayBuffer());
    if (isSend && passed.ok) this.#keepSent(url, body, answered);
    response.writeHead(passed.status, headersOf(passed)).end(answered);
  }

  #keepSent({ pathname }: URL, body: Buffer, answered: Buffer): void {
    const [, room = "", type = ""] = /\/rooms\/([^/]+)\/send\/([^/]+)\//.exec(pathname) ?? [];
    const { event_id } = JSON.parse(answered.toString()) as { event_id: string };
    const content = JSON.parse(body.toString()) as Content;
    const event = { event_id, type: decodeURIComponent(type), sender: "", content };
    const isKnown = this.sent.some((each) => each.event.event_id === event_id); // One transaction, twice.
    if (!isKnown) this.sent.push({ roomId: decodeURIComponent(room), event });
  }

  async #sync(request: IncomingMessage, url: URL, response: ServerResponse): Promise<void> {
    if (!this.#again) this.#onCameAgain();
    const gone = new AbortController();
    this.#syncs += 1;
    response.on("close", () => {
      gone.abort();
      this.#syncs -= 1;
    });
    const passed = await this.#passSync(request, url, gone);
    if (passed === null) {
      this.#again = false;
      const { roomId, event } = this.#last ?? { roomId: "", event: {} };
      const rooms = { join: { [roomId]: { timeline: { events: [event] } } } };
      return answer(response, 200, { next_batch: url.searchParams.get("since"), rooms });
    }
    if (!passed.ok) {
      response.writeHead(passed.status, headersOf(passed)).end(Buffer.from(await passed.arrayBuffer()));
      return;
    }
    const batch = (await passed.json()) as {
      next_batch: string;
      rooms?: { join?: Record<string, { timeline: { events: Event[] } }> };
    };
    this.#batches.push(batch.next_batch);
    for (const [roomId, { timeline }] of Object.entries(batch.rooms?.join ?? {}))
      for (const event of timeline.events) {
        if (event.type === "m.room.message") this.#last = { roomId, event };
        this.#delivered.set(event.event_id, this.#batches.length - 1);
        Object.assign(event, this.#played.get(event.event_id));
        this.#events.set(event.event_id, event);
      }
    response.writeHead(200, headersOf(passed)).end(JSON.stringify(batch));
  }

  /** Null where something is to come again instead. */
  async #passSync(request: IncomingMessage, url: URL, gone: AbortController): Promise<Response | null> {
    const isDue = (): boolean => this.#again && this.#last !== null && url.searchParams.has("since");
    if (isDue()) return null;
    this.#askAgain = () => gone.abort();
    try {
      return await this.#pass(request, url, Buffer.alloc(0), gone.signal);
    } catch (error) {
      if (isDue()) return null;
      throw error;
    }
  }

  /** True where it answered for the homeserver. */
  async #play(request: IncomingMessage, url: URL, body: Buffer, response: ServerResponse): Promise<boolean> {
    const [, eventId] = /\/rooms\/[^/]+\/event\/([^/]+)$/.exec(url.pathname) ?? [];
    if (eventId) {
      const event = this.#events.get(decodeURIComponent(eventId));
      answer(response, event ? 200 : 404, event ?? { errcode: "M_NOT_FOUND", error: "not here" });
      return true;
    }
    if (url.pathname === "/_matrix/media/v3/upload") {
      const mediaId = `file${this.#files.size}`;
      this.keepFile(mediaId, body, request.headers["content-type"] ?? "");
      answer(response, 200, { content_uri: `mxc://matrix.test/${mediaId}` });
      return true;
    }
    const [, roomId] = /\/rooms\/([^/]+)\/invite$/.exec(url.pathname) ?? [];
    if (roomId) {
      const { user_id: user } = JSON.parse(body.toString()) as { user_id: string };
      this.invited?.push(`${decodeURIComponent(roomId)} ${user}`);
      const refusal = { errcode: "M_FORBIDDEN", error: "You don't have permission to invite users" };
      answer(response, this.invited ? 200 : 403, this.invited ? {} : refusal);
      return true;
    }
    const [, mediaId] = /\/client\/v1\/media\/download\/[^/]+\/([^/]+)$/.exec(url.pathname) ?? [];
    if (!mediaId) return false;
    const file = this.#files.get(mediaId);
    if (file) response.writeHead(200, { "content-type": file.mediaType }).end(file.bytes);
    else answer(response, 404, { errcode: "M_NOT_FOUND", error: "not here" });
    return true;
  }

  #pass(request: IncomingMessage, url: URL, body: Buffer, signal?: AbortSignal): Promise<Response> {
    const { authorization, "content-type": type } = request.headers;
    return fetch(url, {
      method: request.method ?? "GET",
      headers: { ...(authorization ? { authorization } : {}), ...(type ? { "content-type": type } : {}) },
      ...(body.length > 0 ? { body: new Uint8Array(body) } : {}),
      ...(signal ? { signal } : {}),
    });
  }
}

const TROUBLES: Record<Exclude<Trouble, "swallowed" | "revoked token">, [number, Content]> = {
  "rate limited": [429, { errcode: "M_LIMIT_EXCEEDED", error: "Too many", retry_after_ms: 1_500 }],
  "server error": [502, { errcode: "M_UNKNOWN", error: "Bad gateway" }],
  refused: [403, { errcode: "M_FORBIDDEN", error: "You may not" }],
};

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function headersOf(passed: Response): Record<string, string> {
  return { "content-type": passed.headers.get("content-type") ?? "application/json" };
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
