/**
 * The long connection of a played Feishu: what crabline says is passed on, and so are the answers to it. In between, other
 * events are said. What was not acknowledged when a line ended is said again on the next one, as Feishu does.
 */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { WebSocket, WebSocketServer } from "ws";
import { decodeFrame, encodeFrame, type FeishuFrame, headerOf } from "../../src/adapter/feishu/frame.js";

interface Said {
  readonly eventId: string;
  readonly messageId: string;
  readonly frames: readonly FeishuFrame[];
}

interface EventBody {
  readonly schema: string;
  readonly header: { readonly event_id: string };
  readonly event: object;
}

interface Manifest {
  readonly appId: string;
  readonly appSecret: string;
  readonly baseUrl: string;
  readonly endpoints: { readonly discoveryUrl: string };
}

export class FeishuLine {
  /** Where it is opened, with the query. */
  readonly path: string;
  /** The ids of messages whose events were acknowledged. */
  readonly acknowledged = new Set<string>();
  /** Pings are not answered: the line is half open. */
  isDeaf = false;
  pings = 0;
  readonly #manifest: Manifest;
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #clients = new Set<WebSocket>();
  /** By client: what was said to it, and is not acknowledged; `false` for what crabline said. */
  readonly #open = new Map<WebSocket, Map<string, { readonly said: Said; readonly isOurs: boolean }>>();
  readonly #everSaid = new Set<string>();
  #unsaid: Said[] = [];
  #last: Said | null = null;
  #waiting: { readonly messageId: string; readonly settle: () => void }[] = [];

  static async open(manifest: Manifest): Promise<FeishuLine> {
    const { appId: AppID, appSecret: AppSecret, endpoints } = manifest;
    const response = await fetch(endpoints.discoveryUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ AppID, AppSecret }),
    });
    const { data } = (await response.json()) as { data: { URL: string } };
    return new FeishuLine(manifest, data.URL);
  }

  private constructor(manifest: Manifest, url: string) {
    this.#manifest = manifest;
    const { pathname, search } = new URL(url);
    this.path = pathname + search;
  }

  get listeners(): number {
    return this.#clients.size;
  }

  take(request: IncomingMessage, socket: Socket, head: Buffer): void {
    this.#server.handleUpgrade(request, socket, head, (client) => {
      const beyond = new WebSocket(`${this.#manifest.baseUrl.replace("http", "ws")}${request.url}`);
      const early: Uint8Array[] = [];
      const pass = (bytes: Uint8Array): void => {
        if (beyond.readyState === WebSocket.OPEN) beyond.send(bytes);
        else early.push(bytes);
      };
      beyond.on("open", () => early.splice(0).forEach(pass));
      beyond.on("message", (data) => this.#heardFromCrabline(client, data as Buffer));
      beyond.on("close", () => client.terminate());
      beyond.on("error", () => client.terminate());
      this.#clients.add(client);
      this.#open.set(client, new Map());
      client.on("message", (data) => this.#heardFromClient(client, data as Buffer, pass));
      client.on("error", () => client.terminate());
      client.on("close", () => this.#lost(client, beyond));
      for (const said of this.#unsaid.splice(0)) this.#say(client, said);
    });
  }

  /** An event, in so many frames; the last comes first. */
  say(body: EventBody, fragments = 1): void {
    const bytes = Buffer.from(JSON.stringify(body));
    const eventId = body.header.event_id;
    const size = Math.ceil(bytes.length / fragments);
    const frames = Array.from({ length: fragments }, (_, seq): FeishuFrame => {
      const headers = {
        type: "event",
        message_id: eventId,
        sum: `${fragments}`,
        seq: `${seq}`,
        trace_id: eventId,
      };
      const payload = bytes.subarray(seq * size, (seq + 1) * size);
      return {
        seqId: BigInt(seq + 1),
        logId: 2n ** 63n,
        service: 1,
        method: 1,
        headers: Object.entries(headers),
        payload,
      };
    });
    this.#sayOrKeep({ eventId, messageId: messageIdIn(bytes) ?? eventId, frames: frames.toReversed() });
  }

  redeliver(): void {
    if (this.#last) this.#sayOrKeep(this.#last);
  }

  /** Settles when the event of this message is acknowledged. */
  async acknowledges(messageId: string): Promise<void> {
    if (this.acknowledged.has(messageId)) return;
    await new Promise<void>((settle) => this.#waiting.push({ messageId, settle }));
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.terminate();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #sayOrKeep(said: Said): void {
    const [client] = this.#clients;
    if (client) this.#say(client, said);
    else this.#unsaid.push(said);
  }

  #say(client: WebSocket, said: Said): void {
    this.#last = said;
    this.#everSaid.add(said.eventId);
    this.#open.get(client)?.set(said.eventId, { said, isOurs: true });
    for (const frame of said.frames) client.send(encodeFrame(frame));
  }

  #heardFromCrabline(client: WebSocket, bytes: Buffer): void {
    const frame = decodeFrame(bytes);
    const eventId = frame && headerOf(frame, "message_id");
    if (frame?.method === 1 && eventId) {
      const said = { eventId, messageId: messageIdIn(frame.payload) ?? eventId, frames: [frame] };
      this.#last = said;
      this.#everSaid.add(eventId);
      this.#open.get(client)?.set(eventId, { said, isOurs: false });
    }
    client.send(bytes);
  }

  #heardFromClient(client: WebSocket, bytes: Buffer, pass: (bytes: Uint8Array) => void): void {
    const frame = decodeFrame(bytes);
    if (!frame) return void client.terminate();
    if (frame.method === 0) {
      this.pings += 1;
      if (!this.isDeaf) pass(bytes);
      return;
    }
    const eventId = headerOf(frame, "message_id") ?? "";
    const known = this.#open.get(client)?.get(eventId);
    if (!this.#everSaid.has(eventId)) return void client.terminate();
    if (!known) return; // It was said twice, and is acknowledged already.
    const { code } = JSON.parse(Buffer.from(frame.payload).toString()) as { code: number };
    this.#open.get(client)?.delete(eventId);
    if (code === 200) this.#told(known.said.messageId);
    if (!known.isOurs) pass(bytes);
  }

  #told(messageId: string): void {
    this.acknowledged.add(messageId);
    const [done, others] = [
      this.#waiting.filter((each) => each.messageId === messageId),
      this.#waiting.filter((each) => each.messageId !== messageId),
    ];
    this.#waiting = others;
    for (const { settle } of done) settle();
  }

  #lost(client: WebSocket, beyond: WebSocket): void {
    const left = [...(this.#open.get(client)?.values() ?? [])].map(({ said }) => said);
    this.#clients.delete(client);
    this.#open.delete(client);
    this.#unsaid.push(...left);
    beyond.on("error", () => {}); // It may not even be open.
    beyond.terminate();
  }
}

function messageIdIn(bytes: Uint8Array): string | undefined {
  const { event } = JSON.parse(Buffer.from(bytes).toString()) as {
    event?: { message?: { message_id?: string } };
  };
  return event?.message?.message_id;
}
