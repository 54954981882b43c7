/**
 * A conversation of the page, as it is now. What holds: whatever changes, it ends in a read that began after the change; what
 * was shown of a turn, and what was confirmed, stays until a read that began later has it.
 */
import { type Signal, signal } from "@preact/signals";
import type { WirePost, WireTurn } from "../adapter/web/wire.js";
import type { WireChat, WireMessage, WireMessages } from "../web/wire.js";
import { CallFailure, get, sentenceOf } from "./call.js";
import { onEvent, type PageEvent } from "./events.js";
import { turnOf, turnsNow } from "./live-turns.js";
import { joined, withPost } from "./merge.js";
import { onAccepted } from "./outbox.js";
import type { Unsent } from "./unsent.js";

/** What was said before a read counts as read by it. */
interface Settling<Item> {
  readonly item: Item;
  readonly since: number;
}

const TOGETHER_MS = 40;
const AGAIN_MS = 3_000;

export class ChatData {
  readonly chat: Signal<WireChat | null> = signal(null);
  readonly failure: Signal<string | null> = signal(null);
  /** Turns that ended or were saved in part, and accepted messages, until they are in `chat`. */
  readonly settlingTurns: Signal<readonly Settling<WireTurn>[]> = signal([]);
  readonly accepted: Signal<readonly Settling<Unsent>[]> = signal([]);
  readonly typed: Signal<readonly Unsent[]> = signal([]);
  readonly secrets: Signal<readonly string[]> = signal([]);
  /** Why the last turn failed. */
  readonly trouble: Signal<string | null> = signal(null);
  readonly #thread: string | null;
  readonly #stops: (() => void)[];
  #count: number | null = null;
  #last: WireTurn | null = null;
  #soon: ReturnType<typeof setTimeout> | undefined;
  #isReading = false;
  #isOld = false;
  #wantsAll = true;
  #isOver = false;

  constructor(thread: string | null) {
    this.#thread = thread;
    this.#stops = [onEvent((event) => this.#take(event)), onAccepted((item) => this.#confirmed(item))];
    this.#last = turnOf(turnsNow(), thread);
    void this.#read();
  }

  close(): void {
    this.#isOver = true;
    clearTimeout(this.#soon);
    for (const stop of this.#stops) stop();
  }

  reload(): void {
    this.#readSoon(true);
  }

  async older(): Promise<void> {
    const before = this.chat.value;
    const first = before?.messages[0];
    if (!before?.session || !first || !before.hasMore) return;
    const { messages, hasMore } = await get<WireMessages>(
      `/api/conversations/${before.session.id}/messages?before=${first.seq}`,
    );
    const now = this.chat.value;
    if (now?.session?.id !== before.session.id) return;
    this.chat.value = { ...now, messages: joined(messages, now.messages), hasMore };
  }

  #take(event: PageEvent): void {
    const thread = this.#thread;
    switch (event.kind) {
      case "hello":
      case "resync":
        this.#last = turnOf(turnsNow(), thread);
        this.#readSoon(true);
        return;
      case "post":
        if (event.post.thread === thread) this.#post(event.post);
        return;
      case "secret":
        if (event.thread === thread) this.secrets.value = [...this.secrets.value, event.text];
        return;
      case "turn":
        if (event.turn.thread !== thread) return;
        this.trouble.value = null;
        this.#turned(event.turn);
        return;
      case "end":
        if (event.thread !== thread) return;
        this.trouble.value = event.outcome === "failed" ? (event.error ?? "The model failed.") : null;
        this.#turned(null);
        return;
      case "text":
      case "reasoning":
      case "call":
      case "output":
        if (this.#last?.id === event.turn) this.#last = turnsNow().get(event.turn) ?? this.#last;
        return;
      case "changed":
        this.#changed(event);
        return;
      case "out":
        return;
    }
  }

  #changed({ what, id }: Extract<PageEvent, { kind: "changed" }>): void {
    const session = this.chat.value?.session;
    if (what === "all" || what === "waiting") this.#readSoon(true);
    if (what === "session" && (!session || id === undefined || id === session.id))
      this.#readSoon(this.#last === null || !session);
  }

  /** What is not in the snapshot any more went into the transcript: it stays until that is read. */
  #turned(turn: WireTurn | null): void {
    const last = this.#last;
    const isLess =
      last !== null &&
      (turn === null ||
        turn.id !== last.id ||
        turn.text.length < last.text.length ||
        turn.calls.length < last.calls.length);
    if (isLess && last) {
      const rest = this.settlingTurns.value.filter(({ item }) => item.id !== last.id);
      this.settlingTurns.value = [...rest, { item: last, since: performance.now() }];
    }
    this.#last = turn;
    this.#readSoon(true);
  }

  #post(post: WirePost): void {
    const chat = this.chat.value;
    if (chat) this.chat.value = { ...chat, posts: withPost(chat.posts, post) };
    // The answer to a command may say that the conversation is another one now.
    if (post.purpose !== "reply") this.#readSoon(true);
  }

  #confirmed(item: Unsent): void {
    if (item.thread !== this.#thread) return;
    if (item.text.startsWith("/")) this.typed.value = [...this.typed.value, item];
    else this.accepted.value = [...this.accepted.value, { item, since: performance.now() }];
    this.#readSoon(true);
  }

  #readSoon(all: boolean): void {
    this.#wantsAll ||= all;
    if (this.#isReading) {
      this.#isOld = true;
      return;
    }
    clearTimeout(this.#soon);
    this.#soon = setTimeout(() => void this.#read(), TOGETHER_MS);
  }

  async #read(): Promise<void> {
    if (this.#isOver) return;
    this.#isReading = true;
    this.#isOld = false;
    const began = performance.now();
    const all = this.#wantsAll;
    this.#wantsAll = false;
    try {
      if (all) await this.#readAll();
      else await this.#readNew();
      if (this.#isOver) return;
      this.failure.value = null;
      this.settlingTurns.value = this.settlingTurns.value.filter(({ since }) => since > began);
      this.accepted.value = this.accepted.value.filter(({ since }) => since > began);
    } catch (error) {
      this.#wantsAll = true;
      // The line says that the server is gone; when it is back, everything is read again.
      const isAway = error instanceof CallFailure && !error.isFinal;
      if (!isAway || this.chat.value === null) this.failure.value = sentenceOf(error);
      if (isAway && !this.#isOver) setTimeout(() => this.#readSoon(true), AGAIN_MS);
    } finally {
      this.#isReading = false;
    }
    if (this.#isOld && !this.#isOver) this.#readSoon(false);
  }

  async #readAll(): Promise<void> {
    const thread = this.#thread === null ? "" : `?thread=${this.#thread}`;
    const read = await get<WireChat>(`/api/chat${thread}`);
    if (this.#isOver) return;
    this.chat.value = mergedChat(this.chat.value, read);
    this.#count = null;
  }

  async #readNew(): Promise<void> {
    const { session, messages } = this.chat.value ?? {};
    const last = messages?.at(-1)?.seq;
    if (!session || last === undefined) return this.#readAll();
    const read = await get<WireMessages>(`/api/conversations/${session.id}/messages?after=${last}`);
    const now = this.chat.value;
    if (!now || now.session?.id !== session.id || this.#isOver) return;
    // Fewer than there must be: some were taken back.
    if (read.hasMore || (this.#count !== null && read.count !== this.#count + read.messages.length))
      return this.#readAll();
    this.#count = read.count;
    this.chat.value = { ...now, messages: joined(now.messages, read.messages) };
  }
}

/** What was read keeps the older pages that somebody has opened, if nothing is between. */
function mergedChat(before: WireChat | null, read: WireChat): WireChat {
  const first = read.messages[0];
  if (!first || !before?.session || before.session.id !== read.session?.id) return read;
  const older: readonly WireMessage[] = before.messages.filter(({ seq }) => seq < first.seq);
  const isWhole = before.messages.some(({ seq }) => seq >= first.seq);
  if (older.length === 0 || !isWhole) return read;
  return { ...read, messages: [...older, ...read.messages], hasMore: before.hasMore };
}
