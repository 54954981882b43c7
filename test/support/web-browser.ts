/**
 * A browser with the page open, as far as it talks with the server: one event stream that goes on from the last post it has,
 * and an outbox that sends again what was not confirmed. It sends what browsers send of themselves.
 */
import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Received } from "../../src/adapter/adapter.js";
import {
  OUR_HEADER,
  OUR_HEADER_VALUE,
  PATHS,
  type Said,
  type SaidFile,
  type Uploaded,
  type WireEvent,
  type WirePost,
  type WireTurn,
} from "../../src/adapter/web/wire.js";
import { type WebAnswer, type WebCall, webCall, webResponse } from "./web-call.js";

export interface WebBrowserSetting {
  /** Where the page is now; null while nobody serves it. */
  readonly url: () => string | null;
  /** Of whoever is signed in. */
  readonly cookie: string;
}

/** How soon it connects again. */
const AGAIN_MS = 20;

export class WebBrowser {
  readonly #setting: WebBrowserSetting;
  /** What the stream told, in order. */
  readonly events: WireEvent[] = [];
  /** The posts by their ids, as they read by now. */
  readonly posts = new Map<string, WirePost>();
  readonly turns = new Map<string, WireTurn>();
  /** What the server has confirmed. */
  readonly confirmed = new Map<string, Received>();
  readonly #outbox = new Map<string, Said>();
  /** What is being sent, by its id. */
  readonly #underWay = new Map<string, Promise<void>>();
  #position: number | null;
  #incoming: IncomingMessage | null = null;
  #isOpen = false;
  #isConnected = false;
  #timer: NodeJS.Timeout | undefined;

  /** `position`: of the last post that it has; it reads everything unless told. */
  constructor(setting: WebBrowserSetting, position: number | null = 0) {
    this.#setting = setting;
    this.#position = position;
  }

  /** The headers of a call that the page's own script makes. */
  get headers(): Readonly<Record<string, string>> {
    const { cookie } = this.#setting;
    return { cookie, "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" };
  }

  get position(): number {
    return this.#position ?? 0;
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** Opens the event stream, and keeps it open. */
  open(): void {
    this.#isOpen = true;
    void this.#connect();
  }

  close(): void {
    this.#isOpen = false;
    this.cut();
  }

  /** The line breaks off; it comes back by itself. */
  cut(): void {
    clearTimeout(this.#timer);
    const incoming = this.#incoming;
    this.#incoming = null;
    this.#isConnected = false;
    incoming?.destroy();
    if (this.#isOpen) this.#soon();
  }

  call(call: WebCall): Promise<WebAnswer> {
    const { method = "GET" } = call;
    const ours = { [OUR_HEADER]: OUR_HEADER_VALUE, ...(method === "GET" ? {} : { origin: this.#url }) };
    return webCall(this.#url, { ...call, headers: { ...this.headers, ...ours, ...call.headers } });
  }

  /** Puts it into the outbox and sends it; fails if it is not confirmed now. Then it is sent again when there is a stream. */
  async say(said: Omit<Said, "id" | "thread"> & Partial<Said>): Promise<string> {
    const id = said.id ?? randomBytes(18).toString("base64url");
    this.#outbox.set(id, { thread: null, ...said, id });
    await this.send(id);
    return id;
  }

  /** Sends again what is in the outbox, or was. */
  async send(id: string, said = this.#outbox.get(id)): Promise<void> {
    if (!said) return;
    const sent = this.#post(id, said);
    this.#underWay.set(id, sent);
    await sent.finally(() => this.#underWay.delete(id));
  }

  async #post(id: string, said: Said): Promise<void> {
    const headers = { "content-type": "application/json" };
    const answer = await this.call({ method: "POST", path: PATHS.say, headers, body: JSON.stringify(said) });
    const { received } = (answer.json ?? {}) as { received?: Received };
    if (answer.status !== 200 || !received) {
      if (answer.status >= 400 && answer.status < 500) this.#outbox.delete(id); // The person is told.
      throw new Error(`It was not taken: ${answer.status} ${answer.text}`);
    }
    this.#outbox.delete(id);
    this.confirmed.set(id, received);
  }

  /** Uploads files, so that they can be said. */
  async upload(
    files: readonly { name: string; mediaType: string; bytes: Uint8Array }[],
  ): Promise<SaidFile[]> {
    const said: SaidFile[] = [];
    for (const { name, mediaType, bytes } of files) {
      const headers = { "content-type": "application/octet-stream" };
      const answer = await this.call({ method: "PUT", path: PATHS.upload, headers, body: bytes });
      if (answer.status !== 200) throw new Error(`It was not uploaded: ${answer.status} ${answer.text}`);
      said.push({ ref: (answer.json as Uploaded).ref, name, mediaType });
    }
    return said;
  }

  /** What a thread shows, oldest first. */
  shown(thread: string | null = null): readonly WirePost[] {
    const there = [...this.posts.values()].filter((post) => post.thread === thread && !post.isGone);
    return there.sort((one, other) => Number(one.id) - Number(other.id));
  }

  get #url(): string {
    const url = this.#setting.url();
    if (url === null) throw new Error("Nobody serves the page.");
    return url;
  }

  async #connect(): Promise<void> {
    try {
      const asked: Record<string, string> = { ...this.headers, accept: "text/event-stream" };
      if (this.#position !== null) asked["last-event-id"] = String(this.#position);
      const incoming = await webResponse(this.#url, { path: PATHS.stream, headers: asked });
      if (!this.#isOpen) return void incoming.destroy();
      this.#incoming = incoming;
      incoming.once("close", () => {
        if (this.#incoming === incoming) this.cut();
      });
      incoming.on("error", () => {});
      if (incoming.statusCode === 200) this.#read(incoming);
      else incoming.destroy();
    } catch {
      this.#soon();
    }
  }

  #soon(): void {
    clearTimeout(this.#timer);
    if (this.#isOpen) this.#timer = setTimeout(() => void this.#connect(), AGAIN_MS).unref();
  }

  #read(incoming: IncomingMessage): void {
    let rest = "";
    incoming.setEncoding("utf8");
    incoming.on("data", (piece: string) => {
      const blocks = (rest + piece).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) this.#take(block);
    });
  }

  #take(block: string): void {
    const lines = block.split("\n");
    const field = (name: string): string | undefined =>
      lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
    const data = field("data");
    if (data === undefined) return;
    const event = JSON.parse(data) as WireEvent;
    this.events.push(event);
    const id = field("id");
    if (id !== undefined) this.#position = Number(id);
    if (event.kind === "hello") this.#hello();
    if (event.kind === "post") this.posts.set(event.post.id, event.post);
    if (event.kind === "turn") this.turns.set(event.turn.id, event.turn);
    if (event.kind === "text") this.#grow(event.turn, event.delta);
    if (event.kind === "end") this.turns.delete(event.turn);
  }

  #grow(id: string, delta: string): void {
    const turn = this.turns.get(id);
    if (turn) this.turns.set(id, { ...turn, text: turn.text + delta });
  }

  /** There is a server: it gets what it has not confirmed, in the order in which it was said. */
  #hello(): void {
    this.#isConnected = true;
    void (async () => {
      for (const id of [...this.#outbox.keys()]) {
        await this.#underWay.get(id)?.catch(() => {});
        await this.send(id);
      }
    })().catch(() => {});
  }
}
