/** The adapter over discord.js, against crabline's Discord and a wire in front of it. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  ANN,
  type Answer,
  type Call,
  CHANNEL,
  DiscordServer,
  GUILD,
} from "../../../test/support/discord-server.js";
import { buildSessionKey } from "../../session/session-key.js";
import type { Address } from "../../session/source.js";
import {
  type AdapterFixture,
  adapterContract,
  type Trouble,
  type Written,
} from "../../testing/adapter-contract.js";
import {
  ConnectError,
  type InboundMessage,
  type Memory,
  type Receive,
  type Surroundings,
} from "../adapter.js";
import { DiscordAdapter } from "./adapter.js";
import { openDiscord } from "./config.js";
import { formatMarkdown } from "./format.js";

const TIMEOUT_MS = 2_000;

adapterContract("discord", fixture);

const TROUBLES: Readonly<Record<Trouble, Answer>> = {
  "rate limited": { status: 429, body: { message: "slow", retry_after: 1 }, headers: { "retry-after": "1" } },
  "server error": { status: 502, body: {} },
  refused: { status: 403, body: { code: 50_013, message: "Missing Permissions" } },
  swallowed: "swallowed",
  "revoked token": { status: 401, body: { code: 0, message: "401: Unauthorized" } },
};

async function fixture(): Promise<AdapterFixture> {
  const server = await DiscordServer.start();
  const chatId = await server.directChannel();
  const heard = new Heard();
  const settings = { token: () => server.token, baseUrl: server.baseUrl, timeoutMs: TIMEOUT_MS };
  const threadId = (
    await server.inject({ channelId: CHANNEL, guildId: GUILD, content: "a thread begins here" })
  ).id;
  const places = {
    dm: { channelId: chatId },
    group: { channelId: CHANNEL, guildId: GUILD },
    thread: { channelId: threadId, guildId: GUILD, parentChannelId: CHANNEL },
  };
  const channelOf = (address?: Address): string => address?.threadId ?? address?.chatId ?? chatId;

  const write = async (written: Written): Promise<{ messageId: string }> => {
    const place = places[written.in ?? "dm"];
    if (heard.isListening) await server.up();
    const content = written.mentions ? `<@${server.botId}> ${written.text}` : written.text;
    if (written.isBot) {
      const { id } = await server.injectFromBot(place.channelId, content);
      return heard.progress(id);
    }
    const senderId = written.from ?? ANN;
    if (written.files) {
      const id = newId();
      server.say("MESSAGE_CREATE", {
        id,
        type: 0,
        channel_id: place.channelId,
        content,
        author: { id: senderId, username: "ann" },
        attachments: written.files.map(({ name, mediaType, bytes }) => ({
          filename: name,
          content_type: mediaType,
          size: bytes.byteLength,
          url: server.host(bytes, name),
        })),
      });
      return heard.message(id);
    }
    const replyTo = written.replyTo ? { replyTo: written.replyTo } : {};
    const { id } = await server.inject({ ...place, senderId, content, ...replyTo });
    return heard.message(id);
  };

  return {
    adapter: heard.over(new DiscordAdapter(settings)),
    again: () => heard.over(new DiscordAdapter(settings)),
    address: { platform: "discord", chatId },
    group: { platform: "discord", chatId: CHANNEL },
    write,
    amend: async (messageId, content) => {
      const everywhere = [chatId, CHANNEL, threadId].map((channelId) =>
        server.messages(channelId).catch(() => []),
      );
      const message = (await Promise.all(everywhere)).flat().find(({ id }) => id === messageId);
      server.say("MESSAGE_UPDATE", { ...message, content, edited_timestamp: new Date().toISOString() });
      return heard.message(messageId, "edit");
    },
    shown: async (address) => (await server.sent(channelOf(address))).map(({ content }) => content),
    files: async (address) => {
      const sent = await server.sent(channelOf(address));
      const attachments = sent.flatMap((message) => message.attachments);
      return Promise.all(
        attachments.map(async ({ filename, url }) => ({
          name: filename,
          bytes: new Uint8Array(await (await fetch(url)).arrayBuffer()),
        })),
      );
    },
    typed: () => server.calls.filter(({ path }) => path.endsWith("/typing")).length,
    marks: async (messageId) => {
      const messages = (await Promise.all([chatId, CHANNEL].map((id) => server.messages(id)))).flat();
      const marked = messages.find(({ id }) => id === messageId);
      return marked?.reactions.map(({ emoji }) => emoji.name) ?? [];
    },
    trouble: (what) => {
      let isOver = false;
      server.answer = ({ method, path }) => {
        const isSend = method === "POST" && path.endsWith("/messages");
        if (isOver || (!isSend && what !== "revoked token")) return null;
        isOver = what !== "revoked token";
        return TROUBLES[what];
      };
    },
    cut: () => server.cut(),
    asShown: formatMarkdown,
    dispose: () => server.close(),
  };
}

/** Listens along, so that whoever writes knows when the adapter is done with it. */
class Heard {
  readonly #settled = new Set<string>();
  #mark = 0n;
  #waiting: (() => void)[] = [];
  isListening = false;

  over(adapter: DiscordAdapter): DiscordAdapter {
    const connect = adapter.connect.bind(adapter);
    const disconnect = adapter.disconnect.bind(adapter);
    adapter.connect = async (receive, surroundings) => {
      await connect(this.#watch(receive), { ...surroundings, memory: this.#along(surroundings.memory) });
      this.isListening = true;
    };
    adapter.disconnect = async () => {
      this.isListening = false;
      await disconnect();
      this.#stir();
    };
    return adapter;
  }

  message(messageId: string, kind = "message"): Promise<{ messageId: string }> {
    return this.#until(messageId, () => this.#settled.has(`${kind} ${messageId}`));
  }

  progress(messageId: string): Promise<{ messageId: string }> {
    return this.#until(messageId, () => this.#mark >= BigInt(messageId));
  }

  async #until(messageId: string, isSo: () => boolean): Promise<{ messageId: string }> {
    while (this.isListening && !isSo()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return { messageId };
  }

  #watch(receive: Receive): Receive {
    return async (message) => {
      try {
        return await receive(message);
      } finally {
        this.#settled.add(`${message.kind} ${message.messageId}`);
        setImmediate(() => this.#stir());
      }
    };
  }

  #along(memory: Memory): Memory {
    return {
      read: (name) => memory.read(name),
      write: async (name, value) => {
        await memory.write(name, value);
        if (name === "progress") this.#mark = BigInt((JSON.parse(value) as { mark: string }).mark);
        this.#stir();
      },
    };
  }

  #stir(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

let ids = 0;
/** An id of now, of a message that crabline does not know. */
function newId(): string {
  ids += 1;
  return (((BigInt(Date.now()) - 1_420_070_400_000n) << 22n) + BigInt(4_000_000 + ids)).toString();
}
