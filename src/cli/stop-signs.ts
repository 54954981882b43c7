/**
 * The signs that nobody waits for a single question or an import any more: Ctrl-C, Ctrl-D, a signal, a closed pipe. The
 * first one calls `onStop`. A second signal ends the program as soon as that is done, or at once if it takes too long.
 */
import { constants } from "node:os";
import { anyEntryOf } from "../util/process-group.js";
import type { Cli } from "./cli.js";
import { CliError } from "./failure.js";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const PATIENCE_MS = 5_000;
/** As for any other program before `head`, that is no failure. */
const UNREAD = 0;

export class StopSigns {
  readonly #onStop: () => Promise<unknown>;
  readonly #ends: (() => void)[] = [];
  #asked: { readonly exitCode: number; readonly at: number; readonly done: Promise<unknown> } | null = null;

  /** If `onStop` fails, nothing is said: closing the chat does the same again. */
  constructor({ terminal, streams }: Cli, onStop: () => Promise<unknown>) {
    this.#onStop = onStop;
    for (const signal of SIGNALS) this.#hear(signal, () => this.#stop(128 + constants.signals[signal]));
    this.#ends.push(terminal.onGone((exitCode) => this.#stop(exitCode)));
    const { stdin } = streams;
    if (!stdin.isTTY) return;
    const hear = (): void => this.#stop(128 + constants.signals.SIGINT);
    stdin.on("end", hear);
    this.#ends.push(() => stdin.off("end", hear).pause());
    const listen = (): unknown => (isInForeground() ? stdin.resume() : stdin.pause());
    this.#hear("SIGCONT", listen);
    listen();
  }

  get isAsked(): boolean {
    return this.#asked !== null;
  }

  /** True if nobody reads the output any more; fails if somebody stopped it. */
  isUnread(text = "Stopped. Baton will not ask this again."): boolean {
    if (!this.#asked) return false;
    if (this.#asked.exitCode === UNREAD) return true;
    throw new CliError("stopped", text, this.#asked.exitCode);
  }

  end(): void {
    for (const end of this.#ends) end();
  }

  #hear(signal: NodeJS.Signals, listener: () => void): void {
    process.on(signal, listener);
    this.#ends.push(() => process.off(signal, listener));
  }

  #stop(exitCode: number): void {
    if (this.#asked === null) {
      this.#asked = { exitCode, at: performance.now(), done: this.#onStop().catch(() => {}) };
    } else if (exitCode !== UNREAD) {
      const { at, done } = this.#asked;
      if (performance.now() - at > PATIENCE_MS) process.exit(exitCode);
      void done.then(() => process.exit(exitCode));
    }
  }
}

/** The system stops a job in the background that reads from its terminal. False also if the system does not tell. */
function isInForeground(): boolean {
  const entry = anyEntryOf(process.pid);
  return entry !== null && entry.group === entry.foreground;
}
