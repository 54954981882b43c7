/** Mattermost as crabline plays it, with what that leaves out played in between: failures, edits of people's, other bots. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startMattermostServer } from "@openclaw/crabline";
import { WebSocket } from "ws";
import type { MattermostSettings } from "../../src/adapter/mattermost/config.js";
import { type Answer, type Asked, Between } from "./between.js";
import { idNamed } from "./mattermost-ids.js";
import { frame } from "./websocket-frames.js";

type Server = Awaited<ReturnType<typeof startMattermostServer>>;

export const ANN = idNamed("ann");
const BOT = idNamed("bot");
/** Ann's chat with the bot, and a channel. */
export const DM = idNamed("dm");
export const TOWN = idNamed("town square");

export interface Post {
  readonly id: string;
  readonly channel_id: string;
  readonly root_id: string;
  readonly user_id: string;
  readonly create_at: number;
  message: string;
  props?: Readonly<Record<string, string>>;
  readonly file_ids?: readonly string[];
}

export class MattermostWorld {
  /** What the bot said, in order. */
  readonly sent: Post[] = [];
  /** What the bot uploaded, by id. */
  readonly files = new Map<string, { readonly name: string; readonly bytes: Uint8Array }>();
  typed = 0;
  isRevoked = false;
  /** What the server has at these paths, beside what crabline has. */
  readonly pages = new Map<string, Answer>();
  /** What every call is answered with. */
  failAll: Answer | null = null;
  readonly between: Between;
  readonly #server: Server;
  readonly #folder: string;
  #next: "swallow" | Answer | null = null;
  #swallowsFile = false;

  static async open(): Promise<MattermostWorld> {
    const folder = await mkdtemp(join(tmpdir(), "baton-mattermost-"));
    const server = await startMattermostServer({
      botUserId: BOT,
      botUsername: "baton",
      recorderPath: join(folder, "mattermost.jsonl"),
    });
    let world: MattermostWorld | undefined;
    const between = await Between.open(server.manifest.baseUrl, {
      answer: (asked) => world?.answer(asked) ?? null,
      heard: (asked, status, body) => world?.hear(asked, status, body),
      isSend: (method, path) => method === "POST" && path.endsWith("/posts"),
    });
    world = new MattermostWorld(server, between, folder);
    await world.#makeChannels();
    return world;
  }

  private constructor(server: Server, between: Between, folder: string) {
    this.#server = server;
    this.between = between;
    this.#folder = folder;
  }

  get settings(): MattermostSettings {
    return { url: this.between.url, token: () => this.#server.manifest.botToken, timeoutMs: 4_000 };
  }

  /** Somebody writes; the id of the post. */
  async write(post: Readonly<Record<string, unknown>>): Promise<string> {
    const { adminToken, endpoints } = this.#server.manifest;
    const response = await fetch(endpoints.adminInboundUrl, {
      method: "POST",
      headers: { Authorization: `Bearer ${adminToken}`, "Content-Type": "application/json" },
      body: JSON.stringify(post),
    });
    const body = (await response.json()) as { post?: Post; error?: string };
    if (!body.post) throw new Error(body.error);
    return body.post.id;
  }

  /** An event that crabline has no way to say. */
  speak(
    event: string,
    post: Readonly<Record<string, unknown>>,
    data: Readonly<Record<string, unknown>> = {},
  ): void {
    const said = { event, data: { ...data, post: JSON.stringify(post) }, broadcast: {} };
    this.between.inject(frame(JSON.stringify(said)));
  }

  /** Somebody puts an emoji on a post, or takes it off. */
  react(
    event: "reaction_added" | "reaction_removed",
    postId: string,
    emoji: string,
    { userId, channelId }: { readonly userId: string; readonly channelId: string },
  ): void {
    const name = emoji.startsWith("\u{1f44e}") ? "-1" : "heart";
    const reaction = { user_id: userId, post_id: postId, emoji_name: name, create_at: 1_750_000_000_000 };
    const broadcast = { channel_id: channelId };
    const said = { event, data: { reaction: JSON.stringify(reaction) }, broadcast };
    this.between.inject(frame(JSON.stringify(said)));
  }

  /** The next file is taken, and nobody says so. */
  swallowFile(): void {
    this.#swallowsFile = true;
  }

  failNext(failure: "swallow" | Answer): void {
    this.#next = failure;
  }

  answer(asked: Asked): Answer | "swallow" | null {
    const { method, path } = asked;
    if (this.failAll) return this.failAll;
    if (this.isRevoked)
      return { status: 401, body: JSON.stringify({ message: "Invalid or expired session." }) };
    const page = method === "GET" ? this.pages.get(path) : undefined;
    if (page) return page;
    const [, channel] = /\/channels\/(\w+)\/posts\?/.exec(path) ?? [];
    if (channel) return { status: 200, body: JSON.stringify(this.#postsIn(channel)) };
    if (method === "GET" || path.endsWith("/typing")) return null;
    const next = this.#next;
    this.#next = null;
    if (next !== null && next !== "swallow") return next;
    if (path.endsWith("/files")) return this.#upload(asked);
    if (!path.endsWith("/posts") || !("file_ids" in JSON.parse(asked.body.toString()))) return next;
    const shared = this.#share(asked);
    if (!this.#swallowsFile) return shared;
    this.#swallowsFile = false;
    return "swallow";
  }

  /** crabline has no history: the bot's own posts, the newest first. */
  #postsIn(channel: string): object {
    const posts = this.sent.filter((post) => post.channel_id === channel).toReversed();
    return {
      order: posts.map(({ id }) => id),
      posts: Object.fromEntries(posts.map((post) => [post.id, { ...post, user_id: BOT }])),
    };
  }

  /** crabline knows no files: these are kept here, and so are the posts that show them. */
  #upload({ body }: Asked): Answer {
    const all = body.toString("latin1");
    const head = /; filename="([^"]*)"\r\nContent-Type: [^\r\n]*\r\n\r\n/.exec(all);
    if (!head || !all.includes('name="channel_id"')) return { status: 400, body: "{}" };
    const from = head.index + head[0].length;
    const end = `\r\n${all.slice(0, all.indexOf("\r\n"))}`;
    const name = Buffer.from(head[1] ?? "", "latin1").toString();
    const id = idNamed(`file ${this.files.size}`);
    this.files.set(id, { name, bytes: new Uint8Array(body.subarray(from, all.indexOf(end, from))) });
    return { status: 201, body: JSON.stringify({ file_infos: [{ id, name }], client_ids: [] }) };
  }

  #share({ body }: Asked): Answer {
    const post = { root_id: "", ...(JSON.parse(body.toString()) as Omit<Post, "id" | "root_id">) };
    const taken: Post = { ...post, id: idNamed(`post ${this.sent.length}`), create_at: Date.now() };
    this.sent.push(taken);
    return { status: 201, body: JSON.stringify(taken) };
  }

  hear(asked: Asked, status: number, body: string): void {
    const { method, path } = asked;
    if (path.endsWith("/typing")) this.typed += 1;
    if (status >= 300 || !path.includes("/posts")) return;
    const post = JSON.parse(body) as Post;
    if ("file_ids" in JSON.parse(asked.body.toString() || "{}")) return; // It is there already.
    const before = this.sent.find(({ id }) => id === post.id);
    const { props } = JSON.parse(asked.body.toString()) as Post;
    if (before) Object.assign(before, { message: post.message, props });
    else if (method === "POST") this.sent.push({ ...post, ...(props && { props }) });
  }

  async close(): Promise<void> {
    await this.between.close();
    await this.#server.close();
    await rm(this.#folder, { recursive: true });
  }

  /** A channel is there once somebody wrote in it; a listener takes those posts away. */
  async #makeChannels(): Promise<void> {
    const { endpoints, botToken } = this.#server.manifest;
    const socket = new WebSocket(endpoints.websocketUrl);
    let left = 3; // The greeting and two posts.
    const done = new Promise<void>((resolve) => {
      socket.on("message", (data) => {
        if ("event" in JSON.parse(String(data)) && --left === 0) resolve();
      });
    });
    await new Promise((opened) => socket.once("open", opened));
    socket.send(JSON.stringify({ seq: 1, action: "authentication_challenge", data: { token: botToken } }));
    const name = [ANN, BOT].sort().join("__");
    await this.write({ senderId: ANN, senderName: "ann", text: "-", channelId: DM, channelName: name });
    await this.write({ senderId: ANN, text: "-", channelId: TOWN, channelType: "O", channelName: "town" });
    await done;
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.close();
    await closed;
  }
}
