/**
 * Feishu, called Lark outside of China: events over a long connection that we open, everything else over the API. An event
 * is acknowledged once the gateway has its message; what was not comes again.
 */
import { type Adapter, type Capabilities, ConnectError, type InboundMessage, type Line } from "../adapter.js";
import { Intake } from "../intake.js";
import { withinPatience } from "../patience.js";
import { Recent } from "../recent.js";
import { speakerWith } from "../speaker.js";
import { FeishuApi } from "./api.js";
import { ChatBook } from "./chats.js";
import type { FeishuSettings } from "./config.js";
import { connectError, sendError } from "./failure.js";
import { fetchFile, remoteFile } from "./files.js";
import { postLength } from "./format.js";
import { LIMITS } from "./limits.js";
import { type FeishuParseSetting, parseEvent, parseReaction, reactedTo, reactor } from "./parse.js";
import { FeishuQuotes } from "./quotes.js";
import { type FeishuEvent, serveSocket } from "./socket.js";
import { FeishuSpeaker } from "./speaker.js";

/** So many messages wait to be received; Feishu sends those after them again. */
const MOST_WAITING = 1_000;
const MOST_OWN = 5_000;
const USUAL_TIMEOUT_MS = 30_000;

/** What there is while the line is open. */
interface FeishuHearing {
  readonly line: Line;
  readonly book: ChatBook;
  readonly quotes: FeishuQuotes;
  /** What this line said, with its chat. */
  readonly own: Recent<string>;
  readonly setting: FeishuParseSetting;
  readonly intake: Intake;
}

export class FeishuAdapter implements Adapter {
  readonly platform = "feishu";
  readonly account: string;
  readonly capabilities: Capabilities = { ...LIMITS, lengthOf: postLength };
  readonly #settings: FeishuSettings;

  constructor(settings: FeishuSettings) {
    this.#settings = settings;
    this.account = settings.appId;
  }

  async serve(line: Line): Promise<void> {
    const api = new FeishuApi(this.#settings, line.end);
    const [self, endpoint] = await this.#signIn(api);
    const book = new ChatBook(api);
    const own = new Recent<string>(MOST_OWN);
    const setting: FeishuParseSetting = {
      self,
      commands: new Set(line.commands.map(({ name }) => name)),
      known: (chatId) => book.known(chatId),
      file: (file) => remoteFile(api, file),
    };
    const quotes = new FeishuQuotes({ book, self, reading: setting, own });
    const intake = new Intake();
    const hearing: FeishuHearing = { line, book, quotes, own, setting, intake };
    const speaker = speakerWith(new FeishuSpeaker({ api, self, book, own }), {
      fetch: ({ ref }, maxBytes, stop) => fetchFile(api, ref, maxBytes, stop),
    });
    const events = {
      open: () => line.up(speaker),
      event: (event: FeishuEvent) => this.#take(event, hearing),
    };
    const { timeoutMs = USUAL_TIMEOUT_MS } = this.#settings;
    try {
      await serveSocket(endpoint, events, line.end, timeoutMs);
    } finally {
      await intake.stop();
    }
  }

  async #signIn(api: FeishuApi) {
    try {
      return [await api.me(), await api.endpoint()] as const;
    } catch (error) {
      throw error instanceof ConnectError ? error : connectError(error);
    }
  }

  #take(event: FeishuEvent, hearing: FeishuHearing): void {
    const { line, book, setting, intake } = hearing;
    if (line.end.aborted || intake.open >= MOST_WAITING) return; // Feishu sends it again.
    const reacted = line.reactions ? reactedTo(event.body) : null;
    if (reacted !== null) return void intake.add(reacted, () => this.#react(event, reacted, hearing));
    book.remember(event.body);
    const message = parseEvent(event.body, setting);
    if (!message) return void event.ack(); // Not for us.
    intake.add(message.source.chatId, () => this.#receive(event, message, hearing));
  }

  async #receive(event: FeishuEvent, message: InboundMessage, hearing: FeishuHearing): Promise<void> {
    const { line, book, quotes, setting } = hearing;
    if (line.end.aborted) return;
    if (message.kind === "deletion" || !(await line.knows(message.source))) {
      // A stranger's message is refused without a request to Feishu.
      await line.receive(message);
      return event.ack();
    }
    // A press does not say what its chat is.
    const { chatId } = message.source;
    if (message.kind === "button" && !book.known(chatId)) await withinPatience(book.chat(chatId), null);
    const parsed = parseEvent(event.body, setting) ?? message;
    // Feishu wants to hear within three seconds that it arrived.
    const [whole, source] = await Promise.all([quotes.whole(parsed), book.named(parsed.source)]);
    if (line.end.aborted) return;
    await line.receive({ ...whole, source });
    quotes.keep(whole);
    event.ack();
  }

  async #react(event: FeishuEvent, messageId: string, hearing: FeishuHearing): Promise<void> {
    const { line, book, own, setting } = hearing;
    if (line.end.aborted) return;
    const chat = own.get(messageId);
    const message = chat ? { chat_id: chat } : await this.#reactedTo(event, messageId, hearing);
    const reaction = parseReaction(event.body, message, setting);
    if (reaction) await line.receive({ ...reaction, source: await book.named(reaction.source) });
    event.ack();
  }

  /** The event does not say in which chat the message is. For strangers it is not looked up. */
  async #reactedTo(event: FeishuEvent, messageId: string, { line, book }: FeishuHearing): Promise<unknown> {
    const userId = reactor(event.body);
    const isKnown = await line.knows({ platform: this.platform, chatId: userId, chatType: "dm", userId });
    if (!isKnown) return null;
    const [message] = await book.message(messageId).catch((error: unknown) => {
      if (sendError(error).outcome !== "permanent") throw error; // It is tried again.
      return [];
    });
    return message;
  }
}
