/** Keys and pastes as commands. A paste is one insertion, whatever it holds: its line breaks submit nothing. */
import { emitKeypressEvents } from "node:readline";
import type { ReadStream } from "node:tty";
import type { Clock } from "../../util/clock.js";
import { printableText } from "../../util/text.js";
import { commandOf, type Key, type KeyCommand } from "./keys.js";

/** Pieces of one paste follow each other faster. */
const PASTE_LOST_MS = 1_000;

export class Keyboard {
  readonly #input: ReadStream;
  readonly #onCommand: (command: KeyCommand) => void;
  readonly #clock: Clock;
  /** The pieces of the paste that is under way, and when the last one came. */
  #paste: string[] | null = null;
  #pastedAt = 0;

  constructor(input: ReadStream, clock: Clock, onCommand: (command: KeyCommand) => void) {
    this.#input = input;
    this.#clock = clock;
    this.#onCommand = onCommand;
  }

  start(): void {
    emitKeypressEvents(this.#input);
    this.#input.on("keypress", this.#onKey);
    this.#input.resume();
  }

  stop(): void {
    this.#input.off("keypress", this.#onKey);
    this.#input.pause();
  }

  readonly #onKey = (text: string | undefined, key: Key): void => {
    if (key.name === "paste-start") {
      this.#paste = [];
      this.#pastedAt = this.#clock();
    } else if (key.name === "paste-end") {
      this.#endPaste();
    } else if (this.#paste && !this.#isWayOut(key)) {
      this.#paste.push(key.sequence ?? text ?? "");
      this.#pastedAt = this.#clock();
    } else {
      this.#endPaste();
      const command = commandOf(text, key);
      if (command) this.#onCommand(command.kind === "insert" ? harmless(command.text) : command);
    }
  };

  /** A paste whose end got lost is not forever: Ctrl-C gets out of it, if it was pressed rather than pasted. */
  #isWayOut(key: Key): boolean {
    return key.ctrl === true && key.name === "c" && this.#clock() - this.#pastedAt > PASTE_LOST_MS;
  }

  #endPaste(): void {
    const text = this.#paste?.join("") ?? "";
    this.#paste = null;
    if (text !== "") this.#onCommand(harmless(text));
  }
}

function harmless(text: string): KeyCommand {
  return { kind: "insert", text: printableText(text) };
}
