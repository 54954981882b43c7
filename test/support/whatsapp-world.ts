/**
 * WhatsApp's Cloud API as crabline plays it, with what that leaves out played here: the webhook's posts, signed as Meta
 * signs them and made again until they are taken; words of what was sent; files, reactions and pictures.
 */
import { createHmac, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startWhatsAppServer } from "@openclaw/crabline";
import type { WhatsAppSettings } from "../../src/adapter/whatsapp/config.js";
import { type Answer, type Asked, Between } from "./between.js";

export const ANN = "15551234567";
const APP_SECRET = "an app's secret";
export const VERIFY_TOKEN = "a token to verify";

export interface WhatsAppSaid {
  readonly id: string;
  readonly body: Readonly<Record<string, unknown>>;
}

type Server = Awaited<ReturnType<typeof startWhatsAppServer>>;
/** One post to the webhook. */
interface Post {
  readonly body: string;
  readonly messageId: string;
}

type Json = Readonly<Record<string, unknown>>;

export class WhatsAppWorld {
  /** What was sent, in order. */
  readonly sent: WhatsAppSaid[] = [];
  /** Marks of reading and signs of typing. */
  readonly signs: Json[] = [];
  readonly reactions: Json[] = [];
  /** Files by id, theirs and ours. */
  readonly media = new Map<
    string,
    { readonly name: string; readonly mediaType: string; readonly bytes: Buffer }
  >();
  /** Messages that we believe arrived. */
  readonly acknowledged = new Set<string>();
  readonly asked: Asked[] = [];
  readonly between: Between;
  readonly #server: Server;
  readonly #folder: string;
  /** Of the webhook. */
  port = 0;
  /** Where files are said to be; on this server unless told. */
  mediaRoot: string | null = null;
  /** Whether word comes of what was sent. */
  tells = false;
  isRevoked = false;
  #next: "swallow" | Answer | null = null;
  #swallowsFile = false;
  #last: Post = { body: "{}", messageId: "" };
  /** Those that were not taken. */
  #missed: Post[] = [];
  #texts = 0;

  static async open(): Promise<WhatsAppWorld> {
    const folder = await mkdtemp(join(tmpdir(), "baton-whatsapp-"));
    const recorderPath = join(folder, "whatsapp.jsonl");
    const server = await startWhatsAppServer({
      host: "127.0.0.1",
      port: 0,
      graphVersion: "v23.0",
      recorderPath,
    });
    let world: WhatsAppWorld | undefined;
    const between = await Between.open(server.manifest.baseUrl, {
      answer: (asked) => world?.answer(asked) ?? null,
      heard: (asked, status, body) => world?.hear(asked, status, body),
      isSend: (method, path) => method === "POST" && path.endsWith("/messages"),
    });
    world = new WhatsAppWorld(server, between, folder);
    return world;
  }

  private constructor(server: Server, between: Between, folder: string) {
    this.#server = server;
    this.between = between;
    this.#folder = folder;
  }

  get settings(): WhatsAppSettings {
    const { phoneNumberId, accessToken, graphVersion } = this.#server.manifest;
    return {
      phoneNumberId,
      accessToken: () => accessToken,
      appSecret: () => APP_SECRET,
      verifyToken: () => VERIFY_TOKEN,
      webhook: { port: 0 },
      baseUrl: this.between.url,
      graphVersion,
      timeoutMs: 4_000,
      toldMs: 50, // It tells at once, or never.
    };
  }

  get webhookUrl(): string {
    return `http://127.0.0.1:${this.port}/whatsapp`;
  }

  /** What becomes of the next message. */
  failNext(how: "swallow" | Answer): void {
    this.#next = how;
  }

  /** The next file is taken, and nobody says so. */
  swallowFile(): void {
    this.#swallowsFile = true;
  }

  /** A person writes, by way of crabline; what it would post is posted here. */
  async write(
    text: string,
    { from = ANN, name = "Ann", context }: { from?: string; name?: string; context?: string } = {},
  ) {
    const { endpoints, adminToken } = this.#server.manifest;
    const jid = `${from}@s.whatsapp.net`;
    const response = await fetch(endpoints.adminInboundUrl, {
      method: "POST",
      headers: { "content-type": "application/json", "x-crabline-admin-token": adminToken },
      body: JSON.stringify({
        chatJid: jid,
        senderJid: jid,
        text,
        pushName: name,
        messageId: `wamid.IN${this.#texts++}`,
      }),
    });
    const { webhook } = (await response.json()) as {
      webhook?: { entry: { changes: { value: { messages: object[] } }[] }[] };
    };
    const [message] = webhook?.entry[0]?.changes[0]?.value.messages ?? [];
    if (!webhook || !message) throw new Error("crabline did not take it");
    if (context) Object.assign(message, { context: { from: "15550000000", id: context } });
    return this.post(webhook, (message as { id: string }).id);
  }

  /** A person sends a message of any kind. */
  async writeMessage(message: Json, name = "Ann"): Promise<string> {
    const id = `wamid.IN${this.#texts++}`;
    const contacts = [{ profile: { name }, wa_id: ANN }];
    const messages = [{ from: ANN, id, timestamp: "1750000000", ...message }];
    return this.post(this.#value({ contacts, messages }), id);
  }

  /** Word of a message of ours. */
  async tell(status: Json): Promise<void> {
    await this.post(this.#value({ statuses: [status] }), "");
  }

  async post(webhook: object, messageId: string): Promise<string> {
    this.#last = { body: JSON.stringify(webhook), messageId };
    const status = await this.deliver().catch(() => 0);
    if (status !== 200) this.#missed.push(this.#last);
    return messageId;
  }

  /** What was not taken is posted again, in order. */
  async deliverMissed(): Promise<void> {
    for (const post of this.#missed.splice(0)) {
      this.#last = post;
      await this.deliver();
    }
  }

  /** The last post, once more; gives the status. */
  async deliver(signature?: string | null): Promise<number> {
    const { body, messageId } = this.#last;
    const signed = signature === undefined ? sign(body) : signature;
    const response = await fetch(this.webhookUrl, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(signed === null ? {} : { "x-hub-signature-256": signed }),
      },
      body,
    });
    await response.arrayBuffer();
    if (response.ok) this.acknowledged.add(messageId);
    return response.status;
  }

  async close(): Promise<void> {
    await this.between.close();
    await this.#server.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  answer(asked: Asked): "swallow" | Answer | null {
    this.asked.push(asked);
    const { graphVersion, phoneNumberId, accessToken } = this.#server.manifest;
    if (this.isRevoked || asked.headers.authorization !== `Bearer ${accessToken}`)
      return json(401, { error: { code: 190, message: "Error validating access token" } });
    const [path = ""] = asked.path.split("?");
    const ours = `/${graphVersion}/${phoneNumberId}`;
    if (path === `${ours}/media`) return this.#upload(asked);
    if (path.startsWith("/files/")) {
      const { bytes, mediaType } = this.media.get(path.slice("/files/".length)) ?? {};
      return bytes
        ? { status: 200, headers: { "content-type": mediaType ?? "" }, body: bytes }
        : json(404, {});
    }
    const mediaId = path.slice(`/${graphVersion}/`.length);
    const media = this.media.get(mediaId);
    if (media) {
      const url = `${this.mediaRoot ?? this.between.url}/files/${mediaId}`;
      return json(200, { url, mime_type: media.mediaType, file_size: media.bytes.byteLength, id: mediaId });
    }
    if (/^\/[^/]+\/\d+$/.test(path) && path !== ours)
      return json(400, { error: { code: 100, message: "Unsupported get request" } });
    if (path !== `${ours}/messages`) return null;
    const body = JSON.parse(asked.body.toString()) as Json;
    if ("status" in body) return null;
    const next = this.#next;
    this.#next = null;
    if (next !== null && next !== "swallow") return next;
    if (body.type === "text" && "to" in body) return next;
    const answer = this.#takeOther(body);
    if (!this.#swallowsFile || body.type === "reaction") return answer;
    this.#swallowsFile = false;
    return "swallow";
  }

  hear(asked: Asked, status: number, text: string): void {
    if (!asked.path.endsWith("/messages") || status !== 200) return;
    const body = JSON.parse(asked.body.toString()) as Json;
    if ("status" in body) return void this.signs.push(body);
    const { messages } = JSON.parse(text) as { messages: { id: string }[] };
    this.#keep(messages[0]?.id ?? "", body);
  }

  /** What crabline has no place for. */
  #takeOther(body: Json): Answer {
    const id = `wamid.OUT${randomUUID()}`;
    if (body.type === "reaction") this.reactions.push(body.reaction as Json);
    else this.#keep(id, body);
    return json(200, { messaging_product: "whatsapp", contacts: [], messages: [{ id }] });
  }

  #keep(id: string, body: Json): void {
    this.sent.push({ id, body });
    const biz_opaque_callback_data = body.biz_opaque_callback_data;
    if (this.tells) void this.tell({ id, status: "sent", recipient_id: body.to, biz_opaque_callback_data });
  }

  #upload({ headers, body }: Asked): Answer {
    const boundary = /boundary=(.+)$/.exec(headers["content-type"] ?? "")?.[1] ?? "";
    const parts = body.toString("latin1").split(`--${boundary}`);
    const file = parts.find((part) => part.includes('name="file"')) ?? "";
    const [, name = ""] = /filename="([^"]*)"/.exec(file) ?? [];
    const [, mediaType = ""] = /content-type: ([^\r]*)/i.exec(file) ?? [];
    const content = file.slice(file.indexOf("\r\n\r\n") + 4, -2);
    const id = `${this.media.size + 1}000`;
    this.media.set(id, { name, mediaType, bytes: Buffer.from(content, "latin1") });
    return json(200, { id });
  }

  #value(value: Json): object {
    const metadata = { phone_number_id: this.#server.manifest.phoneNumberId };
    const changes = [{ field: "messages", value: { messaging_product: "whatsapp", metadata, ...value } }];
    return { object: "whatsapp_business_account", entry: [{ id: "1", changes }] };
  }
}

export function sign(body: string, secret = APP_SECRET): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}

export function json(status: number, body: object): Answer {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}
