/** What is said on Mattermost by one line. */
import type { Address, SessionSource } from "../../session/source.js";
import { type Letter, SendError, type Speaker } from "../adapter.js";
import { repeatable } from "../failure.js";
import { field } from "../untrusted.js";
import { isNotThere, type MattermostApi, type MattermostSelf, sendError } from "./api.js";
import { formatText } from "./format.js";
import { parsePlace } from "./parse.js";
import { isId } from "./said.js";

export class MattermostSpeaker implements Speaker {
  readonly #api: MattermostApi;
  readonly #self: MattermostSelf;
  readonly #end: AbortSignal;

  constructor(api: MattermostApi, self: MattermostSelf, end: AbortSignal) {
    this.#api = api;
    this.#self = self;
    this.#end = end;
  }

  async send({ address, text }: Letter): Promise<{ readonly messageId: string }> {
    return { messageId: await this.#post(address, formatText(text)) };
  }

  async edit({ text }: Letter, messageId: string): Promise<void> {
    const body = { id: messageId, message: formatText(text) };
    await this.#call("PUT", `/posts/${encodeURIComponent(messageId)}`, body).catch(failAgain);
  }

  async typing({ chatId, threadId }: Address): Promise<void> {
    const body = { channel_id: chatId, ...(threadId ? { parent_id: threadId } : {}) };
    await this.#call("POST", "/users/me/typing", body).catch(failAgain);
  }

  async place({ chatId, threadId }: Address): Promise<SessionSource | null> {
    if (!isId(chatId) || (threadId !== undefined && !isId(threadId))) return null;
    try {
      return parsePlace(await this.#call("GET", `/channels/${chatId}`), threadId, this.#self);
    } catch (error) {
      if (isNotThere(error)) return null;
      return failAgain(error);
    }
  }

  /** A post with the title; its replies are the thread. */
  async createThread(parent: Address, title: string): Promise<Address> {
    const { platform, chatId } = parent;
    const text = title.replace(/\s+/g, " ").trim() || "…";
    return { platform, chatId, threadId: await this.#post({ platform, chatId }, formatText(text)) };
  }

  async #post({ chatId, threadId }: Address, message: string): Promise<string> {
    const body = { channel_id: chatId, message, ...(threadId ? { root_id: threadId } : {}) };
    const post = await this.#call("POST", "/posts", body).catch((error: unknown) => {
      throw sendError(error);
    });
    const id = field(post, "id");
    if (!isId(id))
      throw new SendError("unknown", "Mattermost did not say under which id it took the message.");
    return id;
  }

  #call(method: string, path: string, body?: unknown): Promise<unknown> {
    return this.#api.call(method, path, body, this.#end);
  }
}

/** What may be done twice without harm. */
function failAgain(error: unknown): never {
  throw repeatable(sendError(error));
}
