/**
 * The output of a command. Colours and live progress only on a terminal. Callers make text harmless before they print it
 * (see table.ts and describe.ts).
 */
import { once } from "node:events";
import type { ReadStream, WriteStream } from "node:tty";
import { USUAL_COMMAND, withCommand } from "../util/command-words.js";
import { onOutputEnd } from "../util/output-end.js";
import type { Redactor } from "../util/redact.js";

const DEFAULT_COLUMNS = 100;

/** Colours as functions; without colour they give back what they get. */
export type Paint = Readonly<
  Record<"bold" | "dim" | "red" | "green" | "yellow" | "cyan" | "mark", (text: string) => string>
>;

export interface StandardStreams {
  readonly stdin: ReadStream;
  readonly stdout: WriteStream;
  readonly stderr: WriteStream;
}

interface TerminalTraits {
  /** It can only print. */
  readonly isDumb?: boolean;
  /** How the person calls Baton. */
  readonly command?: () => string;
}

function endAtOnce(exitCode: number): void {
  process.exit(exitCode);
}

export class Terminal {
  readonly paint: Paint;
  readonly columns: number;
  readonly #streams: StandardStreams;
  readonly #hiding: Pick<Redactor, "hide" | "redact">;
  readonly #command: () => string;
  #isDumb: boolean;
  #hasProgress = false;
  readonly #dimAside: Paint["dim"];
  #onGone: (exitCode: number) => void = endAtOnce;

  /** `color`: the user's choice; if undefined, only a terminal has it. `hiding` removes secrets from everything printed. */
  constructor(
    streams: StandardStreams,
    color: boolean | undefined,
    hiding: Pick<Redactor, "hide" | "redact">,
    { isDumb = false, command = () => USUAL_COMMAND }: TerminalTraits = {},
  ) {
    this.#isDumb = isDumb;
    this.#command = command;
    this.#streams = streams;
    this.#hiding = hiding;
    this.paint = paintWith(color ?? streams.stdout.isTTY === true);
    this.#dimAside = paintWith(color ?? true).dim;
    this.columns = (streams.stdout.isTTY && streams.stdout.columns) || DEFAULT_COLUMNS;
    onOutputEnd(streams.stdout, streams.stderr, (exitCode) => this.#onGone(exitCode));
  }

  /** The output can't be written any more. Returns how to end listening; without a listener, the program ends. */
  onGone(listener: (exitCode: number) => void): () => void {
    this.#onGone = listener;
    return () => {
      this.#onGone = endAtOnce;
    };
  }

  /** From now on nothing is written over, as if the terminal could only print. */
  onlyPrint(): void {
    this.#isDumb = true;
  }

  /** True if stdout is a terminal. */
  get isSeen(): boolean {
    return this.#streams.stdout.isTTY === true;
  }

  /** True if stderr is a terminal. */
  get isWatched(): boolean {
    return this.#streams.stderr.isTTY === true;
  }

  /** True if a line on stderr can be written over. */
  get overwrites(): boolean {
    return this.isWatched && !this.#isDumb;
  }

  /** True if a person can answer a question. */
  get canAsk(): boolean {
    return this.isSeen && this.#streams.stdin.isTTY === true;
  }

  /** How the person calls Baton. */
  get command(): string {
    return this.#command();
  }

  /** A sentence of ours, with commands as the person calls them. */
  named(text: string): string {
    return text.includes(USUAL_COMMAND) ? withCommand(text, this.command) : text;
  }

  /** A line of Baton's own words. */
  line(text = ""): void {
    this.row(this.named(text));
  }

  /** A line that others wrote, or a row of a table: printed as it is. */
  row(text: string): void {
    this.#streams.stdout.write(`${this.#hiding.hide(text)}\n`);
  }

  json(value: unknown): void {
    this.row(jsonText(value));
  }

  /** For long output: waits until the reader took it. */
  async write(text: string): Promise<void> {
    if (!this.#streams.stdout.write(this.#hiding.hide(text))) await once(this.#streams.stdout, "drain");
  }

  /** A line beside the result, on stderr. */
  problem(text: string): void {
    if (this.#hasProgress) this.progress("");
    this.#streams.stderr.write(`${this.#hiding.redact(this.named(text))}\n`);
  }

  /** The same for programs. */
  problemJson(value: unknown): void {
    this.#streams.stderr.write(`${this.#hiding.redact(jsonText(value))}\n`);
  }

  /** One line that overwrites itself; an empty text removes it. */
  progress(text: string): void {
    if (!this.overwrites) return;
    this.#hasProgress = text !== "";
    this.#streams.stderr.write(`\r\u001b[2K${this.#hiding.hide(text)}`);
  }

  /** A line for a person who looks at stderr, and for nobody else. */
  aside(text: string): void {
    const dim = this.#isDumb ? (words: string) => words : this.#dimAside;
    if (this.isWatched) this.#streams.stderr.write(`${dim(this.#hiding.hide(text))}\n`);
  }

  /** Anything but yes means no, also Ctrl-C and Ctrl-D. */
  async confirm(question: string): Promise<boolean> {
    const { createInterface } = await import("node:readline/promises"); // Only to ask: it takes its time.
    const prompt = createInterface({ input: this.#streams.stdin, output: this.#streams.stdout });
    const closed = once(prompt, "close").then(() => "");
    const aborted = () => {
      this.line();
      return "";
    };
    const answer = await Promise.race([
      prompt.question(`${this.#hiding.hide(question)} [y/N] `).catch(aborted),
      closed,
    ]);
    prompt.close();
    return /^y(es)?$/i.test(answer.trim());
  }
}

/** JSON that is safe to print: control, bidi and invisible characters are escaped. */
export function jsonText(value: unknown, indent = 2): string {
  return JSON.stringify(value, null, indent).replace(
    /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e0fff}]/gu,
    (character) =>
      Array.from(
        { length: character.length },
        (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`,
      ).join(""),
  );
}

/** The same in one line. */
export function jsonLine(value: unknown): string {
  return jsonText(value, 0);
}

function paintWith(color: boolean): Paint {
  const sgr = (on: number, off: number) => (text: string) =>
    color ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  return {
    bold: sgr(1, 22),
    dim: sgr(2, 22),
    red: sgr(31, 39),
    green: sgr(32, 39),
    yellow: sgr(33, 39),
    cyan: sgr(36, 39),
    mark: sgr(7, 27),
  };
}
