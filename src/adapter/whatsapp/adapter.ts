/**
 * WhatsApp by Meta's Cloud API: what people write is posted to our webhook, again and again until we say that it was
 * received; what we send is a call. A send that was not answered is reconciled by the word that the webhook brings of it.
 */
import { readFile, stat } from "node:fs/promises";
import type { Address, SessionSource } from "../../session/source.js";
import { shorten } from "../../util/text.js";
import {
  type Adapter,
  type Capabilities,
  ConnectError,
  type InboundMessage,
  type LocalFile,
  type Mark,
  type OutboundMessage,
  type Receive,
  SendError,
  type Surroundings,
} from "../adapter.js";
import { reasonOf } from "../http-call.js";
import { Intake } from "../intake.js";
import { repeatable } from "../repeatable.js";
import { field, idOf, listOf } from "../untrusted.js";
import type { WhatsAppSettings } from "./config.js";
import { formatText } from "./format.js";
import { Graph } from "./graph.js";
import { kindOf, MARKS, MAX_CAPTION, MAX_FILE, MAX_TEXT, type MediaKind, TYPING_MS } from "./limits.js";
import { chatWith, type MediaRef, parseWebhook } from "./parse.js";
import { Sightings } from "./sightings.js";
import { Webhook } from "./webhook.js";

const MAX_PROBLEM = 500;
const HOST = "127.0.0.1";
const PORT = 8_645;
const PATH = "/whatsapp";
/** How many chats' last messages are known, for the sign of typing. */
const MOST_CHATS = 1_000;

interface Line {
  readonly receive: Receive;
  readonly problem: NonNullable<Surroundings["problem"]>;
  readonly end: AbortController;
  readonly webhook: Webhook;
  readonly ownNumber: string;
  readonly intake: Intake;
}

export class WhatsAppAdapter implements Adapter {
  readonly platform = "whatsapp";
  readonly account: string;
  readonly capabilities: Capabilities = {
    maxText: MAX_TEXT,
    unit: "utf16",
    lengthOf: (text) => formatText(text).length,
    edit: false,
    threads: false,
    redelivers: true,
    typingMs: TYPING_MS,
    maxFile: MAX_FILE,
  };
  readonly #settings: WhatsAppSettings;
  readonly #graph: Graph;
  readonly #sightings = new Sightings();
  /** The last message of each chat: typing is shown in answer to it. */
  readonly #lastIn = new Map<string, string>();
  #line: Line | undefined;
  #port = 0;

  constructor(settings: WhatsAppSettings) {
    this.#settings = settings;
    this.account = settings.phoneNumberId;
    this.#graph = new Graph(settings);
  }

  /** Where the webhook listens, once it does. */
  get port(): number {
    return this.#port;
  }

  async connect(receive: Receive, { problem = () => {} }: Pick<Surroundings, "problem"> = {}): Promise<void> {
    await this.disconnect();
    const {
      webhook: { host = HOST, port = PORT, path = PATH } = {},
      appSecret,
      verifyToken,
    } = this.#settings;
    if (appSecret() === "")
      throw new ConnectError("permanent", "WhatsApp's messages cannot be checked: set WHATSAPP_APP_SECRET.");
    const end = new AbortController();
    const ownNumber = ((await this.#graph.check(end.signal)) ?? "").replace(/\D/g, "");
    const onPost = (body: unknown): Promise<void> => this.#take(body, line);
    const webhook = new Webhook({ host, port, path, appSecret, verifyToken, onPost });
    const line: Line = { receive, problem, end, webhook, ownNumber, intake: new Intake() };
    try {
      this.#port = await webhook.listen();
    } catch (error) {
      throw new ConnectError(
        "retryable",
        `the webhook cannot listen on ${host}:${port} (${reasonOf(error)}): is another program there? Set WHATSAPP_WEBHOOK_PORT.`,
        { cause: error },
      );
    }
    this.#line = line;
  }

  async send({ address, text, deliveryId, replyTo, files = [] }: OutboundMessage): Promise<{
    readonly messageId: string;
  }> {
    const said = formatText(text);
    const context = replyTo?.startsWith("wamid.") ? { context: { message_id: replyTo } } : {};
    const to = recipientOf(address);
    const parts = await this.#parts(said, files);
    let first: string | undefined;
    for (const [index, part] of parts.entries()) {
      const id = index === 0 ? deliveryId : `${deliveryId}.${index}`;
      const message = { ...to, ...part, ...(index === 0 ? context : {}), biz_opaque_callback_data: id };
      const sent = await this.#post(message, id).catch((error: Error) => {
        // What is there already must not be sent again with the rest.
        throw first === undefined
          ? error
          : new SendError("unknown", `Only a part was sent: ${error.message}`);
      });
      first ??= sent;
    }
    return { messageId: first ?? "" };
  }

  async find({ deliveryId }: OutboundMessage): Promise<{ readonly messageId: string } | null> {
    const messageId = this.#sightings.find(deliveryId);
    return messageId === null ? null : { messageId };
  }

  /** WhatsApp shows it in answer to a message, which is marked as read by it. */
  async typing({ chatId }: Address): Promise<void> {
    const message_id = this.#lastIn.get(chatId);
    if (!message_id) return;
    const typing_indicator = { type: "text" };
    await this.#call({ messaging_product: "whatsapp", status: "read", message_id, typing_indicator });
  }

  async react(address: Address, messageId: string, mark: Mark): Promise<void> {
    const reaction = { message_id: messageId, emoji: MARKS[mark] };
    await this.#call({ ...recipientOf(address), type: "reaction", reaction });
  }

  /** Meta tells of nobody who has not written: any number is a chat of two but our own. */
  async place({ chatId, threadId }: Address): Promise<SessionSource | null> {
    const { ownNumber } = this.#there();
    const number = numberOf(chatId);
    return threadId === undefined && number !== ownNumber ? chatWith(number) : null;
  }

  async disconnect(): Promise<void> {
    const line = this.#line;
    this.#line = undefined;
    await line?.webhook.close();
    line?.end.abort();
  }

  /** All that was posted; fails where any of it was not received, and then all of it comes again. */
  async #take(body: unknown, { receive, problem, intake }: Line): Promise<void> {
    const { phoneNumberId } = this.#settings;
    const file = ({ id, name, mediaType }: MediaRef) => ({
      ...(name ? { name } : {}),
      mediaType,
      read: (maxBytes: number, end: AbortSignal) => this.#graph.download(id, maxBytes, end),
    });
    const { messages, statuses } = parseWebhook(body, { phoneNumberId, file });
    for (const { deliveryId, messageId, failure } of statuses) {
      if (failure !== null) problem(shorten(failure, MAX_PROBLEM));
      else if (deliveryId) this.#sightings.add(deliveryId, messageId);
    }
    const chats = new Map<string, InboundMessage[]>();
    for (const message of messages) {
      const { chatId } = message.source;
      chats.set(chatId, [...(chats.get(chatId) ?? []), message]);
    }
    const taking = [...chats].map(([chatId, said]) =>
      intake.once(chatId, async () => {
        for (const message of said) {
          await receive(message);
          this.#remember(message);
        }
      }),
    );
    const failed = (await Promise.allSettled(taking)).find(({ status }) => status === "rejected");
    if (failed) throw new Error("not all of it was received");
  }

  #remember({ source: { chatId }, messageId }: InboundMessage): void {
    this.#lastIn.delete(chatId);
    this.#lastIn.set(chatId, messageId);
    for (const oldest of this.#lastIn.keys()) {
      if (this.#lastIn.size <= MOST_CHATS) break;
      this.#lastIn.delete(oldest);
    }
  }

  async #parts(said: string, files: readonly LocalFile[]): Promise<readonly object[]> {
    const text = { type: "text", text: { body: said, preview_url: false } };
    if (files.length === 0) return [text];
    const uploaded = [];
    for (const file of files) uploaded.push(await this.#upload(file));
    const [first, ...rest] = uploaded;
    const isCaption = said.trim() !== "" && said.length <= MAX_CAPTION && first?.kind !== "audio";
    if (!first || !isCaption)
      return [...(said.trim() === "" ? [] : [text]), ...uploaded.map((each) => asPart(each))];
    return [asPart(first, said), ...rest.map((each) => asPart(each))];
  }

  async #upload({ path, name, mediaType }: LocalFile): Promise<Uploaded> {
    if ((await stat(path)).size > MAX_FILE)
      throw new SendError("permanent", `${name} is larger than ${MAX_FILE / 1024 / 1024} MB.`);
    const form = new FormData();
    form.set("messaging_product", "whatsapp");
    form.set("type", mediaType);
    form.set("file", new Blob([await readFile(path)], { type: mediaType }), name);
    // Nothing was said yet: an upload that went astray is simply made again.
    const answer = await this.#withLine((end) => this.#graph.post("media", form, end)).catch(
      (error: unknown) => {
        throw error instanceof SendError ? repeatable(error) : error;
      },
    );
    const id = idOf(field(answer, "id"));
    if (!id) throw new SendError("retryable", "Meta did not say where it put the file.");
    return { id, name, kind: kindOf(mediaType) };
  }

  /** Sends one message; where nobody answers, what the webhook tells in a while decides. */
  async #post(message: object, deliveryId: string): Promise<string> {
    try {
      const id = idOf(field(listOf(field(await this.#call(message), "messages"))[0], "id"));
      if (id) return id;
      throw new SendError("unknown", "Meta did not say what became of it.");
    } catch (error) {
      if (!(error instanceof SendError) || error.outcome !== "unknown") throw error;
      const end = this.#line?.end.signal ?? AbortSignal.abort();
      const seen = await this.#sightings.wait(deliveryId, this.#settings.timeoutMs ?? 30_000, end);
      if (seen === null) throw error;
      return seen;
    }
  }

  #call(message: object): Promise<unknown> {
    return this.#withLine((end) => this.#graph.post("messages", message, end));
  }

  async #withLine<T>(call: (end: AbortSignal) => Promise<T>): Promise<T> {
    return call(this.#there().end.signal);
  }

  #there(): Line {
    if (!this.#line) throw new SendError("retryable", "WhatsApp is not connected.");
    return this.#line;
  }
}

interface Uploaded {
  readonly id: string;
  readonly name: string;
  readonly kind: MediaKind;
}

function asPart({ id, name, kind }: Uploaded, caption?: string): object {
  const filename = kind === "document" ? { filename: name } : {};
  return { type: kind, [kind]: { id, ...filename, ...(caption ? { caption } : {}) } };
}

function recipientOf({ chatId }: Address): object {
  return { messaging_product: "whatsapp", recipient_type: "individual", to: numberOf(chatId) };
}

function numberOf(chatId: string): string {
  const number = /^\+?(\d{5,20})(?:@s\.whatsapp\.net)?$/.exec(chatId)?.[1];
  if (!number) throw new SendError("permanent", `${chatId} is no number that the Cloud API can write to.`);
  return number;
}
