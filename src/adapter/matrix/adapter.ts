/**
 * Matrix, spoken: one user of one homeserver. It receives by its own sync, whose place is remembered only once all of
 * a batch was received, and sends under transaction ids made of delivery ids, so that the same delivery is one event.
 */
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Address, SessionSource } from "../../session/source.js";
import { storableText } from "../../util/text.js";
import { timerMs } from "../../util/timer-ms.js";
import {
  type Adapter,
  type Capabilities,
  ConnectError,
  type Mark,
  type OutboundMessage,
  type Receive,
  SendError,
  type Surroundings,
} from "../adapter.js";
import { Intake } from "../intake.js";
import { prepareMarkdown } from "../markdown.js";
import { MatrixApi } from "./api.js";
import type { MatrixSettings } from "./config.js";
import { editContent, MAX_TEXT, type Place, textBytes, textContent, threadRoot } from "./content.js";
import type { Encryption } from "./encryption.js";
import { id, type Json, record, string } from "./json.js";
import type { Self } from "./mention.js";
import { Outgoing } from "./outgoing.js";
import { decryptedEvent, personIn, placeIn } from "./parse.js";
import { Pending } from "./pending.js";
import { ROOM_STATES, Rooms } from "./rooms.js";
import { SeenEvents } from "./seen-events.js";
import { SyncLoop } from "./sync-loop.js";
import { Timeline } from "./timeline.js";
import { connectError, isMissing, notThere, reasonOf, sendError } from "./trouble.js";

const TIMEOUT_MS = 30_000;
const TYPING_MS = 30_000;
const PLATFORM = "matrix";
const LOOK_AGAIN_MS = 500;
/** Under which name the account remembers how far everything was received. */
const NEXT_BATCH = "next_batch";
const MARKS: Readonly<Record<Mark, string>> = { seen: "👀", failed: "⚠️" };

/** What the sync brings: messages and what rooms are, and nothing that nobody here looks at. */
const FILTER: Json = {
  presence: { types: [] },
  account_data: { types: [] },
  room: {
    timeline: { limit: 50 },
    state: {
      types: ["m.room.member", ...ROOM_STATES],
      lazy_load_members: true,
    },
    ephemeral: { types: [] },
    account_data: { types: [] },
  },
};

/** All that there is while it is connected. */
interface Line {
  readonly api: MatrixApi;
  readonly userId: string;
  readonly rooms: Rooms;
  readonly seen: SeenEvents;
  readonly encryption: Encryption | null;
  readonly outgoing: Outgoing;
  readonly loop: SyncLoop;
}

export class MatrixAdapter implements Adapter {
  readonly platform = PLATFORM;
  readonly account: string;
  readonly capabilities: Capabilities = {
    maxText: MAX_TEXT,
    unit: "bytes",
    lengthOf: textBytes,
    edit: true,
    threads: true,
    redelivers: true,
    threadsOnce: true,
    idempotent: true,
    typingMs: TYPING_MS,
    paceMs: 1_500,
    maxFile: 50 * 1024 * 1024,
  };
  readonly #settings: MatrixSettings;
  #line: Line | null = null;
  /** Where typing is shown until something is sent. */
  readonly #typing = new Set<string>();

  constructor(settings: MatrixSettings) {
    this.#settings = settings;
    this.account = settings.userId ?? accountOf(settings);
  }

  async connect(receive: Receive, surroundings: Surroundings): Promise<void> {
    await this.disconnect();
    if (!URL.canParse(this.#settings.homeserver)) throw notThere();
    const api = new MatrixApi({ timeoutMs: TIMEOUT_MS, ...this.#settings });
    let encryption: Encryption | null = null;
    try {
      const { userId, deviceId } = await this.#whoAmI(api);
      encryption = await this.#openEncryption(api, userId, deviceId, surroundings.tell);
      this.#line = await openLine(api, userId, encryption, receive, surroundings);
    } catch (error) {
      api.close();
      await encryption?.close();
      throw connectError(error);
    }
  }

  async #whoAmI(api: MatrixApi): Promise<{ userId: string; deviceId: string | undefined }> {
    const { user_id, device_id } = await api.whoAmI();
    const userId = id(user_id, "@");
    if (!userId) throw notThere();
    const expected = this.#settings.userId;
    if (expected !== undefined && expected !== userId)
      throw new ConnectError(
        "permanent",
        `The access token is that of ${userId}, not of ${expected}: mend MATRIX_ACCESS_TOKEN or MATRIX_USER_ID.`,
      );
    return { userId, deviceId: string(device_id) };
  }

  /** Null where there is none, or no homeserver for it: then encrypted rooms stay closed, and the others work. */
  async #openEncryption(
    api: MatrixApi,
    userId: string,
    deviceId: string | undefined,
    tell: Surroundings["tell"],
  ): Promise<Encryption | null> {
    const { folder } = this.#settings;
    if (folder === undefined || deviceId === undefined) return null;
    const { Encryption: Opened, KeysElsewhere } = await import("./encryption.js");
    try {
      return await Opened.open({ api, userId, deviceId, folder });
    } catch (error) {
      if (!(error instanceof KeysElsewhere) && !isMissing(error)) throw error;
      if (error instanceof KeysElsewhere) tell({ lost: error.message });
      return null;
    }
  }

  async send(message: OutboundMessage): Promise<{ readonly messageId: string }> {
    const { address, text, deliveryId, files = [], replyTo } = message;
    await prepareMarkdown(storableText(text));
    return this.#sending(async (line) => {
      const place: Place = { threadId: address.threadId, replyTo };
      const { outgoing } = line;
      const ids: string[] = [];
      if (text !== "" || files.length === 0)
        ids.push(await outgoing.post(address.chatId, deliveryId, textContent(text, place)));
      for (const [index, file] of files.entries()) {
        const own: Place = ids.length === 0 ? place : { threadId: place.threadId };
        const content = await outgoing.upload(address.chatId, file, own);
        ids.push(await outgoing.post(address.chatId, `${deliveryId}.${index}`, content));
      }
      this.#stopTyping(line, address.chatId);
      return { messageId: ids[0] ?? "" };
    });
  }

  async edit({ address, text, deliveryId }: OutboundMessage, messageId: string): Promise<void> {
    await prepareMarkdown(storableText(text));
    await this.#sending(async (line) => {
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
    await this.#sending(async ({ api, userId }) => {
      this.#typing.add(chatId);
      await api.typing(chatId, userId, TYPING_MS);
    });
  }

  /** A homeserver shows typing until it is told otherwise, also beside the answer. */
  #stopTyping({ api, userId }: Line, roomId: string): void {
    if (this.#typing.delete(roomId)) api.typing(roomId, userId, null).catch(() => {}); // Else it ends by itself.
  }

  /** Reactions are in the clear, also in encrypted rooms: so all clients do it. */
  async react({ chatId }: Address, messageId: string, mark: Mark): Promise<void> {
    await this.#sending(async ({ api }) => {
      const relation = { rel_type: "m.annotation", event_id: messageId, key: MARKS[mark] };
      await api.send(chatId, "m.reaction", `mark-${mark}-${messageId}`, { "m.relates_to": relation });
    });
  }

  async place({ chatId, threadId }: Address): Promise<SessionSource | null> {
    return this.#sending(async ({ rooms, seen, userId }) => {
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
    return this.#sending(async (line) => {
      const member = id(person, "@") ?? null;
      line.rooms.forget(chatId);
      const members = await line.rooms.members(chatId).catch(notInRoom);
      if (member !== null && !members.includes(member))
        await line.api.invite(chatId, member).catch(notInvited);
      const threadId = await line.outgoing.post(chatId, `thread-${once}`, threadRoot(title, member));
      return { platform, chatId, threadId };
    });
  }

  async disconnect(): Promise<void> {
    const line = this.#line;
    this.#line = null;
    if (!line) return;
    const stopped = line.loop.stop();
    line.api.close();
    await stopped;
    await line.encryption?.close();
  }

  async #sending<T>(call: (line: Line) => Promise<T>): Promise<T> {
    if (!this.#line) throw new SendError("retryable", "Matrix is not connected.");
    try {
      return await call(this.#line);
    } catch (error) {
      throw sendError(error);
    }
  }
}

async function openLine(
  api: MatrixApi,
  userId: string,
  encryption: Encryption | null,
  receive: Receive,
  { memory, commands, tell, knows = async () => true, problem = () => {} }: Surroundings,
): Promise<Line> {
  const displayName = await api.displayName(userId).catch(ifMissing);
  const rooms = new Rooms(api);
  const seen = new SeenEvents(api, async (roomId, event) => {
    const clear = await encryption?.decrypt(roomId, event);
    return clear ? decryptedEvent(event, clear) : null;
  });
  const pending = new Pending(memory);
  await pending.load();
  const self: Self = {
    userId,
    commands: new Set(commands.map(({ name }) => name)),
    ...(displayName ? { displayName } : {}),
  };
  const isOver = (): boolean => loop.isOver;
  const intake = new Intake<string>({
    settle: async (token) => {
      await pending.save(Date.now());
      await memory.write(NEXT_BATCH, token);
    },
  });
  const timeline = new Timeline({
    ...{ api, self, rooms, seen, pending, encryption, receive, knows, problem, intake, isOver },
    wait: (attempt) => sleep(timerMs(LOOK_AGAIN_MS * attempt), undefined, { ref: false }),
  });
  const loop = new SyncLoop({
    since: await memory.read(NEXT_BATCH),
    tell,
    intake,
    pull: (since, waitMs) => api.sync(since, FILTER, waitMs),
    take: (batch, since, next) => timeline.take(batch, since, next),
  });
  const outgoing = new Outgoing({ api, userId, rooms, seen, encryption });
  await loop.start();
  return { api, userId, rooms, seen, encryption, outgoing, loop };
}

/** Without a user id: a name for this token on this homeserver, which tells nothing of it. */
function accountOf({ homeserver, accessToken }: MatrixSettings): string {
  const digest = createHash("sha256").update(accessToken()).digest("hex").slice(0, 16);
  return `${URL.canParse(homeserver) ? new URL(homeserver).host : homeserver}#${digest}`;
}

/** What belongs to another event begins no thread of its own. */
function beginsThread(event: Json | null): boolean {
  return event !== null && record(record(event.content)["m.relates_to"]).rel_type === undefined;
}

function notInRoom(error: unknown): never {
  if (!isMissing(error)) throw error;
  throw new SendError("permanent", "I am not in that room, or it is not there.", { cause: error });
}

/** Whoever cannot come into the room would not see a thread there. */
function notInvited(error: unknown): never {
  if (!isMissing(error)) throw error;
  const reason = `You are not in that room, and I cannot invite you: ${reasonOf(error)}`;
  throw new SendError("permanent", reason, { cause: error });
}

function ifMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
  return undefined;
}
