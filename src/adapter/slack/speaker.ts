/** What is said on Slack by one line. A message carries its delivery id as metadata, by which Slack can be asked for it. */
import type { ChatPostMessageArguments, WebClient } from "@slack/web-api";
import type { Address, SessionSource } from "../../session/source.js";
import {
  type FoundMessage,
  type Letter,
  type LocalFile,
  type Mark,
  SendError,
  type Speaker,
} from "../adapter.js";
import { pressData } from "../buttons.js";
import { repeatable } from "../failure.js";
import { type UploadedFile, upload } from "./files.js";
import { bold, escaped, toMrkdwn } from "./format.js";
import type { NameBook } from "./names.js";
import { isId, isTimestamp, type SlackSelf } from "./parse.js";
import { sendError, slackErrorOf } from "./web.js";
import { findDelivery, findPlace, metadataOf, mustSee } from "./workspace.js";

const PLATFORM = "slack";
/** Nobody can write in that thread: it was locked or deleted, or the channel has none any more. */
const THREAD_GONE = new Set([
  "thread_not_found",
  "cannot_reply_to_message",
  "restricted_action_thread_locked",
  "restricted_action_non_threadable_channel",
]);
/** Slack's words for a thread without the line; all others are about the app. */
const ONLY_HERE = new Set(["channel_not_found", "invalid_thread_ts", "thread_not_found", "not_in_channel"]);
const REACTION: Readonly<Record<Mark, string>> = { seen: "eyes", failed: "x" };

export class SlackSpeaker implements Speaker {
  readonly #web: WebClient;
  readonly #self: SlackSelf;
  readonly #names: NameBook;
  /** False after Slack said that this app has no line for what it does. */
  #hasStatus = true;

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
        blocks: [], // Buttons that were under it go: Slack keeps what it is not told to remove.
        metadata: metadataOf(deliveryId),
        parse: "none",
        link_names: false,
      });
    } catch (error) {
      throw repeatable(sendError(error));
    }
  }

  async remove({ chatId }: Address, messageId: string): Promise<void> {
    try {
      await this.#web.chat.delete({ channel: chatId, ts: messageId });
    } catch (error) {
      if (slackErrorOf(error) !== "message_not_found") throw repeatable(sendError(error));
    }
  }

  /** Only a thread has the line, and not every app and workspace: what Slack declines is not asked for again. */
  async status({ chatId, threadId }: Address, words: string): Promise<boolean> {
    if (threadId === undefined || !this.#hasStatus) return false;
    const status = escaped(words);
    try {
      await this.#web.assistant.threads.setStatus({ channel_id: chatId, thread_ts: threadId, status });
      return true;
    } catch (error) {
      const failure = sendError(error);
      if (failure.outcome !== "permanent") throw failure;
      this.#hasStatus = ONLY_HERE.has(slackErrorOf(error));
      return false;
    }
  }

  /** A file carries no metadata: nobody can tell. */
  async find(letter: Letter): Promise<FoundMessage> {
    if (letter.files) return null;
    try {
      return await this.#look(letter);
    } catch (error) {
      throw sendError(error);
    }
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
      const address = { platform: PLATFORM, chatId };
      const made = await findDelivery(web, this.#self, { address, deliveryId: seed });
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

  async #look(letter: Letter): Promise<FoundMessage> {
    const { address, ...sought } = letter;
    const { platform, chatId } = address;
    try {
      return await findDelivery(this.#web, this.#self, letter);
    } catch (error) {
      if (!address.threadId || !isThreadGone(error)) throw error;
      return findDelivery(this.#web, this.#self, { ...sought, address: { platform, chatId } });
    }
  }

  async #post({ address, text, deliveryId, onlyThere, buttons }: Letter): Promise<string> {
    const post: ChatPostMessageArguments = {
      channel: address.chatId,
      text: toMrkdwn(text),
      metadata: metadataOf(deliveryId),
      ...withButtons(toMrkdwn(text), buttons),
      ...PLAIN,
    };
    return inThread(address, onlyThere, async (thread) =>
      timestamp((await this.#web.chat.postMessage({ ...post, ...thread })).ts),
    );
  }

  /** Slack's id of the first file: it does not say under which id the message is that shows it. */
  async #share({ address, text, onlyThere }: Letter, files: readonly LocalFile[]): Promise<string> {
    const uploads: UploadedFile[] = [];
    for (const file of files)
      uploads.push(
        await upload(this.#web, file).catch((error: unknown) => {
          throw repeatable(sendError(error)); // Nobody sees it yet: it may be brought there again.
        }),
      );
    const [first, ...more] = uploads;
    if (!first) throw new SendError("permanent", "There is no file to send.");
    await inThread(address, onlyThere, (thread) =>
      this.#web.files.completeUploadExternal({
        files: [first, ...more],
        channel_id: address.chatId,
        ...(text && { initial_comment: toMrkdwn(text) }),
        ...thread,
      }),
    );
    return first.id;
  }
}

/** Slack takes no longer text beside buttons; then the text goes alone. */
const MAX_SECTION = 3_000;

function withButtons(text: string, buttons: Letter["buttons"]) {
  if (!buttons || text.length > MAX_SECTION) return {};
  const elements = buttons.map((button, n) => ({
    type: "button" as const,
    action_id: `baton-${n}`,
    text: { type: "plain_text" as const, text: button.label },
    value: pressData(button),
  }));
  const said = { type: "section" as const, text: { type: "mrkdwn" as const, text, verbatim: true } };
  return { blocks: [said, { type: "actions" as const, elements }] };
}

type InThread = { readonly thread_ts?: string };

/** In its thread; if nobody can write there any more, in the channel around it, which the same people see. */
async function inThread<T>(
  { threadId }: Address,
  onlyThere: true | undefined,
  send: (thread: InThread) => Promise<T>,
): Promise<T> {
  if (!threadId) return send({});
  try {
    return await send({ thread_ts: threadId });
  } catch (error) {
    if (!isThreadGone(error)) throw error;
    if (onlyThere) throw new SendError("permanent", "That thread is locked, or not there any more.");
    return send({});
  }
}

function isThreadGone(error: unknown): boolean {
  return THREAD_GONE.has(slackErrorOf(error));
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
