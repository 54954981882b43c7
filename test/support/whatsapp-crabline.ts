/** WhatsApp Web as crabline plays it, and nothing else: people write by its admin, and it writes down what it was sent. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startWhatsAppServer } from "@openclaw/crabline";
import type { BaileysSettings } from "../../src/adapter/whatsapp/baileys/config.js";
import { linkedFolder, NUMBER } from "./whatsapp-device.js";

type Server = Awaited<ReturnType<typeof startWhatsAppServer>>;

export class CrablineWeb {
  /** What crabline has deciphered and acknowledged, each message once. */
  readonly sent = new Map<string, { readonly to: string; readonly text: string }>();
  readonly settings: BaileysSettings;
  readonly #server: Server;
  readonly #folder: string;

  static async open(): Promise<CrablineWeb> {
    const folder = await mkdtemp(join(tmpdir(), "baton-whatsapp-"));
    await linkedFolder(join(folder, "link"));
    let world: CrablineWeb | undefined;
    const server = await startWhatsAppServer({
      host: "127.0.0.1",
      port: 0,
      recorderPath: join(folder, "whatsapp.jsonl"),
      selfJid: `${NUMBER}@s.whatsapp.net`,
      onEvent: (event) => world?.hear(event),
    });
    world = new CrablineWeb(server, folder);
    return world;
  }

  private constructor(server: Server, folder: string) {
    this.#server = server;
    this.#folder = folder;
    const baseUrl = server.manifest.endpoints.baileysWebSocketUrl.replace(/^ws/, "http");
    this.settings = { number: `+${NUMBER}`, folder: join(folder, "link"), baseUrl, timeoutMs: 5_000 };
  }

  async write(text: string, from: string, name = "Ann"): Promise<string> {
    const { endpoints, adminToken } = this.#server.manifest;
    const jid = `${from}@s.whatsapp.net`;
    const response = await fetch(endpoints.adminInboundUrl, {
      method: "POST",
      headers: { "content-type": "application/json", "x-crabline-admin-token": adminToken },
      body: JSON.stringify({ chatJid: jid, senderJid: jid, text, pushName: name }),
    });
    const { message } = (await response.json()) as { message?: { key: { id: string } } };
    if (!message) throw new Error("crabline did not take it");
    return message.key.id;
  }

  sentTo(number: string): string[] {
    return [...this.sent.values()].filter(({ to }) => to === number).map(({ text }) => text);
  }

  async close(): Promise<void> {
    await this.#server.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  hear({ accepted, body }: { accepted?: boolean | undefined; body?: unknown }): void {
    const { key, message } = (body ?? {}) as {
      key?: { id: string; remoteJid: string };
      message?: { conversation?: string };
    };
    if (!accepted || !key || !message?.conversation) return;
    const [to = ""] = key.remoteJid.split("@");
    this.sent.set(key.id, { to, text: message.conversation });
  }
}
