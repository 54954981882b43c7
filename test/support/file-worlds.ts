/** Every platform with somebody who sends a file and is sent files, for gateways in processes of their own. */
import { ANN as DISCORD_ANN, DiscordServer, newId } from "./discord-server.js";
import type { Faults } from "./faults.js";
import { ANN as FEISHU_ANN, DM as FEISHU_DM, FeishuWorld } from "./feishu-world.js";
import type { PlatformProcess, PlatformProcessOptions } from "./http-platform-process.js";
import { CrablineMatrix, ANN as MATRIX_ANN } from "./matrix-room.js";
import { idNamed } from "./mattermost-ids.js";
import { DM, ANN as MATTERMOST_ANN, MattermostWorld } from "./mattermost-world.js";
import { SignalSocket } from "./signal-socket.js";
import { ACCOUNT, ANN as SIGNAL_ANN, SignalWorld } from "./signal-world.js";
import { SlackServer } from "./slack-server.js";
import { TelegramServer } from "./telegram-server.js";
import { ANN as WEB_ANN, WhatsAppWeb } from "./whatsapp-web.js";
import { ANN as WHATSAPP_ANN, WhatsAppWorld } from "./whatsapp-world.js";

export const NAME = "notes.bin";
const TYPE = "application/octet-stream";
export const BYTES = Uint8Array.from({ length: 200_000 }, (_, n) => (n * 31 + (n >> 8)) % 256);

export interface FileWorld {
  readonly options: Pick<
    PlatformProcessOptions,
    "platform" | "adapter" | "settings" | "secrets" | "people" | "authority"
  >;
  readonly faults: Faults;
  /** Where files go up, if that is another server. */
  readonly uploads?: Faults;
  /** A message that may have been sent can be looked for, or sent again harmlessly. */
  readonly finds?: true;
  reached?(process: PlatformProcess): void;
  /** Somebody sends the file, with that text. */
  send(text: string): unknown;
  write(text: string): Promise<unknown>;
  told(): Promise<readonly string[]> | readonly string[];
  /** The next file is taken, and nobody says so; left out if the platform's journey has that. */
  swallowFile?(): void;
  /** The files that the person was sent. */
  files(): Promise<readonly Uint8Array[]> | readonly Uint8Array[];
  close(): Promise<void>;
}

export const WORLDS: Readonly<Record<string, () => Promise<FileWorld>>> = {
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
      files: () => server.sentTo(chatId).flatMap(({ file }) => file?.bytes ?? []),
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
      finds: true,
      files: async () => {
        const all = (await server.sent(channelId)).flatMap(({ attachments }) => attachments);
        return Promise.all(
          all.map(async ({ url }) => new Uint8Array(await (await fetch(url)).arrayBuffer())),
        );
      },
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
      files: async () => {
        const all = (await server.said(chat)).flatMap((message) => message.files ?? []);
        return Promise.all(all.map(({ url_private }) => server.download(url_private)));
      },
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
      files: () =>
        world.sent.flatMap(({ body }) => {
          const { id = "" } = (body[String(body.type)] ?? {}) as { id?: string };
          return world.media.get(id)?.bytes ?? [];
        }),
      close: () => world.close(),
    };
  },
  "WhatsApp, by Baileys": async () => {
    const world = await WhatsAppWeb.open();
    const { settings } = world;
    return {
      options: {
        ...{ platform: "whatsapp", adapter: "baileys", settings, secrets: {}, people: [WEB_ANN.number] },
        authority: world.authority,
      },
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
      uploads: world.uploads,
      swallowFile: () => world.swallowFile(),
      files: async () =>
        (await Promise.all(world.sentTo(WEB_ANN.number).map((sent) => world.filesOf(sent))))
          .flat()
          .map(({ bytes }) => bytes),
      close: () => world.close(),
    };
  },
  Signal: () => signalWorld(false),
  "Signal, by a socket": () => signalWorld(true),
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
      finds: true,
      files: async () => (await matrix.filesShown()).map(({ bytes }) => bytes),
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
      finds: true,
      files: () =>
        world.sent
          .filter(({ channel_id }) => channel_id === DM)
          .flatMap(({ file_ids = [] }) => file_ids.flatMap((each) => world.files.get(each)?.bytes ?? [])),
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
      finds: true,
      files: () =>
        world.sent.flatMap(({ content }) => world.files.get(JSON.parse(content).file_key ?? "")?.bytes ?? []),
      close: () => world.close(),
    };
  },
};

async function signalWorld(isSocket: boolean): Promise<FileWorld> {
  const world = await SignalWorld.open();
  const socket = isSocket ? await SignalSocket.open(world.baseUrl) : null;
  const { uuid, number } = SIGNAL_ANN;
  const baseUrl = socket?.url ?? world.baseUrl;
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
    files: () =>
      world
        .sentTo(number)
        .flatMap(({ params }) =>
          ((params.attachments ?? []) as string[]).map((uri) =>
            Buffer.from(uri.split("base64,")[1] ?? "", "base64"),
          ),
        ),
    swallowFile: () => world.swallowFile(),
    close: async () => {
      await socket?.close();
      await world.close();
    },
  };
}
