/**
 * A file that somebody sends, on every platform: its download stops in the middle, the gateway is killed with -9, and a
 * new one on the same home has the file byte for byte, with its message, which it answers once.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ANN as DISCORD_ANN, DiscordServer, newId } from "../support/discord-server.js";
import type { Faults } from "../support/faults.js";
import { ANN as FEISHU_ANN, DM as FEISHU_DM, FeishuWorld } from "../support/feishu-world.js";
import { PlatformProcess, type PlatformProcessOptions } from "../support/http-platform-process.js";
import { CrablineMatrix, ANN as MATRIX_ANN } from "../support/matrix-room.js";
import { idNamed } from "../support/mattermost-ids.js";
import { DM, ANN as MATTERMOST_ANN, MattermostWorld } from "../support/mattermost-world.js";
import { ACCOUNT, ANN as SIGNAL_ANN, SignalWorld } from "../support/signal-world.js";
import { SlackServer } from "../support/slack-server.js";
import { TelegramServer } from "../support/telegram-server.js";
import { ANN as WEB_ANN, WhatsAppWeb } from "../support/whatsapp-web.js";
import { ANN as WHATSAPP_ANN, WhatsAppWorld } from "../support/whatsapp-world.js";

const NAME = "notes.bin";
const TYPE = "application/octet-stream";
const BYTES = Uint8Array.from({ length: 200_000 }, (_, n) => (n * 31 + (n >> 8)) % 256);

interface FileWorld {
  readonly options: Pick<PlatformProcessOptions, "platform" | "adapter" | "settings" | "secrets" | "people">;
  readonly faults: Faults;
  reached?(process: PlatformProcess): void;
  /** Somebody sends the file, with that text. */
  send(text: string): unknown;
  write(text: string): Promise<unknown>;
  told(): Promise<readonly string[]> | readonly string[];
  close(): Promise<void>;
}

const WORLDS: Readonly<Record<string, () => Promise<FileWorld>>> = {
  Telegram: async () => {
    const server = await TelegramServer.start();
    const chatId = "100001";
    server.files.set("f1", BYTES);
    const document = { file_id: "f1", file_name: NAME, mime_type: TYPE, file_size: BYTES.byteLength };
    return {
      options: {
        platform: "telegram",
        settings: { baseUrl: server.url },
        secrets: { token: server.token },
        people: [chatId],
      },
      faults: server.faults,
      send: (text) =>
        server.inject({
          chatId,
          text,
          as: ({ update_id, message: { text: caption, ...message } }) => ({
            update_id,
            message: { ...message, caption, document },
          }),
        }),
      write: (text) => server.inject({ chatId, text }),
      told: () => server.sentTo(chatId).map(({ text }) => text),
      close: () => server.close(),
    };
  },
  Discord: async () => {
    const server = await DiscordServer.start();
    const channelId = await server.directChannel(DISCORD_ANN);
    const { token, baseUrl } = server;
    return {
      options: { platform: "discord", settings: { baseUrl }, secrets: { token }, people: [DISCORD_ANN] },
      faults: server.faults,
      send: async (content) => {
        await server.up();
        const file = { filename: NAME, content_type: TYPE, size: BYTES.byteLength };
        server.say("MESSAGE_CREATE", {
          ...{ id: newId(), type: 0, channel_id: channelId, content },
          author: { id: DISCORD_ANN, username: "ann" },
          attachments: [{ ...file, url: server.host(BYTES, NAME) }],
        });
      },
      write: (content) => server.inject({ channelId, content }),
      told: async () => (await server.sent(channelId)).map(({ content }) => content),
      close: () => server.close(),
    };
  },
  Slack: async () => {
    const server = await SlackServer.start();
    const chat = await server.dm("ann");
    const { url: baseUrl, botToken, appToken } = server;
    const people = [server.idOf("ann")];
    return {
      options: { platform: "slack", settings: { baseUrl }, secrets: { botToken, appToken }, people },
      faults: server.faults,
      send: (text) => server.write({ text, files: [{ name: NAME, mediaType: TYPE, bytes: BYTES }] }),
      write: (text) => server.write({ text }),
      told: async () => (await server.said(chat)).map(({ text }) => text),
      close: () => server.close(),
    };
  },
  "WhatsApp, by the Cloud API": async () => {
    const world = await WhatsAppWorld.open();
    const { accessToken, appSecret, verifyToken, ...settings } = world.settings;
    const secrets = { accessToken: accessToken(), appSecret: appSecret(), verifyToken: verifyToken() };
    world.media.set("100", { name: NAME, mediaType: TYPE, bytes: Buffer.from(BYTES) });
    return {
      options: { platform: "whatsapp", settings, secrets, people: [`+${WHATSAPP_ANN}`] },
      faults: world.between.faults,
      reached: ({ port }) => {
        world.port = port;
      },
      send: (caption) =>
        world.writeMessage({
          type: "document",
          document: { id: "100", mime_type: TYPE, filename: NAME, caption },
        }),
      write: (text) => world.write(text),
      told: () =>
        world.sent
          .filter(({ body }) => body.to === WHATSAPP_ANN)
          .flatMap(({ body }) => (body.text as { body: string } | undefined)?.body ?? []),
      close: () => world.close(),
    };
  },
  "WhatsApp, by Baileys": async () => {
    const world = await WhatsAppWeb.open();
    const { settings } = world;
    return {
      options: { platform: "whatsapp", adapter: "baileys", settings, secrets: {}, people: [WEB_ANN.number] },
      faults: world.faults,
      send: async (caption) => {
        const media = await world.keepFile("document", { name: NAME, mediaType: TYPE, bytes: BYTES });
        world.write({ documentMessage: { ...media, caption } });
      },
      write: async (conversation) => world.write({ conversation }),
      told: () =>
        world
          .sentTo(WEB_ANN.number)
          .map(({ message }) => message.conversation ?? message.extendedTextMessage?.text ?? ""),
      close: () => world.close(),
    };
  },
  Signal: async () => {
    const world = await SignalWorld.open();
    const { uuid, number } = SIGNAL_ANN;
    const { baseUrl } = world;
    world.keep("f1", BYTES);
    const file = { id: "f1", filename: NAME, contentType: TYPE, size: BYTES.byteLength };
    return {
      options: { platform: "signal", settings: { baseUrl, account: ACCOUNT }, secrets: {}, people: [uuid] },
      faults: world.between.faults,
      send: (message) => {
        const timestamp = Date.now();
        world.speak({ timestamp, dataMessage: { timestamp, message, attachments: [file] } });
      },
      write: (text) => world.write(text),
      told: () => world.sentTo(number).map(({ params }) => String(params.message)),
      close: () => world.close(),
    };
  },
  Matrix: async () => {
    const matrix = await CrablineMatrix.start();
    const { homeserver, token } = matrix;
    const people = [MATRIX_ANN];
    return {
      options: { platform: "matrix", settings: { homeserver }, secrets: { accessToken: token }, people },
      faults: matrix.front.faults,
      send: (text) => matrix.write({ text, files: [{ name: NAME, mediaType: TYPE, bytes: BYTES }] }),
      write: (text) => matrix.write({ text }),
      told: () => matrix.shown(),
      close: () => matrix.close(),
    };
  },
  Mattermost: async () => {
    const world = await MattermostWorld.open();
    const { token, ...settings } = world.settings;
    const id = idNamed("a file");
    world.pages.set(`/api/v4/files/${id}`, { status: 200, body: BYTES });
    const post = { channel_id: DM, user_id: MATTERMOST_ANN, file_ids: [id] };
    const metadata = { files: [{ id, name: NAME, mime_type: TYPE }] };
    return {
      options: { platform: "mattermost", settings, secrets: { token: token() }, people: [MATTERMOST_ANN] },
      faults: world.between.faults,
      send: (message) =>
        world.speak("posted", { ...post, id: idNamed(message), message, metadata }, { channel_type: "D" }),
      write: (text) => world.write({ senderId: MATTERMOST_ANN, text, channelId: DM }),
      told: () => world.sent.filter(({ channel_id }) => channel_id === DM).map(({ message }) => message),
      close: () => world.close(),
    };
  },
  Feishu: async () => {
    const world = await FeishuWorld.open();
    const { appSecret, ...settings } = world.settings;
    const by = { chatId: FEISHU_DM, senderId: FEISHU_ANN };
    world.files.set("file_v3_1", { name: NAME, bytes: BYTES, type: TYPE });
    return {
      options: { platform: "feishu", settings, secrets: { appSecret: appSecret() }, people: [FEISHU_ANN] },
      faults: world.between.faults,
      // A file has no text here: it answers one.
      send: async (text) => {
        const asked = {
          message_id: "om_asked",
          chat_id: FEISHU_DM,
          msg_type: "text",
          sender: { id: FEISHU_ANN },
        };
        world.messages.add(asked, { text });
        const content = { file_key: "file_v3_1", file_name: NAME };
        await world.write({ ...by, type: "file", content, replyTo: "om_asked" });
      },
      write: (text) => world.write({ ...by, text }),
      told: () => world.sent.map(({ content }) => content),
      close: () => world.close(),
    };
  },
};

describe.each(Object.entries(WORLDS))("on %s", (_, open) => {
  let folder: string;
  let world: FileWorld;
  const processes: PlatformProcess[] = [];

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "baton-file-in-"));
    world = await open();
  });
  afterEach(async () => {
    await Promise.all(processes.splice(0).map((process) => process.kill()));
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const start = async (): Promise<PlatformProcess> => {
    const process = await PlatformProcess.start({ ...world.options, url: join(folder, "baton.db") });
    processes.push(process);
    world.reached?.(process);
    return process;
  };
  const until = (holds: (told: readonly string[]) => boolean) =>
    vi.waitUntil(async () => holds(await world.told()), { interval: 20, timeout: 30_000 });
  const kept = (): Buffer[] => {
    const media = join(folder, "media");
    const names = readdirSync(folder).includes("media") ? readdirSync(media, { withFileTypes: true }) : [];
    return names.filter((each) => each.isFile()).map(({ name }) => readFileSync(join(media, name)));
  };

  it("a file that was half here when the gateway was killed is fetched by the next, and answered once", async () => {
    const isLarge = (body: Buffer): boolean => body.byteLength >= BYTES.byteLength;
    const first = await start();
    const held = world.faults.hold((_path, body) => isLarge(body));
    const sent = world.send("take this");
    await held;
    await sent;
    await first.kill();
    expect(first.said.map(({ kind }) => kind)).not.toContain("begun");
    expect([await world.told(), kept()]).toEqual([[], []]);

    const next = await start();
    await until((told) => told.length > 0);
    await world.write("and now");
    await until((told) => told.some((text) => text.includes("and now")));
    const told = await world.told();
    expect(told).toHaveLength(2);
    expect(told[0]).toContain("take this");
    expect(told[0]).toContain(`attached: ${NAME}`);
    expect(told.join()).not.toContain("not taken");
    expect(kept().map((bytes) => bytes.equals(BYTES))).toEqual([true]);
    expect(next.problems).toEqual([]);
  });
});
