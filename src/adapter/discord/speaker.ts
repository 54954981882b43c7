/** What is said on Discord by one line, each under a nonce made of its delivery id. It cannot ping anybody. */
import { createHash } from "node:crypto";
import type { RawFile } from "discord.js";
import type { Address, SessionSource } from "../../session/source.js";
import { cleanLine, shorten } from "../../util/text.js";
import { type Letter, type LocalFile, type Mark, SendError, type Speaker } from "../adapter.js";
import { repeatable } from "../failure.js";
import { bytesOf } from "../local-file.js";
import type { Api } from "./api.js";
import type { Channels } from "./channels.js";
import { unseenBy } from "./failure.js";
import { formatMarkdown } from "./format.js";
import { LIMITS } from "./limits.js";
import { sourceIn } from "./parse.js";
import { isSnowflake, snowflakeAt, timeOf } from "./snowflake.js";

const THREAD_NAME = 100;
const PAGE = 100;
const MOST_PAGES = 10;
/** A message that was being sent is looked for from so long before the last sign of life. */
const FIND_BEFORE_MS = 10 * 60 * 1_000;

export interface DiscordSpeakerOptions {
  readonly api: Api;
  readonly self: string;
  readonly channels: Channels;
  /** Everything up to here was read when this process began. */
  readonly beganAt: string;
}

export class DiscordSpeaker implements Speaker {
  readonly #options: DiscordSpeakerOptions;
  readonly #api: Api;

  constructor(options: DiscordSpeakerOptions) {
    this.#options = options;
    this.#api = options.api;
  }

  async send(message: Letter): Promise<{ readonly messageId: string }> {
    const { deliveryId, replyTo, files = [] } = message;
    const post = {
      content: formatMarkdown(message.text),
      nonce: nonceOf(deliveryId),
      ...(isSnowflake(replyTo) ? { replyTo } : {}),
      files: await Promise.all(files.map(rawFile)),
    };
    try {
      return { messageId: await this.#api.post(channelOf(message.address), post) };
    } catch (error) {
      if (!(error instanceof SendError) || error.outcome !== "unknown") throw error;
      const justNow = snowflakeAt(Date.now() - FIND_BEFORE_MS);
      const found = await this.#look(message, justNow).catch(() => null);
      if (found !== null && found !== "not there") return found;
      throw repeatable(error); // Discord takes the nonce once.
    }
  }

  async edit(message: Letter, messageId: string): Promise<void> {
    await this.#api.edit(channelOf(message.address), messageId, formatMarkdown(message.text));
  }

  async find(message: Letter): Promise<{ readonly messageId: string } | "not there" | null> {
    return this.#look(message, snowflakeAt(timeOf(this.#options.beganAt) - FIND_BEFORE_MS));
  }

  async typing(address: Address): Promise<void> {
    await this.#api.typing(channelOf(address));
  }

  async react(address: Address, messageId: string, mark: Mark): Promise<void> {
    await this.#api.react(channelOf(address), messageId, mark);
  }

  async place(address: Address): Promise<SessionSource | null> {
    const { channels, self } = this.#options;
    const place = await channels.placeNow(channelOf(address));
    if (!place || (address.threadId && place.channel.parentId !== address.chatId)) return null;
    if (place.channel.kind !== "dm") return sourceIn(place);
    const { partner } = place.channel;
    return partner && partner.userId !== self ? { ...sourceIn(place), ...partner } : null;
  }

  /** A thread of its own, or of a message that we send for it; null where neither can be had. */
  async createThread(parent: Address, title: string, person: string | null): Promise<Address | null> {
    const { api, channels } = this.#options;
    const place = parent.threadId ? null : await channels.place(parent.chatId);
    if (!place?.channel.takesThreads) return null;
    const name = shorten(cleanLine(title), THREAD_NAME) || "Conversation";
    const threadId = await beginThread(api, parent.chatId, name).catch(unlessRefused);
    if (threadId === null) return null;
    if (isSnowflake(person)) await letIn(api, threadId, person);
    return { platform: parent.platform, chatId: parent.chatId, threadId };
  }

  /**
   * Looks for the nonce. A message of ours that has none and says the same may be it or may not: then nobody can tell.
   */
  async #look(
    { address, deliveryId, text }: Letter,
    since: string,
  ): Promise<{ readonly messageId: string } | "not there" | null> {
    const { api, self } = this.#options;
    const nonce = nonceOf(deliveryId);
    const content = formatMarkdown(text);
    let after = since;
    for (let page = 0; page < MOST_PAGES; page += 1) {
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
}

interface SentMessage {
  readonly id: string;
  readonly content: string;
  readonly nonce: unknown;
  readonly author: { readonly id: string };
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

async function rawFile(file: LocalFile): Promise<RawFile> {
  return { name: file.name, data: await bytesOf(file, LIMITS.maxFile), contentType: file.mediaType };
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
