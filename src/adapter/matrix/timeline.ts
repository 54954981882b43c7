/**
 * A batch of the sync, taken: invitations are accepted, rooms kept up, and what people wrote is received, in order within
 * a room, rooms side by side.
 */

import type { Fields } from "../../util/json.js";
import type { Answered, InboundMessage, Line, Receive, RemoteFile } from "../adapter.js";
import type { Intake } from "../intake.js";
import { listOf, record } from "../untrusted.js";
import type { MatrixApi } from "./api.js";
import type { Encryption } from "./encryption.js";
import { sentenceOf } from "./failure.js";
import { Gaps } from "./gaps.js";
import { id } from "./ids.js";
import { Invitations } from "./invitations.js";
import type { MatrixSelf } from "./mention.js";
import {
  answeredEvent,
  decryptedEvent,
  type Parsed,
  parseEvent,
  personIn,
  placeIn,
  type RoomFacts,
  reactionIn,
  redactedBy,
} from "./parse.js";
import type { Pending, PendingEvent } from "./pending.js";
import { type Rooms, senderIn, unknownRoom } from "./rooms.js";
import { isSaid, type MediaPlace, type MediaReference, votePart } from "./said.js";
import type { SeenEvents } from "./seen-events.js";

export interface TimelineOptions {
  readonly api: MatrixApi;
  readonly self: MatrixSelf;
  readonly rooms: Rooms;
  readonly seen: SeenEvents;
  readonly pending: Pending;
  readonly encryption: Encryption | null;
  readonly receive: Receive;
  readonly knows: Line["knows"];
  /** True if reactions can mean something. */
  readonly reactions: boolean;
  /** For the log. */
  readonly problem: (sentence: string) => void;
  readonly intake: Intake<string>;
  readonly isOver: () => boolean;
  /** Waits before something is looked up again. */
  readonly wait: (attempt: number) => Promise<void>;
}

/** How often something is looked up for a message. */
const LOOKS = 3;
/** So many rooms are looked at for strangers within an hour. */
const STRANGERS_ROOMS = 20;
const HOUR_MS = 60 * 60 * 1_000;

export class Timeline {
  readonly #options: TimelineOptions;
  readonly #gaps: Gaps;
  readonly #invitations: Invitations;
  /** Events that waited for their keys, and are being received. */
  readonly #opened = new Set<PendingEvent>();
  /** When rooms were looked at for strangers. */
  #strangersRooms: number[] = [];

  constructor(options: TimelineOptions) {
    this.#options = options;
    const { api, self, pending, problem } = options;
    this.#gaps = new Gaps({ api, userId: self.userId, pending, problem });
    this.#invitations = new Invitations(options);
  }

  /** `next`: the token that comes after the batch. */
  async take(batch: Fields, since: string | null, next: string): Promise<void> {
    const { encryption, intake } = this.#options;
    const { invite, join, leave } = record(batch.rooms) as {
      invite?: unknown;
      join?: unknown;
      leave?: unknown;
    };
    await encryption?.receive(batch);
    for (const [roomId, room] of Object.entries(record(invite)))
      if (id(roomId, "!")) await this.#invitations.hear(roomId, record(room));
    for (const roomId of this.#gaps.due(performance.now())) intake.add(roomId, this.#missing(roomId));
    for (const [roomId, room] of Object.entries(record(join)))
      if (id(roomId, "!")) intake.add(roomId, this.#room(roomId, record(room), since, next));
    for (const roomId of Object.keys(record(leave))) intake.add(roomId, async () => this.#left(roomId));
    this.#tryAgain();
    await encryption?.settle();
    this.#invitations.acceptAll();
  }

  /** What a batch has of a room, to be taken. Where it stops in the middle, it goes on from there the next time. */
  #room(roomId: string, room: Fields, since: string | null, next: string): () => Promise<void> {
    this.#options.pending.answered(roomId);
    let work: (() => Promise<void>) | undefined;
    return async () => {
      for (const event of listOf(record(room.state).events)) await this.#hear(roomId, record(event));
      work ??= this.#all(roomId, await this.#newEvents(roomId, room.timeline, since, next));
      await work();
    };
  }

  /** None where the room waits for a gap: they come with what is missing. */
  async #newEvents(
    roomId: string,
    timeline: unknown,
    since: string | null,
    next: string,
  ): Promise<readonly Fields[]> {
    if (since === null) return [];
    const ask = (): Promise<readonly Fields[]> => this.#gaps.newEvents(roomId, timeline, since);
    const what = `what was said in room ${roomId} while I did not listen: the room waits until it does`;
    const events = this.#gaps.isOpen(roomId) ? null : await this.#lookUp(what, ask, null);
    if (events) return events;
    const shown = listOf(record(timeline).events).map(record);
    this.#gaps.open(roomId, since, next, shown);
    for (const event of shown) await this.#hear(roomId, event);
    return [];
  }

  /** What a room lacks, to be taken if the homeserver gives it now. */
  #missing(roomId: string): () => Promise<void> {
    let work: (() => Promise<void>) | undefined;
    return async () => {
      const events = work ? [] : await this.#gaps.events(roomId);
      if (!events) return;
      work ??= this.#all(roomId, events);
      await work();
      this.#gaps.close(roomId);
    };
  }

  /** Takes these events one after the other. */
  #all(roomId: string, events: readonly Fields[]): () => Promise<void> {
    let next = 0;
    return async () => {
      for (; next < events.length; next += 1) {
        if (this.#options.isOver()) throw new Error("it was disconnected meanwhile");
        const event = record(events[next]);
        await this.#hear(roomId, event);
        await this.#event(roomId, event);
      }
    };
  }

  async #hear(roomId: string, event: Fields): Promise<void> {
    const { rooms, encryption } = this.#options;
    await rooms.hear(roomId, event);
    if (event.type === "m.room.encryption") await encryption?.enable(roomId, record(event.content));
  }

  async #event(roomId: string, event: Fields): Promise<void> {
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

  async #clear(roomId: string, event: Fields): Promise<void> {
    const redacted = redactedBy(event);
    if (redacted) return this.#deleted(roomId, redacted);
    const reaction = this.#options.reactions ? reactionIn(event) : null;
    if (reaction) return this.#reacted(roomId, id(event.sender, "@"), reaction);
    if (!isSaid(event)) return;
    const { seen, self, receive, knows } = this.#options;
    const isEdit = record(record(event.content)["m.relates_to"]).rel_type === "m.replace";
    if (!isEdit) seen.see(roomId, event);
    const sender = id(event.sender, "@");
    if (!sender || sender === self.userId) return;
    const isKnown = await knows(senderIn(roomId, sender));
    const facts = isKnown ? await this.#facts(roomId) : await this.#factsForStranger(roomId);
    const parsed = parseEvent(event, facts, self);
    if (!parsed) return;
    // A stranger is told of no more than that they are one: nothing is looked up for that.
    const relations = isKnown
      ? await this.#relations(roomId, parsed, facts)
      : { isAddressed: facts.chatType === "dm" || parsed.isAddressed };
    if (!relations) return;
    const { source, messageId, text, kind, parts, media, forwarded } = parsed;
    await receive({
      kind,
      source,
      messageId,
      text,
      ...(parts.length > 0 ? { parts } : {}),
      ...relations,
      ...(forwarded ? { forwarded } : {}),
      ...(media.length > 0 ? { files: media.map((each) => this.#file(each)) } : {}),
    });
  }

  /** Nothing is asked of the homeserver for strangers, whose reactions mean nothing. */
  async #reacted(
    roomId: string,
    sender: string | undefined,
    reaction: Pick<InboundMessage, "messageId" | "text">,
  ): Promise<void> {
    const { self, receive, knows } = this.#options;
    if (!sender || sender === self.userId || !(await knows(senderIn(roomId, sender)))) return;
    const facts = await this.#facts(roomId);
    const source = { ...placeIn(facts, undefined), ...personIn(facts, sender) };
    await receive({ kind: "reaction", source, ...reaction });
  }

  /** Nothing is asked of the homeserver for it: only where the message was counts. */
  async #deleted(roomId: string, messageId: string): Promise<void> {
    const { rooms, seen, receive } = this.#options;
    seen.forget(roomId, messageId);
    const facts = rooms.isKnown(roomId) ? await this.#facts(roomId) : unknownRoom(roomId);
    await receive({ kind: "deletion", source: placeIn(facts, undefined), messageId, text: "" });
  }

  /** What the message answers and whether it is for us; null where it changes what is not its sender's. */
  async #relations(
    roomId: string,
    parsed: Parsed,
    facts: RoomFacts,
  ): Promise<Pick<InboundMessage, "isAddressed" | "replyTo" | "parts"> | null> {
    const { seen, self } = this.#options;
    const isPrivate = parsed.source.chatType === "dm";
    const find = (eventId: string): Promise<Fields | null> =>
      this.#lookUp("the message that another one is about", () => seen.find(roomId, eventId), null);
    if (parsed.kind === "edit") {
      const original = await find(parsed.messageId);
      if (original?.sender !== parsed.source.userId) return null;
      const before = parseEvent(original, facts, self);
      return { isAddressed: isPrivate || parsed.isAddressed || before?.isAddressed === true };
    }
    const { replyTo, source, votes } = parsed;
    const answered = replyTo ? await find(replyTo.messageId) : null;
    const root = isPrivate || !source.threadId ? null : await find(source.threadId);
    const isAddressed =
      isPrivate || parsed.isAddressed || answered?.sender === self.userId || root?.sender === self.userId;
    return {
      isAddressed,
      ...(votes ? { parts: [votePart(answered, votes)] } : {}),
      ...(replyTo ? { replyTo: answered ? this.#answered(replyTo, answered, facts) : replyTo } : {}),
    };
  }

  /** A message that is answered, with its files; if it cannot be read, the words of it that the answer repeats. */
  #answered({ messageId, text }: Answered, event: Fields, facts: RoomFacts): Answered {
    const { media, ...told } = answeredEvent(event, facts, this.#options.self);
    return {
      messageId,
      ...(text && event.type === "m.room.encrypted" ? { text } : {}),
      ...told,
      ...(media.length > 0 ? { files: media.map((each) => this.#file(each)) } : {}),
    };
  }

  #facts(roomId: string): Promise<RoomFacts> {
    const { rooms } = this.#options;
    return this.#lookUp(
      "who is in a room: it counts as a group for now",
      () => rooms.facts(roomId),
      unknownRoom(roomId),
    );
  }

  /** Whether a stranger writes in private has to be known, but they cannot have any number of rooms looked at. */
  async #factsForStranger(roomId: string): Promise<RoomFacts> {
    const { rooms } = this.#options;
    if (rooms.isKnown(roomId)) return this.#facts(roomId);
    const now = Date.now();
    this.#strangersRooms = this.#strangersRooms.filter((at) => at > now - HOUR_MS);
    if (this.#strangersRooms.length >= STRANGERS_ROOMS) return unknownRoom(roomId);
    this.#strangersRooms.push(now);
    return this.#facts(roomId);
  }

  /** What a message can do without: tried a few times, each for so long; then it goes on without. */
  async #lookUp<Found>(what: string, ask: () => Promise<Found>, otherwise: Found): Promise<Found> {
    const { wait, isOver, problem } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await ask();
      } catch (error) {
        if (isOver()) throw error;
        if (attempt < LOOKS) await wait(attempt);
        else {
          problem(`The homeserver did not say ${what}. ${sentenceOf(error)}`);
          return otherwise;
        }
      }
    }
  }

  #file({ server, mediaId, name, mediaType, voice, encrypted }: MediaReference): RemoteFile {
    const place: MediaPlace = { server, mediaId, ...(encrypted ? { encrypted } : {}) };
    return {
      mediaType,
      ...(voice ? { voice } : {}),
      ...(name ? { name } : {}),
      ref: JSON.stringify(place),
      read: (maxBytes, end) => this.fetch(place, maxBytes, end),
    };
  }

  /** The bytes of a file, in the clear. */
  async fetch(
    { server, mediaId, encrypted }: MediaPlace,
    maxBytes: number,
    end: AbortSignal,
  ): Promise<Uint8Array> {
    const { api, encryption } = this.#options;
    const bytes = await api.download(server, mediaId, maxBytes, end);
    if (!encrypted) return bytes;
    if (!encryption) throw new Error("it is encrypted, and there are no keys here");
    return encryption.decryptFile(bytes, encrypted);
  }

  #left(roomId: string): void {
    this.#options.rooms.forget(roomId);
    this.#options.pending.answered(roomId);
    this.#gaps.close(roomId);
  }
}
