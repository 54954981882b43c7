/**
 * Discord, spoken as one bot. Messages come over the gateway and count as read once they were taken; after every gap
 * the channels that are known are read on from there. What is sent carries a nonce made of its delivery id, by which
 * it is found again. Nothing that an agent writes can ping anybody.
 */
import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import type { GatewayDispatchPayload, RawFile } from "discord.js";
import type { Address, SessionSource } from "../../session/source.js";
import { cleanLine, shorten } from "../../util/text.js";
import {
  type Adapter,
  ConnectError,
  type InboundMessage,
  type LocalFile,
  type Mark,
  type OutboundMessage,
  type Receive,
  SendError,
  type Surroundings,
} from "../adapter.js";
import { Intake } from "../intake.js";
import { repeatable } from "../repeatable.js";
import { Api } from "./api.js";
import { IdentifyBudget } from "./budget.js";
import { Channels } from "./channels.js";
import type { DiscordSettings } from "./config.js";
import { downloadFrom } from "./download.js";
import { BAD_TOKEN, connectError, unseenBy } from "./failure.js";
import { formatMarkdown, lengthOf } from "./format.js";
import { Line } from "./line.js";
import { announceCommands } from "./menu.js";
import { isFromPerson, parseEdit, parseInteraction, parseMessage, placeOf, sourceIn } from "./parse.js";
import { Progress, readAfter } from "./progress.js";
import { isNewer, isSnowflake, snowflakeAt, timeOf } from "./snowflake.js";

const MAX_FILE = 10 * 1024 * 1024;
const THREAD_NAME = 100;
const PAGE = 100;
/** After a gap: no further back than that, and no more of one channel. */
const GAP_MS = 24 * 60 * 60 * 1_000;
const GAP_PAGES = 10;
/** A message that was being sent is looked for from so long before the last sign of life. */
const FIND_BEFORE_MS = 10 * 60 * 1_000;
const MAX_TAKEN = 1_000;

/** What there is only while the platform is reached. */
interface Connected {
  readonly api: Api;
  readonly self: string;
  readonly receive: Receive;
  readonly channels: Channels;
  readonly progress: Progress;
  readonly intake: Intake<number>;
  readonly line: Line;
  /** Everything up to here was read when this process began. */
  readonly beganAt: string;
  /** Ids of messages that were taken, so that what is read after a gap does not come twice. */
  readonly taken: Set<string>;
}

export class DiscordAdapter implements Adapter {
  readonly platform = "discord";
  readonly account: string;
  readonly capabilities = {
    maxText: 2_000,
    unit: "utf16",
    lengthOf,
    edit: true,
    threads: true,
    redelivers: true,
    typingMs: 10_000,
    paceMs: 1_200,
    maxFile: MAX_FILE,
  } as const;
  readonly #settings: DiscordSettings;
  readonly #download: ReturnType<typeof downloadFrom>;
  /** What is heard in a channel, by the name of its event. */
  readonly #inChannels = new Map<unknown, (connected: Connected, json: unknown, at: At) => Promise<void>>([
    ["MESSAGE_CREATE", (...heard) => this.#hearMessage(...heard)],
    ["MESSAGE_UPDATE", (...heard) => this.#hearEdit(...heard)],
    ["INTERACTION_CREATE", (...heard) => this.#hearCommand(...heard)],
  ]);
  #connected: Connected | null = null;
  /** Everything up to here was read when the line came up last. */
  #gapFrom = "1";

  constructor(settings: DiscordSettings) {
    this.#settings = settings;
    this.account = botOf(settings.token()) ?? "unknown";
    this.#download = downloadFrom(settings.baseUrl);
  }

  async connect(receive: Receive, { memory, commands, tell }: Surroundings): Promise<void> {
    const token = this.#settings.token().trim();
    if (botOf(token) === null) throw new ConnectError("permanent", BAD_TOKEN);
    const api = new Api(this.#settings, token);
    const self = await ownId(api);
    const progress = await Progress.open(memory, Date.now());
    const intake = new Intake<number>();
    const line = new Line({
      rest: api.rest,
      token,
      budget: new IdentifyBudget(memory),
      session: progress.session,
      readUpTo: () => intake.settledUpTo ?? 0,
      onBegun: (sequence) => intake.beginAt(sequence),
      onEvent: (event) => this.#hear(connected, event),
      onUp: () => {
        this.#gapFrom = progress.mark;
        tell("connected");
        this.#readOn(connected);
      },
      onDown: (reason) => tell({ lost: reason }),
    });
    progress.sessionFrom(() => line.session);
    const channels = new Channels(api);
    const { mark: beganAt } = progress;
    const taken = new Set<string>();
    const connected = { api, self, receive, channels, progress, intake, line, beganAt, taken };
    this.#connected = connected;
    await line.open();
    await announceCommands(api, memory, commands);
  }

  async send(message: OutboundMessage): Promise<{ readonly messageId: string }> {
    const { api } = this.#there();
    const { deliveryId, replyTo, files = [] } = message;
    const post = {
      content: formatMarkdown(message.text),
      nonce: nonceOf(deliveryId),
      ...(isSnowflake(replyTo) ? { replyTo } : {}),
      files: await Promise.all(files.map(rawFile)),
    };
    try {
      return { messageId: await api.post(channelOf(message.address), post) };
    } catch (error) {
      if (!(error instanceof SendError) || error.outcome !== "unknown") throw error;
      const justNow = snowflakeAt(Date.now() - FIND_BEFORE_MS);
      const found = await this.#look(message, justNow).catch(() => null);
      if (found !== null && found !== "not there") return found;
      throw repeatable(error); // Discord takes the nonce once.
    }
  }

  async edit(message: OutboundMessage, messageId: string): Promise<void> {
    await this.#there().api.edit(channelOf(message.address), messageId, formatMarkdown(message.text));
  }

  async find(message: OutboundMessage): Promise<{ readonly messageId: string } | "not there" | null> {
    const { beganAt } = this.#there();
    return this.#look(message, snowflakeAt(timeOf(beganAt) - FIND_BEFORE_MS));
  }

  async typing(address: Address): Promise<void> {
    await this.#there().api.typing(channelOf(address));
  }

  async react(address: Address, messageId: string, mark: Mark): Promise<void> {
    await this.#there().api.react(channelOf(address), messageId, mark);
  }

  async place(address: Address): Promise<SessionSource | null> {
    const { channels, self } = this.#there();
    const place = await channels.placeNow(channelOf(address));
    if (!place || (address.threadId && place.channel.parentId !== address.chatId)) return null;
    if (place.channel.kind !== "dm") return sourceIn(place);
    const { partner } = place.channel;
    return partner && partner.userId !== self ? { ...sourceIn(place), ...partner } : null;
  }

  /** A thread of its own, or of a message that we send for it; null where neither can be had. */
  async createThread(parent: Address, title: string, person: string | null): Promise<Address | null> {
    const { api, channels } = this.#there();
    const place = parent.threadId ? null : await channels.place(parent.chatId);
    if (!place?.channel.takesThreads) return null;
    const name = shorten(cleanLine(title), THREAD_NAME) || "Conversation";
    const threadId = await beginThread(api, parent.chatId, name).catch(unlessRefused);
    if (threadId === null) return null;
    if (isSnowflake(person)) await letIn(api, threadId, person);
    return { platform: this.platform, chatId: parent.chatId, threadId };
  }

  async disconnect(): Promise<void> {
    const connected = this.#connected;
    if (!connected) return;
    this.#connected = null;
    const stopped = connected.intake.stop();
    await connected.progress.close();
    await connected.line.close();
    await stopped;
  }

  #there(): Connected {
    if (!this.#connected) throw new SendError("retryable", "Discord is not connected.");
    return this.#connected;
  }

  /**
   * Looks for the nonce. A message of ours that has none and says the same may be it or may not: then nobody can tell.
   */
  async #look(
    { address, deliveryId, text }: OutboundMessage,
    since: string,
  ): Promise<{ readonly messageId: string } | "not there" | null> {
    const { api, self } = this.#there();
    const nonce = nonceOf(deliveryId);
    const content = formatMarkdown(text);
    let after = since;
    for (let page = 0; page < GAP_PAGES; page += 1) {
      const messages = (await api.messagesAfter(channelOf(address), after, PAGE)) as
        | Partial<SentMessage>[]
        | null;
      if (!messages) return null;
      const ours = messages.filter(({ author }) => author?.id === self);
      const found = ours.find((each) => each.nonce === nonce);
      if (found?.id) return { messageId: found.id };
      if (ours.some((each) => each.nonce === undefined && each.content === content)) return null;
      if (messages.length < PAGE) return "not there";
      after = messages.at(-1)?.id ?? after;
    }
    return null;
  }

  #hear(connected: Connected, { t, d, s }: GatewayDispatchPayload): void {
    const { intake, channels } = connected;
    const hear = this.#inChannels.get(t);
    const at = hear ? placeOf(d) : null;
    if (hear && at) {
      intake.add(at.channelId, () => hear(connected, d, at), s);
      return;
    }
    intake.pass(s);
    if (t === "GUILD_CREATE") this.#readServer(connected, d);
    else if (t?.startsWith("CHANNEL_") || t?.startsWith("THREAD_")) channels.learn(d);
  }

  async #hearMessage(connected: Connected, json: unknown, at: At): Promise<void> {
    const { channels, progress, taken, self } = connected;
    const place = isFromPerson(json) ? await channels.place(at.channelId) : null;
    const message = place && parseMessage(json, { place, self, download: this.#download });
    if (taken.has(at.messageId)) return;
    if (message) {
      await progress.begin(at.channelId, at.messageId);
      await this.#take(connected, message);
    }
    progress.done(at.channelId, at.messageId);
  }

  async #hearEdit({ channels, self, receive }: Connected, json: unknown, at: At): Promise<void> {
    const place = await channels.place(at.channelId);
    const edit = place && parseEdit(json, { place, self, download: this.#download });
    if (edit) await receive(edit);
  }

  async #take({ taken, receive }: Connected, message: InboundMessage): Promise<void> {
    await receive(message);
    taken.add(message.messageId);
    const [oldest] = taken;
    if (taken.size > MAX_TAKEN && oldest) taken.delete(oldest);
  }

  /** Discord wants a word within seconds; the answer itself comes as a message like any other. */
  async #hearCommand(connected: Connected, json: unknown, at: At): Promise<void> {
    const { api, channels, taken } = connected;
    const place = await channels.place(at.channelId);
    const interaction = place && parseInteraction(json, place);
    if (!interaction || taken.has(at.messageId)) return;
    // Too late for a word, or twice: the command counts all the same.
    await api.defer(at.messageId, interaction.token).catch(() => {});
    await this.#take(connected, interaction.message);
    await api.undefer(applicationOf(json), interaction.token).catch(() => {});
  }

  /** What was written while nobody listened: first of all in the channels that we know. */
  #readOn(connected: Connected): void {
    const { progress, intake } = connected;
    for (const channelId of progress.channels)
      intake.beside(channelId, () => this.#readChannel(connected, channelId, progress.lastSeen(channelId)));
  }

  /** Channels that we do not know have something for us if it is newer than all that we had read, and than our coming. */
  #readServer(connected: Connected, json: unknown): void {
    const { channels, progress, intake } = connected;
    const { channels: plain, threads, joined_at } = (json ?? {}) as Readonly<Record<string, unknown>>;
    const joined = typeof joined_at === "string" ? Date.parse(joined_at) : Number.NaN;
    const from = readAfter(this.#gapFrom, snowflakeAt(joined || 0));
    for (const each of [plain, threads].flatMap((list) => (Array.isArray(list) ? list : []))) {
      const channel = channels.learn(each);
      const last = channel?.lastMessageId;
      if (!channel || !last || progress.lastSeen(channel.id) !== null || !isNewer(last, from)) continue;
      intake.beside(channel.id, () => this.#readChannel(connected, channel.id, from));
    }
  }

  async #readChannel(connected: Connected, channelId: string, seen: string | null): Promise<void> {
    const oldest = snowflakeAt(Date.now() - GAP_MS);
    let after = readAfter(seen ?? oldest, oldest);
    for (let page = 0; page < GAP_PAGES; page += 1) {
      const messages = (await connected.api.messagesAfter(channelId, after, PAGE)) ?? [];
      for (const message of messages) {
        const at = placeOf(message);
        if (!at) continue;
        await this.#hearMessage(connected, message, at);
        after = at.messageId;
      }
      if (messages.length < PAGE) return;
    }
  }
}

type At = NonNullable<ReturnType<typeof placeOf>>;

interface SentMessage {
  readonly id: string;
  readonly content: string;
  readonly nonce: unknown;
  readonly author: { readonly id: string };
}

/** The bot's id, which its token begins with; null where it is no token. */
function botOf(token: string): string | null {
  const [id = "", ...rest] = token.trim().split(".");
  const decoded = Buffer.from(id, "base64url").toString();
  return rest.length === 2 && isSnowflake(decoded) ? decoded : null;
}

async function ownId(api: Api): Promise<string> {
  try {
    const { id } = (await api.me()) as { id?: unknown };
    if (isSnowflake(id)) return id;
  } catch (error) {
    throw connectError(error);
  }
  throw new ConnectError("retryable", "Discord does not say who the bot is.");
}

function channelOf({ chatId, threadId }: Address): string {
  const channelId = threadId ?? chatId;
  if (!isSnowflake(channelId))
    throw new SendError(
      "permanent",
      `${JSON.stringify(channelId)} is not the id of a Discord channel: those are numbers.`,
    );
  return channelId;
}

/** At most 25 characters. */
function nonceOf(deliveryId: string): string {
  return createHash("sha256").update(deliveryId).digest("base64url").slice(0, 25);
}

async function rawFile({ path, name, mediaType }: LocalFile): Promise<RawFile> {
  const { size } = await stat(path);
  if (size > MAX_FILE)
    throw new SendError(
      "permanent",
      `${name} is larger than ${MAX_FILE / 1024 / 1024} MB, more than Discord takes.`,
    );
  return { name, data: await readFile(path), contentType: mediaType };
}

async function beginThread(api: Api, channelId: string, name: string): Promise<string> {
  try {
    return await api.thread(channelId, name);
  } catch (error) {
    if (!(error instanceof SendError) || error.outcome !== "permanent") throw error;
    const seed = await api.post(channelId, { content: formatMarkdown(name) });
    return api.thread(channelId, name, seed);
  }
}

function unlessRefused(error: unknown): null {
  if (error instanceof SendError && error.outcome === "permanent") return null;
  throw error;
}

/**
 * They see it: as a member, else because they are named in it. Fails where Discord says that they cannot see it; where it
 * does not tell, a thread without them is still a thread.
 */
async function letIn(api: Api, threadId: string, person: string): Promise<void> {
  try {
    await api.addToThread(threadId, person);
  } catch (error) {
    const why = unseenBy(error);
    if (why === null) {
      await api.post(threadId, { content: `<@${person}>`, pings: person }).catch(() => {});
      return;
    }
    await api.removeThread(threadId).catch(() => {}); // It is for nobody; not every bot may take it away.
    throw new SendError("permanent", why, { cause: error });
  }
}

function applicationOf(json: unknown): string {
  const { application_id } = (json ?? {}) as { application_id?: unknown };
  return String(application_id);
}
