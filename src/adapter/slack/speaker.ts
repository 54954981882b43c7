/** What is said on Slack by one line. A message carries its delivery id as metadata, by which Slack can be asked for it. */
import type { ChatPostMessageArguments, WebClient } from "@slack/web-api";
import type { Address, SessionSource } from "../../session/source.js";
import { type Mark, type OutboundMessage, SendError, type Speaker } from "../adapter.js";
import { repeatable } from "../repeatable.js";
import { upload } from "./files.js";
import { bold, escaped, toMrkdwn } from "./format.js";
import type { NameBook } from "./names.js";
import { isId, isTimestamp, type Self } from "./parse.js";
import { mayHaveWorked, sendError, slackErrorOf } from "./web.js";
import { findDelivery, findPlace, metadataOf, mustSee } from "./workspace.js";

const PLATFORM = "slack";
const REACTION: Readonly<Record<Mark, string>> = { seen: "eyes", failed: "x" };

export class SlackSpeaker implements Speaker {
  readonly #web: WebClient;
  readonly #self: Self;
  readonly #names: NameBook;

  constructor(web: WebClient, self: Self, names: NameBook) {
    this.#web = web;
    this.#self = self;
    this.#names = names;
  }

  async send(message: OutboundMessage): Promise<{ readonly messageId: string }> {
    const web = this.#web;
    try {
      const { files = [] } = message;
      const uploaded = [];
      for (const file of files) uploaded.push(await upload(web, file));
      const messageId = await this.#post(web, message);
      const [first, ...others] = uploaded;
      if (first) await share(web, message, [first, ...others]);
      return { messageId };
    } catch (error) {
      throw sendError(error);
    }
  }

  async edit({ address, text, deliveryId }: OutboundMessage, messageId: string): Promise<void> {
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

  async find(message: OutboundMessage): Promise<{ readonly messageId: string } | "not there" | null> {
    return findDelivery(this.#web, message.address, message.deliveryId);
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

  async #post(web: WebClient, message: OutboundMessage): Promise<string> {
    const { address, text, files = [], deliveryId } = message;
    const said = text.trim() ? toMrkdwn(text) : files.map(({ name }) => escaped(name)).join(", ");
    const post: ChatPostMessageArguments = {
      channel: address.chatId,
      text: said,
      metadata: metadataOf(deliveryId),
      ...PLAIN,
      ...(address.threadId && { thread_ts: address.threadId }),
    };
    try {
      return timestamp((await web.chat.postMessage(post)).ts);
    } catch (error) {
      if (!mayHaveWorked(error)) throw error;
      const found = await this.find(message).catch(() => null);
      if (found === "not there") throw new SendError("retryable", sendError(error).message, { cause: error });
      if (found === null) throw error;
      return found.messageId;
    }
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

async function share(
  web: WebClient,
  { address }: OutboundMessage,
  files: readonly [Shared, ...Shared[]],
): Promise<void> {
  try {
    await web.files.completeUploadExternal({
      files: [...files] as [Shared, ...Shared[]],
      channel_id: address.chatId,
      ...(address.threadId && { thread_ts: address.threadId }),
    });
  } catch (error) {
    // The text is there: it is not to be sent again for the sake of a file.
    throw new SendError("unknown", `The text was sent, its files were not: ${sendError(error).message}`, {
      cause: error,
    });
  }
}

interface Shared {
  id: string;
  title: string;
}

function timestamp(ts: string | undefined): string {
  if (!ts) throw new SendError("unknown", "Slack took the message and did not say under which id.");
  return ts;
}
