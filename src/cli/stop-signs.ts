/**
 * The signs that nobody waits for a single question or an import any more: Ctrl-C, Ctrl-D, a signal, a closed pipe. The
 * first one calls `onStop`; a second signal ends the program at once.
 */
import { constants } from "node:os";
import type { Cli } from "./cli.js";
import { CliError } from "./failure.js";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export class StopSigns {
  readonly #onStop: () => void;
  readonly #ends: (() => void)[] = [];
  #exitCode: number | null = null;

  constructor({ terminal, streams }: Cli, onStop: () => void) {
    this.#onStop = onStop;
    for (const signal of SIGNALS) {
      const hear = (): void => this.#stop(128 + constants.signals[signal]);
      process.on(signal, hear);
      this.#ends.push(() => process.off(signal, hear));
    }
    this.#ends.push(terminal.onGone(() => this.#stop(0)));
    const { stdin } = streams;
    if (!stdin.isTTY) return;
    const hear = (): void => this.#stop(128 + constants.signals.SIGINT);
    stdin.on("end", hear).resume();
    this.#ends.push(() => stdin.off("end", hear).pause());
  }

  get isAsked(): boolean {
    return this.#exitCode !== null;
  }

  /** Fails if one was seen. */
  check(text = "Stopped. Baton will not ask this again."): void {
    if (this.#exitCode !== null) throw new CliError("stopped", text, this.#exitCode);
  }

  end(): void {
    for (const end of this.#ends) end();
  }

  #stop(exitCode: number): void {
    if (this.#exitCode === null) {
      this.#exitCode = exitCode;
      this.#onStop();
    } else if (exitCode !== 0) process.exit(exitCode);
  }
}
