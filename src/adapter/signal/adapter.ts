/**
 * Signal, by way of a `signal-cli daemon`. What the daemon handed over it does not hand over again, so an event is
 * read only when the one before it was received, and one that could not be is tried again for as long as this process
 * lives: at most once across the pipe. A daemon that numbers its events gives those that were missed.
 */
import {
  type Adapter,
  type Answered,
  type Capabilities,
  ConnectError,
  type InboundMessage,
  type Line,
  type Receive,
  type RemoteFile,
} from "../adapter.js";
import { Intake } from "../intake.js";
import { inChat, Recent } from "../recent.js";
import { speakerWith } from "../speaker.js";
import { field, wordsIn } from "../untrusted.js";
import type { SignalSettings } from "./config.js";
import { Daemon } from "./daemon.js";
import { formatText } from "./format.js";
import { isGroupId, isNumber, isUuid, messageRefOf } from "./ids.js";
import { LIMITS } from "./limits.js";
import { OwnNotes } from "./own-notes.js";
import { parseEvent, type SignalFile } from "./parse.js";
import { SignalSpeaker } from "./speaker.js";
import type { StreamEvent } from "./transport.js";

/** So many events are read ahead; the others wait in the daemon. */
const MOST_OPEN = 100;
/** So many messages can be quoted with their files. */
const MOST_EARLIER = 1_000;
/** What the account remembers: the last event that was dealt with. */
const LAST_EVENT = "last event";

interface SignalHearing {
  readonly receive: Receive;
  readonly commands: ReadonlySet<string>;
  /** Positions are the daemon's ids of events. */
  readonly intake: Intake<string>;
}

export class SignalAdapter implements Adapter {
  readonly platform = "signal";
  readonly account: string;
  readonly capabilities: Capabilities = {
    ...LIMITS,
    lengthOf: (text) => Buffer.byteLength(formatText(text).text),
  };
  readonly #daemon: Daemon;
  /** What else a message had, and who wrote it: Signal quotes only its text. */
  readonly #earlier = new Recent<Answered>(MOST_EARLIER);

  readonly #noteToSelf: boolean;
  readonly #notes = new OwnNotes();

  constructor(settings: SignalSettings) {
    this.#noteToSelf = settings.noteToSelf ?? false;
    this.account = settings.account;
    this.#daemon = new Daemon(settings);
  }

  async serve({ receive, memory, commands, up, end }: Line): Promise<void> {
    if (!isNumber(this.account) && !isUuid(this.account))
      throw new ConnectError(
        "permanent",
        "SIGNAL_ACCOUNT is not a number: write it as +15550000000, with the country's code.",
      );
    const intake = new Intake<string>({ settle: (id) => memory.write(LAST_EVENT, id) });
    const lastEvent = await memory.read(LAST_EVENT);
    if (lastEvent !== null) intake.beginAt(lastEvent);
    end.addEventListener("abort", () => void intake.stop());
    const hearing: SignalHearing = { receive, commands: new Set(commands.map(({ name }) => name)), intake };
    try {
      await this.#daemon.check(end);
      const events = await this.#daemon.events(lastEvent, end);
      const speaker = new SignalSpeaker(this.#daemon, this.account, this.#notes, end);
      up(speakerWith(speaker, { fetch: ({ ref }, ...call) => this.#fetch(JSON.parse(ref), ...call) }));
      for await (const event of events) {
        this.#take(event, hearing);
        await intake.fewerThan(MOST_OPEN);
        if (end.aborted) return;
      }
    } finally {
      await intake.fewerThan(1); // What the line brought is held until it was received.
      await intake.stop();
      await this.#daemon.close();
    }
  }

  /** A daemon with several accounts may tell of all of them; one for a single account tells of that one only. */
  #isOurs(data: unknown): boolean {
    const to = wordsIn(data, "account");
    if (!isNumber(to) || !isNumber(this.account) || to === this.account) return true;
    this.#daemon.mustBeShared(to);
    return false;
  }

  /** Nobody gives it again: it is held until it was received. */
  #take({ id, data }: StreamEvent, { receive, commands, intake }: SignalHearing): void {
    const file = (found: SignalFile): RemoteFile => this.#remote(found);
    const earlier = (chatId: string, messageId: string): Answered | undefined =>
      this.#earlier.get(inChat(chatId, messageId));
    const reading = { account: this.account, commands, file, earlier, noteToSelf: this.#noteToSelf };
    const message = this.#isOurs(data) ? parseEvent(data, reading) : null;
    if (message) {
      this.#remember(message);
      const handOver = async (): Promise<void> => {
        if (!(await this.#isOwnNote(message))) await receive(message);
      };
      intake.add(message.source.chatId, handOver, id ?? undefined);
    } else if (id !== null) intake.pass(id);
  }

  async #isOwnNote({ source, messageId }: InboundMessage): Promise<boolean> {
    if (![source.userId, source.userIdAlt].includes(this.account.toLowerCase())) return false;
    return this.#notes.has(messageRefOf(messageId)?.timestamp ?? 0);
  }

  #remember({ kind, source, messageId, parts, files }: InboundMessage): void {
    const name = inChat(source.chatId, messageId);
    if (kind === "deletion") this.#earlier.delete(name);
    const from = source.userName ?? source.userId;
    if (kind !== "message" || !(parts || files || source.userName)) return;
    this.#earlier.set(name, {
      messageId,
      ...(parts ? { parts } : {}),
      ...(files ? { files } : {}),
      ...(from ? { from } : {}),
    });
  }

  #remote({ id, chatId, size, name, mediaType, isVoice }: SignalFile): RemoteFile {
    return {
      ...(name ? { name } : {}),
      mediaType,
      ...(isVoice ? { voice: true } : {}),
      ref: JSON.stringify({ id, chatId, size }),
      read: (maxBytes, end) => this.#fetch({ id, chatId, size }, maxBytes, end),
    };
  }

  async #fetch(
    { id, chatId, size }: Pick<SignalFile, "id" | "chatId" | "size">,
    maxBytes: number,
    end: AbortSignal,
  ): Promise<Uint8Array> {
    const tooLarge = new Error(`larger than ${Math.floor(maxBytes / 1024)} kB`);
    if (size !== null && size > maxBytes) throw tooLarge;
    const where = isGroupId(chatId) ? { groupId: chatId } : { recipient: chatId };
    const room = Math.ceil(maxBytes / 3) * 4 + 1_024;
    const result = await this.#daemon.call("getAttachment", { id, ...where }, end, room);
    const base64 = field(result, "data");
    if (typeof base64 !== "string") throw new Error("signal-cli does not have it");
    const bytes = Buffer.from(base64, "base64");
    if (bytes.byteLength > maxBytes) throw tooLarge;
    return bytes;
  }
}
