/** What is said on Mattermost by one line. */
import type { Address, SessionSource } from "../../session/source.js";
import { type FoundMessage, type Letter, type LocalFile, SendError, type Speaker } from "../adapter.js";
import { repeatable } from "../failure.js";
import { bytesOf } from "../local-file.js";
import { field, listIn, listOf, numberIn, wordsIn } from "../untrusted.js";
import { isNotThere, isThreadGone, type MattermostApi, type MattermostSelf, sendError } from "./api.js";
import { formatText } from "./format.js";
import { LIMITS } from "./limits.js";
import { parsePlace } from "./parse.js";
import { isId } from "./said.js";

const DELIVERY = "baton_delivery";
const PAGE = 200;
const MOST_PAGES = 10;
/** How far back a post is looked for if it is not known when it was written. */
const LOOK_BACK_MS = 7 * 24 * 60 * 60 * 1_000;
/** The server's clock and ours may differ by so much. */
const OTHER_CLOCK_MS = 10 * 60 * 1_000;

export class MattermostSpeaker implements Speaker {
  readonly #api: MattermostApi;
  readonly #self: MattermostSelf;
  readonly #end: AbortSignal;

  constructor(api: MattermostApi, self: MattermostSelf, end: AbortSignal) {
    this.#api = api;
    this.#self = self;
    this.#end = end;
  }

  async send(letter: Letter): Promise<{ readonly messageId: string }> {
    const { address, text, files = [], deliveryId, onlyThere } = letter;
    const message = formatText(text);
    const fileIds: string[] = [];
    for (const file of files) fileIds.push(await this.#upload(address.chatId, file));
    try {
      return { messageId: await this.#post(address, message, deliveryId, fileIds) };
    } catch (error) {
      if (!address.threadId || !isThreadGone(error)) throw sendError(error);
      if (onlyThere) throw new SendError("permanent", "That thread is not there any more.");
      const { platform, chatId } = address; // The same people see the channel around it.
      return { messageId: await this.#post({ platform, chatId }, message, deliveryId, fileIds).catch(fail) };
    }
  }

  async edit({ text, deliveryId }: Letter, messageId: string): Promise<void> {
    const body = { id: messageId, message: formatText(text), props: propsOf(deliveryId) };
    await this.#call("PUT", `/posts/${encodeURIComponent(messageId)}`, body).catch(failAgain);
  }

  /** By what each post of ours carries. Null where there is more to read than is read, or one does not carry it. */
  async find(letter: Letter): Promise<FoundMessage> {
    const { address, deliveryId, writtenAt = Date.now() - LOOK_BACK_MS } = letter;
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const path = `/channels/${encodeURIComponent(address.chatId)}/posts?page=${page}&per_page=${PAGE}`;
      const read = await this.#call("GET", path).catch(failAgain);
      const order = listIn(read, "order"); // The newest first, those of threads too.
      for (const id of order.filter(isId)) {
        const post = field(read, "posts", id);
        const its = wordsIn(post, "props", DELIVERY);
        if (its === deliveryId) return { messageId: id };
        if ((numberIn(post, "create_at") ?? 0) < writtenAt - OTHER_CLOCK_MS) return "not there";
        if (its === "" && wordsIn(post, "user_id") === this.#self.id) return null;
      }
      if (order.length < PAGE) return "not there";
    }
    return null;
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
  async createThread(
    { platform, chatId }: Address,
    title: string,
    _person: string | null,
    once: string,
  ): Promise<Address> {
    const text = formatText(title.replace(/\s+/g, " ").trim() || "…");
    const threadId = await this.#post({ platform, chatId }, text, `thread ${once}`).catch(fail);
    return { platform, chatId, threadId };
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

  /** The server takes the same `pending_post_id` once, for half a minute. */
  async #post(
    { chatId, threadId }: Address,
    message: string,
    deliveryId: string,
    fileIds: readonly string[] = [],
  ): Promise<string> {
    const post = await this.#call("POST", "/posts", {
      channel_id: chatId,
      message,
      ...(threadId ? { root_id: threadId } : {}),
      ...(fileIds.length > 0 ? { file_ids: fileIds } : {}),
      pending_post_id: `${this.#self.id}:${deliveryId}`,
      props: propsOf(deliveryId),
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

/** What a post carries, so that it can be found. */
function propsOf(deliveryId: string): Readonly<Record<string, string>> {
  return { [DELIVERY]: deliveryId };
}

function fail(error: unknown): never {
  throw sendError(error);
}

/** What may be done twice without harm. */
function failAgain(error: unknown): never {
  throw repeatable(sendError(error));
}
