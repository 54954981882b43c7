/**
 * What a command prints, for somebody who watches: as it comes, but at most so much so often, however fast it is. What
 * came too fast is left out from the beginning, by whole lines if there are any. Escape sequences are removed.
 */
import { ControlFreeStream } from "../../util/printable-stream.js";

/** The least time between two pieces. */
const PACE_MS = 100;
/** The longest piece, in UTF-16 units. */
const LONGEST_PIECE = 16_384;

export class LiveOutput {
  readonly #show: (text: string, skipped: number) => void;
  #free = new ControlFreeStream();
  #waiting = "";
  #skipped = 0;
  #pause: NodeJS.Timeout | null = null;

  constructor(show: (text: string, skipped: number) => void) {
    this.#show = show;
  }

  add(text: string): void {
    this.#waiting += text;
    // Cut only now and then, so that small pieces do not copy what waits for each of them.
    if (this.#waiting.length > 2 * LONGEST_PIECE) this.#cut();
    if (this.#pause === null) this.#tell();
  }

  /** Nothing more comes. */
  end(): void {
    if (this.#pause) clearTimeout(this.#pause);
    this.#say();
    const rest = this.#free.end();
    if (rest !== "") this.#show(rest, 0);
  }

  #tell(): void {
    this.#say();
    this.#pause = setTimeout(() => {
      this.#pause = null;
      if (this.#waiting !== "") this.#tell();
    }, PACE_MS).unref();
  }

  #say(): void {
    this.#cut();
    const [skipped, waiting] = [this.#skipped, this.#waiting];
    [this.#skipped, this.#waiting] = [0, ""];
    if (skipped > 0) this.#free = new ControlFreeStream();
    const text = this.#free.push(waiting);
    if (text !== "" || skipped > 0) this.#show(text, skipped);
  }

  #cut(): void {
    const surplus = this.#waiting.length - LONGEST_PIECE;
    if (surplus <= 0) return;
    const end = this.#waiting.indexOf("\n", surplus - 1) + 1;
    const from = end > 0 ? end : surplus;
    this.#skipped += from;
    this.#waiting = this.#waiting.slice(from);
  }
}
