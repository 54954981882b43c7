/** What is said on Discord by one line, each under a nonce made of its delivery id. It cannot ping anybody. */
import { createHash } from "node:crypto";
import type { RawFile } from "discord.js";
import type { Address, SessionSource } from "../../session/source.js";
import { cleanLine, shorten } from "../../util/text.js";
import {
  type FoundMessage,
  type Letter,
  type LocalFile,
  type Mark,
  SendError,
  type Speaker,
  ThreadRefused,
} from "../adapter.js";
import { bytesOf } from "../local-file.js";
import type { Api, NewMessage } from "./api.js";
import type { Channels } from "./channels.js";
import { refusalOf, unseenBy } from "./failure.js";
import { formatMarkdown } from "./format.js";
import { LIMITS } from "./limits.js";
import type { OwnSends } from "./own-sends.js";
import { sourceIn } from "./parse.js";
import { isSnowflake, snowflakeAt, timeOf } from "./snowflake.js";

const THREAD_NAME = 100;
const PAGE = 100;
const MOST_PAGES = 10;
/** A message is looked for from so long before: Discord's clock and ours may differ. */
const FIND_BEFORE_MS = 10 * 60 * 1_000;
const MOST_OUTSIDE = 100;
/** Two texts that begin alike may be one message, which was edited since. */
const ALIKE = 40;

export interface DiscordSpeakerOptions {
  readonly api: Api;
  readonly self: string;
  readonly channels: Channels;
  readonly sends: OwnSends;
  /** Everything up to here was read when this process began. */
  readonly beganAt: string;
}

export class DiscordSpeaker implements Speaker {
  readonly #options: DiscordSpeakerOptions;
  readonly #api: Api;
  /** Messages that are not in their thread, but in the channel around it. */
  readonly #outside = new Map<string, string>();

  constructor(options: DiscordSpeakerOptions) {
    this.#options = options;
    this.#api = options.api;
  }

  /** If nobody knows whether it is there, it may be sent again at once: Discord takes the nonce once, for a few minutes. */
  async send(letter: Letter): Promise<{ readonly messageId: string }> {
    const { sends } = this.#options;
    const { deliveryId, replyTo, files = [], text, buttons } = letter;
    const nonce = nonceOf(deliveryId);
    const found = this.#mayBeSent(nonce) ? "not there" : await this.#look(letter);
    if (found === null) throw new SendError("unknown", "Discord does not tell whether it is there.");
    if (found !== "not there") return found;
    const post = {
      content: formatMarkdown(text),
      nonce,
      ...(isSnowflake(replyTo) ? { replyTo } : {}),
      files: await Promise.all(files.map(rawFile)),
      ...(buttons ? { buttons } : {}),
    };
    const sentAt = Date.now();
    try {
      const messageId = await this.#post(letter, post);
      sends.sent(nonce, messageId);
      return { messageId };
    } catch (error) {
      if (error instanceof SendError && error.outcome === "unknown") sends.doubt(nonce, sentAt);
      throw error;
    }
  }

  /** Whether no earlier call for it is left open, or Discord still knows the nonce. */
  #mayBeSent(nonce: string): boolean {
    const { sends } = this.#options;
    const doubtedSince = sends.doubtedSince(nonce);
    if (doubtedSince === undefined) return true;
    return sends.messageOf(nonce) === undefined && sends.isFresh(doubtedSince);
  }

  /** In its thread; if nobody can write there any more, in the channel around it, if the same people see that. */
  async #post(letter: Letter, post: NewMessage): Promise<string> {
    const { address, onlyThere } = letter;
    const api = this.#api;
    const channelId = channelOf(address);
    try {
      return await api.post(channelId, post);
    } catch (error) {
      const why = refusalOf(error);
      const { replyTo: _, ...alone } = post;
      if (why === "unanswerable") return api.post(channelId, alone);
      if (why === null || !address.threadId) throw error;
      if (why === "archived") {
        const opened = await api.openThread(channelId).then(() => api.post(channelId, post), unlessRefused);
        if (opened !== null) return opened;
      }
      if (onlyThere) throw new SendError("permanent", "That thread is locked, or not there any more.");
      if (!this.#options.channels.isPublicThread(channelId)) throw error;
      const messageId = await api.post(address.chatId, alone);
      this.#outside.set(messageId, address.chatId);
      const [oldest] = this.#outside.keys();
      if (this.#outside.size > MOST_OUTSIDE && oldest !== undefined) this.#outside.delete(oldest);
      return messageId;
    }
  }

  async edit(message: Letter, messageId: string): Promise<void> {
    const channelId = this.#outside.get(messageId) ?? channelOf(message.address);
    await this.#api.edit(channelId, messageId, formatMarkdown(message.text));
  }

  async remove(address: Address, messageId: string): Promise<void> {
    const channelId = this.#outside.get(messageId) ?? channelOf(address);
    await this.#api.remove(channelId, messageId);
  }

  async find(letter: Letter): Promise<FoundMessage> {
    const found = await this.#look(letter);
    if (found !== null) return found;
    const { sends } = this.#options;
    const since = letter.writtenAt ?? sends.doubtedSince(nonceOf(letter.deliveryId));
    return since !== undefined && sends.isFresh(since) ? "not there" : null; // It may be sent again.
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
    const threadId = await beginThread(api, parent.chatId, name).catch(refuseThread);
    if (isSnowflake(person)) await letIn(api, threadId, person);
    return { platform: parent.platform, chatId: parent.chatId, threadId };
  }

  /**
   * Looks for the nonce, which Discord tells with the event of the message. A message that was only read may be it if it
   * begins alike and is not known to be another: then nobody can tell.
   */
  async #look(letter: Letter): Promise<FoundMessage> {
    const { api, self, sends } = this.#options;
    const nonce = nonceOf(letter.deliveryId);
    const channelId = channelOf(letter.address);
    const heard = sends.messageOf(nonce);
    if (heard !== undefined) return { messageId: heard };
    const content = formatMarkdown(letter.text);
    let after = this.#since(letter);
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const messages = (await api.messagesAfter(channelId, after, PAGE)) as Partial<SentMessage>[] | null;
      if (!messages) return null;
      const ours = messages.filter(({ author }) => author?.id === self);
      const found = ours.find((each) => each.nonce === nonce);
      if (found?.id) return { messageId: found.id };
      const others = ours.filter(({ id = "", nonce: its }) => its === undefined && !sends.isKnown(id));
      if (others.some((each) => areAlike(each.content ?? "", content))) return null;
      if (messages.length < PAGE) {
        const isRead = page > 0 || messages.length > 0 || (await this.#isReadable(channelId));
        return isRead ? "not there" : null;
      }
      after = messages.at(-1)?.id ?? after;
    }
    return null;
  }

  /** Where a bot may not read the history, Discord shows an empty one. Every message is newer than its channel. */
  async #isReadable(channelId: string): Promise<boolean> {
    return ((await this.#api.messagesAfter(channelId, channelId, 1))?.length ?? 0) > 0;
  }

  #since({ writtenAt, deliveryId }: Letter): string {
    const { sends, beganAt } = this.#options;
    const at = writtenAt ?? sends.doubtedSince(nonceOf(deliveryId)) ?? timeOf(beganAt);
    return snowflakeAt(at - FIND_BEFORE_MS);
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

function areAlike(one: string, other: string): boolean {
  const length = Math.min(one.length, other.length, ALIKE);
  return one.slice(0, length) === other.slice(0, length);
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

function refuseThread(error: unknown): never {
  if (!(error instanceof SendError) || error.outcome !== "permanent") throw error;
  throw new ThreadRefused("The bot may not make threads: let it create public threads in this channel.", {
    cause: error,
  });
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
