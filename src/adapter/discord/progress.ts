/**
 * How far an account has read, from one process to the next: the last message seen in each channel, and the session of
 * the gateway that can be gone on with. A channel is known before its first message is taken, so that this one comes
 * again too. Written at most once a second: what is read twice for that is known to the inbox.
 */
import { parsedUrl } from "../../util/parsed-url.js";
import type { Memory } from "../adapter.js";
import { before, isNewer, isSnowflake, newest, snowflakeAt } from "./snowflake.js";

export interface GatewaySession {
  readonly sessionId: string;
  readonly resumeUrl: string;
  readonly sequence: number;
  /** Which events it brings. */
  readonly intents: number;
}

interface Remembered {
  readonly session: GatewaySession | null;
  /** Everything up to here was read, also in channels that are not listed. */
  readonly mark: string | null;
  /** By channel, the longest quiet first. */
  readonly seen: readonly (readonly [string, string])[];
}

const NAME = "progress";
const MAX_CHANNELS = 200;
const WRITE_EACH_MS = 1_000;

export class DiscordProgress {
  readonly #memory: Memory;
  readonly #seen: Map<string, string>;
  #mark: string;
  #session: () => GatewaySession | null;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  static async open(memory: Memory, now: number): Promise<DiscordProgress> {
    return new DiscordProgress(memory, readRemembered(await memory.read(NAME)), now);
  }

  private constructor(memory: Memory, { session, mark, seen }: Remembered, now: number) {
    this.#memory = memory;
    this.#seen = new Map(seen);
    this.#mark = mark ?? snowflakeAt(now);
    this.#session = () => session;
  }

  get session(): GatewaySession | null {
    return this.#session();
  }

  /** From now on the session is asked for whenever something is written. */
  sessionFrom(session: () => GatewaySession | null): void {
    this.#session = session;
    this.#later();
  }

  /** Everything up to this id was read. */
  get mark(): string {
    return this.#mark;
  }

  /** The channels that are known, the liveliest first. */
  get channels(): readonly string[] {
    return [...this.#seen.keys()].reverse();
  }

  lastSeen(channelId: string): string | null {
    return this.#seen.get(channelId) ?? null;
  }

  /** A message is about to be taken: from now on its channel is one to read after a gap. */
  async begin(channelId: string, messageId: string): Promise<void> {
    if (this.#seen.has(channelId)) return;
    this.#note(channelId, before(messageId));
    await this.flush();
  }

  /** A message was taken, or was not for us. */
  done(channelId: string, messageId: string): void {
    this.#note(channelId, messageId);
    this.#mark = newest(this.#mark, messageId);
    this.#later();
  }

  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#closed) return;
    const remembered: Remembered = { session: this.session, mark: this.#mark, seen: [...this.#seen] };
    await this.#memory.write(NAME, JSON.stringify(remembered));
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    // What is not written is read again.
    await this.flush().catch(() => {});
    this.#closed = true;
  }

  #note(channelId: string, messageId: string): void {
    const last = this.#seen.get(channelId) ?? null;
    this.#seen.delete(channelId);
    this.#seen.set(channelId, newest(last, messageId));
    const [quietest] = this.#seen.keys();
    if (this.#seen.size > MAX_CHANNELS && quietest) this.#seen.delete(quietest);
  }

  #later(): void {
    if (this.#timer || this.#closed) return;
    this.#timer = setTimeout(() => {
      this.flush().catch(() => this.#later()); // A store that is busy now is asked again.
    }, WRITE_EACH_MS);
    this.#timer.unref();
  }
}

/** Whatever is there: what cannot be read counts as not there. */
function readRemembered(text: string | null): Remembered {
  try {
    const { session, mark, seen } = JSON.parse(text ?? "{}");
    return {
      session: isSession(session) ? session : null,
      mark: isSnowflake(mark) ? mark : null,
      seen: Array.isArray(seen) ? seen.filter(isSeen).slice(-MAX_CHANNELS) : [],
    };
  } catch {
    return { session: null, mark: null, seen: [] };
  }
}

function isSeen(entry: unknown): entry is readonly [string, string] {
  return Array.isArray(entry) && isSnowflake(entry[0]) && isSnowflake(entry[1]);
}

function isSession(value: Partial<GatewaySession> | null | undefined): value is GatewaySession {
  return (
    typeof value?.sessionId === "string" &&
    typeof value.resumeUrl === "string" &&
    isGatewayUrl(value.resumeUrl) &&
    Number.isSafeInteger(value.sequence) &&
    Number.isSafeInteger(value.intents)
  );
}

export function isGatewayUrl(url: unknown): url is string {
  return typeof url === "string" && /^wss?:$/.test(parsedUrl(url)?.protocol ?? "");
}

/** The ids after which to read a channel: what is older than `oldest` is let be. */
export function readAfter(seen: string, oldest: string): string {
  return isNewer(seen, oldest) ? seen : oldest;
}
