/** What is said on Signal by one line. */
import type { Address, SessionSource } from "../../session/source.js";
import { type Letter, type LocalFile, type Mark, SendError, type Speaker } from "../adapter.js";
import { repeatable } from "../failure.js";
import { bytesOf } from "../local-file.js";
import { field, listOf } from "../untrusted.js";
import type { Daemon } from "./daemon.js";
import { formatText } from "./format.js";
import { isGroupId, isNumber, isTimestamp, isUuid, messageRefOf, type SignalMessageRef } from "./ids.js";
import { LIMITS } from "./limits.js";
import type { OwnNotes } from "./own-notes.js";
import { parseContact, parseGroup } from "./parse.js";

/** After that, apps take no edit. */
const EDITABLE_MS = 24 * 60 * 60 * 1_000;
const MARKS: Readonly<Record<Mark, string>> = { seen: "👀", failed: "❌" };

export class SignalSpeaker implements Speaker {
  readonly #daemon: Daemon;
  readonly #account: string;
  readonly #end: AbortSignal;
  readonly #notes: OwnNotes;

  /** Every call is given up at the end. */
  constructor(daemon: Daemon, account: string, notes: OwnNotes, end: AbortSignal) {
    this.#daemon = daemon;
    this.#account = account;
    this.#notes = notes;
    this.#end = end;
  }

  async send(message: Letter): Promise<{ readonly messageId: string }> {
    return this.#notes.sending(this.#post(message, {}));
  }

  async edit(message: Letter, messageId: string): Promise<void> {
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
      targetAuthor: author ?? this.#account,
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
    if (known !== undefined) return parseContact(known, this.#account);
    if (isUuid(address.chatId)) return parseContact({ uuid: address.chatId }, this.#account);
    const [found] = listOf(await this.#call("getUserStatus", asked));
    if (field(found, "isRegistered") !== true) return null;
    return parseContact({ number: address.chatId, uuid: field(found, "uuid") }, this.#account);
  }

  async #post(
    { address, text, replyTo, files = [] }: Letter,
    extra: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly messageId: string }> {
    const formatted = formatText(text);
    const quoted = replyTo ? messageRefOf(replyTo) : null;
    const result = await this.#call("send", {
      ...recipientOf(address),
      message: formatted.text,
      ...(formatted.styles.length > 0 ? { textStyle: formatted.styles } : {}),
      ...(files.length > 0 ? { attachments: await Promise.all(files.map(asDataUri)) } : {}),
      ...(files.some(({ voice }) => voice) ? { voiceNote: true } : {}),
      ...(quoted ? { quoteTimestamp: quoted.timestamp, quoteAuthor: quoted.author ?? this.#account } : {}),
      ...extra,
    });
    const timestamp = field(result, "timestamp");
    if (!isTimestamp(timestamp)) throw new SendError("unknown", "signal-cli did not say what became of it.");
    return { messageId: `${timestamp}` };
  }

  #call(method: string, params: Readonly<Record<string, unknown>>): Promise<unknown> {
    return this.#daemon.call(method, params, this.#end);
  }
}

function recipientOf({ chatId }: Address): Readonly<Record<string, unknown>> {
  if (isNumber(chatId) || isUuid(chatId)) return { recipient: [chatId] };
  if (isGroupId(chatId)) return { groupId: chatId };
  throw new SendError("permanent", `${chatId} is no number, UUID or group of Signal's.`);
}

function refOf(messageId: string): SignalMessageRef {
  const ref = messageRefOf(messageId);
  if (!ref) throw new SendError("permanent", `${messageId} is no message of Signal's.`);
  return ref;
}

/** As a data URI, since the daemon may not see our files. */
async function asDataUri(file: LocalFile): Promise<string> {
  const base64 = (await bytesOf(file, LIMITS.maxFile)).toString("base64");
  return `data:${file.mediaType};filename=${encodeURIComponent(file.name)};base64,${base64}`;
}
