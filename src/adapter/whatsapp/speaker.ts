/** What is said on WhatsApp by one line. A send that was not answered is settled by the word that the webhook brings of it. */
import type { Address, SessionSource } from "../../session/source.js";
import {
  type Answered,
  type Letter,
  type LocalFile,
  type Mark,
  SendError,
  type Speaker,
} from "../adapter.js";
import { pressData } from "../buttons.js";
import { repeatable } from "../failure.js";
import { bytesOf } from "../local-file.js";
import { inChat, type Recent } from "../recent.js";
import { field, idOf, listOf } from "../untrusted.js";
import { formatText } from "./format.js";
import { type Graph, maybeUnanswerable } from "./graph.js";
import { isBusinessScoped } from "./ids.js";
import { kindOf, LIMITS, MARKS, VOICE_TYPE } from "./limits.js";
import { chatWith } from "./parse.js";
import type { Sightings } from "./sightings.js";

/** What the webhook brings, as far as speaking needs it. */
export interface WhatsAppHearing {
  readonly ownNumber: string;
  readonly sightings: Sightings;
  /** The last message of each chat: typing is shown in answer to it. */
  readonly lastIn: Pick<Recent<string>, "get">;
  /** What was said lately: somebody may answer it. */
  readonly earlier: Recent<Answered>;
  /** How long the webhook may take to say what became of a message. */
  readonly patienceMs: number;
  readonly end: AbortSignal;
}

export class WhatsAppSpeaker implements Speaker {
  readonly #graph: Graph;
  readonly #hearing: WhatsAppHearing;

  constructor(graph: Graph, hearing: WhatsAppHearing) {
    this.#graph = graph;
    this.#hearing = hearing;
  }

  async send(letter: Letter): Promise<{ readonly messageId: string }> {
    const { address, text, deliveryId, replyTo, files } = letter;
    const context = replyTo?.startsWith("wamid.") ? { context: { message_id: replyTo } } : {};
    const to = recipientOf(address);
    const said = files?.[0] ? asMedia(files[0], await this.#upload(files[0]), text) : asText(letter);
    const message = { ...to, ...said, biz_opaque_callback_data: deliveryId };
    const messageId = await this.#post({ ...message, ...context }, deliveryId).catch((error: unknown) => {
      if (!("context" in context) || !maybeUnanswerable(error)) throw error;
      return this.#post(message, deliveryId);
    });
    this.#hearing.earlier.set(inChat(personOf(address), messageId), { messageId, text });
    return { messageId };
  }

  async find({ deliveryId }: Letter): Promise<{ readonly messageId: string } | null> {
    const messageId = this.#hearing.sightings.find(deliveryId);
    return messageId === null ? null : { messageId };
  }

  /** WhatsApp shows it in answer to a message, which is marked as read by it. */
  async typing({ chatId }: Address): Promise<void> {
    const message_id = this.#hearing.lastIn.get(chatId);
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
    const person = personOf({ chatId });
    return threadId === undefined && person !== this.#hearing.ownNumber ? chatWith(person) : null;
  }

  /** The id under which Meta has the file. */
  async #upload(file: LocalFile): Promise<string> {
    const { name } = file;
    const mediaType = file.voice ? VOICE_TYPE : file.mediaType;
    const form = new FormData();
    form.set("messaging_product", "whatsapp");
    form.set("type", mediaType);
    form.set("file", new Blob([await bytesOf(file, LIMITS.maxFile)], { type: mediaType }), name);
    // Nothing was said yet: an upload that went astray is simply made again.
    const answer = await this.#graph.post("media", form, this.#hearing.end).catch((error: unknown) => {
      throw error instanceof SendError ? repeatable(error) : error;
    });
    const id = idOf(field(answer, "id"));
    if (!id) throw new SendError("retryable", "Meta did not say where it put the file.");
    return id;
  }

  /** Sends one message; where nobody answers, what the webhook tells in a while decides. */
  async #post(message: object, deliveryId: string): Promise<string> {
    try {
      const id = idOf(field(listOf(field(await this.#call(message), "messages"))[0], "id"));
      if (id) return id;
      throw new SendError("unknown", "Meta did not say what became of it.");
    } catch (error) {
      if (!(error instanceof SendError) || error.outcome !== "unknown") throw error;
      const { sightings, patienceMs, end } = this.#hearing;
      const seen = await sightings.wait(deliveryId, patienceMs, end);
      if (seen === null) throw error;
      return seen;
    }
  }

  #call(message: object): Promise<unknown> {
    return this.#graph.post("messages", message, this.#hearing.end);
  }
}

/** WhatsApp takes no longer text beside buttons; then the text goes alone. */
const MAX_WITH_BUTTONS = 1_024;

function asText({ text, buttons }: Letter): object {
  const body = formatText(text);
  if (!buttons || body.length > MAX_WITH_BUTTONS) return { type: "text", text: { body, preview_url: false } };
  const replies = buttons.map((button) => ({
    type: "reply",
    reply: { id: pressData(button), title: button.label },
  }));
  return {
    type: "interactive",
    interactive: { type: "button", body: { text: body }, action: { buttons: replies } },
  };
}

function asMedia({ name, mediaType, voice }: LocalFile, id: string, text: string): object {
  const kind = kindOf(mediaType);
  const media = {
    id,
    ...(kind === "document" ? { filename: name } : {}),
    ...(kind !== "audio" && text ? { caption: formatText(text) } : {}),
    ...(kind === "audio" && voice ? { voice } : {}),
  };
  return { type: kind, [kind]: media };
}

/** Somebody whose number is hidden is written to by their id, which has a field of its own. */
function recipientOf(address: Address): object {
  const person = personOf(address);
  const to = isBusinessScoped(person) ? { recipient: person } : { to: person };
  return { messaging_product: "whatsapp", recipient_type: "individual", ...to };
}

function personOf({ chatId }: Pick<Address, "chatId">): string {
  if (isBusinessScoped(chatId)) return chatId;
  const number = /^\+?(\d{5,20})(?:@s\.whatsapp\.net)?$/.exec(chatId)?.[1];
  if (!number) throw new SendError("permanent", `${chatId} is no number that the Cloud API can write to.`);
  return number;
}
