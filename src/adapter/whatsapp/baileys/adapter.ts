/**
 * WhatsApp as one of an account's linked devices, by way of Baileys. WhatsApp is told that a message arrived before we
 * hear of it, so one that could not be received is held and tried again for as long as this process lives: at most once.
 */
import type { WAMessage } from "baileys";
import {
  type Adapter,
  type Capabilities,
  ConnectError,
  type InboundMessage,
  type Line,
  type Receive,
  type RemoteFile,
  type Speaker,
} from "../../adapter.js";
import { ended } from "../../ended.js";
import { Intake } from "../../intake.js";
import { Recent } from "../../recent.js";
import { speakerWith } from "../../speaker.js";
import { field } from "../../untrusted.js";
import { formatText } from "../format.js";
import { DEVICE_LIMITS } from "../limits.js";
import type { BaileysSettings } from "./config.js";
import type { WebFile } from "./content.js";
import { Credentials } from "./credentials.js";
import { connectErrorOf, LINK } from "./failure.js";
import { personOf } from "./ids.js";
import { download, type SealedFile, sealedFile } from "./media.js";
import { type BaileysParseSetting, lidsIn, parseMessage } from "./parse.js";
import { hush } from "./quiet.js";
import { BaileysSpeaker } from "./speaker.js";
import { openWire, timeoutOf, type Wire } from "./wire.js";

/** What was written while nobody was connected is answered for so long. */
const ANSWERED_FOR_MS = 24 * 60 * 60 * 1_000;
const MOST_RECENT = 1_000;
const LONGEST_QUOTE = 500;

/** What is needed to take a message. */
interface BaileysHearing {
  readonly receive: Receive;
  readonly commands: ReadonlySet<string>;
  readonly credentials: Credentials;
  readonly wire: Wire;
}

export class BaileysAdapter implements Adapter {
  readonly platform = "whatsapp";
  readonly account: string;
  readonly capabilities: Capabilities = { ...DEVICE_LIMITS, lengthOf: (text) => formatText(text).length };
  readonly #settings: BaileysSettings;
  /** What people wrote, by its id: an answer shows what it answers. */
  readonly #quotable = new Recent<WAMessage>(MOST_RECENT);
  /** How people were called when they last wrote. */
  readonly #names = new Recent<string>(MOST_RECENT);
  /** When a message of ours was sent. */
  readonly #sentAt = new Recent<number>(MOST_RECENT);

  constructor(settings: BaileysSettings) {
    this.#settings = settings;
    this.account = settings.number.replace(/^\+/, "");
  }

  async serve(line: Line): Promise<void> {
    const credentials = await this.#credentials();
    const speak = hush();
    try {
      await this.#serveWith(credentials, line);
    } finally {
      await credentials.close();
      speak();
    }
  }

  async #credentials(): Promise<Credentials> {
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
    return credentials;
  }

  async #serveWith(credentials: Credentials, { receive, commands: all, up, end }: Line): Promise<void> {
    const commands = new Set(all.map(({ name }) => name));
    const intake = new Intake();
    const wire: Wire = openWire(this.#settings, credentials, {
      messages: (messages, isLate) => {
        for (const message of messages)
          if (!isLate || !isOld(message))
            intake.add(message.key.remoteJid ?? "", async () => {
              await isUp; // Who writes can be answered then.
              await this.#take(message, { receive, commands, credentials, wire });
            });
      },
    });
    const gone = Promise.race([wire.closed, ended(end)]);
    const isUp = Promise.race([wire.opened.then(() => up(this.#speaker(wire))), gone]);
    end.addEventListener("abort", () => void intake.stop());
    try {
      const reason = await gone;
      if (!end.aborted) throw connectErrorOf(reason);
    } finally {
      wire.close();
      await intake.fewerThan(1); // What the connection brought is held until it was received.
      await intake.stop();
    }
  }

  #speaker(wire: Wire): Speaker {
    const { account } = this;
    const [quotable, sentAt] = [this.#quotable, this.#sentAt];
    const options = { account, wire, quotable, sentAt, timeoutMs: timeoutOf(this.#settings) };
    return speakerWith(new BaileysSpeaker(options), {
      fetch: ({ ref }, ...call) => this.#fetch(JSON.parse(ref), ...call),
    });
  }

  /** Nobody gives it again: it is held until it was received. */
  async #take(message: WAMessage, hearing: BaileysHearing): Promise<void> {
    const parsed = await this.#read(message, hearing);
    if (!parsed) return;
    await hearing.receive(parsed);
    this.#remember(message, parsed);
  }

  async #read(
    message: WAMessage,
    { commands, credentials, wire }: BaileysHearing,
  ): Promise<InboundMessage | null> {
    const numbers = await numbersOf(lidsIn(message), wire);
    const { me } = credentials.creds;
    const setting: BaileysParseSetting = {
      us: [me?.id, me?.lid].flatMap((jid) => personOf(jid) ?? []),
      commands,
      numberOf: (lid) => numbers.get(lid),
      nameOf: (person) => this.#names.get(person),
      file: (file) => this.#remote(file),
    };
    return parseMessage(message, setting);
  }

  #remember({ key }: WAMessage, { kind, messageId, text, source }: InboundMessage): void {
    for (const id of [source.userId, source.userIdAlt])
      if (id && source.userName) this.#names.set(id, source.userName);
    if (kind !== "message") return;
    const { remoteJid, id, participant } = key;
    const words = text.slice(0, LONGEST_QUOTE) || "…";
    this.#quotable.set(messageId, {
      key: { remoteJid, id, fromMe: false, ...(participant ? { participant } : {}) },
      message: { conversation: words },
    });
  }

  #remote(file: WebFile): RemoteFile {
    const sealed = sealedFile(file);
    return {
      ...(file.name ? { name: file.name } : {}),
      mediaType: file.mediaType,
      ...(file.isVoice ? { voice: true } : {}),
      ref: JSON.stringify(sealed),
      read: (maxBytes, end) => this.#fetch(sealed, maxBytes, end),
    };
  }

  #fetch(file: SealedFile, maxBytes: number, end: AbortSignal): Promise<Uint8Array> {
    const { baseUrl } = this.#settings;
    const root = baseUrl ? new URL(baseUrl).origin : undefined;
    return download(file, maxBytes, { root, timeoutMs: timeoutOf(this.#settings), end });
  }
}

/** As WhatsApp told them before. */
async function numbersOf(lids: readonly string[], { socket }: Wire): Promise<ReadonlyMap<string, string>> {
  const known = new Map<string, string>();
  for (const lid of lids) {
    const jid = await socket.signalRepository.lidMapping.getPNForLID(lid).catch(() => null);
    const number = personOf(jid);
    if (number !== null) known.set(lid, number);
  }
  return known;
}

function isOld(message: WAMessage): boolean {
  const seconds = Number(field(message, "messageTimestamp"));
  return !(Date.now() - seconds * 1_000 < ANSWERED_FOR_MS);
}
