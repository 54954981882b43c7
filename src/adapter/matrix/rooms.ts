/**
 * What is known of the rooms: who is in them, what they are called, whether they are encrypted, and who else could read
 * them. Asked for when a room is first needed, and kept up by what the sync says of it.
 */
import type { SessionSource } from "../../session/source.js";
import type { Fields } from "../../util/json.js";
import { listOf, record, textOf } from "../untrusted.js";
import type { MatrixApi } from "./api.js";
import { isMissing } from "./failure.js";
import { id } from "./ids.js";
import type { RoomFacts } from "./parse.js";

interface MatrixRoom {
  readonly members: Map<string, string | undefined>;
  name: string | undefined;
  topic: string | undefined;
  encryption: Fields | undefined;
  /** Those who may come in at any time. */
  readonly invited: Set<string>;
  joinRule: string | undefined;
  visibility: string | undefined;
}

/** Whoever is not asked in by a member cannot come in; what is unset is `invite`. */
const CLOSED = new Set([undefined, "invite", "private", "knock"]);

/** Two are in it or asked in, nobody else can come in by themselves, and nobody reads from outside. */
function isPrivate({ members, invited, joinRule, visibility }: MatrixRoom): boolean {
  const all = new Set([...members.keys(), ...invited]);
  return all.size <= 2 && CLOSED.has(joinRule) && visibility !== "world_readable";
}

/** What is said of a room that the homeserver does not tell of: nothing private is shown there. */
export function unknownRoom(roomId: string): RoomFacts {
  return { roomId, chatType: "group", nameOf: () => undefined };
}

/** Somebody in a room, to be asked whether they are let in. */
export function senderIn(roomId: string, userId: string): SessionSource {
  return { platform: "matrix", chatId: roomId, chatType: "group", userId };
}

const MAX_ROOMS = 1_000;
/** What is asked of a room, and heard of it. */
export const ROOM_STATES = [
  "m.room.name",
  "m.room.topic",
  "m.room.encryption",
  "m.room.join_rules",
  "m.room.history_visibility",
] as const;

export class Rooms {
  readonly #api: MatrixApi;
  readonly #rooms = new Map<string, Promise<MatrixRoom>>();

  constructor(api: MatrixApi) {
    this.#api = api;
  }

  async facts(roomId: string): Promise<RoomFacts> {
    const room = await this.#room(roomId);
    const { members, name, topic } = room;
    return {
      roomId,
      chatType: isPrivate(room) ? "dm" : "group",
      nameOf: (userId) => members.get(userId),
      ...(name === undefined ? {} : { name }),
      ...(topic === undefined ? {} : { topic }),
    };
  }

  /** Whether its facts cost no request. */
  isKnown(roomId: string): boolean {
    return this.#rooms.has(roomId);
  }

  /** How the room is encrypted; undefined where it is not. */
  async encryption(roomId: string): Promise<Fields | undefined> {
    return (await this.#room(roomId)).encryption;
  }

  async members(roomId: string): Promise<readonly string[]> {
    return [...(await this.#room(roomId)).members.keys()];
  }

  /** A state event of a room that is known; of the others, everything is asked for when they are. */
  async hear(roomId: string, event: Fields): Promise<void> {
    const known = this.#rooms.get(roomId);
    if (!known || event.state_key === undefined) return;
    const room = await known.catch(() => null); // It is asked for again.
    if (!room) return;
    const content = record(event.content);
    if (event.type === "m.room.name") room.name = textOf(content.name);
    if (event.type === "m.room.topic") room.topic = textOf(content.topic);
    if (event.type === "m.room.join_rules") room.joinRule = textOf(content.join_rule);
    if (event.type === "m.room.history_visibility") room.visibility = textOf(content.history_visibility);
    // Encryption that was once there is there for good, whatever a server says later.
    if (event.type === "m.room.encryption") room.encryption ??= content;
    const member = id(event.state_key, "@");
    if (event.type !== "m.room.member" || !member) return;
    if (content.membership === "join") room.members.set(member, textOf(content.displayname));
    else room.members.delete(member);
    if (content.membership === "invite") room.invited.add(member);
    else room.invited.delete(member);
  }

  forget(roomId: string): void {
    this.#rooms.delete(roomId);
  }

  #room(roomId: string): Promise<MatrixRoom> {
    const known = this.#rooms.get(roomId);
    if (known) return known;
    const asked = this.#ask(roomId);
    this.#rooms.set(roomId, asked);
    asked.catch(() => this.#rooms.delete(roomId));
    const [oldest] = this.#rooms.keys();
    if (this.#rooms.size > MAX_ROOMS && oldest !== undefined) this.#rooms.delete(oldest);
    return asked;
  }

  async #ask(roomId: string): Promise<MatrixRoom> {
    const { joined } = await this.#api.joinedMembers(roomId);
    const [invited, name, topic, encryption, joinRules, visibility] = await Promise.all([
      invitedMembers(this.#api, roomId).catch(nobodyIfMissing),
      ...ROOM_STATES.map((type) => this.#state(roomId, type)),
    ]);
    const members = Object.entries(record(joined)).map(
      ([userId, profile]) => [userId, textOf(record(profile).display_name)] as const,
    );
    return {
      members: new Map(members),
      name: textOf(name?.name),
      topic: textOf(topic?.topic),
      encryption,
      invited: new Set(invited),
      joinRule: textOf(joinRules?.join_rule),
      visibility: textOf(visibility?.history_visibility),
    };
  }

  /** Undefined where the room has no such state. Any other trouble is one: a room must not seem unencrypted by it. */
  async #state(roomId: string, type: string): Promise<Fields | undefined> {
    try {
      return await this.#api.state(roomId, type);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }
}

function nobodyIfMissing(error: unknown): readonly string[] {
  if (isMissing(error)) return [];
  throw error;
}

/** Those who are invited; whoever may read from the invitation on needs the keys too. */
export async function invitedMembers(api: MatrixApi, roomId: string): Promise<readonly string[]> {
  const { chunk } = await api.invitedMembers(roomId);
  return listOf(chunk).flatMap((event) => id(record(event).state_key, "@") ?? []);
}
