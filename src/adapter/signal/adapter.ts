/**
 * Signal, by way of a `signal-cli daemon`. What the daemon handed over it does not hand over again, so an event is
 * read only when the one before it was received, and one that could not be is tried again for as long as this process
 * lives: at most once across the pipe. A daemon that numbers its events gives those that were missed.
 */
import { readFile, stat } from "node:fs/promises";
import type { Address, SessionSource } from "../../session/source.js";
import {
  type Adapter,
  type Capabilities,
  ConnectError,
  type LocalFile,
  type Mark,
  type OutboundMessage,
  type Receive,
  type RemoteFile,
  SendError,
  type Surroundings,
} from "../adapter.js";
import { Intake } from "../intake.js";
import { KeptLine } from "../kept-line.js";
import { repeatable } from "../repeatable.js";
import { field, listOf } from "../untrusted.js";
import type { SignalSettings } from "./config.js";
import { Daemon } from "./daemon.js";
import { formatText } from "./format.js";
import { isGroupId, isNumber, isTimestamp, isUuid, type MessageRef, messageRefOf } from "./ids.js";
import { parseContact, parseEvent, parseGroup, type SignalFile } from "./parse.js";
import type { StreamEvent } from "./transport.js";

/** Clients drop what is longer without a word. */
const MAX_BYTES = 2_048;
const MAX_FILE = 10 * 1024 * 1024;
/** After that, apps take no edit. */
const EDITABLE_MS = 24 * 60 * 60 * 1_000;
const MARKS: Readonly<Record<Mark, string>> = { seen: "👀", failed: "❌" };
/** So many events are read ahead; the others wait in the daemon. */
const MOST_OPEN = 100;
/** What the account remembers: the last event that was dealt with. */
const LAST_EVENT = "last event";

interface Line {
  readonly receive: Receive;
  readonly commands: ReadonlySet<string>;
  /** Of every call that is made by it. */
  readonly end: AbortController;
  /** Positions are the daemon's ids of events. */
  readonly intake: Intake<string>;
  readonly kept: KeptLine<true>;
}

export class SignalAdapter implements Adapter {
  readonly platform = "signal";
  readonly account: string;
  readonly capabilities: Capabilities = {
    maxText: MAX_BYTES,
    unit: "bytes",
    lengthOf: (text) => Buffer.byteLength(formatText(text).text),
    edit: true,
    threads: false,
    typingMs: 12_500,
    // Every edit stays visible in the message's history, and apps make no more than ten.
    paceMs: 5_000,
    maxFile: MAX_FILE,
  };
  readonly #daemon: Daemon;
  #line: Line | undefined;

  constructor(settings: SignalSettings) {
    this.account = settings.account;
    this.#daemon = new Daemon(settings);
  }

  async connect(receive: Receive, surroundings: Surroundings): Promise<void> {
    await this.disconnect();
    if (!isNumber(this.account) && !isUuid(this.account))
      throw new ConnectError(
        "permanent",
        "SIGNAL_ACCOUNT is not a number: write it as +15550000000, with the country's code.",
      );
    const { memory, tell } = surroundings;
    const intake = new Intake<string>({ settle: (id) => memory.write(LAST_EVENT, id) });
    const lastEvent = await memory.read(LAST_EVENT);
    if (lastEvent !== null) intake.beginAt(lastEvent);
    const line: Line = {
      receive,
      commands: new Set(surroundings.commands.map(({ name }) => name)),
      end: new AbortController(),
      intake,
      kept: new KeptLine((up, end) => this.#serve(line, up, end), tell),
    };
    this.#line = line;
    try {
      await line.kept.open();
    } catch (error) {
      if (this.#line === line) await this.disconnect();
      throw error;
    }
  }

  async send(message: OutboundMessage): Promise<{ readonly messageId: string }> {
    return this.#post(message, {});
  }

  async edit(message: OutboundMessage, messageId: string): Promise<void> {
    const ref = messageRefOf(messageId);
    const age = Date.now() - (ref?.timestamp ?? 0);
    // Neither the daemon nor Signal's servers look: an edit of nothing would be dropped by every app.
    if (!ref || ref.author !== undefined || age < -EDITABLE_MS || age > EDITABLE_MS)
      throw new SendError(
        "permanent",
        "Signal: there is no message of ours to edit, or it is older than a day.",
      );
    await this.#post(message, { editTimestamp: ref.timestamp });
  }

  async typing(address: Address): Promise<void> {
    await this.#call("sendTyping", recipientOf(address));
  }

  async react(address: Address, messageId: string, mark: Mark): Promise<void> {
    const { timestamp, author } = refOf(messageId);
    await this.#call("sendReaction", {
      ...recipientOf(address),
      emoji: MARKS[mark],
      targetAuthor: author ?? this.account,
      targetTimestamp: timestamp,
    });
  }

  async place(address: Address): Promise<SessionSource | null> {
    if (address.threadId !== undefined) return null;
    try {
      return await (isGroupId(address.chatId) ? this.#group(address) : this.#person(address));
    } catch (error) {
      throw error instanceof SendError ? repeatable(error) : error;
    }
  }

  async #group({ chatId }: Address): Promise<SessionSource | null> {
    const groups = listOf(await this.#call("listGroups", { groupId: [chatId] }));
    return parseGroup(groups.find((group) => field(group, "id") === chatId));
  }

  /** The daemon knows who has written or was written to; of other numbers it asks Signal. */
  async #person(address: Address): Promise<SessionSource | null> {
    const asked = recipientOf(address);
    const [known] = listOf(await this.#call("listContacts", { ...asked, allRecipients: true }));
    if (known !== undefined) return parseContact(known, this.account);
    if (isUuid(address.chatId)) return parseContact({ uuid: address.chatId }, this.account);
    const [found] = listOf(await this.#call("getUserStatus", asked));
    if (field(found, "isRegistered") !== true) return null;
    return parseContact({ number: address.chatId, uuid: field(found, "uuid") }, this.account);
  }

  async disconnect(): Promise<void> {
    const line = this.#line;
    this.#line = undefined;
    line?.end.abort();
    await Promise.all([line?.kept.close(), line?.intake.stop()]);
    await this.#daemon.close();
  }

  async #post(
    { address, text, replyTo, files = [] }: OutboundMessage,
    extra: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly messageId: string }> {
    const formatted = formatText(text);
    const quoted = replyTo ? messageRefOf(replyTo) : null;
    const attachments = await Promise.all(files.map(asDataUri));
    const result = await this.#call("send", {
      ...recipientOf(address),
      message: formatted.text,
      ...(formatted.styles.length > 0 ? { textStyle: formatted.styles } : {}),
      ...(attachments.length > 0 ? { attachments } : {}),
      ...(quoted ? { quoteTimestamp: quoted.timestamp, quoteAuthor: quoted.author ?? this.account } : {}),
      ...extra,
    });
    const timestamp = field(result, "timestamp");
    refuseFailures(address, result);
    if (!isTimestamp(timestamp)) throw new SendError("unknown", "signal-cli did not say what became of it.");
    return { messageId: `${timestamp}` };
  }

  #call(method: string, params: Readonly<Record<string, unknown>>): Promise<unknown> {
    const line = this.#line;
    if (!line) return Promise.reject(new SendError("retryable", "Signal is not connected."));
    return this.#daemon.call(method, params, line.end.signal);
  }

  /** Until the stream of events ends. */
  async #serve(line: Line, up: (line: true) => void, end: AbortSignal): Promise<void> {
    const { intake } = line;
    await this.#daemon.check(end);
    const events = await this.#daemon.events(intake.settledUpTo ?? null, end);
    up(true);
    for await (const event of events) {
      this.#take(event, line);
      await intake.fewerThan(MOST_OPEN);
      if (end.aborted) return;
    }
  }

  /** Nobody gives it again: it is held until it was received. */
  #take({ id, data }: StreamEvent, { receive, commands, intake }: Line): void {
    const file = (found: SignalFile): RemoteFile => this.#remote(found);
    const message = parseEvent(data, { account: this.account, commands, file });
    if (message)
      intake.add(message.source.chatId, async () => void (await receive(message)), id ?? undefined);
    else if (id !== null) intake.pass(id);
  }

  #remote({ id, chatId, size, name, mediaType }: SignalFile): RemoteFile {
    return {
      ...(name ? { name } : {}),
      mediaType,
      read: async (maxBytes, end) => {
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
      },
    };
  }
}

function recipientOf({ chatId }: Address): Readonly<Record<string, unknown>> {
  if (isNumber(chatId) || isUuid(chatId)) return { recipient: [chatId] };
  if (isGroupId(chatId)) return { groupId: chatId };
  throw new SendError("permanent", `${chatId} is no number, UUID or group of Signal's.`);
}

function refOf(messageId: string): MessageRef {
  const ref = messageRefOf(messageId);
  if (!ref) throw new SendError("permanent", `${messageId} is no message of Signal's.`);
  return ref;
}

/** In a chat of two, the one result is the outcome; in a group, somebody may always be unreachable. */
function refuseFailures({ chatId }: Address, result: unknown): void {
  const results = listOf(field(result, "results"));
  const type = field(results[0], "type");
  if (isGroupId(chatId) || results.length !== 1 || typeof type !== "string" || type === "SUCCESS") return;
  const seconds = Number(field(results[0], "retryAfterSeconds"));
  const wait = seconds > 0 ? { retryAfterMs: seconds * 1_000 } : {};
  if (/RATE_LIMIT|PROOF_REQUIRED/.test(type))
    throw new SendError("retryable", "Signal asks to wait before more is sent.", wait);
  if (type === "NETWORK_FAILURE") throw new SendError("retryable", "signal-cli could not reach Signal.");
  throw new SendError("permanent", `Signal did not take it for ${chatId}: ${type.slice(0, 100)}.`);
}

/** As a data URI, since the daemon may not see our files. */
async function asDataUri({ path, name, mediaType }: LocalFile): Promise<string> {
  if ((await stat(path)).size > MAX_FILE)
    throw new SendError("permanent", `${name} is larger than ${MAX_FILE / 1024 / 1024} MB.`);
  const base64 = await readFile(path, "base64");
  return `data:${mediaType};filename=${encodeURIComponent(name)};base64,${base64}`;
}
