/**
 * What is typed into a PTY. The package's own write blocks until the program has read: a program that does not read would
 * stop the host, and with it every other process. So this writes what fits, and the rest later.
 */
import { writeSync } from "node:fs";
import type { IPty } from "@lydell/node-pty";
import { timerMs } from "../../util/timer-ms.js";
import { type OpenPty, openPty } from "./open-pty.js";

const AGAIN_MS = 10;

export class PtyInput {
  readonly #pty: OpenPty;
  #waiting: Buffer[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(pty: IPty) {
    this.#pty = openPty(pty);
  }

  get isOpen(): boolean {
    return !this.#pty._socket.destroyed;
  }

  /** How much the program has not read, in bytes. */
  get unread(): number {
    return this.#waiting.reduce((sum, { length }) => sum + length, 0);
  }

  write(text: string): void {
    this.#waiting.push(Buffer.from(text));
    if (!this.#timer) this.#goOn();
  }

  #goOn(): void {
    this.#timer = undefined;
    for (let next = this.#waiting.shift(); next && this.isOpen; next = this.#waiting.shift()) {
      const count = this.#writeSome(next);
      if (count === next.length) continue;
      if (count === null) return;
      this.#waiting.unshift(next.subarray(count));
      this.#timer = setTimeout(() => this.#goOn(), timerMs(AGAIN_MS));
      return;
    }
  }

  /** How much of it was taken; null if nothing will be any more. */
  #writeSome(piece: Buffer): number | null {
    try {
      return writeSync(this.#pty.fd, piece);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EAGAIN") return 0;
      this.#waiting = [];
      return null;
    }
  }
}
