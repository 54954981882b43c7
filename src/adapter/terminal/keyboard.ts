/** Keys and pastes as commands. A paste is one insertion, whatever it holds: its line breaks submit nothing. */
import { emitKeypressEvents, type Interface } from "node:readline";
import type { ReadStream } from "node:tty";
import type { Clock } from "../../util/clock.js";
import { printableText } from "../../util/text.js";
import { commandOf, isPrefix, type Key, type KeyCommand } from "./keys.js";

/** How long an Esc may be the beginning of another key. */
const ESCAPE_MS = 80;
const PASTE_END = "\u001b[201~";
/** Pieces of one paste follow each other faster. */
const PASTE_LOST_MS = 1_000;

export class Keyboard {
  readonly #input: ReadStream;
  readonly #onCommand: (command: KeyCommand) => void;
  readonly #clock: Clock;
  /** The pieces of the paste that is under way, and when the last one came. */
  #paste: string[] | null = null;
  #pastedAt = 0;
  /** The last key was the first of a command of two. */
  #isPrefixed = false;

  constructor(input: ReadStream, clock: Clock, onCommand: (command: KeyCommand) => void) {
    this.#input = input;
    this.#clock = clock;
    this.#onCommand = onCommand;
  }

  start(): void {
    emitKeypressEvents(this.#input, WAITING);
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
      if (this.#isPasteTornAtEnd()) this.#endPaste();
    } else {
      this.#endPaste();
      const command = commandOf(text, key, this.#isPrefixed);
      this.#isPrefixed = !this.#isPrefixed && isPrefix(key);
      if (command) this.#onCommand(command.kind === "insert" ? harmless(command.text) : command);
    }
  };

  /** A paste whose end got lost is not forever: Ctrl-C gets out of it, if it was pressed rather than pasted. */
  #isWayOut(key: Key): boolean {
    return key.ctrl === true && key.name === "c" && this.#clock() - this.#pastedAt > PASTE_LOST_MS;
  }

  /** The mark of the end came in two pieces, far enough apart to be taken for an Esc and text. */
  #isPasteTornAtEnd(): boolean {
    return this.#paste?.at(-1) === "~" && this.#paste.slice(-PASTE_END.length).join("").endsWith(PASTE_END);
  }

  #endPaste(): void {
    const whole = this.#paste?.join("") ?? "";
    const text = whole.endsWith(PASTE_END) ? whole.slice(0, -PASTE_END.length) : whole;
    this.#paste = null;
    if (text !== "") this.#onCommand(harmless(text));
  }
}

/** What readline reads of its interface. */
const WAITING = { escapeCodeTimeout: ESCAPE_MS } as unknown as Interface;

function harmless(text: string): KeyCommand {
  return { kind: "insert", text: printableText(text) };
}
