/**
 * The modes of the terminal while a chat runs: raw input and bracketed paste. Whatever ends the process (but kill -9),
 * they are put back as they were.
 */
import type { ReadStream, WriteStream } from "node:tty";

const PASTE_MARKED = "\u001b[?2004h";
const PASTE_UNMARKED = "\u001b[?2004l";

const DEADLY = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export class Modes {
  readonly #input: ReadStream;
  readonly #output: WriteStream;
  readonly #onDeath: () => void;
  #isOn = false;

  /** `onDeath`: a signal ends the process; the last chance to tidy up, and at once. */
  constructor(input: ReadStream, output: WriteStream, onDeath: () => void) {
    this.#input = input;
    this.#output = output;
    this.#onDeath = onDeath;
  }

  enter(): void {
    if (this.#isOn) return;
    this.#isOn = true;
    this.#input.setRawMode(true);
    this.#output.write(PASTE_MARKED);
    process.on("exit", this.#onExit);
    for (const signal of DEADLY) process.on(signal, this.#onSignal);
  }

  leave(): void {
    if (!this.#isOn) return;
    this.#isOn = false;
    process.off("exit", this.#onExit);
    for (const signal of DEADLY) process.off(signal, this.#onSignal);
    if (this.#output.writable) this.#output.write(PASTE_UNMARKED);
    if (!this.#input.destroyed) this.#input.setRawMode(false);
  }

  /** Nobody said goodbye, and there may be a stack trace: what follows begins on a line of its own. */
  readonly #onExit = (): void => {
    this.leave();
    this.#output.write("\r\n");
  };

  /** Who else listens decides when the process ends, and disconnects; else it ends here as it would have. */
  readonly #onSignal = (signal: NodeJS.Signals): void => {
    if (process.listenerCount(signal) > 1) return;
    this.#onDeath();
    this.leave();
    process.kill(process.pid, signal);
  };
}
