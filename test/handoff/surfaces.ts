/** The platforms of the matrix, each on its counterpart server, and the chats that people have there. */

import { vi } from "vitest";
import type { Adapter } from "../../src/adapter/adapter.js";
import { DiscordAdapter } from "../../src/adapter/discord/adapter.js";
import { FeishuAdapter } from "../../src/adapter/feishu/adapter.js";
import type { FeishuPost } from "../../src/adapter/feishu/format.js";
import { MatrixAdapter } from "../../src/adapter/matrix/adapter.js";
import { SignalAdapter } from "../../src/adapter/signal/adapter.js";
import { SlackAdapter } from "../../src/adapter/slack/adapter.js";
import { TelegramAdapter } from "../../src/adapter/telegram/adapter.js";
import { WhatsAppAdapter } from "../../src/adapter/whatsapp/adapter.js";
import { formatAddress } from "../../src/session/source.js";
import { DiscordServer, GUILD } from "../support/discord-server.js";
import { FeishuWorld, idNamed } from "../support/feishu-world.js";
import { CrablineMatrix, shownTexts } from "../support/matrix-room.js";
import { ACCOUNT, SignalWorld } from "../support/signal-world.js";
import { SlackServer } from "../support/slack-server.js";
import { TelegramServer } from "../support/telegram-server.js";
import type { WebBrowser } from "../support/web-browser.js";
import { WebWorld } from "../support/web-world.js";
import { WhatsAppWorld } from "../support/whatsapp-world.js";
import { type Conversations, pageSpot } from "./page-spot.js";
import type { Spot } from "./side.js";

/** One human, by their number among the people here. */
export class Person {
  readonly n: number;
  readonly name: string;
  readonly slackId: string;

  constructor(n: number, name: string, slackId: string) {
    this.n = n;
    this.name = name;
    this.slackId = slackId;
  }

  get #digits(): string {
    return String(this.n).padStart(4, "0");
  }
  get telegramId(): number {
    return 100_001 + this.n;
  }
  get discordId(): string {
    return `1350000000001${this.#digits}`;
  }
  get matrixId(): string {
    return `@${this.name}:matrix.test`;
  }
  get whatsAppNumber(): string {
    return `1555123${this.#digits}`;
  }
  get feishuId(): string {
    return idNamed("ou", this.name);
  }
  /** As whom they are signed in in the page, and the chat that they have there. */
  get webIdentity(): string {
    return `telegram:${this.telegramId}`;
  }
  get webChat(): string {
    return `telegram/${this.telegramId}`;
  }
  get signal() {
    const uuid = `a0000000-0000-4000-8000-00000000${this.#digits}`;
    return { number: `+1555987${this.#digits}`, uuid, name: this.name };
  }

  /** On each platform, by exactly these ids. */
  get ids(): Readonly<Record<string, string>> {
    return {
      telegram: String(this.telegramId),
      discord: this.discordId,
      slack: this.slackId,
      matrix: this.matrixId,
      whatsapp: this.whatsAppNumber,
      signal: this.signal.uuid,
      feishu: this.feishuId,
    };
  }
}

const NAMES = ["ann", "bob", "carol", "dave"];

export class Platforms {
  readonly people: readonly Person[];
  /** Those of the gateway, once it is open. */
  conversations: () => Conversations = () => {
    throw new Error("There is no gateway yet.");
  };
  readonly #made = { chats: 0 };
  readonly #browsers = new Map<number, WebBrowser>();

  static async start(): Promise<Platforms> {
    const [telegram, discord, slack, matrix, whatsapp, signal, feishu, web] = await Promise.all([
      TelegramServer.start({ topics: false }),
      DiscordServer.start(),
      SlackServer.start(),
      CrablineMatrix.start(),
      WhatsAppWorld.open(),
      SignalWorld.open(),
      FeishuWorld.open(),
      WebWorld.open(),
    ]);
    return new Platforms(telegram, discord, slack, matrix, whatsapp, signal, feishu, web);
  }

  private constructor(
    readonly telegram: TelegramServer,
    readonly discord: DiscordServer,
    readonly slack: SlackServer,
    readonly matrix: CrablineMatrix,
    readonly whatsapp: WhatsAppWorld,
    readonly signal: SignalWorld,
    readonly feishu: FeishuWorld,
    readonly web: WebWorld,
  ) {
    this.people = NAMES.map((name, n) => new Person(n, name, slack.idOf(name)));
    signal.contacts = this.people.map((person) => person.signal);
    for (const { telegramId: id, name } of this.people)
      telegram.chats.set(String(id), { full: { id, type: "private", first_name: name } });
  }

  /** The real ones. `connected` is to be called once they are. */
  async adapters(): Promise<{ adapters: readonly Adapter[]; connected: () => void }> {
    const { telegram, discord, slack, matrix } = this;
    const whatsapp = new WhatsAppAdapter({ ...this.whatsapp.settings, timeoutMs: 30_000 });
    const adapters = [
      new TelegramAdapter({ token: () => telegram.token, baseUrl: telegram.url }),
      new DiscordAdapter({ token: () => discord.token, baseUrl: discord.baseUrl }),
      new SlackAdapter({
        botToken: () => slack.botToken,
        appToken: () => slack.appToken,
        baseUrl: slack.url,
      }),
      new MatrixAdapter({ homeserver: matrix.homeserver, accessToken: () => matrix.token }),
      whatsapp,
      new SignalAdapter({ baseUrl: this.signal.baseUrl, account: ACCOUNT }),
      new FeishuAdapter({ ...this.feishu.settings, timeoutMs: 30_000 }),
      this.web.adapter(),
    ];
    const connected = (): void => {
      this.whatsapp.port = whatsapp.port;
    };
    return { adapters, connected };
  }

  /** A chat of this kind for somebody: a new one where there can be several. */
  async spot(surface: Surface, person: Person): Promise<Spot> {
    this.#made.chats += 1;
    return this.#spots[surface](person, this.#made.chats);
  }

  async close(): Promise<void> {
    const { telegram, discord, slack, matrix, whatsapp, signal, feishu, web } = this;
    const all = [telegram, discord, slack, matrix, whatsapp, signal, feishu, web];
    await Promise.all(all.map((server) => server.close()));
  }

  readonly #spots = {
    "Telegram DM": async ({ telegramId }: Person): Promise<Spot> => {
      const chatId = String(telegramId);
      return {
        chatId,
        word: `telegram:${chatId}`,
        write: (text) => this.telegram.inject({ chatId, fromId: telegramId, text, ...commandIn(text) }),
        told: () => this.telegram.sentTo(chatId).map(({ text }) => text),
      };
    },
    "Telegram topic": async (person: Person, n: number): Promise<Spot> => {
      const chatId = await this.forum(n);
      return { ...this.#inForum(person, chatId, "7"), word: `telegram:${chatId}:7` };
    },
    "Discord channel": async (person: Person, n: number): Promise<Spot> => {
      const channelId = `1350000000002${String(n).padStart(5, "0")}`;
      await this.discord.inject({ channelId, guildId: GUILD, content: "here we are" });
      return { ...this.#inServer(person, channelId), word: `discord:${channelId}` };
    },
    "Discord thread": async (person: Person, n: number): Promise<Spot> => {
      const channelId = `1350000000002${String(n).padStart(5, "0")}`;
      await this.discord.inject({ channelId, guildId: GUILD, content: "here we are" });
      const threadId = `1350000000003${String(n).padStart(5, "0")}`;
      const inThread = { channelId: threadId, guildId: GUILD, parentChannelId: channelId };
      await this.discord.inject({ ...inThread, senderId: person.discordId, content: "a thread of mine" });
      return { ...this.#inServer(person, channelId, threadId), word: `discord:${channelId}:${threadId}` };
    },
    "Slack channel": async (person: Person, n: number): Promise<Spot> => {
      const made = await this.slack.api("conversations.create", { name: `channel-${n}` }, "robot");
      return this.inSlack(person, String((made.channel as { id: string }).id));
    },
    "Matrix room": async (person: Person, n: number): Promise<Spot> => {
      const room = `!room-${n}:matrix.test`;
      for (const from of [person.matrixId, "@eve:matrix.test"])
        await this.matrix.write({ text: "here we are", in: "group", room, from });
      return this.inMatrix(person, room);
    },
    WhatsApp: async ({ whatsAppNumber: number, name }: Person): Promise<Spot> => ({
      chatId: number,
      word: `whatsapp:${number}`,
      write: (text) => this.whatsapp.write(text, { from: number, name }),
      told: () =>
        this.whatsapp.sent
          .filter(({ body }) => body.to === number)
          .map(({ body }) => (body.text as { body: string }).body),
    }),
    Signal: async ({ signal }: Person): Promise<Spot> => ({
      chatId: signal.number,
      word: `signal:${signal.number}`,
      write: (text) => this.signal.write(text, signal),
      told: () => this.signal.sentTo(signal.number).map(({ params }) => String(params.message)),
    }),
    "Feishu group": async ({ feishuId: senderId }: Person, n: number): Promise<Spot> => {
      const chatId = idNamed("oc", `group ${n}`);
      this.feishu.groups.set(chatId, `group ${n}`);
      return {
        chatId,
        word: `feishu:${chatId}`,
        write: (text, threadId) =>
          this.feishu.write({ chatId, senderId, text, ...(threadId ? { threadId } : { mentions: true }) }),
        told: (threadId) =>
          this.feishu.sent
            .filter((each) => each.chatId === chatId && each.threadId === threadId)
            .map(({ content }) => wordsIn(content)),
      };
    },
    "the page": async (person: Person): Promise<Spot> => {
      const browser = this.#browserOf(person);
      await vi.waitUntil(() => browser.isConnected, { timeout: 30_000, interval: 20 });
      return pageSpot(person.webChat, browser, () => this.conversations());
    },
  } as const;

  /** The same one each time: it stays open. */
  #browserOf(person: Person): WebBrowser {
    const known = this.#browsers.get(person.n);
    if (known) return known;
    const browser = this.web.browser(person.webIdentity);
    this.#browsers.set(person.n, browser);
    browser.open();
    return browser;
  }

  /** A group with topics. */
  async forum(n: number): Promise<string> {
    const id = -1_001_000_000_000 - n;
    await this.telegram.addForum(id);
    this.telegram.chats.set(String(id), { full: { id, type: "supergroup", is_forum: true, title: "Team" } });
    return String(id);
  }

  /** In a topic of one's own; in one of the bot's, where that is told. */
  #inForum(person: Person, chatId: string, own: string): Spot {
    const { telegramId: fromId } = person;
    return {
      chatId,
      word: `telegram:${chatId}`,
      write: (text, threadId) => {
        const isOurs = threadId !== undefined;
        const said = isOurs || text.startsWith("/") ? text : `@${this.telegram.bot.username} ${text}`;
        const mention = said === text ? commandIn(text) : MENTION;
        const begun = { message_id: 2, from: this.telegram.bot, forum_topic_created: { name: "Ours" } };
        return this.telegram.inject({
          chatId,
          fromId,
          text: said,
          threadId: Number(threadId ?? own),
          isForum: true,
          ...mention,
          as: ({ update_id, message }) => ({
            update_id,
            message: { ...message, is_topic_message: true, ...(isOurs ? { reply_to_message: begun } : {}) },
          }),
        });
      },
      told: (threadId) => this.telegram.sentTo(chatId, threadId ?? own).map(({ text }) => text),
    };
  }

  /** In a group's topics; a conversation that comes there has one of its own. */
  inForum(person: Person, chatId: string): Spot {
    return this.#inForum(person, chatId, "7");
  }

  /** In a channel of a server, or a thread that somebody began in it. */
  #inServer({ discordId, name }: Person, parentChannelId: string, own?: string): Spot {
    const place = (threadId = own) =>
      threadId
        ? { channelId: threadId, guildId: GUILD, parentChannelId }
        : { channelId: parentChannelId, guildId: GUILD };
    return {
      chatId: parentChannelId,
      word: `discord:${parentChannelId}`,
      write: async (text, threadId) => {
        const { channelId } = place(threadId);
        if (text.startsWith("/")) return this.discord.command(channelId, discordId, text);
        const content = threadId ? text : `<@${this.discord.botId}> ${text}`; // A thread of the bot's is for it.
        return this.discord.inject({ ...place(threadId), senderId: discordId, senderName: name, content });
      },
      told: (threadId) =>
        [...this.discord.written.values()]
          .filter(({ channel_id }) => channel_id === place(threadId).channelId)
          .map(({ content }) => content),
    };
  }

  /** In a channel: who speaks to the bot there begins a thread, and goes on in it. */
  inSlack({ name: from }: Person, channel: string): Spot {
    let begun: string | undefined;
    return {
      chatId: channel,
      word: `slack:${channel}`,
      write: async (text, threadId) => {
        const isOurs = threadId !== undefined;
        const replyTo = threadId ?? begun;
        const written = { text, channel, from, mentions: !isOurs, ...(replyTo ? { replyTo } : {}) };
        const { messageId } = await this.slack.write({ ...written, in: replyTo ? "thread" : "group" });
        begun ??= messageId;
      },
      told: sinceThen(
        () => this.slack.stirs,
        async (threadId) => {
          const thread = threadId ?? begun;
          return thread ? (await this.slack.said(channel, thread)).map(({ text }) => text) : [];
        },
      ),
    };
  }

  inMatrix({ matrixId: from }: Person, room: string): Spot {
    return {
      chatId: room,
      word: formatAddress({ platform: "matrix", chatId: room }),
      write: (text, threadId) =>
        this.matrix.write({
          text,
          room,
          from,
          in: threadId ? "thread" : "group",
          ...(threadId ? { threadId } : { mentions: !text.startsWith("/") }),
        }),
      told: (threadId) => {
        const events = this.matrix.front.sent
          .filter(({ roomId }) => roomId === room)
          .map(({ event }) => event);
        const isIn = ({ content }: (typeof events)[number]): boolean => {
          const { rel_type, event_id } = (content["m.relates_to"] ?? {}) as {
            rel_type?: string;
            event_id?: string;
          };
          const edited = rel_type === "m.replace" && events.find((each) => each.event_id === event_id);
          if (edited) return isIn(edited);
          return threadId ? event_id === threadId : rel_type !== "m.thread";
        };
        return shownTexts(events.filter(isIn));
      },
    };
  }
}

export const SURFACES = [
  "Telegram DM",
  "Telegram topic",
  "Discord channel",
  "Discord thread",
  "Slack channel",
  "Matrix room",
  "WhatsApp",
  "Signal",
  "Feishu group",
  "the page",
] as const;
export type Surface = (typeof SURFACES)[number];

/** Reads again only where something has happened since: whoever waits looks often. */
function sinceThen(stirs: () => number, read: NonNullable<Spot["told"]>): Spot["told"] {
  let last: { readonly at: string; readonly texts: readonly string[] } | null = null;
  return async (threadId) => {
    const at = `${stirs()} ${threadId}`;
    if (last?.at !== at) last = { at, texts: await read(threadId) };
    return last.texts;
  };
}

const MENTION = { entities: [{ type: "mention", offset: 0, length: "@crabline_bot".length }] };

/** Telegram marks a command. */
function commandIn(text: string): { entities?: readonly Record<string, unknown>[] } {
  const length = text.startsWith("/") ? (text.split(" ")[0]?.length ?? 0) : 0;
  return length > 0 ? { entities: [{ type: "bot_command", offset: 0, length }] } : {};
}

/** What a rich text of Feishu's shows. */
function wordsIn(content: string): string {
  const { zh_cn } = JSON.parse(content) as FeishuPost;
  return zh_cn.content
    .map((line) => line.map((node) => ("text" in node ? node.text : "")).join(""))
    .join("\n");
}
