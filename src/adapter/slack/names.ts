/**
 * What people and places are called: events carry ids only. Names are asked for once in a while, never for longer than a
 * message can wait, and where Slack does not tell, there is none: nothing is decided by a name.
 */
import type { WebClient } from "@slack/web-api";
import type { SessionSource } from "../../session/source.js";
import { withinPatience } from "../patience.js";
import { field, wordsIn } from "../untrusted.js";

type SourceNames = Pick<SessionSource, "userName" | "chatName" | "chatTopic">;

const KEPT = 1_000;
const KEPT_MS = 60 * 60 * 1_000;

export class NameBook {
  readonly #web: WebClient;
  readonly #pages = new Map<string, { readonly until: number; readonly names: Promise<SourceNames> }>();

  constructor(web: WebClient) {
    this.#web = web;
  }

  /** The source with the names that Slack has for its person and its place. */
  async named(source: SessionSource): Promise<SessionSource> {
    const { userId = "", chatId, chatType } = source;
    const [person, place] = await Promise.all([
      userId === "" ? {} : this.#look(userId, () => this.#person(userId)),
      chatType === "dm" ? {} : this.#look(chatId, () => this.#place(chatId)),
    ]);
    return { ...source, ...person, ...place };
  }

  #look(id: string, ask: () => Promise<SourceNames>): Promise<SourceNames> {
    const found = this.#pages.get(id);
    if (found && found.until > performance.now()) return found.names;
    const names = withinPatience(ask(), {});
    this.#pages.delete(id);
    this.#pages.set(id, { until: performance.now() + KEPT_MS, names });
    const [oldest] = this.#pages.keys();
    if (this.#pages.size > KEPT && oldest !== undefined) this.#pages.delete(oldest);
    return names;
  }

  async #person(user: string): Promise<SourceNames> {
    const found = field(await this.#web.users.info({ user }), "user");
    const profile = field(found, "profile");
    const userName =
      wordsIn(profile, "display_name") || wordsIn(profile, "real_name") || wordsIn(found, "name");
    return userName ? { userName } : {};
  }

  async #place(channel: string): Promise<SourceNames> {
    const found = field(await this.#web.conversations.info({ channel }), "channel");
    const chatName = wordsIn(found, "name");
    const chatTopic = wordsIn(found, "topic", "value");
    return { ...(chatName && { chatName }), ...(chatTopic && { chatTopic }) };
  }
}
