/**
 * The person's terminal while a program has it: every key goes to the program, and whatever ends this process (but
 * kill -9), the terminal is afterwards as it was.
 */
import { spawnSync } from "node:child_process";
import type { StandardStreams } from "../terminal.js";

/**
 * Undoes what a program may have set: the other screen, mouse and focus reports, marked pastes, the keyboard's modes, the
 * scroll region, the character set, colours and the hidden cursor. The cursor is saved first, because some of it moves it.
 */
const RESET = [
  "\u001b7\u001b[?1049l", // On the normal screen this goes back to where the cursor is.
  "\u001b[?9;1000;1001;1002;1003;1004;1005;1006;1015;2004;2026l",
  "\u001b[<u\u001b[>4m\u001b[?1l\u001b>",
  "\u001b7\u001b[?6l\u001b[r\u001b8",
  "\u001b(B\u000f\u001b[4l\u001b[?7h\u001b[0m\u001b[0 q\u001b[?25h",
].join("");

const DEADLY = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export class RawTerminal {
  readonly #streams: StandardStreams;
  #isOn = false;

  constructor(streams: StandardStreams) {
    this.#streams = streams;
  }

  enter(): void {
    this.#isOn = true;
    this.#streams.stdin.setRawMode(true);
    // Node.js leaves it to the terminal to turn \n into \r\n. Programs that draw a screen mean the one without the other.
    spawnSync("stty", ["-opost"], { stdio: ["inherit", "ignore", "ignore"] });
    process.on("exit", this.leave);
    for (const signal of DEADLY) process.on(signal, this.#die);
  }

  /** At once: nothing may come after it. */
  readonly leave = (): void => {
    if (!this.#isOn) return;
    this.#isOn = false;
    process.off("exit", this.leave);
    for (const signal of DEADLY) process.off(signal, this.#die);
    const { stdin, stdout } = this.#streams;
    if (stdout.writable) stdout.write(`${RESET}\r\n`);
    if (!stdin.destroyed) stdin.setRawMode(false);
  };

  readonly #die = (signal: NodeJS.Signals): void => {
    this.leave();
    process.kill(process.pid, signal);
  };
}
