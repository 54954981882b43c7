/** The channels that messages come from, as far as they are known; what is not is asked for. Of roles we know only the names. */
import { textIn } from "../untrusted.js";
import type { Api } from "./api.js";
import { type DiscordChannel, type DiscordPlace, parseChannel } from "./parse.js";
import type { DiscordNames } from "./plain-text.js";

const MAX_KNOWN = 2_000;
const MAX_ROLES = 5_000;

export class Channels {
  readonly #api: Api;
  readonly #known = new Map<string, DiscordChannel>();
  readonly #roles = new Map<string, string>();

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

  /** Discord told what a role is called. */
  learnRole(json: unknown): void {
    const [id, name] = [textIn(json, "id"), textIn(json, "name")];
    if (!id || !name) return;
    this.#roles.delete(id);
    this.#roles.set(id, name);
    const [oldest] = this.#roles.keys();
    if (this.#roles.size > MAX_ROLES && oldest) this.#roles.delete(oldest);
  }

  /** As far as it is known: nobody is asked. */
  readonly nameOf: DiscordNames = (kind, id) =>
    kind === "role" ? this.#roles.get(id) : this.#known.get(id)?.name;

  /** Null where nobody writes to us from there. */
  async place(channelId: string): Promise<DiscordPlace | null> {
    const channel = await this.#find(channelId);
    if (channel?.parentId === undefined) return channel && { channel };
    const parent = await this.#find(channel.parentId);
    return parent ? { channel, parent } : { channel };
  }

  /** Whether everybody sees the thread who sees the channel around it; false where it is not known any more. */
  isPublicThread(channelId: string): boolean {
    const channel = this.#known.get(channelId);
    return channel?.kind === "thread" && channel.isPrivate !== true;
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
