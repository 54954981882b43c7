/**
 * Slack: events over a socket, everything else over the Web API. An envelope is acknowledged once the gateway has its
 * message; what was not comes again. A message that is sent carries its delivery id as metadata, so that after a crash
 * Slack itself can be asked whether it is there.
 */
import type { ChatPostMessageArguments, WebClient } from "@slack/web-api";
import type { Address, SessionSource } from "../../session/source.js";
import {
  type Adapter,
  type Capabilities,
  ConnectError,
  type Mark,
  type OutboundMessage,
  type Receive,
  SendError,
  type Surroundings,
} from "../adapter.js";
import type { SlackSettings } from "./config.js";
import { remoteFile, upload } from "./files.js";
import { escaped, mrkdwnLength, toMrkdwn } from "./format.js";
import { field, listField, textField } from "./json.js";
import { type Envelope, Line } from "./line.js";
import { NameBook } from "./names.js";
import { type Heard, isId, isTimestamp, parseCommand, parseEvent, type Self } from "./parse.js";
import { connectError, mayHaveWorked, sendError, slackErrorOf, webClient } from "./web.js";

const PLATFORM = "slack";
const EVENT_TYPE = "baton_delivery";
const REACTION: Readonly<Record<Mark, string>> = { seen: "eyes", failed: "x" };
/** How far back a message is looked for, and in how many pages at most. */
const LOOK_BACK_S = 7 * 24 * 60 * 60;
const PAGE = 200;
const MAX_PAGES = 10;

/** What there is while the line is open. */
interface Connected {
  readonly web: WebClient;
  readonly line: Line;
  readonly names: NameBook;
  readonly receive: Receive;
  readonly commands: ReadonlySet<string>;
}

export class SlackAdapter implements Adapter {
  readonly platform = PLATFORM;
  readonly account: string;
  readonly capabilities: Capabilities = {
    maxText: 3_900,
    unit: "utf16",
    lengthOf: mrkdwnLength,
    edit: true,
    threads: true,
    paceMs: 1_200,
    maxFile: 100 * 1024 * 1024,
  };
  readonly #settings: SlackSettings;
  readonly #self: Self;
  #connected: Connected | undefined;
  /** The end of what is being received, by channel: what is said in one comes in order. */
  readonly #queues = new Map<string, Promise<void>>();

  static async open(settings: SlackSettings): Promise<SlackAdapter> {
    return new SlackAdapter(settings, await whoAmI(webClient(settings)));
  }

  private constructor(settings: SlackSettings, self: Self) {
    this.#settings = settings;
    this.#self = self;
    this.account = accountOf(self);
  }

  async connect(receive: Receive, surroundings: Surroundings): Promise<void> {
    const web = webClient(this.#settings);
    const account = accountOf(await whoAmI(web));
    if (account !== this.account) {
      const sentence = `SLACK_BOT_TOKEN is of another bot than before (${account}, not ${this.account}). Start the gateway again.`;
      throw new ConnectError("permanent", sentence);
    }
    const line = new Line(this.#settings, (envelope) => this.#take(envelope), surroundings.tell);
    const commands = new Set(surroundings.commands.map(({ name }) => name));
    this.#connected = { web, line, names: new NameBook(web), receive, commands };
    await line.open();
  }

  async disconnect(): Promise<void> {
    const { line } = this.#connected ?? {};
    this.#connected = undefined;
    await line?.close();
  }

  #take(envelope: Envelope): void {
    const heard = this.#parse(envelope);
    if (!heard) return void envelope.ack().catch(() => {}); // Not for us: nothing is lost if it comes again.
    const { chatId } = heard.message.source;
    const before = this.#queues.get(chatId) ?? Promise.resolve();
    const taken = before.then(() => this.#receive(envelope, heard)).catch(() => {}); // Not kept: it comes again.
    this.#queues.set(chatId, taken);
    void taken.then(() => this.#queues.get(chatId) === taken && this.#queues.delete(chatId));
  }

  #parse({ type, body }: Envelope): Heard | null {
    if (type === "events_api") return parseEvent(field(body, "event"), this.#self);
    if (type === "slash_commands")
      return parseCommand(body, this.#connected?.commands ?? new Set(), this.#self);
    return null;
  }

  async #receive(envelope: Envelope, { message, files }: Heard): Promise<void> {
    if (!this.#connected) return;
    const { web, names, receive } = this.#connected;
    if (envelope.type === "slash_commands" && !(await canAnswerIn(web, message.source))) {
      const text =
        "I am not in this conversation, so I cannot answer here. Invite me, or write to me directly.";
      return envelope.ack({ text });
    }
    const source = await names.named(message.source);
    if (!this.#connected) return;
    const attached = files.map((file) => remoteFile(file, this.#settings));
    await receive({ ...message, source, ...(attached.length > 0 && { files: attached }) });
    await envelope.ack();
  }

  async send(message: OutboundMessage): Promise<{ readonly messageId: string }> {
    const web = this.#web();
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
    const web = this.#web();
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
      const failure = sendError(error);
      // The same edit can be made twice.
      throw failure.outcome === "unknown"
        ? new SendError("retryable", failure.message, { cause: error })
        : failure;
    }
  }

  async find({
    address,
    replyTo,
    deliveryId,
  }: OutboundMessage): Promise<{ readonly messageId: string } | "not there" | null> {
    const web = this.#web();
    const thread = threadOf(address, replyTo);
    const oldest = String(Math.floor(Date.now() / 1_000) - LOOK_BACK_S);
    const where = { channel: address.chatId, oldest, include_all_metadata: true, limit: PAGE };
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const at = { ...where, ...(cursor && { cursor }) };
      const read = await (thread
        ? web.conversations.replies({ ...at, ts: thread })
        : web.conversations.history(at));
      for (const message of listField(read, "messages")) {
        const payload = field(field(message, "metadata"), "event_payload");
        if (textField(payload, "delivery_id") === deliveryId) return { messageId: textField(message, "ts") };
      }
      cursor = textField(field(read, "response_metadata"), "next_cursor");
      if (!cursor) return "not there";
    }
    return null;
  }

  async react({ chatId }: Address, messageId: string, mark: Mark): Promise<void> {
    if (!isTimestamp(messageId)) return; // A slash command is no message.
    try {
      await this.#web().reactions.add({ channel: chatId, timestamp: messageId, name: REACTION[mark] });
    } catch (error) {
      if (slackErrorOf(error) !== "already_reacted") throw sendError(error);
    }
  }

  /** A message that names the person; its replies are the thread. Fails where they could not see it. */
  async createThread({ chatId }: Address, title: string, person: string | null): Promise<Address> {
    const web = this.#web();
    const name = person !== null && isId(person) ? person : null;
    try {
      if (name !== null) await mustSee(web, chatId, name);
      const text = `*${escaped(title.replace(/\s+/g, " ").trim()) || "…"}*${name === null ? "" : `\n<@${name}>`}`;
      const { ts } = await web.chat.postMessage({ channel: chatId, text, ...PLAIN });
      return { platform: PLATFORM, chatId, threadId: timestamp(ts) };
    } catch (error) {
      throw sendError(error);
    }
  }

  async #post(web: WebClient, message: OutboundMessage): Promise<string> {
    const { address, text, files = [], replyTo, deliveryId } = message;
    const said = text.trim() ? toMrkdwn(text) : files.map(({ name }) => escaped(name)).join(", ");
    const thread = threadOf(address, replyTo);
    const post: ChatPostMessageArguments = {
      channel: address.chatId,
      text: said,
      metadata: metadataOf(deliveryId),
      ...PLAIN,
      ...(thread && { thread_ts: thread }),
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

  #web(): WebClient {
    if (!this.#connected) throw new SendError("retryable", "Slack is not connected.");
    return this.#connected.web;
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

function accountOf({ teamId, userId }: Self): string {
  return `${teamId}.${userId}`;
}

async function whoAmI(web: WebClient): Promise<Self> {
  try {
    const answer = await web.auth.test();
    const [teamId, userId] = [textField(answer, "team_id"), textField(answer, "user_id")];
    if (isId(teamId) && isId(userId)) return { teamId, userId };
  } catch (error) {
    throw connectError(error, "SLACK_BOT_TOKEN");
  }
  throw new ConnectError("retryable", "Slack did not say whose token SLACK_BOT_TOKEN is.");
}

const NOT_THERE = new Set(["channel_not_found", "not_in_channel"]);

/** A slash command can be given anywhere, also between two others; the answer goes only where the bot is. */
async function canAnswerIn(web: WebClient, { chatId, chatType, userId }: SessionSource): Promise<boolean> {
  try {
    const channel = field(await web.conversations.info({ channel: chatId }), "channel");
    return chatType === "dm" ? textField(channel, "user") === userId : field(channel, "is_member") !== false;
  } catch (error) {
    if (NOT_THERE.has(slackErrorOf(error))) return false;
    throw error;
  }
}

/** Everybody sees a public channel; a private one only who is in it. */
async function mustSee(web: WebClient, channel: string, person: string): Promise<void> {
  const place = field(await web.conversations.info({ channel }), "channel");
  if (field(place, "is_private") !== true && field(place, "is_im") !== true) return;
  let cursor = "";
  for (let page = 0; page < MAX_PAGES; page++) {
    const read = await web.conversations.members({ channel, limit: PAGE, ...(cursor && { cursor }) });
    if (listField(read, "members").includes(person)) return;
    cursor = textField(field(read, "response_metadata"), "next_cursor");
    if (!cursor) break;
  }
  throw new SendError(
    "permanent",
    `${person} is not in the channel ${channel} and would not see a thread there.`,
  );
}

async function share(
  web: WebClient,
  { address, replyTo }: OutboundMessage,
  files: readonly [Shared, ...Shared[]],
): Promise<void> {
  const thread = threadOf(address, replyTo);
  try {
    await web.files.completeUploadExternal({
      files: [...files] as [Shared, ...Shared[]],
      channel_id: address.chatId,
      ...(thread && { thread_ts: thread }),
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

/** Replies in a channel stand in the thread of what they answer. */
function threadOf({ threadId }: Address, replyTo: string | undefined): string | undefined {
  return threadId ?? (replyTo && isTimestamp(replyTo) ? replyTo : undefined);
}

function metadataOf(deliveryId: string) {
  return { event_type: EVENT_TYPE, event_payload: { delivery_id: deliveryId } };
}

function timestamp(ts: string | undefined): string {
  if (!ts) throw new SendError("unknown", "Slack took the message and did not say under which id.");
  return ts;
}
