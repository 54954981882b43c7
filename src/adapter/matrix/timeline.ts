/**
 * A batch of the sync, taken: invitations are accepted, rooms kept up, and what people wrote is received, in order within
 * a room, rooms side by side.
 */
import type { Receive, RemoteFile } from "../adapter.js";
import type { Intake } from "../intake.js";
import type { MatrixApi } from "./api.js";
import type { Encryption } from "./encryption.js";
import { newEvents } from "./history.js";
import { id, type Json, list, record } from "./json.js";
import type { Self } from "./mention.js";
import { decryptedEvent, type MediaReference, type Parsed, parseEvent, quotedText } from "./parse.js";
import type { Pending, PendingEvent } from "./pending.js";
import type { Rooms } from "./rooms.js";
import type { SeenEvents } from "./seen-events.js";
import { isMissing } from "./trouble.js";

export interface TimelineOptions {
  readonly api: MatrixApi;
  readonly self: Self;
  readonly rooms: Rooms;
  readonly seen: SeenEvents;
  readonly pending: Pending;
  readonly encryption: Encryption | null;
  readonly receive: Receive;
  readonly intake: Intake<string>;
  readonly isOver: () => boolean;
}

export class Timeline {
  readonly #options: TimelineOptions;
  /** Invitations that are being accepted. */
  readonly #joining = new Set<string>();
  /** Events that waited for their keys, and are being received. */
  readonly #opened = new Set<PendingEvent>();

  constructor(options: TimelineOptions) {
    this.#options = options;
  }

  async take(batch: Json, since: string | null): Promise<void> {
    const { pending, encryption, intake } = this.#options;
    const { invite, join, leave } = record(batch.rooms) as {
      invite?: unknown;
      join?: unknown;
      leave?: unknown;
    };
    await encryption?.receive(batch);
    for (const roomId of Object.keys(record(invite))) if (id(roomId, "!")) pending.invited(roomId);
    for (const [roomId, room] of Object.entries(record(join)))
      if (id(roomId, "!")) intake.add(roomId, this.#room(roomId, record(room), since));
    for (const roomId of Object.keys(record(leave))) intake.add(roomId, async () => this.#left(roomId));
    this.#tryAgain();
    await encryption?.settle();
    this.#acceptAll();
  }

  /** What a batch has of a room, to be taken. Where it stops in the middle, it goes on from there the next time. */
  #room(roomId: string, room: Json, since: string | null): () => Promise<void> {
    const { api, pending, self } = this.#options;
    pending.answered(roomId);
    let events: readonly Json[] | undefined;
    let next = 0;
    return async () => {
      for (const event of list(record(room.state).events)) await this.#hear(roomId, record(event));
      events ??= await newEvents(api, roomId, room.timeline, since, self.userId);
      for (; next < events.length; next += 1) {
        if (this.#options.isOver()) throw new Error("it was disconnected meanwhile");
        const event = record(events[next]);
        await this.#hear(roomId, event);
        await this.#event(roomId, event);
      }
    };
  }

  async #hear(roomId: string, event: Json): Promise<void> {
    const { rooms, encryption } = this.#options;
    await rooms.hear(roomId, event);
    if (event.type === "m.room.encryption") await encryption?.enable(roomId, record(event.content));
  }

  async #event(roomId: string, event: Json): Promise<void> {
    if (event.type !== "m.room.encrypted") return this.#clear(roomId, event);
    const clear = await this.#options.encryption?.decrypt(roomId, event);
    if (clear) await this.#clear(roomId, decryptedEvent(event, clear));
    else if (this.#options.encryption && event.sender !== this.#options.self.userId)
      this.#options.pending.keep(roomId, event, Date.now());
  }

  /** Keys come after the messages that need them, now and then. */
  #tryAgain(): void {
    const { pending, encryption, intake } = this.#options;
    for (const waiting of encryption ? pending.events : []) {
      if (this.#opened.has(waiting)) continue;
      this.#opened.add(waiting);
      const { roomId, event } = waiting;
      intake.add(roomId, async () => {
        const clear = await encryption?.decrypt(roomId, event);
        if (clear) {
          await this.#clear(roomId, decryptedEvent(event, clear));
          pending.done(waiting);
        }
        this.#opened.delete(waiting);
      });
    }
  }

  async #clear(roomId: string, event: Json): Promise<void> {
    if (event.type !== "m.room.message") return;
    const { rooms, seen, self, receive } = this.#options;
    const isEdit = record(record(event.content)["m.relates_to"]).rel_type === "m.replace";
    if (!isEdit) seen.see(roomId, event);
    if (event.sender === self.userId) return;
    const parsed = parseEvent(event, await rooms.facts(roomId), self);
    if (!parsed) return;
    const relations = await this.#relations(roomId, parsed);
    if (!relations) return;
    const { source, messageId, text, kind, media } = parsed;
    await receive({
      kind,
      source,
      messageId,
      text,
      ...relations,
      ...(media ? { files: [this.#file(media)] } : {}),
    });
  }

  /** What the message answers and whether it is for us; null where it changes what is not its sender's. */
  async #relations(
    roomId: string,
    parsed: Parsed,
  ): Promise<{
    isAddressed: boolean;
    replyTo?: NonNullable<Parsed["replyTo"]>;
  } | null> {
    const { seen, self, rooms } = this.#options;
    const isPrivate = parsed.source.chatType === "dm";
    if (parsed.kind === "edit") {
      const original = await seen.find(roomId, parsed.messageId);
      if (original?.sender !== parsed.source.userId) return null;
      const before = parseEvent(original, await rooms.facts(roomId), self);
      return { isAddressed: isPrivate || parsed.isAddressed || before?.isAddressed === true };
    }
    const { replyTo, source } = parsed;
    const answered = replyTo && (await seen.find(roomId, replyTo.messageId));
    const root = isPrivate || !source.threadId ? null : await seen.find(roomId, source.threadId);
    const isAddressed =
      isPrivate || parsed.isAddressed || answered?.sender === self.userId || root?.sender === self.userId;
    const quoted = answered ? quotedText(answered) : replyTo?.text;
    return {
      isAddressed,
      ...(replyTo ? { replyTo: { messageId: replyTo.messageId, ...(quoted ? { text: quoted } : {}) } } : {}),
    };
  }

  #file({ server, mediaId, name, mediaType, encrypted }: MediaReference): RemoteFile {
    const { api, encryption } = this.#options;
    return {
      mediaType,
      ...(name ? { name } : {}),
      read: async (maxBytes) => {
        const bytes = await api.download(server, mediaId, maxBytes);
        if (!encrypted) return bytes;
        if (!encryption) throw new Error("it is encrypted, and there are no keys here");
        return encryption.decryptFile(bytes, encrypted);
      },
    };
  }

  #left(roomId: string): void {
    this.#options.rooms.forget(roomId);
    this.#options.pending.answered(roomId);
  }

  /** Whoever invites, we come: what strangers then say, the gate refuses. Beside the sync: far servers take their time. */
  #acceptAll(): void {
    const { api, pending } = this.#options;
    for (const roomId of pending.invites) {
      if (this.#joining.has(roomId)) continue;
      this.#joining.add(roomId);
      const done = (error?: unknown): void => {
        this.#joining.delete(roomId);
        if (error === undefined || isMissing(error)) pending.answered(roomId); // Otherwise with the next batch.
      };
      api.join(roomId).then(() => done(), done);
    }
  }
}
