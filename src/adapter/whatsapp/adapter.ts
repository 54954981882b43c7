/**
 * WhatsApp by Meta's Cloud API: what people write is posted to our webhook, again and again until we say that it was
 * received; what we send is a call. A send that was not answered is reconciled by the word that the webhook brings of it.
 */
import { shorten } from "../../util/text.js";
import {
  type Adapter,
  type Answered,
  type Capabilities,
  ConnectError,
  type InboundMessage,
  type Line,
} from "../adapter.js";
import { Intake } from "../intake.js";
import { inChat, Recent } from "../recent.js";
import { speakerWith } from "../speaker.js";
import { jsonOf } from "../untrusted.js";
import { LOOPBACK, serveWebhook } from "../webhook.js";
import type { WhatsAppSettings } from "./config.js";
import { formatText } from "./format.js";
import { Graph } from "./graph.js";
import { LIMITS } from "./limits.js";
import { type MediaRef, parseWebhook } from "./parse.js";
import { Sightings } from "./sightings.js";
import { WhatsAppSpeaker } from "./speaker.js";
import { challengeIn, signedBy } from "./webhook.js";

const MAX_PROBLEM = 500;
const PORT = 8_645;
const PATH = "/whatsapp";
const TIMEOUT_MS = 30_000;
/** How many chats' last messages are known, for the sign of typing. */
const MOST_CHATS = 1_000;
/** So many messages can be quoted when somebody answers them. */
const MOST_EARLIER = 1_000;
const LONGEST_QUOTE = 2_000;

export class WhatsAppAdapter implements Adapter {
  readonly platform = "whatsapp";
  readonly account: string;
  readonly capabilities: Capabilities = { ...LIMITS, lengthOf: (text) => formatText(text).length };
  readonly #settings: WhatsAppSettings;
  readonly #graph: Graph;
  readonly #sightings = new Sightings();
  /** The last message of each chat: typing is shown in answer to it. */
  readonly #lastIn = new Recent<string>(MOST_CHATS);
  /** What was said lately, by people and by us: Meta gives only the id of a message that is answered. */
  readonly #earlier = new Recent<Answered>(MOST_EARLIER);
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

  async serve(line: Line): Promise<void> {
    const {
      webhook: { host = LOOPBACK, port = PORT, path = PATH } = {},
      appSecret,
      verifyToken,
      timeoutMs = TIMEOUT_MS,
      toldMs: patienceMs = timeoutMs,
    } = this.#settings;
    if (appSecret() === "")
      throw new ConnectError("permanent", "WhatsApp's messages cannot be checked: set WHATSAPP_APP_SECRET.");
    const ownNumber = ((await this.#graph.check(line.end)) ?? "").replace(/\D/g, "");
    const intake = new Intake();
    const webhook = {
      ...{ host, port, path, end: line.end, portVariable: "WHATSAPP_WEBHOOK_PORT" },
      proof: signedBy(appSecret),
      onGet: (query: URLSearchParams) => challengeIn(query, verifyToken()),
      onPost: async (body: Buffer) => void (await this.#take(jsonOf(body.toString("utf8")), line, intake)),
    };
    await serveWebhook(webhook, async (listening) => {
      this.#port = listening;
      const [sightings, lastIn, earlier] = [this.#sightings, this.#lastIn, this.#earlier];
      const hearing = { ownNumber, sightings, lastIn, earlier, patienceMs, end: line.end };
      const speaker = new WhatsAppSpeaker(this.#graph, hearing);
      line.up(speakerWith(speaker, { fetch: ({ ref }, ...call) => this.#graph.download(ref, ...call) }));
    });
  }

  /** All that was posted; fails where any of it was not received, and then all of it comes again. */
  async #take(body: unknown, { receive, problem }: Line, intake: Intake): Promise<void> {
    const { phoneNumberId } = this.#settings;
    const file = ({ id, name, mediaType, isVoice }: MediaRef) => ({
      ...(name ? { name } : {}),
      mediaType,
      ...(isVoice ? ({ voice: true } as const) : {}),
      ref: id,
      read: (maxBytes: number, end: AbortSignal) => this.#graph.download(id, maxBytes, end),
    });
    const { messages, statuses } = parseWebhook(body, {
      phoneNumberId,
      file,
      earlier: (chatId, messageId) => this.#earlier.get(inChat(chatId, messageId)),
    });
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
          const received = await receive(message);
          if (message.kind !== "deletion") this.#lastIn.set(chatId, message.messageId);
          if (received === "accepted" || received === "duplicate") this.#remember(message);
        }
      }),
    );
    const failed = (await Promise.allSettled(taking)).find(({ status }) => status === "rejected");
    if (failed) throw new Error("not all of it was received");
  }

  #remember({ kind, source, messageId, text, parts, files }: InboundMessage): void {
    const name = inChat(source.chatId, messageId);
    if (kind === "deletion") this.#earlier.delete(name);
    if (kind !== "message" && kind !== "edit") return;
    const from = source.userName ?? source.userId;
    this.#earlier.set(name, {
      ...this.#earlier.get(name),
      messageId,
      text: shorten(text, LONGEST_QUOTE),
      ...(parts ? { parts } : {}),
      ...(files ? { files } : {}),
      ...(from ? { from } : {}),
    });
  }
}
