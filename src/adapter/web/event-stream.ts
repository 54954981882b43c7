/**
 * One event stream: first the posts after those that the browser has, then the turns that run, then everything as it
 * happens. What holds: a post that is committed is told once, in the order of the positions, whoever wrote it meanwhile;
 * for a post that is not the very next one is never told, but read from the store with all that is before it. A browser
 * that doesn't read is not waited for: its stream ends, and the next one goes on from the last post that it has.
 */
import type { Later } from "../../util/later.js";
import { asEvent, type HubStream, postEvent } from "./hub.js";
import type { PostStore } from "./posts.js";
import type { SignedIn } from "./signed-in.js";
import type { WireTurn } from "./wire.js";

/** The end of the connection on our side: a `ServerResponse` whose head is written. */
interface StreamOutput {
  readonly writableLength: number;
  readonly writableNeedDrain: boolean;
  write(text: string): boolean;
  end(): unknown;
  destroy(): unknown;
  once(event: "drain" | "close", call: () => void): unknown;
  off(event: "drain" | "close", call: () => void): unknown;
}

export interface EventStreamSetting {
  readonly output: StreamOutput;
  readonly signedIn: SignedIn;
  readonly chatId: string;
  readonly posts: Pick<PostStore, "after" | "last">;
  /** When this process began, so that the page knows that it is another one. */
  readonly started: string;
  readonly turns: () => readonly WireTurn[];
  /** Asked from time to time: false if nobody is signed in there any more. It may fail, which says nothing. */
  readonly isStillIn: () => Promise<boolean>;
  readonly later: Later;
  readonly onOver: () => void;
}

const PAGE = 100;
const COMMENT_MS = 15_000;
/** The browser comes back so soon. */
const RETRY_MS = 1_000;
/** With more than this unread, one more event ends the stream. */
const MOST_UNREAD = 1024 * 1024;

export class EventStream implements HubStream {
  readonly #setting: EventStreamSetting;
  #position = 0;
  #isReading = false;
  #isLive = false;
  #isOver = false;
  /** Something was committed since the last read began. */
  #isBehind = false;
  /** Something was told since the first event, which the browser may have asked for before. */
  #hasMissed = false;
  #comment: () => void = () => {};

  constructor(setting: EventStreamSetting) {
    this.#setting = setting;
    setting.output.once("close", () => this.#over());
  }

  get signedIn(): SignedIn {
    return this.#setting.signedIn;
  }

  /** Goes on after that position; null if the browser has none: then it reads what it shows, and older posts are not told. */
  async begin(after: number | null): Promise<void> {
    const { posts, chatId, started } = this.#setting;
    this.#commentSoon(); // Now: if the browser reads nothing, what follows never ends.
    try {
      const last = await posts.last(chatId);
      // A position that is not there yet is from a store that was replaced by an older one.
      this.#position = Math.min(after ?? last, last);
      this.#write(`retry: ${RETRY_MS}\n${asEvent({ kind: "hello", position: last, started })}`);
      await this.#catchUp();
    } catch {
      this.end(); // The browser comes back.
    }
  }

  tell(event: string): void {
    if (this.#isLive) this.#write(event);
    else this.#hasMissed = true;
  }

  posted(position: number, event: string): void {
    if (position <= this.#position) return;
    const isNext = this.#isLive && !this.#isReading && position === this.#position + 1;
    if (isNext) {
      this.#position = position;
      this.#write(event);
    } else this.#readOn();
  }

  /** For a browser that does not read there is no end: its connection is cut, with what it has not read. */
  end(event?: string): void {
    if (this.#isOver) return;
    const { output } = this.#setting;
    const isRead = !output.writableNeedDrain;
    if (event !== undefined && isRead) this.#write(event);
    this.#over();
    if (isRead) output.end();
    else output.destroy();
  }

  #readOn(): void {
    this.#isBehind = true;
    if (!this.#isReading && this.#isLive) this.#catchUp().catch(() => this.end());
  }

  async #catchUp(): Promise<void> {
    const { posts, chatId, turns } = this.#setting;
    this.#isReading = true;
    do {
      this.#isBehind = false;
      const read = await posts.after(chatId, this.#position, PAGE);
      for (const post of read) {
        this.#position = post.position;
        this.#put(postEvent(post));
        await this.#drained();
      }
      if (read.length === PAGE) this.#isBehind = true;
    } while (this.#isBehind && !this.#isOver);
    this.#isReading = false;
    if (this.#isLive || this.#isOver) return;
    for (const turn of turns()) this.#put(asEvent({ kind: "turn", turn }));
    this.#isLive = true;
    if (this.#hasMissed) this.#write(asEvent({ kind: "changed", what: "all" }));
  }

  /** The next post is written once the browser has read this one. */
  async #drained(): Promise<void> {
    const { output } = this.#setting;
    if (this.#isOver || !output.writableNeedDrain) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        output.off("drain", done);
        output.off("close", done);
        resolve();
      };
      output.once("drain", done);
      output.once("close", done);
    });
  }

  /** As something happens: whoever doesn't read meanwhile is let go. */
  #write(text: string): void {
    const { output } = this.#setting;
    if (!this.#isOver && output.writableLength > MOST_UNREAD) {
      this.#over();
      output.destroy();
    }
    this.#put(text);
  }

  #put(text: string): void {
    if (!this.#isOver) this.#setting.output.write(text);
  }

  #commentSoon(): void {
    if (this.#isOver) return;
    this.#comment = this.#setting.later(() => {
      this.#setting
        .isStillIn()
        .catch(() => true) // The store can't be read now: that signs nobody out.
        .then((isIn) => (isIn ? this.#write(": \n\n") : this.end(asEvent({ kind: "out" }))))
        .finally(() => this.#commentSoon());
    }, COMMENT_MS);
  }

  #over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#comment();
    this.#setting.onOver();
  }
}
