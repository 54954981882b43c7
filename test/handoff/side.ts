/** One end of a handoff, as the person there lives through it. Each call settles once they have seen what it says. */

import { expect, vi } from "vitest";
import type { SessionId } from "../../src/session/ids.js";

export interface Side {
  readonly name: string;
  /** What one writes after `/handoff` to get there. */
  readonly word: string;
  /** A new conversation, under this title. */
  begin(title: string): Promise<void>;
  /** Writes, and is answered here. */
  say(text: string): Promise<void>;
  /** Takes note of what is here already: what comes from now on is new. */
  ready(): Promise<void>;
  /** Asks for the conversation to go there. */
  ask(word: string): Promise<void>;
  /** It has come here, and can be talked in. */
  arrives(title: string, sessionId: SessionId): Promise<void>;
  /** It has gone from here, and that was said. */
  leaves(): Promise<void>;
  /** `/resume`: it is back here. */
  bringBack(title: string): Promise<void>;
  /** Somebody has brought it back elsewhere, and that was said here. */
  loses(title: string): Promise<void>;
}

/** One chat of a platform, seen by one person. */
export interface Spot {
  readonly chatId: string;
  readonly word: string;
  /** They write there, or in that thread of it; where others are, to the bot. */
  write(text: string, threadId?: string): Promise<unknown>;
  /** What the bot said there, oldest first, as it reads by now. */
  told(threadId?: string): readonly string[] | Promise<readonly string[]>;
}

/** Where a session is now. */
export type Whereabouts = (sessionId: SessionId) => Promise<{ chatId: string; threadId?: string } | null>;

export class ChatSide implements Side {
  readonly name: string;
  readonly word: string;
  readonly #spot: Spot;
  readonly #whereabouts: Whereabouts;
  /** The thread that the conversation came in. */
  #thread: string | undefined;
  #seen = 0;

  constructor(name: string, spot: Spot, whereabouts: Whereabouts) {
    this.name = name;
    this.word = spot.word;
    this.#spot = spot;
    this.#whereabouts = whereabouts;
  }

  get threadId(): string | undefined {
    return this.#thread;
  }

  begin(title: string): Promise<void> {
    return this.#write(`/new ${title}`, `A new session begins: "${title}".`);
  }

  say(text: string): Promise<void> {
    const isRun = text.startsWith("run ");
    return this.#write(text, isRun ? "The terminal says:" : `You said “${text}”.`);
  }

  async ready(): Promise<void> {
    this.#thread = undefined;
    this.#seen = (await this.#spot.told()).length;
  }

  ask(word: string): Promise<void> {
    return this.#write(`/handoff ${word}`, word === "local" ? "Offered to the terminal" : "Moving to ");
  }

  async arrives(title: string, sessionId: SessionId): Promise<void> {
    let threadId: string | undefined;
    await vi.waitUntil(async () => {
      const now = await this.#whereabouts(sessionId);
      threadId = now?.threadId;
      return now?.chatId === this.#spot.chatId;
    }, PATIENCE);
    const isMade = threadId !== undefined && !this.word.endsWith(`:${threadId}`);
    if (isMade) [this.#thread, this.#seen] = [threadId, 0];
    await this.#sees(`"${title}" continues here: `);
    await this.#sees("I'm here. ");
  }

  async leaves(): Promise<void> {
    const last = await this.#sees(/^Moved to |^Taken over at the terminal\./);
    const texts = (await this.#spot.told(this.#thread)).slice(this.#seen);
    expect(texts.findIndex((text) => /^Moving to |^Offered to /.test(text))).toBeLessThan(
      texts.indexOf(last),
    );
  }

  bringBack(title: string): Promise<void> {
    return this.#write("/resume", `Back in "${title}": `);
  }

  async loses(title: string): Promise<void> {
    await this.#sees(`"${title}" moved to `);
  }

  /** Asks for it to go there, in vain; what they were told. */
  async failsToGo(word: string): Promise<string> {
    await this.ask(word);
    return this.#sees(/^The handoff to /);
  }

  async #write(text: string, answer: string): Promise<void> {
    this.#seen = (await this.#spot.told(this.#thread)).length;
    await this.#spot.write(text, this.#thread);
    await this.#sees(answer);
  }

  async #sees(what: string | RegExp): Promise<string> {
    let texts: readonly string[] = [];
    const isIt = (text: string): boolean =>
      typeof what === "string" ? text.includes(what) : what.test(text);
    await vi
      .waitUntil(async () => {
        texts = (await this.#spot.told(this.#thread)).slice(this.#seen);
        return texts.some(isIt);
      }, PATIENCE)
      .catch(() => {
        throw new Error(`${this.name} was never told ${what}, but ${JSON.stringify(texts)}`);
      });
    return texts.find(isIt) ?? "";
  }
}

const PATIENCE = { timeout: 30_000, interval: 20 };
