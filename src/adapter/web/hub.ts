/**
 * The open event streams, by chat, and the turns that run in those chats. Everything about now is told through it; what
 * lasts is in the store, so a stream that can't keep up is ended and goes on from where it was.
 */
import type { LiveTurn } from "./live-turn.js";
import type { Post } from "./posts.js";
import type { SignedIn } from "./signed-in.js";
import { chatOfIdentity } from "./web-source.js";
import type { WireEvent, WireTurn } from "./wire.js";
import { wirePost } from "./wire-post.js";

/** One stream, as the hub sees it. None of its calls throws. */
export interface HubStream {
  readonly signedIn: SignedIn;
  /** Something about now. */
  tell(event: string): void;
  /** A post was added or changed. */
  posted(position: number, event: string): void;
  /** It is over; the last event says why, if there is something to say. */
  end(event?: string): void;
}

export interface HubSetting {
  /** How many streams there may be, and how many of one browser and of one person: of more, the oldest is ended. */
  readonly maxStreams?: number;
  readonly maxPerDevice?: number;
  readonly maxPerPerson?: number;
}

/** Which streams are told. */
export type WhichStreams = (signedIn: SignedIn) => boolean;

export const MAX_STREAMS = 4_096;
const MAX_PER_DEVICE = 8;
const MAX_PER_PERSON = 128;

export class Hub {
  readonly #maxStreams: number;
  readonly #maxPerDevice: number;
  readonly #maxPerPerson: number;
  /** In the order in which they came. */
  readonly #streams = new Set<HubStream>();
  readonly #byChat = new Map<string, Set<HubStream>>();
  readonly #byDevice = new Map<string, Set<HubStream>>();
  readonly #turns = new Map<string, Set<LiveTurn>>();

  constructor(setting: HubSetting = {}) {
    this.#maxStreams = setting.maxStreams ?? MAX_STREAMS;
    this.#maxPerDevice = setting.maxPerDevice ?? MAX_PER_DEVICE;
    this.#maxPerPerson = setting.maxPerPerson ?? MAX_PER_PERSON;
  }

  get size(): number {
    return this.#streams.size;
  }

  /** Who has the page open, once for each stream. */
  streams(): readonly SignedIn[] {
    return [...this.#streams].map(({ signedIn }) => signedIn);
  }

  /** Tells everybody who has this chat open; how many that are. */
  tell(chatId: string, event: WireEvent): number {
    const there = this.#byChat.get(chatId);
    if (!there) return 0;
    const told = asEvent(event);
    const count = there.size;
    for (const stream of [...there]) stream.tell(told);
    return count;
  }

  tellAll(which: WhichStreams, event: WireEvent): number {
    const told = asEvent(event);
    const those = [...this.#streams].filter(({ signedIn }) => which(signedIn));
    for (const stream of those) stream.tell(told);
    return those.length;
  }

  /** A post that is in the store as it is told here. */
  posted(chatId: string, post: Post): void {
    const there = this.#byChat.get(chatId);
    if (!there) return;
    const told = postEvent(post);
    for (const stream of [...there]) stream.posted(post.position, told);
  }

  /** Signs a device out here: its streams end. How many those were. */
  end(device: string): number {
    const those = [...(this.#byDevice.get(device) ?? [])];
    for (const stream of those) stream.end(asEvent({ kind: "out" }));
    return those.length;
  }

  endAll(): void {
    for (const stream of [...this.#streams]) stream.end();
  }

  /** False if there is no room for one more. */
  add(stream: HubStream): boolean {
    const { device, identity } = stream.signedIn;
    // A browser whose line broke off may have left some behind that nobody reads.
    endOldest(this.#byDevice.get(device), this.#maxPerDevice);
    endOldest(this.#byChat.get(chatOfIdentity(identity)), this.#maxPerPerson);
    if (this.#streams.size >= this.#maxStreams) return false;
    this.#streams.add(stream);
    addTo(this.#byDevice, device, stream);
    addTo(this.#byChat, chatOfIdentity(identity), stream);
    return true;
  }

  remove(stream: HubStream): void {
    this.#streams.delete(stream);
    removeFrom(this.#byDevice, stream.signedIn.device, stream);
    removeFrom(this.#byChat, chatOfIdentity(stream.signedIn.identity), stream);
  }

  begin(chatId: string, turn: LiveTurn): void {
    addTo(this.#turns, chatId, turn);
    turn.show();
  }

  over(chatId: string, turn: LiveTurn): void {
    removeFrom(this.#turns, chatId, turn);
  }

  /** The turns that run in this chat, as they are now. */
  turns(chatId: string): readonly WireTurn[] {
    return [...(this.#turns.get(chatId) ?? [])].map((turn) => turn.snapshot());
  }

  /** The one that runs in this thread; null if none does. */
  turn(chatId: string, thread: string | null): WireTurn | null {
    const running = [...(this.#turns.get(chatId) ?? [])].filter((turn) => turn.thread === thread);
    return running.at(-1)?.snapshot() ?? null;
  }
}

export function asEvent(event: WireEvent): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

export function postEvent(post: Post): string {
  return `id: ${post.position}\n${asEvent({ kind: "post", post: wirePost(post) })}`;
}

/** Makes room for one more. */
function endOldest(streams: ReadonlySet<HubStream> | undefined, most: number): void {
  const [oldest] = streams ?? [];
  if (oldest && (streams?.size ?? 0) >= most) oldest.end();
}

function addTo<Item>(map: Map<string, Set<Item>>, key: string, item: Item): void {
  const there = map.get(key) ?? new Set();
  there.add(item);
  map.set(key, there);
}

function removeFrom<Item>(map: Map<string, Set<Item>>, key: string, item: Item): void {
  const there = map.get(key);
  there?.delete(item);
  if (there?.size === 0) map.delete(key);
}
