/** The channels that messages come from, as far as they are known; what is not is asked for. */
import type { Api } from "./api.js";
import { type DiscordChannel, type DiscordPlace, parseChannel } from "./parse.js";

const MAX_KNOWN = 2_000;

export class Channels {
  readonly #api: Api;
  readonly #known = new Map<string, DiscordChannel>();

  constructor(api: Api) {
    this.#api = api;
  }

  /** Discord told of it, or of a change of it. */
  learn(json: unknown): DiscordChannel | null {
    const channel = parseChannel(json);
    if (!channel) return null;
    this.#known.delete(channel.id);
    this.#known.set(channel.id, channel);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_KNOWN && oldest) this.#known.delete(oldest);
    return channel;
  }

  /** Null where nobody writes to us from there. */
  async place(channelId: string): Promise<DiscordPlace | null> {
    const channel = await this.#find(channelId);
    if (channel?.parentId === undefined) return channel && { channel };
    const parent = await this.#find(channel.parentId);
    return parent ? { channel, parent } : { channel };
  }

  /** The same as it is by now: it may be gone, or we may. */
  async placeNow(channelId: string): Promise<DiscordPlace | null> {
    this.#known.delete(channelId);
    return this.place(channelId);
  }

  async #find(channelId: string): Promise<DiscordChannel | null> {
    return this.#known.get(channelId) ?? this.learn(await this.#api.channel(channelId));
  }
}
