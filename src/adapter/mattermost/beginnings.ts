/**
 * What a thread is about: the first time that somebody speaks to the bot in one, its first post is quoted, with its files.
 * Nothing is looked up for strangers, and a message does not wait long for it.
 */
import type { Answered, InboundMessage, Line, RemoteFile } from "../adapter.js";
import { within } from "../http-call.js";
import { Recent } from "../recent.js";
import { field, textIn } from "../untrusted.js";
import type { MattermostApi, MattermostSelf } from "./api.js";
import { isId, type MattermostFile, saidIn } from "./said.js";

const KEPT = 1_000;
const PATIENCE_MS = 5_000;

export interface BeginningsOptions {
  readonly api: MattermostApi;
  readonly self: MattermostSelf;
  readonly knows: Line["knows"];
  readonly file: (file: MattermostFile) => RemoteFile;
  readonly end: AbortSignal;
}

export class Beginnings {
  readonly #options: BeginningsOptions;
  /** Threads whose beginning was told. */
  readonly #told = new Recent<true>(KEPT);

  constructor(options: BeginningsOptions) {
    this.#options = options;
  }

  /** The message, with the beginning of its thread if that is new. */
  async quoted(message: InboundMessage): Promise<InboundMessage> {
    const { kind, replyTo, isAddressed, source } = message;
    if (kind !== "message" || !replyTo || !isAddressed || this.#told.get(replyTo.messageId)) return message;
    if (!(await this.#options.knows(source))) return message;
    const read = (signal: AbortSignal): Promise<Answered> =>
      this.#read(replyTo.messageId, source.chatId, signal);
    const found = await within(PATIENCE_MS, this.#options.end, read).catch(() => replyTo);
    return { ...message, replyTo: found };
  }

  /** It was received: its thread's beginning is known from now on. */
  keep({ replyTo }: InboundMessage): void {
    if (replyTo && Object.keys(replyTo).length > 1) this.#told.set(replyTo.messageId, true);
  }

  async #read(messageId: string, chatId: string, end: AbortSignal): Promise<Answered> {
    const { api, self, file } = this.#options;
    const post = await api.call("GET", `/posts/${messageId}`, undefined, end);
    const said = field(post, "channel_id") === chatId ? saidIn(post, file) : null;
    if (!said) return { messageId };
    const author = field(post, "user_id");
    const from = author === self.id ? undefined : await this.#nameOf(author, end);
    return {
      messageId,
      ...(said.words ? { text: said.words } : {}),
      ...(said.parts.length > 0 ? { parts: said.parts } : {}),
      ...(said.files.length > 0 ? { files: said.files } : {}),
      ...(from ? { from } : {}),
    };
  }

  async #nameOf(userId: unknown, end: AbortSignal): Promise<string> {
    const user = isId(userId)
      ? await this.#options.api.call("GET", `/users/${userId}`, undefined, end).catch(() => null)
      : null;
    return textIn(user, "username") ?? "somebody else";
  }
}
