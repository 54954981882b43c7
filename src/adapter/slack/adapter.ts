/**
 * Slack: events over a socket, everything else over the Web API. An envelope is acknowledged once the gateway has its
 * message; what was not comes again. A message that is sent carries its delivery id as metadata, so that after a crash
 * Slack itself can be asked whether it is there.
 */
import { createHash } from "node:crypto";
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
import { Intake } from "../intake.js";
import { repeatable } from "../repeatable.js";
import type { SlackSettings } from "./config.js";
import { remoteFile, upload } from "./files.js";
import { bold, escaped, MAX_TEXT, mrkdwnLength, toMrkdwn } from "./format.js";
import { field } from "./json.js";
import { type Envelope, Line } from "./line.js";
import { NameBook } from "./names.js";
import { type Heard, isId, isTimestamp, parseCommand, parseEvent, type Self } from "./parse.js";
import { QuoteBook } from "./quotes.js";
import { mayHaveWorked, sendError, slackErrorOf, webClient } from "./web.js";
import { canAnswerIn, findDelivery, findPlace, metadataOf, mustSee, whoAmI } from "./workspace.js";

const PLATFORM = "slack";
const REACTION: Readonly<Record<Mark, string>> = { seen: "eyes", failed: "x" };
/** So many messages wait to be received; Slack keeps those after them. */
const MOST_WAITING = 1_000;

/** What there is while the line is open. */
interface Connected {
  readonly web: WebClient;
  readonly self: Self;
  readonly line: Line;
  readonly names: NameBook;
  readonly quotes: QuoteBook;
  readonly receive: Receive;
  readonly knows: NonNullable<Surroundings["knows"]>;
  readonly commands: ReadonlySet<string>;
  readonly intake: Intake;
}

export class SlackAdapter implements Adapter {
  readonly platform = PLATFORM;
  readonly account: string;
  readonly capabilities: Capabilities = {
    maxText: MAX_TEXT,
    unit: "utf16",
    lengthOf: mrkdwnLength,
    edit: true,
    threads: true,
    threadsOnce: true,
    paceMs: 1_200,
    maxFile: 100 * 1024 * 1024,
  };
  readonly #settings: SlackSettings;
  #connected: Connected | undefined;

  constructor(settings: SlackSettings) {
    this.#settings = settings;
    this.account = accountOf(settings.botToken());
  }

  async connect(receive: Receive, surroundings: Surroundings): Promise<void> {
    if (accountOf(this.#settings.botToken()) !== this.account) {
      const sentence = "SLACK_BOT_TOKEN is of another bot than before. Start the gateway again.";
      throw new ConnectError("permanent", sentence);
    }
    const web = webClient(this.#settings);
    const self = await whoAmI(web);
    const line = new Line(this.#settings, (envelope) => this.#take(envelope), surroundings.tell);
    const commands = new Set(surroundings.commands.map(({ name }) => name));
    const [names, quotes] = [new NameBook(web), new QuoteBook(web, self)];
    const intake = new Intake();
    const { knows = async () => true } = surroundings;
    this.#connected = { web, self, line, names, quotes, receive, knows, commands, intake };
    await line.open();
  }

  async disconnect(): Promise<void> {
    const { line, intake } = this.#connected ?? {};
    this.#connected = undefined;
    await Promise.all([line?.close(), intake?.stop()]);
  }

  #take(envelope: Envelope): void {
    if (!this.#connected) return; // Nobody is there to keep it: it comes again.
    const heard = this.#parse(envelope, this.#connected);
    if (!heard) return void envelope.ack().catch(() => {}); // Not for us: nothing is lost if it comes again.
    const { intake } = this.#connected;
    if (intake.open >= MOST_WAITING) return; // Slack sends it again.
    intake.add(heard.message.source.chatId, () => this.#receive(envelope, heard));
  }

  #parse({ type, body }: Envelope, { self, commands }: Connected): Heard | null {
    if (type === "events_api") return parseEvent(field(body, "event"), self);
    return type === "slash_commands" ? parseCommand(body, commands, self) : null;
  }

  async #receive(envelope: Envelope, { message, files }: Heard): Promise<void> {
    if (!this.#connected) return;
    const { web, names, quotes, receive, knows } = this.#connected;
    if (!(await knows(message.source))) {
      // A stranger's message is refused without a request to Slack.
      await receive(message);
      await envelope.ack().catch(() => {});
      return;
    }
    if (envelope.type === "slash_commands" && !(await canAnswerIn(web, message.source))) {
      const text =
        "I am not in this conversation, so I cannot answer here. Invite me, or write to me directly.";
      return envelope.ack({ text }).catch(() => {}); // On a line that was cut: it comes again.
    }
    const [source, quoted] = await Promise.all([names.named(message.source), quotes.quoted(message)]);
    if (!this.#connected) return;
    const attached = files.map((file) => remoteFile(file, this.#settings));
    await receive({ ...quoted, source, ...(attached.length > 0 && { files: attached }) });
    quotes.keep(quoted);
    await envelope.ack().catch(() => {}); // On a line that was cut: it comes again, and is known by its id.
  }

  async send(message: OutboundMessage): Promise<{ readonly messageId: string }> {
    const web = this.#there().web;
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
    const web = this.#there().web;
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
    return findDelivery(this.#there().web, message.address, message.deliveryId);
  }

  async react({ chatId }: Address, messageId: string, mark: Mark): Promise<void> {
    if (!isTimestamp(messageId)) return; // A slash command is no message.
    try {
      await this.#there().web.reactions.add({ channel: chatId, timestamp: messageId, name: REACTION[mark] });
    } catch (error) {
      if (slackErrorOf(error) !== "already_reacted") throw sendError(error);
    }
  }

  async place(address: Address): Promise<SessionSource | null> {
    const { web, names, self } = this.#there();
    try {
      const source = await findPlace(web, address, self);
      return source && (await names.named(source));
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
    const { web } = this.#there();
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

  #there(): Connected {
    if (!this.#connected) throw new SendError("retryable", "Slack is not connected.");
    return this.#connected;
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

/** A bot token begins with the numbers of its team and its bot, which stay when it is renewed; else the token's own name. */
function accountOf(botToken: string): string {
  const [, team, bot] = /^xoxb-(\d{6,})-(\d{6,})-\w+$/.exec(botToken) ?? [];
  if (team && bot) return `${team}.${bot}`;
  return `#${createHash("sha256").update(botToken).digest("hex").slice(0, 16)}`;
}

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
