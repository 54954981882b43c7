/**
 * What is known of the rooms: who is in them, what they are called, whether they are encrypted. Asked for when a room is
 * first needed, and kept up by what the sync says of it.
 */
import type { MatrixApi } from "./api.js";
import { id, type Json, list, record, string } from "./json.js";
import type { RoomFacts } from "./parse.js";
import { isMissing } from "./trouble.js";

interface Room {
  readonly members: Map<string, string | undefined>;
  name: string | undefined;
  topic: string | undefined;
  encryption: Json | undefined;
}

const MAX_ROOMS = 1_000;

export class Rooms {
  readonly #api: MatrixApi;
  readonly #rooms = new Map<string, Promise<Room>>();

  constructor(api: MatrixApi) {
    this.#api = api;
  }

  async facts(roomId: string): Promise<RoomFacts> {
    const { members, name, topic } = await this.#room(roomId);
    return {
      roomId,
      chatType: members.size <= 2 ? "dm" : "group",
      nameOf: (userId) => members.get(userId),
      ...(name === undefined ? {} : { name }),
      ...(topic === undefined ? {} : { topic }),
    };
  }

  /** How the room is encrypted; undefined where it is not. */
  async encryption(roomId: string): Promise<Json | undefined> {
    return (await this.#room(roomId)).encryption;
  }

  async members(roomId: string): Promise<readonly string[]> {
    return [...(await this.#room(roomId)).members.keys()];
  }

  /** A state event of a room that is known; of the others, everything is asked for when they are. */
  async hear(roomId: string, event: Json): Promise<void> {
    const known = this.#rooms.get(roomId);
    if (!known || event.state_key === undefined) return;
    const room = await known;
    const content = record(event.content);
    if (event.type === "m.room.name") room.name = string(content.name);
    if (event.type === "m.room.topic") room.topic = string(content.topic);
    // Encryption that was once there is there for good, whatever a server says later.
    if (event.type === "m.room.encryption") room.encryption ??= content;
    const member = id(event.state_key, "@");
    if (event.type !== "m.room.member" || !member) return;
    if (content.membership === "join") room.members.set(member, string(content.displayname));
    else room.members.delete(member);
  }

  forget(roomId: string): void {
    this.#rooms.delete(roomId);
  }

  #room(roomId: string): Promise<Room> {
    const known = this.#rooms.get(roomId);
    if (known) return known;
    const asked = this.#ask(roomId);
    this.#rooms.set(roomId, asked);
    asked.catch(() => this.#rooms.delete(roomId));
    const [oldest] = this.#rooms.keys();
    if (this.#rooms.size > MAX_ROOMS && oldest !== undefined) this.#rooms.delete(oldest);
    return asked;
  }

  async #ask(roomId: string): Promise<Room> {
    const { joined } = await this.#api.joinedMembers(roomId);
    const [name, topic, encryption] = await Promise.all(
      ["m.room.name", "m.room.topic", "m.room.encryption"].map((type) => this.#state(roomId, type)),
    );
    const members = Object.entries(record(joined)).map(
      ([userId, profile]) => [userId, string(record(profile).display_name)] as const,
    );
    return {
      members: new Map(members),
      name: string(name?.name),
      topic: string(topic?.topic),
      encryption,
    };
  }

  /** Undefined where the room has no such state. Any other trouble is one: a room must not seem unencrypted by it. */
  async #state(roomId: string, type: string): Promise<Json | undefined> {
    try {
      return await this.#api.state(roomId, type);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }
}

/** Those who are invited; whoever may read from the invitation on needs the keys too. */
export async function invitedMembers(api: MatrixApi, roomId: string): Promise<readonly string[]> {
  const { chunk } = await api.invitedMembers(roomId);
  return list(chunk).flatMap((event) => id(record(event).state_key, "@") ?? []);
}
