/**
 * What leaves for a room: in the clear where the room is, and encrypted where it is or ever was. Where it must be and
 * cannot, nothing leaves, neither text nor file.
 */

import type { Fields } from "../../util/json.js";
import { type LocalFile, SendError } from "../adapter.js";
import { bytesOf } from "../local-file.js";
import type { MatrixApi } from "./api.js";
import { fileContent, type MatrixPlace } from "./content.js";
import type { Encryption } from "./encryption.js";
import { LIMITS } from "./limits.js";
import { invitedMembers, type Rooms } from "./rooms.js";
import type { SeenEvents } from "./seen-events.js";

export interface OutgoingOptions {
  readonly api: MatrixApi;
  readonly userId: string;
  readonly rooms: Rooms;
  readonly seen: SeenEvents;
  readonly encryption: Encryption | null;
}

/** A room's encryption: its settings, and what encrypts. */
interface Cover {
  readonly settings: Fields;
  readonly encryption: Encryption;
}

export class Outgoing {
  readonly #options: OutgoingOptions;

  constructor(options: OutgoingOptions) {
    this.#options = options;
  }

  /** Sends a message; the id of its event, the same for the same transaction. */
  async post(roomId: string, transactionId: string, content: Fields): Promise<string> {
    const { api, seen, userId } = this.#options;
    const cover = await this.#coverOf(roomId);
    const eventId = cover
      ? await api.send(
          roomId,
          "m.room.encrypted",
          transactionId,
          await this.#encrypted(roomId, cover, content),
        )
      : await api.send(roomId, "m.room.message", transactionId, content);
    seen.see(roomId, { type: "m.room.message", event_id: eventId, sender: userId, content });
    return eventId;
  }

  /** Uploads a file for a room; the message that carries it. */
  async upload(roomId: string, local: LocalFile, place: MatrixPlace, caption: string): Promise<Fields> {
    const { api } = this.#options;
    const cover = await this.#coverOf(roomId);
    const { name, mediaType, voice } = local;
    const bytes = await bytesOf(local, LIMITS.maxFile);
    const file = { name, mediaType, size: bytes.byteLength, caption, ...(voice ? { voice } : {}) };
    if (!cover) return fileContent({ ...file, at: { url: await api.upload(bytes, name, mediaType) } }, place);
    const hidden = cover.encryption.encryptFile(bytes);
    const url = await api.upload(hidden.bytes, null, "application/octet-stream");
    return fileContent({ ...file, at: { file: { ...hidden.keys, url } } }, place);
  }

  async #encrypted(roomId: string, { encryption, settings }: Cover, content: Fields): Promise<Fields> {
    const { api, rooms } = this.#options;
    const members = [...(await rooms.members(roomId)), ...(await invitedMembers(api, roomId))];
    return encryption.encrypt(roomId, members, settings, "m.room.message", content);
  }

  /** Null where the room is in the clear, and always was. */
  async #coverOf(roomId: string): Promise<Cover | null> {
    const { rooms, encryption } = this.#options;
    const settings = await rooms.encryption(roomId);
    if (encryption) {
      if (settings) return { settings, encryption };
      return (await encryption.isEncrypted(roomId)) ? { settings: {}, encryption } : null;
    }
    if (!settings) return null;
    throw new SendError(
      "permanent",
      "The room is encrypted, and Baton does not have its keys, so it sends nothing there.",
    );
  }
}
