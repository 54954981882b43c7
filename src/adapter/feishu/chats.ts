/**
 * What is known of chats and people: events carry ids, and only those of messages say what their chat is. Names are asked
 * for once in a while, never for longer than a message can wait; where Feishu does not tell, there is none: nothing is
 * decided by a name.
 */
import type { SessionSource } from "../../session/source.js";
import { withinPatience } from "../patience.js";
import { Recent } from "../recent.js";
import { field, listIn, textIn } from "../untrusted.js";
import type { FeishuApi } from "./api.js";
import { codeOf } from "./failure.js";
import { isPerson } from "./ids.js";
import { chatIn, type FeishuChat } from "./parse.js";

const KEPT = 1_000;
const KEPT_MS = 60 * 60 * 1_000;
/** There is no such chat, or we have no part in it. */
const NO_CHAT = new Set([230002, 232006, 232009, 232010, 232011, 232033, 404]);

interface Known<Value> {
  readonly until: number;
  readonly value: Promise<Value>;
}

export class ChatBook {
  readonly #api: FeishuApi;
  /** As events told. */
  readonly #told = new Recent<FeishuChat>(KEPT);
  /** The other one in a chat of two. */
  readonly #others = new Recent<string>(KEPT);
  readonly #chats = new Recent<Known<FeishuChat | null>>(KEPT);
  readonly #people = new Recent<Known<string | undefined>>(KEPT);

  constructor(api: FeishuApi) {
    this.#api = api;
  }

  remember(body: unknown): void {
    const [chatId, chat] = chatIn(body) ?? [];
    if (!chatId || !chat) return;
    this.#told.set(chatId, chat);
    const sender = field(body, "event", "sender", "sender_id", "open_id");
    if (chat.isPrivate && isPerson(sender)) this.#others.set(chatId, sender);
  }

  known(chatId: string): FeishuChat | undefined {
    return this.#told.get(chatId);
  }

  /** As Feishu tells of it; null if it is not there for us. */
  async chat(chatId: string): Promise<FeishuChat | null> {
    const chat = await kept(this.#chats, chatId, () => this.#ask(chatId));
    if (chat) this.#told.set(chatId, chat);
    return chat;
  }

  /** The other one in a chat of two: who wrote there last. */
  async other(chatId: string): Promise<string | null> {
    const known = this.#others.get(chatId);
    if (known) return known;
    for (const message of await this.messages("chat", chatId)) {
      const isUser = field(message, "sender", "sender_type") === "user";
      const id = field(message, "sender", "id");
      if (!isUser || !isPerson(id)) continue;
      this.#others.set(chatId, id);
      return id;
    }
    return null;
  }

  /** The newest messages, the newest first. */
  async messages(container: "chat" | "thread", id: string): Promise<readonly unknown[]> {
    const query = `container_id_type=${container}&container_id=${id}&sort_type=ByCreateTimeDesc&page_size=50`;
    return listIn(await this.#api.call("GET", `/im/v1/messages?${query}`), "data", "items");
  }

  /** A message, and of forwarded ones those in it. */
  async message(messageId: string): Promise<readonly unknown[]> {
    return listIn(await this.#api.call("GET", `/im/v1/messages/${messageId}`), "data", "items");
  }

  /** The source with the names that Feishu has for its person and its place. */
  async named(source: SessionSource): Promise<SessionSource> {
    const { userId = "", chatId, chatType, isBot } = source;
    const [userName, chat] = await Promise.all([
      isBot ? undefined : this.nameOf(userId),
      chatType === "dm" ? null : withinPatience(this.chat(chatId), null),
    ]);
    return {
      ...source,
      ...(userName ? { userName } : {}),
      ...(chat?.name ? { chatName: chat.name } : {}),
    };
  }

  async nameOf(userId: string): Promise<string | undefined> {
    if (!isPerson(userId)) return undefined;
    return withinPatience(
      kept(this.#people, userId, () => this.#askName(userId)),
      undefined,
    );
  }

  async #ask(chatId: string): Promise<FeishuChat | null> {
    try {
      const answer = await this.#api.call("GET", `/im/v1/chats/${chatId}`);
      const [mode, name] = [textIn(answer, "data", "chat_mode"), textIn(answer, "data", "name")];
      if (!mode || /^dissolved/.test(textIn(answer, "data", "chat_status") ?? "")) return null;
      return { isPrivate: mode === "p2p", ...(name ? { name } : {}) };
    } catch (error) {
      if (NO_CHAT.has(codeOf(error))) return null;
      throw error;
    }
  }

  /** Without the scope for it Feishu does not tell. */
  async #askName(userId: string): Promise<string | undefined> {
    const answer = await this.#api
      .call("GET", `/contact/v3/users/${userId}?user_id_type=open_id`)
      .catch(() => null);
    return textIn(answer, "data", "user", "name");
  }
}

/** Asked for once in a while; what failed is asked for again. */
function kept<Value>(book: Recent<Known<Value>>, id: string, ask: () => Promise<Value>): Promise<Value> {
  const known = book.get(id);
  if (known && known.until > performance.now()) return known.value;
  const value = ask();
  book.set(id, { until: performance.now() + KEPT_MS, value });
  value.catch(() => book.delete(id));
  return value;
}
