/**
 * Discord on loopback: crabline's server, behind a wire of our own that can cut the line, get in the way of calls, and
 * say over the gateway what crabline has no way to say (edits, files, slash commands, closing codes).
 */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type StartedDiscordServer, startDiscordServer } from "@openclaw/crabline";
import { Faults } from "./faults.js";
import { FrameSplitter, frame } from "./websocket-frames.js";

export const GUILD = "135000000000000011";
export const CHANNEL = "135000000000000010";
export const ANN = "135000000000000021";

/** For so long Discord takes a nonce once. */
const NONCE_MS = 3 * 60 * 1_000;

export interface Injected {
  readonly channelId: string;
  readonly guildId?: string;
  readonly parentChannelId?: string;
  readonly senderId?: string;
  readonly senderName?: string;
  readonly content: string;
  readonly replyTo?: string;
}

export interface ApiMessage {
  readonly id: string;
  readonly channel_id: string;
  readonly content: string;
  readonly nonce?: string;
  readonly flags: number;
  readonly allowed_mentions?: unknown;
  readonly message_reference?: { readonly message_id: string };
  readonly author: { readonly id: string; readonly bot?: boolean };
  readonly attachments: readonly { readonly filename: string; readonly url: string }[];
  readonly reactions: readonly { readonly emoji: { readonly name: string } }[];
}

/** A call that came in. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** What is done to a call in place of what it asks for. `swallowed`: it is done, and nobody says so. */
export type Answer =
  | { readonly status: number; readonly body: object; readonly headers?: object }
  | "swallowed";

export class DiscordServer {
  /** Every call, in order. */
  readonly calls: Call[] = [];
  /** How often a client introduced itself, or resumed. */
  readonly identified: string[] = [];
  /** Asked before each call; what it answers stands in for the server. */
  answer: (call: Call) => Answer | null = () => null;
  /** The code with which the gateway closes when somebody introduces themselves. */
  closesWith: number | null = null;
  /** What was answered to each message that is to be there once. */
  readonly #byNonce = new Map<string, { readonly bytes: Buffer; readonly at: number }>();
  /** As Discord itself: a message that is read again does not tell its nonce. */
  hidesNonces = false;
  readonly faults: Faults;
  readonly #crabline: StartedDiscordServer;
  readonly #server: Server;
  readonly #folder: string;
  readonly #lines = new Set<Line>();
  readonly #files: Uint8Array[] = [];
  /** Threads that the bot began: crabline does not tell whose a thread is. */
  readonly #begun = new Set<string>();
  #waiting: (() => void)[] = [];
  /** What the bot has written, by id, as it reads by now. */
  readonly written = new Map<string, ApiMessage>();

  static async start(): Promise<DiscordServer> {
    const folder = await mkdtemp(join(tmpdir(), "baton-discord-"));
    const crabline = await startDiscordServer({ recorderPath: join(folder, "discord.jsonl") });
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new DiscordServer(crabline, server, folder);
  }

  private constructor(crabline: StartedDiscordServer, server: Server, folder: string) {
    this.#crabline = crabline;
    this.#server = server;
    this.#folder = folder;
    server.on("request", (request, response) => void this.#relay(request, response));
    this.faults = new Faults(
      server,
      (method, path) => method === "POST" && path.endsWith("/messages"),
      () => this.cut(),
    );
    server.on("upgrade", (request, socket) => this.#open(request, socket as Socket));
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get baseUrl(): string {
    return `${this.origin}/api`;
  }

  get token(): string {
    return this.#crabline.manifest.botToken;
  }

  get botId(): string {
    return this.#crabline.manifest.botUserId;
  }

  /** The chat of two with somebody. */
  async directChannel(person = ANN): Promise<string> {
    const channel = await this.#ask("POST", "/users/@me/channels", { recipient_id: person });
    return (channel as { id: string }).id;
  }

  /** Somebody writes. */
  async inject({ replyTo, ...written }: Injected): Promise<ApiMessage> {
    const reference = replyTo ? { message_reference: { message_id: replyTo } } : {};
    const response = await fetch(this.#crabline.manifest.endpoints.adminInboundUrl, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-crabline-admin-token": this.#crabline.manifest.adminToken,
      },
      body: JSON.stringify({ senderId: ANN, senderName: "Ann", ...written, ...reference }),
    });
    if (!response.ok) throw new Error(`crabline: ${response.status} ${await response.text()}`);
    return ((await response.json()) as { message: ApiMessage }).message;
  }

  /** The bot writes, in another process. */
  async post(channelId: string, content: string): Promise<void> {
    await this.#ask("POST", `/channels/${channelId}/messages`, { content });
  }

  /** Another bot writes. */
  async injectFromBot(channelId: string, content: string): Promise<ApiMessage> {
    const sent = await this.#ask(
      "POST",
      `/channels/${channelId}/messages`,
      { content },
      this.#crabline.manifest.driverBotToken,
    );
    return sent as ApiMessage;
  }

  /** The calls that send a message. */
  posts(): Call[] {
    return this.calls.filter(({ method, path }) => method === "POST" && path.endsWith("/messages"));
  }

  /** Settles when such a call has come. */
  async called(isIt: (call: Call) => boolean): Promise<void> {
    while (!this.calls.some(isIt)) await this.#stirred();
  }

  /** Everything in a channel, oldest first. */
  async messages(channelId: string): Promise<ApiMessage[]> {
    const found = await this.#ask("GET", `/channels/${channelId}/messages?limit=100`);
    return (found as ApiMessage[]).reverse();
  }

  /** What the bot has written there, oldest first. */
  async sent(channelId: string): Promise<ApiMessage[]> {
    return (await this.messages(channelId)).filter(({ author }) => author.id === this.botId);
  }

  /** What the bot has written there, as soon as it is as wanted: looked at after every call. */
  async shows(
    channelId: string,
    isWanted: (messages: readonly ApiMessage[]) => boolean,
  ): Promise<ApiMessage[]> {
    for (;;) {
      const stirred = this.#stirred();
      const messages = await this.sent(channelId);
      if (isWanted(messages)) return messages;
      await stirred;
    }
  }

  async commands(): Promise<{ readonly name: string; readonly description: string }[]> {
    const found = await this.#ask("GET", `/applications/${this.#crabline.manifest.applicationId}/commands`);
    return found as { name: string; description: string }[];
  }

  /** A file that can be fetched. */
  host(bytes: Uint8Array, name: string): string {
    this.#files.push(bytes);
    return `${this.origin}/files/${this.#files.length - 1}/${encodeURIComponent(name)}`;
  }

  /** Says something over the gateway, beside what crabline says. */
  say(type: string, data: object): void {
    for (const line of this.#lines) line.say({ op: 0, t: type, s: line.sequence, d: data });
  }

  /** Somebody gives a slash command in a server, as Discord's own clients make of a slash there; its id. */
  command(channelId: string, userId: string, text: string): string {
    const [name = "", ...words] = text.slice(1).split(" ");
    const options = words.length > 0 ? [{ type: 3, name: "text", value: words.join(" ") }] : [];
    const id = newId();
    this.say("INTERACTION_CREATE", {
      id,
      application_id: this.botId,
      type: 2,
      token: "secret",
      channel_id: channelId,
      guild_id: GUILD,
      member: { user: { id: userId, username: "ann" } },
      data: { type: 1, name, options },
    });
    return id;
  }

  /** Somebody presses a button, in a server or in private. */
  press(channelId: string, userId: string, messageId: string, customId: string, isPrivate = false): string {
    const id = newId();
    const user = { id: userId, username: "ann" };
    this.say("INTERACTION_CREATE", {
      id,
      application_id: this.botId,
      type: 3,
      token: "secret",
      channel_id: channelId,
      ...(isPrivate ? { user } : { guild_id: GUILD, member: { user } }),
      message: { id: messageId, channel_id: channelId, author: { id: this.botId, bot: true } },
      data: { component_type: 2, custom_id: customId },
    });
    return id;
  }

  /** Somebody puts an emoji on a message of the bot's. */
  react(channelId: string, userId: string, messageId: string, emoji: string): void {
    const user = { id: userId, username: "ann" };
    this.say("MESSAGE_REACTION_ADD", {
      ...{ user_id: userId, channel_id: channelId, message_id: messageId, message_author_id: this.botId },
      ...(channelId === CHANNEL ? { guild_id: GUILD, member: { user } } : {}),
      ...{ emoji: { id: null, name: emoji }, burst: false, type: 0 },
    });
  }

  /** Asks all clients to call again. */
  askToReconnect(): void {
    for (const line of this.#lines) line.say({ op: 7, d: null });
  }

  /** All lines break, as when a cable is pulled. */
  cut(): void {
    for (const line of this.#lines) line.cut();
  }

  /** Settles when a client is there that was let in. */
  async up(): Promise<void> {
    while (![...this.#lines].some(({ isUp }) => isUp)) await this.#stirred();
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    await this.#crabline.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #ask(method: string, path: string, body?: object, token = this.token): Promise<unknown> {
    const response = await fetch(`${this.#crabline.manifest.endpoints.apiRoot}/v10${path}`, {
      method,
      headers: { authorization: `Bot ${token}`, ...(body ? { "content-type": "application/json" } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!response.ok) throw new Error(`crabline: ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  async #relay(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "/";
    const file = /^\/files\/(\d+)\//.exec(path)?.[1];
    if (file) return void response.end(this.#files[Number(file)]);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const call = { method: request.method ?? "GET", path, body: body.toString() };
    this.calls.push(call);
    const [, begun] = /\/messages\/(\d+)\/threads$/.exec(path) ?? [];
    if (begun) this.#begun.add(begun);
    this.#stir();
    const answer = this.answer(call);
    if (answer !== null && answer !== "swallowed") {
      response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
      return void response.end(JSON.stringify(answer.body));
    }
    const nonce = /"enforce_nonce":true/.test(call.body) && /"nonce":"([^"]+)"/.exec(call.body)?.[1];
    const there = nonce ? this.#byNonce.get(nonce) : undefined;
    if (there && Date.now() - there.at < NONCE_MS)
      return void response.writeHead(200, { "content-type": "application/json" }).end(there.bytes);
    const { "content-type": type, authorization } = request.headers;
    const relayed = await fetch(this.#crabline.manifest.baseUrl + path, {
      method: call.method,
      headers: { ...(type ? { "content-type": type } : {}), ...(authorization ? { authorization } : {}) },
      ...(body.length > 0 ? { body } : {}),
    });
    const bytes = Buffer.from(await relayed.arrayBuffer());
    if (nonce && relayed.ok) this.#byNonce.set(nonce, { bytes, at: Date.now() });
    if (answer === "swallowed") return;
    const isMessage = /\/channels\/\d+\/messages(\/\d+)?$/.test(path) && /POST|PATCH/.test(call.method);
    if (isMessage && relayed.ok) {
      const message = JSON.parse(bytes.toString()) as ApiMessage;
      this.written.set(message.id, message);
    }
    const isJson = relayed.headers.get("content-type")?.includes("json");
    response.writeHead(
      relayed.status,
      Object.fromEntries([...relayed.headers].filter(([name]) => /^(x-rate|content-type)/.test(name))),
    );
    const isHidden = this.hidesNonces && call.method === "GET";
    const hidden = (text: string): string => (isHidden ? text.replace(/"nonce":"[^"]*",?/g, "") : text);
    response.end(isJson ? hidden(this.#ours(bytes.toString())) : bytes);
    this.#stir();
  }

  /** Addresses of crabline become addresses of the wire, and a thread has an owner. */
  #ours(text: string): string {
    const { host } = new URL(this.#crabline.manifest.baseUrl);
    const here = text.replaceAll(host, new URL(this.origin).host);
    if (!here.includes('"thread_metadata"')) return here;
    return JSON.stringify(JSON.parse(here), (_, value) => {
      const isThread = typeof value === "object" && value !== null && "thread_metadata" in value;
      return isThread ? { ...value, owner_id: this.#begun.has(value.id) ? this.botId : ANN } : value;
    });
  }

  #stirred(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #stir(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #open(request: IncomingMessage, socket: Socket): void {
    const line = new Line(request, socket, new URL(this.#crabline.manifest.baseUrl), {
      rewrite: (text) => this.#ours(text),
      closesWith: this.closesWith,
      onSaid: (payload) => {
        if (payload.t === "READY" || payload.t === "RESUMED") {
          this.identified.push(payload.t);
          this.#stir();
        }
      },
    });
    this.#lines.add(line);
    socket.on("close", () => this.#lines.delete(line));
  }
}

let ids = 0;
/** A snowflake of this moment. */
export function newId(): string {
  ids += 1;
  return (((BigInt(Date.now()) - 1_420_070_400_000n) << 22n) + BigInt(4_000_000 + ids)).toString();
}

interface Payload {
  readonly op: number;
  readonly t?: string | null;
  readonly s?: number | null;
  readonly d?: unknown;
}

/** One client's gateway connection: what it says goes through as it is, what it hears is looked at. */
class Line {
  isUp = false;
  sequence = 0;
  readonly #client: Socket;
  readonly #server: Socket;

  constructor(
    request: IncomingMessage,
    client: Socket,
    target: URL,
    {
      rewrite,
      onSaid,
      closesWith,
    }: {
      rewrite: (text: string) => string;
      onSaid: (payload: Payload) => void;
      closesWith: number | null;
    },
  ) {
    this.#client = client;
    this.#server = connect(Number(target.port), target.hostname);
    const headers = request.rawHeaders.flatMap((name, n, all) =>
      n % 2 === 0 ? [`${name}: ${all[n + 1]}`] : [],
    );
    this.#server.write(`GET ${request.url} HTTP/1.1\r\n${headers.join("\r\n")}\r\n\r\n`);
    client.on("error", () => this.cut()).on("close", () => this.#server.destroy());
    this.#server.on("error", () => this.cut()).on("close", () => client.destroy());
    client.pipe(this.#server);
    const splitter = new FrameSplitter({
      other: (bytes) => client.write(bytes),
      text: (text) => {
        const payload = JSON.parse(text) as Payload;
        if (payload.t === "READY" && closesWith !== null) return this.#close(closesWith);
        if (payload.s) this.sequence = payload.s;
        client.write(frame(rewrite(text)));
        if (payload.t === "READY" || payload.t === "RESUMED") this.isUp = true;
        onSaid(payload);
      },
    });
    this.#server.on("data", (bytes: Buffer) => splitter.push(bytes));
  }

  say(payload: Payload): void {
    this.#client.write(frame(JSON.stringify(payload)));
  }

  #close(code: number): void {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt16BE(0x8802, 0);
    bytes.writeUInt16BE(code, 2);
    this.#client.write(bytes);
  }

  cut(): void {
    this.isUp = false;
    this.#client.destroy();
    this.#server.destroy();
  }
}
