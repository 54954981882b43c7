/** What is said on Matrix by one line, under transaction ids made of delivery ids: the same delivery is one event. */
import { createHash } from "node:crypto";
import type { Address, SessionSource } from "../../session/source.js";
import type { Fields } from "../../util/json.js";
import { storableText } from "../../util/text.js";
import { type Letter, type Mark, SendError, type Speaker } from "../adapter.js";
import { prepareMarkdown } from "../markdown/prepare.js";
import { record } from "../untrusted.js";
import type { MatrixApi } from "./api.js";
import { editContent, type MatrixPlace, textContent, threadRoot, withoutPlace } from "./content.js";
import { ifMissing, isMissing, isThreadRefused, sendError, sentenceOf } from "./failure.js";
import { id } from "./ids.js";
import { LIMITS } from "./limits.js";
import type { Outgoing } from "./outgoing.js";
import { personIn, placeIn } from "./parse.js";
import type { Rooms } from "./rooms.js";
import type { SeenEvents } from "./seen-events.js";

const MARKS: Readonly<Record<Mark, string>> = { seen: "👀", failed: "⚠️" };

/** What there is while the line is up. */
export interface MatrixLine {
  readonly api: MatrixApi;
  readonly userId: string;
  readonly rooms: Rooms;
  readonly seen: SeenEvents;
  readonly outgoing: Outgoing;
}

export class MatrixSpeaker implements Speaker {
  readonly #line: MatrixLine;
  /** Where typing is shown until something is sent. */
  readonly #typing = new Set<string>();

  constructor(line: MatrixLine) {
    this.#line = line;
  }

  async send(message: Letter): Promise<{ readonly messageId: string }> {
    const { address, text, deliveryId, files, replyTo, onlyThere } = message;
    await prepareMarkdown(storableText(text));
    return sending(async () => {
      const place: MatrixPlace = { threadId: address.threadId, replyTo };
      const { outgoing } = this.#line;
      const content = files?.[0]
        ? await outgoing.upload(address.chatId, files[0], place, text)
        : textContent(text, place);
      const messageId = await outgoing.post(address.chatId, deliveryId, content).catch((error: unknown) => {
        if (!address.threadId || !isThreadRefused(error)) throw error;
        if (onlyThere) throw new SendError("permanent", "That thread is not there any more.");
        // The same people see the room around it.
        return outgoing.post(address.chatId, `${deliveryId}.room`, withoutPlace(content));
      });
      this.#stopTyping(address.chatId);
      return { messageId };
    });
  }

  async edit({ address, text, deliveryId }: Letter, messageId: string): Promise<void> {
    await prepareMarkdown(storableText(text));
    await sending(async () => {
      const line = this.#line;
      const original = await line.seen.find(address.chatId, messageId);
      if (original?.sender !== line.userId)
        throw new SendError("permanent", "The message that is to be changed is not there.");
      const content = editContent(text, messageId);
      // A message that grows is edited under one delivery id, each time to another text.
      const version = createHash("sha256").update(`${messageId} ${text}`).digest("hex").slice(0, 16);
      await line.outgoing.post(address.chatId, `${deliveryId}.${version}`, content);
    });
  }

  async typing({ chatId }: Address): Promise<void> {
    await sending(async () => {
      const { api, userId } = this.#line;
      this.#typing.add(chatId);
      await api.typing(chatId, userId, LIMITS.typingMs);
    });
  }

  /** A homeserver shows typing until it is told otherwise, also beside the answer. */
  #stopTyping(roomId: string): void {
    const { api, userId } = this.#line;
    if (this.#typing.delete(roomId)) api.typing(roomId, userId, null).catch(() => {}); // Else it ends by itself.
  }

  /** Reactions are in the clear, also in encrypted rooms: so all clients do it. */
  async react({ chatId }: Address, messageId: string, mark: Mark): Promise<void> {
    await sending(async () => {
      const { api } = this.#line;
      const relation = { rel_type: "m.annotation", event_id: messageId, key: MARKS[mark] };
      await api.send(chatId, "m.reaction", `mark-${mark}-${messageId}`, { "m.relates_to": relation });
    });
  }

  async place({ chatId, threadId }: Address): Promise<SessionSource | null> {
    return sending(async () => {
      const { rooms, seen, userId } = this.#line;
      rooms.forget(chatId); // As it is by now: the sync may not have told yet who came.
      const room = id(chatId, "!") ? await rooms.facts(chatId).catch(ifMissing) : undefined;
      const members = room ? await rooms.members(chatId) : [];
      if (!room || !members.includes(userId)) return null;
      if (threadId !== undefined && !beginsThread(await seen.find(chatId, threadId))) return null;
      const [other] = members.filter((member) => member !== userId);
      const isOfTwo = room.chatType === "dm" && other !== undefined;
      return { ...placeIn(room, threadId), ...(isOfTwo ? personIn(room, other) : {}) };
    });
  }

  /**
   * A message in the room, named after the title, that the thread hangs on; whoever is not in the room is invited, and
   * it fails where they cannot be. Its transaction is named after the making, so that it is made once.
   */
  async createThread(
    { platform, chatId }: Address,
    title: string,
    person: string | null,
    once: string,
  ): Promise<Address> {
    return sending(async () => {
      const line = this.#line;
      const member = id(person, "@") ?? null;
      line.rooms.forget(chatId);
      const members = await line.rooms.members(chatId).catch(notInRoom);
      if (member !== null && !members.includes(member))
        await line.api.invite(chatId, member).catch(notInvited);
      const threadId = await line.outgoing.post(chatId, `thread-${once}`, threadRoot(title, member));
      return { platform, chatId, threadId };
    });
  }
}

async function sending<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw sendError(error);
  }
}

/** What belongs to another event begins no thread of its own. */
function beginsThread(event: Fields | null): boolean {
  return event !== null && record(record(event.content)["m.relates_to"]).rel_type === undefined;
}

function notInRoom(error: unknown): never {
  if (!isMissing(error)) throw error;
  throw new SendError("permanent", "I am not in that room, or it is not there.", { cause: error });
}

/** Whoever cannot come into the room would not see a thread there. */
function notInvited(error: unknown): never {
  if (!isMissing(error)) throw error;
  const reason = `You are not in that room, and I cannot invite you: ${sentenceOf(error)}`;
  throw new SendError("permanent", reason, { cause: error });
}
