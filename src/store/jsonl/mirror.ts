/**
 * A one-way mirror: a file of JSON lines for each session, for people and tools that like to look at files. It follows
 * the store a moment behind and is never read back. A mirror that fails is reported and fails nothing else.
 */

import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { SessionId } from "../../session/ids.js";
import type { Sessions } from "../../session/sessions.js";
import type { OnProblem } from "../../util/problem.js";
import { type MirroredFile, mirrorSession } from "./mirror-file.js";
import { sessionFileName } from "./session-json.js";

export interface MirrorOptions {
  readonly folder: string;
  /** Called once for each distinct problem. Must not throw. */
  readonly onProblem: OnProblem;
}

/** Changes within this time are written together. */
const DELAY_MS = 200;
/** Files remembered as this process left them; others are written anew when they change. */
const REMEMBERED = 1_000;

export class JsonlMirror {
  readonly #folder: string;
  readonly #onProblem: OnProblem;
  readonly #files = new Map<SessionId, MirroredFile>();
  readonly #reported = new Set<string>();
  #pending = new Set<SessionId>();
  #sessions: Sessions | undefined;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: MirrorOptions) {
    this.#folder = options.folder;
    this.#onProblem = options.onProblem;
  }

  /** The sessions to mirror. Those that change from now on get their files. */
  watch(sessions: Sessions): void {
    this.#sessions = sessions;
  }

  /** To be called after each commit that changed a session. Never throws, writes nothing yet. */
  changed(sessionId: SessionId): void {
    if (this.#closed) return;
    this.#pending.add(sessionId);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#writing = this.#writing.then(() => this.#flush());
    }, DELAY_MS).unref();
  }

  /** Writes what is pending, then stops. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#flush());
    await this.#writing;
  }

  async #flush(): Promise<void> {
    const changed = this.#pending;
    this.#pending = new Set();
    for (const sessionId of changed) await this.#mirror(sessionId);
  }

  async #mirror(sessionId: SessionId): Promise<void> {
    const before = this.#files.get(sessionId);
    // Forgotten until it is written whole: a write that fails midway leaves a file not to be added to.
    this.#files.delete(sessionId);
    try {
      const entry = await this.#sessions?.get(sessionId);
      if (!this.#sessions) return;
      if (!entry) return await rm(this.#pathOf(sessionId), { force: true }); // It was pruned.
      const path = this.#pathOf(sessionId);
      this.#files.set(sessionId, await mirrorSession(path, this.#sessions, entry, before));
      this.#forgetOldest();
    } catch (error) {
      this.#report(error);
      // Tried again with the next change of any session.
      this.#pending.add(sessionId);
    }
  }

  #pathOf(sessionId: SessionId): string {
    return join(this.#folder, sessionFileName(sessionId, "jsonl"));
  }

  #forgetOldest(): void {
    const [oldest] = this.#files.keys();
    if (this.#files.size > REMEMBERED && oldest !== undefined) this.#files.delete(oldest);
  }

  #report(error: unknown): void {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code ?? message ?? String(error);
    if (this.#reported.has(reason)) return;
    this.#reported.add(reason);
    this.#onProblem(
      `The mirror in ${this.#folder} is behind (${reason}). Sessions are safe in the store; check that the folder may be written and has room.`,
      { cause: error },
    );
  }
}
