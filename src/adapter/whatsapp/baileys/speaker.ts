/** What is said on WhatsApp by one connection. A message counts as sent when WhatsApp has acknowledged it. */
import {
  type AnyMessageContent,
  type BinaryNode,
  DEF_TAG_PREFIX,
  generateMessageIDV2,
  type MiscMessageGenerationOptions,
  type WAMessage,
} from "baileys";
import type { Address, SessionSource } from "../../../session/source.js";
import { type Letter, type LocalFile, type Mark, SendError, type Speaker } from "../../adapter.js";
import { pause } from "../../http-call.js";
import { bytesOf } from "../../local-file.js";
import type { Recent } from "../../recent.js";
import { formatText } from "../format.js";
import { DEVICE_LIMITS, kindOf, MARKS, VOICE_TYPE } from "../limits.js";
import { refusalOf, sendError } from "./failure.js";
import { isGroup, isLid, isOurId, jidOf, messageRefOf, ourId, personOf } from "./ids.js";
import type { Wire } from "./wire.js";

/** After that, apps take no edit. */
const EDITABLE_MS = 15 * 60 * 1_000;

export interface BaileysSpeakerOptions {
  readonly account: string;
  readonly wire: Wire;
  /** What people wrote, by its id: an answer shows what it answers. */
  readonly quotable: Recent<WAMessage>;
  /** When a message of ours was sent. */
  readonly sentAt: Recent<number>;
  readonly timeoutMs: number;
}

export class BaileysSpeaker implements Speaker {
  readonly #options: BaileysSpeakerOptions;

  constructor(options: BaileysSpeakerOptions) {
    this.#options = options;
  }

  async send({ address, text, deliveryId, replyTo, files }: Letter): Promise<{ readonly messageId: string }> {
    const jid = recipientOf(address);
    // No address in a text is looked at for a preview.
    const content = files?.[0]
      ? await mediaContent(files[0], text)
      : { text: formatText(text), linkPreview: null };
    const quoted = replyTo ? this.#options.quotable.get(replyTo) : undefined;
    const messageId = ourId(this.#options.account, deliveryId);
    await this.#post(jid, content, messageId, quoted ? { quoted } : {});
    return { messageId };
  }

  async edit({ address, text }: Letter, messageId: string): Promise<void> {
    const remoteJid = recipientOf(address);
    const sentAt = this.#options.sentAt.get(messageId);
    // WhatsApp's servers do not look: an edit of nothing, or one that comes late, would be dropped by every app.
    if (!isOurId(messageId) || sentAt === undefined || Date.now() - sentAt > EDITABLE_MS)
      throw new SendError(
        "permanent",
        "WhatsApp: there is no message of ours to edit, or it is older than 15 minutes.",
      );
    const edit = { remoteJid, id: messageId, fromMe: true };
    await this.#post(remoteJid, { text: formatText(text), linkPreview: null, edit }, this.#freshId());
  }

  async typing(address: Address): Promise<void> {
    const jid = recipientOf(address);
    try {
      await this.#options.wire.socket.sendPresenceUpdate("composing", jid);
    } catch (error) {
      throw sendError(error);
    }
  }

  async react(address: Address, messageId: string, mark: Mark): Promise<void> {
    const remoteJid = recipientOf(address);
    const ref = messageRefOf(messageId);
    if (!ref) throw new SendError("permanent", `${messageId} is no message of WhatsApp's.`);
    const known = this.#options.quotable.get(messageId)?.key;
    const author = ref.author ? jidOf(ref.author) : null;
    const key = known ?? {
      remoteJid,
      id: ref.id,
      fromMe: author === null,
      ...(author && isGroup(remoteJid) ? { participant: author } : {}),
    };
    await this.#post(remoteJid, { react: { text: MARKS[mark], key } }, this.#freshId());
  }

  /** WhatsApp is not asked: whether we may write there shows when we do. */
  async place({ platform, chatId, threadId }: Address): Promise<SessionSource | null> {
    const { lidMapping } = this.#options.wire.socket.signalRepository;
    const jid = jidOf(chatId);
    if (!jid || threadId) return null;
    if (isGroup(jid)) return { platform, chatType: "group", chatId: jid };
    const known = personOf(jid) ?? "";
    const number = isLid(known) ? personOf(await lidMapping.getPNForLID(known).catch(() => null)) : known;
    const id = number ?? known;
    if (id === this.#options.account) return null;
    return { platform, chatType: "dm", chatId: id, ...(number ? { userIdAlt: number } : { userId: id }) };
  }

  #freshId(): string {
    return generateMessageIDV2(this.#options.account);
  }

  /** Settles when WhatsApp has acknowledged it. */
  async #post(
    jid: string,
    content: AnyMessageContent,
    messageId: string,
    options: MiscMessageGenerationOptions = {},
  ): Promise<void> {
    const { socket, closed } = this.#options.wire;
    const tag = `${DEF_TAG_PREFIX}${messageId}`;
    let hear = (_node: BinaryNode): void => {};
    const answered = new Promise<BinaryNode>((resolve) => {
      hear = resolve;
    });
    socket.ws.on(tag, hear);
    const timeout = new AbortController();
    try {
      await this.#expectDevices(jid);
      await socket.sendMessage(jid, content, { ...options, messageId });
      const late = pause(this.#options.timeoutMs, timeout.signal).then(() => null);
      const answer = await Promise.race([answered, late, closed.then(() => null)]);
      if (answer === null) throw new SendError("unknown", "WhatsApp did not say what became of it.");
      const refusal = answer.tag === "ack" ? answer.attrs.error : undefined;
      if (refusal) throw refusalOf(refusal);
      this.#options.sentAt.set(messageId, Date.now());
    } catch (error) {
      throw sendError(error);
    } finally {
      timeout.abort();
      socket.ws.off(tag, hear);
    }
  }

  /** Where WhatsApp does not say which devices a person has, Baileys would send a message to none, and be thanked for it. */
  async #expectDevices(jid: string): Promise<void> {
    if (isGroup(jid)) return;
    const devices = await this.#options.wire.socket.getUSyncDevices([jid], true, false);
    if (devices.length === 0)
      throw new SendError("retryable", "WhatsApp did not say which devices the person has.");
  }
}

function recipientOf({ chatId }: Address): string {
  const jid = jidOf(chatId);
  if (!jid) throw new SendError("permanent", `${chatId} is no number, LID or group of WhatsApp's.`);
  return jid;
}

async function mediaContent(file: LocalFile, text: string): Promise<AnyMessageContent> {
  const media = await bytesOf(file, DEVICE_LIMITS.maxFile);
  const { name, mediaType: mimetype, voice } = file;
  const caption = text ? { caption: formatText(text) } : {};
  switch (kindOf(mimetype)) {
    case "image":
      return { image: media, mimetype, ...caption };
    case "video":
      return { video: media, mimetype, ...caption };
    case "audio":
      return voice ? { audio: media, mimetype: VOICE_TYPE, ptt: true } : { audio: media, mimetype };
    case "document":
      return { document: media, mimetype, fileName: name, ...caption };
  }
}
