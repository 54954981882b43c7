/** What is said on Mattermost by one line. */
import type { Address, SessionSource } from "../../session/source.js";
import { type Letter, type LocalFile, SendError, type Speaker } from "../adapter.js";
import { repeatable } from "../failure.js";
import { bytesOf } from "../local-file.js";
import { field, listOf } from "../untrusted.js";
import { isNotThere, type MattermostApi, type MattermostSelf, sendError } from "./api.js";
import { formatText } from "./format.js";
import { LIMITS } from "./limits.js";
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

  async send({ address, text, files = [] }: Letter): Promise<{ readonly messageId: string }> {
    const fileIds: string[] = [];
    for (const file of files) fileIds.push(await this.#upload(address.chatId, file));
    return { messageId: await this.#post(address, formatText(text), fileIds) };
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

  /** Nobody sees a file before its post: an upload that failed is simply made again. */
  async #upload(channelId: string, file: LocalFile): Promise<string> {
    const form = new FormData();
    form.set("channel_id", channelId);
    const bytes = await bytesOf(file, LIMITS.maxFile);
    form.set("files", new Blob([bytes], { type: file.mediaType }), file.name);
    const answer = await this.#call("POST", "/files", form).catch(failAgain);
    const id = field(listOf(field(answer, "file_infos"))[0], "id");
    if (!isId(id)) throw new SendError("retryable", "Mattermost did not say where it put the file.");
    return id;
  }

  async #post(
    { chatId, threadId }: Address,
    message: string,
    fileIds: readonly string[] = [],
  ): Promise<string> {
    const body = {
      channel_id: chatId,
      message,
      ...(threadId ? { root_id: threadId } : {}),
      ...(fileIds.length > 0 ? { file_ids: fileIds } : {}),
    };
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
