/**
 * A Slack on loopback: the Web API is `emulate`'s, which keeps the workspace; Socket Mode, which it lacks, is added here.
 * What people write goes through the Web API with their own tokens, and comes as the event that Slack documents for it.
 * An envelope that nobody acknowledged comes again with the next connection, as with Slack. With a request URL it posts
 * what would come over the socket, signed, and events again when a test says so (`retry`), which stands for Slack's pauses.
 */
import { createHmac, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createEmulator, type Emulator } from "emulate";
import { type WebSocket, WebSocketServer } from "ws";
import type { Trouble, Written } from "../../src/testing/adapter/fixture.js";
import { Faults } from "./faults.js";
import { postOnce } from "./post-once.js";

type Json = Record<string, unknown>;

/** A message as the workspace keeps it. */
export interface SlackMessage {
  readonly ts: string;
  readonly user: string;
  readonly text: string;
  readonly thread_ts?: string;
  readonly reply_count?: number;
  readonly files?: readonly { readonly name: string; readonly url_private: string }[];
  readonly metadata?: Json;
  readonly reactions?: readonly { readonly name: string }[];
}

interface Envelope {
  readonly envelope_id: string;
  readonly type: string;
  readonly payload: Json;
  readonly accepts_response_payload: boolean;
  retry_attempt: number;
}

export interface SlackServerOptions {
  /** A mention in a channel also comes as an `app_mention`, as with an app that asked for both. Default on. */
  readonly mentionEvents?: boolean;
  /** It posts to `requestUrl`, and opens no sockets. */
  readonly http?: boolean;
}

/** What somebody writes: in that channel, in that thread, under that name. */
type Spoken = Written & { readonly channel?: string; readonly threadId?: string; readonly name?: string };

const PEOPLE = ["ann", "bob", "carol", "dave"];
const BOT = "robot";
const OTHER_BOT = "otherbot";
/** How long a write waits for its acknowledgement. */
const PATIENCE_MS = 1_500;

export class SlackServer {
  readonly botToken = "xoxb-robot";
  readonly appToken = "xapp-socket";
  readonly signingSecret = "8f742231b10e8888abcd99yyyzzz85a5";
  /** Where it posts to; null: nowhere. */
  requestUrl: string | null = null;
  /** The statuses that its posts were answered with, and whether they were repetitions; 0 if nobody answered. */
  readonly posted: { readonly status: number; readonly retry: number }[] = [];
  readonly url: string;
  botId = "";
  channel = "";
  /** Sent by the bot, oldest first. */
  readonly calls: { readonly method: string; readonly args: Readonly<Record<string, string>> }[] = [];
  /** What the bot is said to be doing, by channel and thread. */
  readonly statuses = new Map<string, string>();
  /** Slack's word for why this app has no line for what it does. */
  declinesStatus: string | null = null;
  readonly faults: Faults;
  readonly #options: SlackServerOptions;
  readonly #http: Server;
  readonly #sockets = new Set<WebSocket>();
  readonly #emulator: Emulator;
  readonly #upstream: string;
  readonly #held = new Set<ServerResponse>();
  readonly #ids = new Map<string, string>();
  readonly #dms = new Map<string, string>();
  readonly #places = new Map<string, { readonly channel: string; readonly from: string }>();
  /** The envelope of a message. */
  readonly #envelopes = new Map<string, string>();
  /** The last thread that the bot began. */
  #begun: string | undefined;
  #isRevoked = false;
  readonly #waiting: (() => void)[] = [];
  /** Grows with whatever the bot has done. */
  stirs = 0;
  readonly #unacknowledged = new Map<string, Envelope>();
  readonly #acknowledged = new Map<string, (answer: Json) => void>();
  #last: Envelope | undefined;
  #trouble: Trouble | "bad gateway" | undefined;
  /** What becomes of the answer to a call of the bot's. */
  answers: (call: SlackServer["calls"][number], body: string) => string = (_, body) => body;
  /** The status of its answers, if it is another than usual. */
  status: number | null = null;
  /** It opens lines and says nothing. */
  isMute = false;
  /** How many lines were opened. */
  opened = 0;

  static async start(options: SlackServerOptions = {}): Promise<SlackServer> {
    // A busy test may leave a connection idle for longer than a server usually waits.
    const http = createServer({ keepAliveTimeout: 60_000 });
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    const port = await freePort();
    const users = [...PEOPLE, BOT, OTHER_BOT];
    const tokens = users.map((user) => ({ token: tokenOf(user), user, type: user === BOT ? "bot" : "user" }));
    const emulator = await createEmulator({
      service: "slack",
      port,
      baseUrl: origin,
      seed: {
        slack: {
          users: users.map((name) => ({ name })),
          channels: [{ name: "team", topic: "Work" }],
          tokens,
        },
      },
    });
    const server = new SlackServer(http, origin, emulator, `http://127.0.0.1:${port}`, options);
    await server.#settle(users);
    return server;
  }

  private constructor(
    http: Server,
    origin: string,
    emulator: Emulator,
    upstream: string,
    options: SlackServerOptions,
  ) {
    this.url = `${origin}/api/`;
    this.#http = http;
    this.#emulator = emulator;
    this.#upstream = upstream;
    this.#options = options;
    http.on("request", (request, response) => {
      this.#serve(request, response).catch((error: Error) => response.writeHead(500).end(error.message));
    });
    this.faults = new Faults(
      http,
      (_, path) => path.endsWith("/chat.postMessage"),
      () => this.cut(),
    );
    const sockets = new WebSocketServer({ server: http });
    sockets.on("connection", (socket) => this.#greet(socket));
  }

  async #settle(users: readonly string[]): Promise<void> {
    for (const user of users) {
      const { user_id } = await this.api("auth.test", {}, user);
      this.#ids.set(user, String(user_id));
    }
    this.botId = this.idOf(BOT);
    const { channels } = await this.api("conversations.list", {});
    this.channel = String((channels as Json[]).find(({ name }) => name === "team")?.id);
  }

  /** A person's id; whoever is not known by name is one of the others. */
  idOf(name: string): string {
    return this.#ids.get(nameOf(name)) ?? "";
  }

  /** The chat of two with the bot. */
  async dm(name = "ann"): Promise<string> {
    const user = nameOf(name);
    const known = this.#dms.get(user);
    if (known) return known;
    const { channel } = await this.api("conversations.open", { users: this.botId }, user);
    const id = String((channel as Json).id);
    this.#dms.set(user, id);
    return id;
  }

  /** A private channel with these people in it. */
  async privateChannel(name: string, members: readonly string[]): Promise<string> {
    const { channel } = await this.api("conversations.create", { name, is_private: "true" }, BOT);
    const id = String((channel as Json).id);
    for (const member of members)
      await this.api("conversations.invite", { channel: id, users: this.idOf(member) }, BOT);
    return id;
  }

  /** Somebody writes; settles when it was acknowledged, or nobody did so for a while. */
  async write(written: Spoken): Promise<{ readonly messageId: string }> {
    const from = written.isBot ? OTHER_BOT : nameOf(written.from ?? "ann");
    const isDm = (written.in ?? "dm") === "dm" && !written.channel;
    const channel = written.channel ?? (isDm ? await this.dm(from) : this.channel);
    if (written.name !== undefined) await this.#rename(from, written.name);
    if (!isDm && !written.mentions && written.text.startsWith("/")) {
      return this.command(written.text, "", { from, channel });
    }
    const text = (written.mentions ? `<@${this.botId}> ` : "") + asTyped(written.text);
    const thread =
      written.replyTo ?? (written.in === "thread" ? (written.threadId ?? this.#begun) : undefined);
    const message = written.files
      ? await this.#upload(from, channel, text, thread, written.files)
      : ((await this.api("chat.postMessage", { channel, text, ...(thread && { thread_ts: thread }) }, from))
          .message as Json);
    const parent = thread ? (await this.messages(channel)).find(({ ts }) => ts === thread) : undefined;
    const event = {
      ...message,
      type: "message",
      channel,
      channel_type: channel.startsWith("D") ? "im" : "channel",
      event_ts: message.ts,
      ...(parent && { parent_user_id: parent.user }),
      ...(written.isBot && { subtype: "bot_message", bot_id: "B0OTHER" }),
    };
    const messageId = String(message.ts);
    this.#places.set(messageId, { channel, from });
    const told = this.emit(event);
    this.#envelopes.set(messageId, this.#last?.envelope_id ?? "");
    if (written.mentions && !isDm && this.#options.mentionEvents !== false) {
      const { channel_type: _, ...mention } = event;
      await Promise.all([told, this.emit({ ...mention, type: "app_mention" })]);
    }
    await told;
    return { messageId };
  }

  /** Whoever wrote it changes it. */
  async amend(messageId: string, text: string): Promise<void> {
    const { channel, from } = this.#places.get(messageId) ?? { channel: "", from: "" };
    const before = (await this.messages(channel)).find(({ ts }) => ts === messageId);
    const { message } = await this.api("chat.update", { channel, ts: messageId, text: asTyped(text) }, from);
    await this.emit({
      type: "message",
      subtype: "message_changed",
      hidden: true,
      channel,
      channel_type: channel.startsWith("D") ? "im" : "channel",
      ts: `${Math.floor(Date.now() / 1_000)}.999999`,
      message: { ...(message as Json), team: "T000000001" },
      previous_message: before,
    });
  }

  /** A slash command, and what Slack would show to its sender alone. */
  async command(
    command: string,
    text: string,
    place: { readonly from?: string; readonly channel?: string } = {},
  ): Promise<{ readonly messageId: string; readonly answer: Json }> {
    const from = nameOf(place.from ?? "ann");
    const channel = place.channel ?? (await this.dm(from));
    const trigger = `${Date.now()}.${randomUUID()}`;
    const answer = await this.#deliver("slash_commands", {
      team_id: "T000000001",
      channel_id: channel,
      channel_name: channel.startsWith("D") ? "directmessage" : "team",
      user_id: this.idOf(from),
      user_name: from,
      command,
      text,
      api_app_id: "A1",
      response_url: `${this.url}commands/none`,
      trigger_id: trigger,
    });
    return { messageId: trigger, answer };
  }

  /** Whether that message was acknowledged. */
  isAcknowledged(messageId: string): boolean {
    return !this.#unacknowledged.has(this.#envelopes.get(messageId) ?? "");
  }

  emit(event: Json): Promise<Json> {
    return this.#deliver("events_api", {
      token: "verification",
      team_id: "T000000001",
      api_app_id: "A1",
      event: { team: "T000000001", ...event },
      type: "event_callback",
      event_id: `Ev${randomUUID()}`,
      event_time: Math.floor(Date.now() / 1_000),
      authorizations: [{ team_id: "T000000001", user_id: this.botId, is_bot: true }],
    });
  }

  /** Somebody presses a button under a message of the bot's. */
  async press(
    messageId: string,
    label: string,
    { from = "ann", channel }: { from?: string; channel?: string } = {},
  ): Promise<void> {
    const at = channel ?? (await this.dm(from));
    const sent = this.calls.findLast(({ method, args }) => method === "chat.postMessage" && args.blocks);
    const { text = "", blocks = "[]", thread_ts } = sent?.args ?? {};
    const [, { elements = [] } = {}] = JSON.parse(blocks) as { elements?: Json[] }[];
    const button = elements.find((each) => (each.text as Json).text === label);
    await this.#deliver("interactive", {
      type: "block_actions",
      trigger_id: `${Date.now()}.${randomUUID()}`,
      user: { id: this.idOf(from), username: from },
      channel: { id: at, name: at.startsWith("D") ? "directmessage" : "team" },
      message: { type: "message", user: this.botId, ts: messageId, text, ...(thread_ts && { thread_ts }) },
      actions: [{ type: "button", action_id: button?.action_id, value: button?.value }],
    });
  }

  /** Somebody puts an emoji on a message of the bot's, or takes it off. */
  async react(
    type: "reaction_added" | "reaction_removed",
    ts: string,
    emoji: string,
    { from = "ann", in: where = "dm" }: { from?: string; in?: string } = {},
  ): Promise<void> {
    const channel = where === "dm" ? await this.dm(from) : this.channel;
    const reaction = emoji.startsWith("\u{1f44e}") ? "thumbsdown::skin-tone-3" : "heart";
    const item = { type: "message", channel, ts };
    const user = this.idOf(nameOf(from));
    await this.emit({ type, user, reaction, item_user: this.botId, item, event_ts: "1750000000.000100" });
  }

  /** What the buttons say under that message, or under the last one that had any, if it was not changed since. */
  buttonsOn(messageId: string): string[] {
    const call = this.calls.findLast(
      ({ method, args }) =>
        (method === "chat.postMessage" && args.blocks) ||
        (method === "chat.update" && args.ts === messageId && args.blocks),
    );
    const [, { elements = [] } = {}] = JSON.parse(call?.args.blocks ?? "[]") as { elements?: Json[] }[];
    return elements.map((each) => String((each.text as Json).text));
  }

  /** The last envelope comes again. */
  async redeliver(): Promise<void> {
    if (!this.#last) return;
    this.#last.retry_attempt += 1;
    await this.#push(this.#last);
  }

  /** Posts the events again that nobody acknowledged, in order. */
  async retry(): Promise<void> {
    for (const envelope of [...this.#unacknowledged.values()]) {
      envelope.retry_attempt += 1;
      await this.#push(envelope);
    }
  }

  /** A post as Slack makes it: signed with that secret at that time. Gives the status and the answer. */
  async post(
    body: string,
    type: "application/json" | "application/x-www-form-urlencoded",
    {
      secret = this.signingSecret,
      at = Math.floor(Date.now() / 1_000),
      headers = {},
    }: {
      readonly secret?: string;
      readonly at?: number;
      readonly headers?: Readonly<Record<string, string>>;
    } = {},
  ): Promise<{ readonly status: number; readonly body: string }> {
    if (this.requestUrl === null) return { status: 0, body: "" };
    const signature = createHmac("sha256", secret).update(`v0:${at}:${body}`).digest("hex");
    const signed = { "x-slack-request-timestamp": String(at), "x-slack-signature": `v0=${signature}` };
    return postOnce(this.requestUrl, { "content-type": type, ...signed, ...headers }, body).catch(() => ({
      status: 0,
      body: "",
    }));
  }

  async #postEnvelope({ envelope_id, type, payload, retry_attempt }: Envelope): Promise<Json> {
    const isEvent = type === "events_api";
    const form = new URLSearchParams(
      type === "interactive" ? { payload: JSON.stringify(payload) } : (payload as Record<string, string>),
    );
    const headers: Record<string, string> =
      retry_attempt > 0
        ? { "x-slack-retry-num": String(retry_attempt), "x-slack-retry-reason": "http_error" }
        : {};
    const { status, body } = isEvent
      ? await this.post(JSON.stringify(payload), "application/json", { headers })
      : await this.post(form.toString(), "application/x-www-form-urlencoded", { headers });
    this.posted.push({ status, retry: retry_attempt });
    if (status < 200 || status > 299) return {};
    this.#unacknowledged.delete(envelope_id);
    return body === "" ? {} : (JSON.parse(body) as Json);
  }

  /** All of a channel, its threads too, oldest first. */
  async messages(channel: string): Promise<SlackMessage[]> {
    const { messages } = await this.api("conversations.history", { channel, limit: "1000" }, BOT);
    const roots = messages as SlackMessage[];
    const begun = roots.filter(({ reply_count = 0 }) => reply_count > 0);
    const threads = await Promise.all(begun.map(({ ts }) => this.#repliesTo(channel, ts)));
    return [...roots, ...threads.flat()].sort((one, other) => (one.ts < other.ts ? -1 : 1));
  }

  /** What the bot said there, oldest first. */
  async said(channel: string, thread?: string): Promise<SlackMessage[]> {
    const all = (await this.messages(channel)).filter(({ user }) => user === this.botId);
    return thread ? all.filter((message) => message.thread_ts === thread) : all;
  }

  /** Waits until that is true of what the bot said there; looks whenever the bot did something. */
  async until(channel: string, holds: (texts: readonly string[]) => boolean): Promise<readonly string[]> {
    for (;;) {
      const stirred = this.#stirring();
      const texts = (await this.said(channel)).map(({ text }) => text);
      if (holds(texts)) return texts;
      if (!(await stirred)) throw new Error(`It never was so: ${JSON.stringify(texts)}`);
    }
  }

  /** True with the next call of the bot's; false where there is none for a long time. */
  #stirring(): Promise<boolean> {
    return new Promise((resolve) => {
      const patience = setTimeout(() => resolve(false), 8_000).unref();
      this.#waiting.push(() => {
        clearTimeout(patience);
        resolve(true);
      });
    });
  }

  async download(url: string): Promise<Uint8Array> {
    const response = await fetch(url, { headers: { authorization: `Bearer ${tokenOf("ann")}` } });
    return new Uint8Array(await response.arrayBuffer());
  }

  /** To the next call of the bot's that says something; a token is revoked for good. "bad gateway": taken, and then 502. */
  trouble(what: Trouble | "bad gateway"): void {
    if (what === "revoked token") this.#isRevoked = true;
    else this.#trouble = what;
  }

  cut(): void {
    for (const socket of this.#sockets) socket.terminate();
  }

  /** Slack asks for a new connection, as it does every few hours. */
  recall(): void {
    for (const socket of this.#sockets)
      socket.send(JSON.stringify({ type: "disconnect", reason: "refresh_requested" }));
  }

  /** A frame as it is, on every line. */
  raw(frame: string): void {
    for (const socket of this.#sockets) socket.send(frame);
  }

  get lines(): number {
    return this.#sockets.size;
  }

  async close(): Promise<void> {
    this.cut();
    for (const response of this.#held) response.destroy();
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
    await this.#emulator.close();
  }

  /** A call of the Web API that does not pass the trouble. */
  async api(method: string, args: Readonly<Record<string, string>>, user = "ann"): Promise<Json> {
    const response = await fetch(`${this.#upstream}/api/${method}`, {
      method: "POST",
      headers: { authorization: `Bearer ${tokenOf(user)}` },
      body: new URLSearchParams(args),
    });
    const answer = (await response.json()) as Json;
    if (answer.ok !== true) throw new Error(`${method}: ${String(answer.error)}`);
    return answer;
  }

  async #repliesTo(channel: string, ts: string): Promise<SlackMessage[]> {
    const { messages } = await this.api("conversations.replies", { channel, ts }, BOT);
    return (messages as SlackMessage[]).filter((message) => message.ts !== ts);
  }

  async #rename(user: string, name: string): Promise<void> {
    await this.api("users.profile.set", { profile: JSON.stringify({ display_name: name }) }, user);
  }

  async #upload(
    from: string,
    channel: string,
    text: string,
    thread: string | undefined,
    files: NonNullable<Written["files"]>,
  ): Promise<Json> {
    const ids: { id: string; title: string }[] = [];
    for (const { name, bytes } of files) {
      const place = await this.api(
        "files.getUploadURLExternal",
        { filename: name, length: String(bytes.length) },
        from,
      );
      await fetch(String(place.upload_url), { method: "POST", body: Buffer.from(bytes) });
      ids.push({ id: String(place.file_id), title: name });
    }
    const share = { channel_id: channel, initial_comment: text, files: JSON.stringify(ids) };
    await this.api("files.completeUploadExternal", { ...share, ...(thread && { thread_ts: thread }) }, from);
    const last = (await this.messages(channel)).findLast((message) => message.files);
    return last as unknown as Json;
  }

  #greet(socket: WebSocket): void {
    this.#sockets.add(socket);
    this.opened += 1;
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("error", () => {});
    socket.on("message", (data) => {
      const { envelope_id, payload } = JSON.parse(String(data)) as { envelope_id: string; payload: Json };
      this.#unacknowledged.delete(envelope_id);
      this.#acknowledged.get(envelope_id)?.(payload);
    });
    if (this.isMute) return;
    const hello = {
      type: "hello",
      num_connections: 1,
      connection_info: { app_id: "A1" },
      debug_info: { host: "here" },
    };
    socket.send(JSON.stringify(hello));
    for (const envelope of this.#unacknowledged.values()) {
      envelope.retry_attempt += 1;
      socket.send(JSON.stringify(envelope));
    }
  }

  #deliver(type: string, payload: Json): Promise<Json> {
    const accepts_response_payload = type !== "events_api";
    const envelope = { envelope_id: randomUUID(), type, payload, accepts_response_payload, retry_attempt: 0 };
    this.#last = envelope;
    return this.#push(envelope);
  }

  #push(envelope: Envelope): Promise<Json> {
    // Slack does not repeat slash commands: whoever gave one sees that it failed.
    if (envelope.type === "events_api") this.#unacknowledged.set(envelope.envelope_id, envelope);
    if (this.#options.http) return this.#postEnvelope(envelope);
    const [socket] = this.#sockets;
    if (!socket) return Promise.resolve({});
    return new Promise((resolve) => {
      const patience = setTimeout(() => resolve({}), PATIENCE_MS);
      this.#acknowledged.set(envelope.envelope_id, (answer) => {
        clearTimeout(patience);
        resolve(answer);
      });
      socket.send(JSON.stringify(envelope));
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const path = request.url ?? "";
    const method = path.split("?")[0]?.split("/").at(-1) ?? "";
    const token = (request.headers.authorization ?? "").replace("Bearer ", "");
    if (path.startsWith("/api/")) {
      if (method === "apps.connections.open") return this.#openLine(token, response);
      if (this.#isRevoked && token === this.botToken)
        return answer(response, { ok: false, error: "token_revoked" });
      if (!this.#knows(token)) return answer(response, { ok: false, error: "invalid_auth" });
      this.calls.push({ method, args: Object.fromEntries(new URLSearchParams(body.toString())) });
    }
    if (method === "assistant.threads.setStatus" && path.startsWith("/api/"))
      return answer(response, await this.#setStatus(new URLSearchParams(body.toString())));
    const says = ["chat.postMessage", "chat.update", "files.completeUploadExternal"].includes(method);
    const trouble = says && token === this.botToken ? this.#trouble : undefined;
    if (trouble) this.#trouble = undefined;
    if (trouble === "rate limited") {
      response.setHeader("retry-after", "1");
      return answer(response, { ok: false, error: "ratelimited" }, 429);
    }
    if (trouble === "server error") return answer(response, { ok: false, error: "internal_error" }, 500);
    if (trouble === "refused") return answer(response, { ok: false, error: "restricted_action" });
    const upstream = await fetch(this.#upstream + path, {
      method: request.method ?? "GET",
      headers: headersOf(request),
      ...(request.method === "POST" && { body }),
    });
    const result = Buffer.from(await upstream.arrayBuffer());
    if (method === "chat.postMessage" && token === this.botToken) {
      const { channel, thread_ts } = Object.fromEntries(new URLSearchParams(body.toString()));
      this.statuses.delete(`${channel}:${thread_ts}`);
    }
    if (method === "chat.postMessage" && !new URLSearchParams(body.toString()).has("thread_ts")) {
      this.#begun = String((JSON.parse(result.toString()) as Json).ts);
    }
    this.stirs += 1;
    for (const look of this.#waiting.splice(0)) look();
    if (trouble === "swallowed") return void this.#held.add(response);
    if (trouble === "bad gateway") return void response.writeHead(502).end("<h1>Bad gateway</h1>");
    response.writeHead(this.status ?? upstream.status, {
      "content-type": upstream.headers.get("content-type") ?? "application/json",
    });
    const call = this.calls.at(-1);
    const isBots = call && path.startsWith("/api/") && token === this.botToken;
    response.end(isBots ? this.answers(call, result.toString()) : result);
  }

  /** As Slack documents it: a thread of a channel that is there; an empty status removes the line. */
  async #setStatus(given: URLSearchParams): Promise<Json> {
    const [channel, thread, status] = ["channel_id", "thread_ts", "status"].map((name) => given.get(name));
    if (this.declinesStatus !== null) return { ok: false, error: this.declinesStatus };
    if (!channel || !thread || status === null || status === undefined)
      return { ok: false, error: "invalid_arguments" };
    const messages = await this.messages(channel).catch(() => null);
    if (messages === null) return { ok: false, error: "channel_not_found" };
    if (!messages.some(({ ts }) => ts === thread)) return { ok: false, error: "invalid_thread_ts" };
    if (status === "") this.statuses.delete(`${channel}:${thread}`);
    else this.statuses.set(`${channel}:${thread}`, status);
    this.stirs += 1;
    for (const look of this.#waiting.splice(0)) look();
    return { ok: true };
  }

  #openLine(token: string, response: ServerResponse): void {
    const link = this.url.replace(/^http/, "ws").replace("/api/", "/link/");
    const opened = { ok: true, url: `${link}?ticket=${randomUUID()}` };
    answer(response, token === this.appToken ? opened : { ok: false, error: "invalid_auth" });
  }

  #knows(token: string): boolean {
    return [...PEOPLE, BOT, OTHER_BOT].some((user) => tokenOf(user) === token);
  }
}

function tokenOf(user: string): string {
  return user === BOT ? "xoxb-robot" : `xoxp-${user}`;
}

/** As Slack's clients send what people type. */
function asTyped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function nameOf(name: string): string {
  return [...PEOPLE, BOT, OTHER_BOT].includes(name) ? name : (PEOPLE.at(-1) ?? "");
}

function answer(response: ServerResponse, body: Json, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

function headersOf(request: IncomingMessage): Record<string, string> {
  const kept = ["authorization", "content-type"];
  return Object.fromEntries(
    kept.flatMap((name) => (request.headers[name] ? [[name, String(request.headers[name])]] : [])),
  );
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
