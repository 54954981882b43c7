/**
 * The calls of the client-server API that the adapter makes, through the SDK's HTTP layer. What comes back is unknown
 * until it was looked at; what fails, fails with the SDK's errors.
 */
import { type IHttpOpts, MatrixHttpApi, Method } from "matrix-js-sdk/lib/http-api/index.js";
import { TypedEventEmitter } from "matrix-js-sdk/lib/models/typed-event-emitter.js";
import type { Fields } from "../../util/json.js";
import { timerMs } from "../../util/timer-ms.js";
import { readBounded, within } from "../http-call.js";
import { record, textOf } from "../untrusted.js";
import { isUnrecognized } from "./trouble.js";

type Query = Record<string, string | number>;

export interface ApiOptions {
  readonly homeserver: string;
  readonly accessToken: () => string;
  readonly timeoutMs: number;
}

const MEDIA = "/_matrix/media/v3";

export class MatrixApi {
  readonly #options: ApiOptions;
  readonly #http: MatrixHttpApi<IHttpOpts & { onlyData: true }>;
  /** Ends every call that is under way. */
  readonly #end = new AbortController();

  constructor(options: ApiOptions) {
    this.#options = options;
    this.#http = new MatrixHttpApi(new TypedEventEmitter(), {
      baseUrl: options.homeserver,
      accessToken: options.accessToken(),
      prefix: "/_matrix/client/v3",
      onlyData: true,
    });
  }

  close(): void {
    this.#end.abort();
  }

  whoAmI(): Promise<Fields> {
    return this.#call(Method.Get, "/account/whoami");
  }

  async displayName(userId: string): Promise<string | undefined> {
    return textOf((await this.#call(Method.Get, `/profile/${part(userId)}`)).displayname);
  }

  /** Waits up to `waitMs` for something new since then. */
  sync(since: string | null, filter: Fields, waitMs: number): Promise<Fields> {
    const query = {
      timeout: waitMs,
      filter: JSON.stringify(filter),
      set_presence: "online",
      ...(since === null ? {} : { since }),
    };
    return this.#call(Method.Get, "/sync", { query, timeoutMs: waitMs + this.#options.timeoutMs });
  }

  /** A page of what came before `from`, newest first, as far back as `to`. */
  messagesBefore(roomId: string, from: string, to: string | null, limit: number): Promise<Fields> {
    const query = { dir: "b", from, limit, ...(to === null ? {} : { to }) };
    return this.#call(Method.Get, `/rooms/${part(roomId)}/messages`, { query });
  }

  event(roomId: string, eventId: string): Promise<Fields> {
    return this.#call(Method.Get, `/rooms/${part(roomId)}/event/${part(eventId)}`);
  }

  /** The content of a room's state of that type. */
  state(roomId: string, type: string): Promise<Fields> {
    return this.#call(Method.Get, `/rooms/${part(roomId)}/state/${part(type)}/`);
  }

  joinedMembers(roomId: string): Promise<Fields> {
    return this.#call(Method.Get, `/rooms/${part(roomId)}/joined_members`);
  }

  invitedMembers(roomId: string): Promise<Fields> {
    return this.#call(Method.Get, `/rooms/${part(roomId)}/members`, { query: { membership: "invite" } });
  }

  join(roomId: string): Promise<Fields> {
    return this.#call(Method.Post, `/rooms/${part(roomId)}/join`, { body: {} });
  }

  invite(roomId: string, userId: string): Promise<Fields> {
    return this.#call(Method.Post, `/rooms/${part(roomId)}/invite`, { body: { user_id: userId } });
  }

  /** The same transaction id twice is one event. */
  async send(roomId: string, type: string, transactionId: string, content: Fields): Promise<string> {
    const path = `/rooms/${part(roomId)}/send/${part(type)}/${part(transactionId)}`;
    return textOf((await this.#call(Method.Put, path, { body: content })).event_id) ?? "";
  }

  /** Shows typing for that long; null ends it. */
  typing(roomId: string, userId: string, timeoutMs: number | null): Promise<Fields> {
    const body = timeoutMs === null ? { typing: false } : { typing: true, timeout: timeoutMs };
    return this.#call(Method.Put, `/rooms/${part(roomId)}/typing/${part(userId)}`, { body });
  }

  /** A request that the keys' engine made: its JSON goes out and comes back as it is. */
  async keys(method: "POST" | "PUT", path: string, body: string): Promise<string> {
    const { signal, end } = this.#signal(this.#options.timeoutMs);
    try {
      return (await this.#http.authedRequest(method === "PUT" ? Method.Put : Method.Post, path, {}, body, {
        json: false,
        headers: { "Content-Type": "application/json", Accept: "application/json" },
        ...ask(signal),
      })) as string;
    } finally {
      end();
    }
  }

  /** Uploads a file; its `mxc:` address. */
  async upload(bytes: Uint8Array, name: string | null, mediaType: string): Promise<string> {
    const { signal, end } = this.#signal(this.#options.timeoutMs * 4);
    try {
      const answer = await this.#http.authedRequest(
        Method.Post,
        "/upload",
        name === null ? {} : { filename: name },
        bytes,
        { json: false, prefix: MEDIA, headers: { "Content-Type": mediaType }, ...ask(signal) },
      );
      return textOf(record(JSON.parse(answer as string)).content_uri) ?? "";
    } finally {
      end();
    }
  }

  /** A file of the homeserver's media store, or of another's through it; fails where it is larger. */
  download(server: string, mediaId: string, maxBytes: number, end: AbortSignal): Promise<Uint8Array> {
    const file = `${part(server)}/${part(mediaId)}`;
    return within(this.#options.timeoutMs * 4, end, async (signal) => {
      const found = await this.#get(`/_matrix/client/v1/media/download/${file}`, signal);
      // Servers older than authenticated media have it at the old place.
      const response = isUnrecognized(found) ? await this.#get(`${MEDIA}/download/${file}`, signal) : found;
      if (!response.ok) {
        await response.body?.cancel();
        throw new Error(`the homeserver does not give it (${response.status})`);
      }
      return readBounded(response, maxBytes, signal);
    });
  }

  async #get(path: string, signal: AbortSignal): Promise<Response> {
    const headers = { Authorization: `Bearer ${this.#options.accessToken()}` };
    return fetch(new URL(path, this.#options.homeserver), { headers, signal });
  }

  async #call(
    method: Method,
    path: string,
    options: { query?: Query; body?: Fields; timeoutMs?: number } = {},
  ): Promise<Fields> {
    const { signal, end } = this.#signal(options.timeoutMs ?? this.#options.timeoutMs);
    const { query = {} } = options;
    const body = options.body && { ...options.body }; // The SDK takes only plain objects for JSON.
    try {
      return record(await this.#http.authedRequest(method, path, query, body, ask(signal)));
    } finally {
      end();
    }
  }

  /** Ours rather than the SDK's time limit, whose timer would keep the process alive. */
  #signal(ms: number): { signal: AbortSignal; end: () => void } {
    const call = new AbortController();
    const abort = (): void => call.abort();
    const timer = setTimeout(abort, timerMs(ms)).unref();
    if (this.#end.signal.aborted) abort();
    this.#end.signal.addEventListener("abort", abort);
    const end = (): void => {
      clearTimeout(timer);
      this.#end.signal.removeEventListener("abort", abort);
    };
    return { signal: call.signal, end };
  }
}

function ask(abortSignal: AbortSignal) {
  return { abortSignal, priority: "auto" as const };
}

function part(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
