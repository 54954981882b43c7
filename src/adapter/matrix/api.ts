/** The calls of the client-server API that the adapter makes. What comes back is unknown until it was looked at. */
import type { Fields } from "../../util/json.js";
import { withoutSlashes } from "../../util/text.js";
import { HttpRefusal, readBounded, textFrom, within } from "../http-call.js";
import { jsonOf, record, textOf } from "../untrusted.js";
import { isUnrecognized, NotMatrix } from "./failure.js";

type Query = Record<string, string | number>;

export interface ApiOptions {
  readonly homeserver: string;
  readonly accessToken: () => string;
  readonly timeoutMs: number;
}

interface MatrixCall {
  readonly query?: Query;
  readonly body?: string | Uint8Array;
  readonly mediaType?: string;
  readonly timeoutMs?: number;
}

const CLIENT = "/_matrix/client/v3";
const MEDIA = "/_matrix/media/v3";
/** The first sync of an account with many rooms is large. */
const LARGEST_ANSWER = 256 * 2 ** 20;

export class MatrixApi {
  readonly #options: ApiOptions;
  /** Ends every call that is under way. */
  readonly #end = new AbortController();

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  close(): void {
    this.#end.abort();
  }

  whoAmI(): Promise<Fields> {
    return this.#call("GET", "/account/whoami");
  }

  async displayName(userId: string): Promise<string | undefined> {
    return textOf((await this.#call("GET", `/profile/${part(userId)}`)).displayname);
  }

  /** Waits up to `waitMs` for something new since then. */
  sync(since: string | null, filter: Fields, waitMs: number): Promise<Fields> {
    const query = {
      timeout: waitMs,
      filter: JSON.stringify(filter),
      set_presence: "online",
      ...(since === null ? {} : { since }),
    };
    return this.#call("GET", "/sync", { query, timeoutMs: waitMs + this.#options.timeoutMs });
  }

  /** A page of what came before `from`, newest first, as far back as `to`. */
  messagesBefore(roomId: string, from: string, to: string | null, limit: number): Promise<Fields> {
    const query = { dir: "b", from, limit, ...(to === null ? {} : { to }) };
    return this.#call("GET", `/rooms/${part(roomId)}/messages`, { query });
  }

  event(roomId: string, eventId: string): Promise<Fields> {
    return this.#call("GET", `/rooms/${part(roomId)}/event/${part(eventId)}`);
  }

  /** The content of a room's state of that type. */
  state(roomId: string, type: string): Promise<Fields> {
    return this.#call("GET", `/rooms/${part(roomId)}/state/${part(type)}/`);
  }

  joinedMembers(roomId: string): Promise<Fields> {
    return this.#call("GET", `/rooms/${part(roomId)}/joined_members`);
  }

  invitedMembers(roomId: string): Promise<Fields> {
    return this.#call("GET", `/rooms/${part(roomId)}/members`, { query: { membership: "invite" } });
  }

  join(roomId: string): Promise<Fields> {
    return this.#call("POST", `/rooms/${part(roomId)}/join`, { body: "{}" });
  }

  invite(roomId: string, userId: string): Promise<Fields> {
    return this.#call("POST", `/rooms/${part(roomId)}/invite`, { body: JSON.stringify({ user_id: userId }) });
  }

  /** The same transaction id twice is one event. */
  async send(roomId: string, type: string, transactionId: string, content: Fields): Promise<string> {
    const path = `/rooms/${part(roomId)}/send/${part(type)}/${part(transactionId)}`;
    return textOf((await this.#call("PUT", path, { body: JSON.stringify(content) })).event_id) ?? "";
  }

  /** Shows typing for that long; null ends it. */
  typing(roomId: string, userId: string, timeoutMs: number | null): Promise<Fields> {
    const body = JSON.stringify(
      timeoutMs === null ? { typing: false } : { typing: true, timeout: timeoutMs },
    );
    return this.#call("PUT", `/rooms/${part(roomId)}/typing/${part(userId)}`, { body });
  }

  /** A request that the keys' engine made: its JSON goes out and comes back as it is. */
  keys(method: "POST" | "PUT", path: string, body: string): Promise<string> {
    return this.#text(method, CLIENT + path, { body });
  }

  /** Uploads a file; its `mxc:` address. */
  async upload(bytes: Uint8Array, name: string | null, mediaType: string): Promise<string> {
    const query: Query = name === null ? {} : { filename: name };
    const timeoutMs = this.#options.timeoutMs * 4;
    const answer = await this.#text("POST", `${MEDIA}/upload`, { query, body: bytes, mediaType, timeoutMs });
    return textOf(record(jsonOf(answer)).content_uri) ?? "";
  }

  /** A file of the homeserver's media store, or of another's through it; fails where it is larger. */
  download(server: string, mediaId: string, maxBytes: number, end: AbortSignal): Promise<Uint8Array> {
    const file = `${part(server)}/${part(mediaId)}`;
    return within(this.#options.timeoutMs * 4, end, async (signal) => {
      const get = async (path: string): Promise<Uint8Array> => {
        const response = await fetch(this.#url(path), { headers: this.#authorization, signal });
        if (response.ok) return readBounded(response, maxBytes, signal);
        await response.body?.cancel();
        throw new HttpRefusal(response, "");
      };
      try {
        return await get(`/_matrix/client/v1/media/download/${file}`);
      } catch (error) {
        if (!isUnrecognized(error)) throw error;
        return get(`${MEDIA}/download/${file}`); // Servers older than authenticated media have it at the old place.
      }
    });
  }

  async #call(method: string, path: string, call: MatrixCall = {}): Promise<Fields> {
    const answer = jsonOf(await this.#text(method, CLIENT + path, call));
    if (answer === undefined) throw new NotMatrix("the homeserver's answer is no JSON");
    return record(answer);
  }

  #text(
    method: string,
    path: string,
    { query = {}, body, mediaType = "application/json", timeoutMs = this.#options.timeoutMs }: MatrixCall,
  ): Promise<string> {
    const url = this.#url(path);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
    const headers = { ...this.#authorization, Accept: "application/json", "Content-Type": mediaType };
    const init = { method, headers, redirect: "follow", ...(body === undefined ? {} : { body }) } as const;
    return textFrom(url, init, { timeoutMs, maxBytes: LARGEST_ANSWER, end: this.#end.signal });
  }

  #url(path: string): URL {
    return new URL(withoutSlashes(this.#options.homeserver) + path);
  }

  get #authorization(): { readonly Authorization: string } {
    return { Authorization: `Bearer ${this.#options.accessToken()}` };
  }
}

function part(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
