/**
 * Which ended sessions go, and how: those that ended long ago, and the oldest ones if the store has too much text. A session is
 * in the archive, checked, before it is removed; and it is removed only if it is still as it was archived. So whatever ends
 * this in between, a session is in the store, in the archive, or in both.
 */
import type { Clock } from "../util/clock.js";
import { InputError } from "./errors.js";
import type { SessionEntry } from "./session.js";
import type { EndedSession, SessionStore } from "./store.js";

export interface RetentionRules {
  /** Sessions go that ended longer ago than this; null for none. */
  readonly endedBeforeMs: number | null;
  /** The oldest ended sessions go until the texts of all messages together are at most so many bytes; null for none. */
  readonly maxBytes: number | null;
}

/** Where sessions go before they are removed. */
export interface SessionArchive {
  /** Durable, and read back, when it returns. */
  keep(entry: SessionEntry): Promise<ArchivedSession>;
}

export interface ArchivedSession {
  readonly file: string;
  /** Removes it again, if it was made just now. */
  discard(): Promise<void>;
}

/** What goes, or would go. */
export interface RetentionAmount {
  readonly sessions: number;
  readonly messages: number;
  /** The bytes of their messages' texts. */
  readonly bytes: number;
  /** The first few of them, oldest first. */
  readonly oldest: readonly SessionEntry[];
}

export interface RetentionWork {
  /** Null to remove without an archive. */
  readonly archive: SessionArchive | null;
  /** Called after each session; the next one waits for it. What it throws ends the work. */
  readonly onRemoved?: (done: RetentionAmount) => void | Promise<void>;
  readonly signal?: AbortSignal;
}

const PAGE = 50;
const SHOWN = 5;
/** Messages are measured so many at a time: nobody else waits long. */
const RANGE = 5_000;
const FORGOTTEN = 200;
const DAY_MS = 86_400_000;

/** Whether a session that ended then goes, if the store has that many bytes. Pure. */
export function isDue(endedAt: number, bytes: number, rules: RetentionRules, now: number): boolean {
  const { endedBeforeMs, maxBytes } = rules;
  const isOld = endedBeforeMs !== null && endedAt < now - endedBeforeMs;
  return isOld || (maxBytes !== null && bytes > maxBytes);
}

export class Retention {
  readonly #store: Pick<SessionStore, "routes" | "reader">;
  readonly #clock: Clock;

  constructor(store: Pick<SessionStore, "routes" | "reader">, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Only counts. */
  async plan(rules: RetentionRules): Promise<RetentionAmount> {
    let amount = NOTHING;
    for await (const ended of this.#due(rules)) amount = added(amount, ended, ended.entry.messageCount);
    return amount;
  }

  async apply(
    rules: RetentionRules,
    { archive, onRemoved, signal }: RetentionWork,
  ): Promise<RetentionAmount> {
    let amount = NOTHING;
    for await (const ended of this.#due(rules)) {
      if (signal?.aborted) return amount;
      const archived = await archive?.keep(ended.entry);
      const messages = await this.#store.routes.remove(ended.entry);
      if (messages === null) {
        await archived?.discard(); // Somebody went on with it meanwhile, or it was removed elsewhere.
        continue;
      }
      amount = added(amount, ended, messages);
      await onRemoved?.(amount);
    }
    if (rules.endedBeforeMs !== null) await this.#forgetRest(rules.endedBeforeMs);
    return amount;
  }

  /** Commands and notices belong to no session. Younger ones are needed to recognise a message that arrives again. */
  async #forgetRest(endedBeforeMs: number): Promise<void> {
    const now = this.#clock();
    const before = Math.min(now - endedBeforeMs, now - DAY_MS);
    while ((await this.#store.routes.forget(before, FORGOTTEN)) === FORGOTTEN);
  }

  /** Oldest first. What was given away counts as gone. */
  async *#due(rules: RetentionRules): AsyncGenerator<EndedSession> {
    checkRules(rules);
    const now = this.#clock();
    let bytes = rules.maxBytes === null ? 0 : await this.#bytes();
    let after: SessionEntry | null = null;
    for (;;) {
      const page: readonly EndedSession[] = await this.#store.reader.ended(now, after, PAGE);
      for (const ended of page) {
        if (!isDue(ended.entry.endedAt ?? now, bytes, rules, now)) return;
        bytes -= ended.bytes;
        yield ended;
      }
      after = page.at(-1)?.entry ?? null;
      if (page.length < PAGE) return;
    }
  }

  async #bytes(): Promise<number> {
    let bytes = 0;
    for (let after: number | null = 0; after !== null; ) {
      const part: { bytes: number; next: number | null } = await this.#store.reader.messageBytes(
        after,
        RANGE,
      );
      bytes += part.bytes;
      after = part.next;
    }
    return bytes;
  }
}

const NOTHING: RetentionAmount = { sessions: 0, messages: 0, bytes: 0, oldest: [] };

function added(to: RetentionAmount, { entry, bytes }: EndedSession, messages: number): RetentionAmount {
  return {
    sessions: to.sessions + 1,
    messages: to.messages + messages,
    bytes: to.bytes + bytes,
    oldest: to.oldest.length < SHOWN ? [...to.oldest, entry] : to.oldest,
  };
}

function checkRules({ endedBeforeMs, maxBytes }: RetentionRules): void {
  for (const value of [endedBeforeMs, maxBytes]) {
    if (value === null || (Number.isFinite(value) && value >= 0)) continue;
    throw new InputError("invalid_config", "Retention needs a time and a size of 0 or more.");
  }
}
