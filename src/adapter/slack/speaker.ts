/** What is said on Slack by one line. A message carries its delivery id as metadata, by which Slack can be asked for it. */
import type { ChatPostMessageArguments, WebClient } from "@slack/web-api";
import type { Address, SessionSource } from "../../session/source.js";
import { type Letter, type LocalFile, type Mark, SendError, type Speaker } from "../adapter.js";
import { repeatable } from "../failure.js";
import { type Uploaded, upload } from "./files.js";
import { bold, toMrkdwn } from "./format.js";
import type { NameBook } from "./names.js";
import { isId, isTimestamp, type SlackSelf } from "./parse.js";
import { mayHaveWorked, sendError, slackErrorOf } from "./web.js";
import { findDelivery, findPlace, metadataOf, mustSee } from "./workspace.js";

const PLATFORM = "slack";
const REACTION: Readonly<Record<Mark, string>> = { seen: "eyes", failed: "x" };

export class SlackSpeaker implements Speaker {
  readonly #web: WebClient;
  readonly #self: SlackSelf;
  readonly #names: NameBook;

  constructor(web: WebClient, self: SlackSelf, names: NameBook) {
    this.#web = web;
    this.#self = self;
    this.#names = names;
  }

  async send(letter: Letter): Promise<{ readonly messageId: string }> {
    try {
      return { messageId: letter.files ? await this.#share(letter, letter.files) : await this.#post(letter) };
    } catch (error) {
      throw sendError(error);
    }
  }

  async edit({ address, text, deliveryId }: Letter, messageId: string): Promise<void> {
    const web = this.#web;
    try {
      await web.chat.update({
        channel: address.chatId,
        ts: messageId,
        text: toMrkdwn(text),
        metadata: metadataOf(deliveryId),
        parse: "none",
        link_names: false,
      });
    } catch (error) {
      throw repeatable(sendError(error));
    }
  }

  /** A file carries no metadata: nobody can tell. */
  async find({
    address,
    deliveryId,
    files,
  }: Letter): Promise<{ readonly messageId: string } | "not there" | null> {
    return files ? null : findDelivery(this.#web, address, deliveryId);
  }

  async react({ chatId }: Address, messageId: string, mark: Mark): Promise<void> {
    if (!isTimestamp(messageId)) return; // A slash command is no message.
    try {
      await this.#web.reactions.add({ channel: chatId, timestamp: messageId, name: REACTION[mark] });
    } catch (error) {
      if (slackErrorOf(error) !== "already_reacted") throw sendError(error);
    }
  }

  async place(address: Address): Promise<SessionSource | null> {
    const web = this.#web;
    try {
      const source = await findPlace(web, address, this.#self);
      return source && (await this.#names.named(source));
    } catch (error) {
      throw repeatable(sendError(error));
    }
  }

  /**
   * A message that names the person; its replies are the thread. Fails where they could not see it. The message is known
   * by its metadata: where it is found among what was said lately, it is not sent again.
   */
  async createThread(
    { chatId }: Address,
    title: string,
    person: string | null,
    once: string,
  ): Promise<Address> {
    const web = this.#web;
    const name = person !== null && isId(person) ? person : null;
    const seed = `thread ${once}`;
    try {
      if (name !== null) await mustSee(web, chatId, name);
      const made = await findDelivery(web, { platform: PLATFORM, chatId }, seed);
      if (made !== null && made !== "not there")
        return { platform: PLATFORM, chatId, threadId: made.messageId };
      const text = `${bold(title.replace(/\s+/g, " ").trim() || "…")}${name === null ? "" : `\n<@${name}>`}`;
      const metadata = metadataOf(seed);
      const { ts } = await web.chat.postMessage({ channel: chatId, text, metadata, ...PLAIN });
      return { platform: PLATFORM, chatId, threadId: timestamp(ts) };
    } catch (error) {
      throw repeatable(sendError(error));
    }
  }

  async #post(letter: Letter): Promise<string> {
    const { address, text, deliveryId } = letter;
    const post: ChatPostMessageArguments = {
      channel: address.chatId,
      text: toMrkdwn(text),
      metadata: metadataOf(deliveryId),
      ...PLAIN,
      ...(address.threadId && { thread_ts: address.threadId }),
    };
    try {
      return timestamp((await this.#web.chat.postMessage(post)).ts);
    } catch (error) {
      if (!mayHaveWorked(error)) throw error;
      const found = await this.find(letter).catch(() => null);
      if (found === "not there") throw new SendError("retryable", sendError(error).message, { cause: error });
      if (found === null) throw error;
      return found.messageId;
    }
  }

  /** Slack's id of the first file: it does not say under which id the message is that shows it. */
  async #share({ address, text }: Letter, files: readonly LocalFile[]): Promise<string> {
    const uploads: Uploaded[] = [];
    for (const file of files)
      uploads.push(
        await upload(this.#web, file).catch((error: unknown) => {
          throw repeatable(sendError(error)); // Nobody sees it yet: it may be brought there again.
        }),
      );
    const [first, ...more] = uploads;
    if (!first) throw new SendError("permanent", "There is no file to send.");
    await this.#web.files.completeUploadExternal({
      files: [first, ...more],
      channel_id: address.chatId,
      ...(text && { initial_comment: toMrkdwn(text) }),
      ...(address.threadId && { thread_ts: address.threadId }),
    });
    return first.id;
  }
}

/** Nothing is made of a text that we did not make of it, and nothing is fetched to preview it. */
const PLAIN = {
  parse: "none",
  link_names: false,
  unfurl_links: false,
  unfurl_media: false,
  mrkdwn: true,
} as const;

function timestamp(ts: string | undefined): string {
  if (!ts) throw new SendError("unknown", "Slack took the message and did not say under which id.");
  return ts;
}
