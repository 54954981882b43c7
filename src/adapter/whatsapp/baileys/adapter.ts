/**
 * WhatsApp as one of an account's linked devices, by way of Baileys. WhatsApp is told that a message arrived before we
 * hear of it, so one that could not be received is held and tried again for as long as this process lives: at most once.
 * A message of ours counts as sent when WhatsApp has acknowledged it.
 */
import { stat } from "node:fs/promises";
import {
  type AnyMessageContent,
  type BinaryNode,
  DEF_TAG_PREFIX,
  generateMessageIDV2,
  type MiscMessageGenerationOptions,
  type WAMessage,
} from "baileys";
import type { Address, SessionSource } from "../../../session/source.js";
import {
  type Adapter,
  type Capabilities,
  ConnectError,
  type InboundMessage,
  type LocalFile,
  type Mark,
  type OutboundMessage,
  type Receive,
  type RemoteFile,
  SendError,
  type Surroundings,
} from "../../adapter.js";
import { pause } from "../../http-call.js";
import { Intake } from "../../intake.js";
import { field } from "../../untrusted.js";
import { formatText } from "../format.js";
import { kindOf, MARKS, MAX_CAPTION, MAX_FILE, MAX_TEXT, TYPING_MS } from "../limits.js";
import type { BaileysSettings } from "./config.js";
import { Credentials } from "./credentials.js";
import { LINK, refusalOf, sendFailure } from "./failure.js";
import { isGroup, isLid, isOurId, jidOf, messageRefOf, ourId, personOf } from "./ids.js";
import { Line } from "./line.js";
import { download } from "./media.js";
import { lidsIn, type ParseSetting, parseMessage, type WebFile } from "./parse.js";
import { Recent } from "./recent.js";
import { timeoutOf, type Wire } from "./wire.js";

/** What was written while nobody was connected is answered for so long. */
const ANSWERED_FOR_MS = 24 * 60 * 60 * 1_000;
/** After that, apps take no edit. */
const EDITABLE_MS = 15 * 60 * 1_000;
const MOST_RECENT = 1_000;
const LONGEST_QUOTE = 500;

export class BaileysAdapter implements Adapter {
  readonly platform = "whatsapp";
  readonly account: string;
  readonly capabilities: Capabilities = {
    maxText: MAX_TEXT,
    unit: "utf16",
    lengthOf: (text) => formatText(text).length,
    edit: true,
    threads: false,
    typingMs: TYPING_MS,
    // Every edit is a message to WhatsApp, which watches for those who send many.
    paceMs: 5_000,
    maxFile: MAX_FILE,
  };
  readonly #settings: BaileysSettings;
  /** What people wrote, by its id: an answer shows what it answers. */
  readonly #quotable = new Recent<WAMessage>(MOST_RECENT);
  /** When a message of ours was sent. */
  readonly #sentAt = new Recent<number>(MOST_RECENT);
  #line: Line | undefined;
  #intake = new Intake();

  constructor(settings: BaileysSettings) {
    this.#settings = settings;
    this.account = settings.number.replace(/^\+/, "");
  }

  async connect(receive: Receive, surroundings: Surroundings): Promise<void> {
    await this.disconnect();
    if (!/^[1-9]\d{4,18}$/.test(this.account))
      throw new ConnectError(
        "permanent",
        "WHATSAPP_NUMBER is not a number: write it as +15550000000, with the country's code.",
      );
    const credentials = await Credentials.open(this.#settings.folder);
    if (!credentials)
      throw new ConnectError("permanent", `this machine is not linked to the account yet: ${LINK}.`);
    const linked = personOf(credentials.creds.me?.id);
    if (linked !== this.account)
      throw new ConnectError(
        "permanent",
        `this machine is linked to another number (${linked ?? "none"}): set WHATSAPP_NUMBER, or ${LINK}.`,
      );
    const commands = new Set(surroundings.commands.map(({ name }) => name));
    const intake = new Intake();
    this.#intake = intake;
    const line: Line = new Line({
      settings: this.#settings,
      credentials,
      tell: surroundings.tell,
      heard: (messages, isLate) => {
        for (const message of messages)
          if (!isLate || !isOld(message))
            intake.add(message.key.remoteJid ?? "", () => this.#take(message, line, receive, commands));
      },
    });
    this.#line = line;
    await line.open();
  }

  async send({ address, text, deliveryId, replyTo, files = [] }: OutboundMessage): Promise<{
    readonly messageId: string;
  }> {
    const jid = recipientOf(address);
    const contents = await contentsOf(formatText(text), files);
    const quoted = replyTo ? this.#quotable.get(replyTo) : undefined;
    let first: string | undefined;
    for (const [index, content] of contents.entries()) {
      const id = ourId(this.account, index === 0 ? deliveryId : `${deliveryId}.${index}`);
      const options = index === 0 && quoted ? { quoted } : {};
      await this.#post(jid, content, id, options).catch((error: Error) => {
        // What is there already must not be sent again with the rest.
        throw first === undefined
          ? error
          : new SendError("unknown", `Only a part was sent: ${error.message}`);
      });
      first ??= id;
    }
    return { messageId: first ?? "" };
  }

  async edit({ address, text }: OutboundMessage, messageId: string): Promise<void> {
    const remoteJid = recipientOf(address);
    const sentAt = this.#sentAt.get(messageId);
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
      await this.#wire.socket.sendPresenceUpdate("composing", jid);
    } catch (error) {
      throw sendFailure(error);
    }
  }

  async react(address: Address, messageId: string, mark: Mark): Promise<void> {
    const remoteJid = recipientOf(address);
    const ref = messageRefOf(messageId);
    if (!ref) throw new SendError("permanent", `${messageId} is no message of WhatsApp's.`);
    const known = this.#quotable.get(messageId)?.key;
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
  async place({ chatId, threadId }: Address): Promise<SessionSource | null> {
    const { lidMapping } = this.#wire.socket.signalRepository;
    const { platform } = this;
    const jid = jidOf(chatId);
    if (!jid || threadId) return null;
    if (isGroup(jid)) return { platform, chatType: "group", chatId: jid };
    const known = personOf(jid) ?? "";
    const number = isLid(known) ? personOf(await lidMapping.getPNForLID(known).catch(() => null)) : known;
    const id = number ?? known;
    if (id === this.account) return null;
    return { platform, chatType: "dm", chatId: id, ...(number ? { userIdAlt: number } : { userId: id }) };
  }

  async disconnect(): Promise<void> {
    const line = this.#line;
    this.#line = undefined;
    await Promise.all([line?.close(), this.#intake.stop()]);
  }

  get #wire(): Wire {
    const wire = this.#line?.wire;
    if (!wire) throw new SendError("retryable", "WhatsApp is not connected.");
    return wire;
  }

  #freshId(): string {
    return generateMessageIDV2(this.account);
  }

  /** Settles when WhatsApp has acknowledged it. */
  async #post(
    jid: string,
    content: AnyMessageContent,
    messageId: string,
    options: MiscMessageGenerationOptions = {},
  ): Promise<void> {
    const { socket, closed } = this.#wire;
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
      const late = pause(timeoutOf(this.#settings), timeout.signal).then(() => null);
      const answer = await Promise.race([answered, late, closed.then(() => null)]);
      if (answer === null) throw new SendError("unknown", "WhatsApp did not say what became of it.");
      const refusal = answer.tag === "ack" ? answer.attrs.error : undefined;
      if (refusal) throw refusalOf(refusal);
      this.#sentAt.set(messageId, Date.now());
    } catch (error) {
      throw sendFailure(error);
    } finally {
      timeout.abort();
      socket.ws.off(tag, hear);
    }
  }

  /** Where WhatsApp does not say which devices a person has, Baileys would send a message to none, and be thanked for it. */
  async #expectDevices(jid: string): Promise<void> {
    if (isGroup(jid)) return;
    const devices = await this.#wire.socket.getUSyncDevices([jid], true, false);
    if (devices.length === 0)
      throw new SendError("retryable", "WhatsApp did not say which devices the person has.");
  }

  /** Nobody gives it again: it is held until it was received. */
  async #take(
    message: WAMessage,
    line: Line,
    receive: Receive,
    commands: ReadonlySet<string>,
  ): Promise<void> {
    const parsed = await this.#read(message, line, commands);
    if (!parsed) return;
    await receive(parsed);
    this.#remember(message, parsed);
  }

  async #read(message: WAMessage, line: Line, commands: ReadonlySet<string>): Promise<InboundMessage | null> {
    const numbers = await this.#numbersOf(lidsIn(message), line);
    const { me } = line.credentials.creds;
    const setting: ParseSetting = {
      us: [me?.id, me?.lid].flatMap((jid) => personOf(jid) ?? []),
      commands,
      numberOf: (lid) => numbers.get(lid),
      file: (file) => this.#remote(file),
    };
    return parseMessage(message, setting);
  }

  /** As WhatsApp told them before. */
  async #numbersOf(lids: readonly string[], { wire }: Line): Promise<ReadonlyMap<string, string>> {
    const known = new Map<string, string>();
    for (const lid of lids) {
      const jid = await wire?.socket.signalRepository.lidMapping.getPNForLID(lid).catch(() => null);
      const number = personOf(jid);
      if (number !== null) known.set(lid, number);
    }
    return known;
  }

  #remember({ key }: WAMessage, { kind, messageId, text }: InboundMessage): void {
    if (kind !== "message") return;
    const { remoteJid, id, participant } = key;
    const words = text.slice(0, LONGEST_QUOTE) || "…";
    this.#quotable.set(messageId, {
      key: { remoteJid, id, fromMe: false, ...(participant ? { participant } : {}) },
      message: { conversation: words },
    });
  }

  #remote(file: WebFile): RemoteFile {
    const { baseUrl } = this.#settings;
    const root = baseUrl ? new URL(baseUrl).origin : undefined;
    return {
      ...(file.name ? { name: file.name } : {}),
      mediaType: file.mediaType,
      read: (maxBytes, end) => download(file, maxBytes, { root, timeoutMs: timeoutOf(this.#settings), end }),
    };
  }
}

function isOld(message: WAMessage): boolean {
  const seconds = Number(field(message, "messageTimestamp"));
  return !(Date.now() - seconds * 1_000 < ANSWERED_FOR_MS);
}

function recipientOf({ chatId }: Address): string {
  const jid = jidOf(chatId);
  if (!jid) throw new SendError("permanent", `${chatId} is no number, LID or group of WhatsApp's.`);
  return jid;
}

/** The messages that a text and its files become. No address in it is looked at for a preview. */
async function contentsOf(said: string, files: readonly LocalFile[]): Promise<AnyMessageContent[]> {
  const text: AnyMessageContent = { text: said, linkPreview: null };
  const [first, ...rest] = files;
  if (!first) return [text];
  for (const { path, name } of files)
    if ((await stat(path)).size > MAX_FILE)
      throw new SendError("permanent", `${name} is larger than ${MAX_FILE / 1024 / 1024} MB.`);
  const isCaption = said.trim() !== "" && said.length <= MAX_CAPTION && kindOf(first.mediaType) !== "audio";
  if (!isCaption) return [...(said.trim() === "" ? [] : [text]), ...files.map((file) => fileContent(file))];
  return [fileContent(first, said), ...rest.map((file) => fileContent(file))];
}

function fileContent({ path, name, mediaType }: LocalFile, caption?: string): AnyMessageContent {
  const media = { url: path };
  const words = caption ? { caption } : {};
  switch (kindOf(mediaType)) {
    case "image":
      return { image: media, mimetype: mediaType, ...words };
    case "video":
      return { video: media, mimetype: mediaType, ...words };
    case "audio":
      return { audio: media, mimetype: mediaType };
    case "document":
      return { document: media, mimetype: mediaType, fileName: name, ...words };
  }
}
