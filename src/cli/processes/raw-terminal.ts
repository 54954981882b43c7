/**
 * The person's terminal while a program has it: every key goes to the program, and whatever ends this process (but
 * kill -9), the terminal is afterwards as it was.
 */
import { spawnSync } from "node:child_process";
import { OtherScreen } from "../../process/other-screen.js";
import type { StandardStreams, Terminal } from "../terminal.js";

/** Back from the other screen. Only from there: on the normal screen, tmux would move the cursor to where it once was. */
const TO_NORMAL_SCREEN = "\u001b[?1049l";

/**
 * Undoes what else a program may have set: mouse and focus reports, marked pastes, the keyboard's modes, the scroll region,
 * the character set, colours and the hidden cursor. The cursor is saved if something moves it.
 */
const RESET = [
  "\u001b[?9;1000;1001;1002;1003;1004;1005;1006;1015;2004;2026l",
  "\u001b[<u\u001b[>4m\u001b[?1l\u001b>",
  "\u001b7\u001b[?6l\u001b[r\u001b8",
  "\u001b(B\u000f\u001b[4l\u001b[?7h\u001b[0m\u001b[0 q\u001b[?25h",
].join("");

const DEADLY = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export class RawTerminal {
  readonly #streams: StandardStreams;
  readonly #terminal: Pick<Terminal, "write">;
  readonly #otherScreen = new OtherScreen();
  #isOn = false;

  constructor(streams: StandardStreams, terminal: Pick<Terminal, "write">) {
    this.#streams = streams;
    this.#terminal = terminal;
  }

  enter(): void {
    this.#isOn = true;
    this.#streams.stdin.setRawMode(true);
    // Node.js leaves it to the terminal to turn \n into \r\n. For programs that draw a screen, \n is only one row down.
    spawnSync("stty", ["-opost"], { stdio: ["inherit", "ignore", "ignore"] });
    process.on("exit", this.leave);
    for (const signal of DEADLY) process.on(signal, this.#die);
  }

  /** What the program prints. */
  write(text: string): Promise<void> {
    this.#otherScreen.push(text);
    return this.#terminal.write(text);
  }

  /** At once: nothing may come after it. */
  readonly leave = (): void => {
    if (!this.#isOn) return;
    this.#isOn = false;
    process.off("exit", this.leave);
    for (const signal of DEADLY) process.off(signal, this.#die);
    const { stdin, stdout } = this.#streams;
    const back = this.#otherScreen.isOn ? TO_NORMAL_SCREEN : "";
    if (stdout.writable) stdout.write(`${back}${RESET}\r\n`);
    if (!stdin.destroyed) stdin.setRawMode(false);
  };

  readonly #die = (signal: NodeJS.Signals): void => {
    this.leave();
    process.kill(process.pid, signal);
  };
}
