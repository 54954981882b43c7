/**
 * `printableText` for text that comes in pieces: what may be the beginning of an escape sequence, of a line break or of
 * a character waits for its rest, so that the pieces give what the whole would have given.
 */
import { withoutControls, withPlainBreaks } from "./text.js";

/** Longer than any sequence that means well; one that never ends must not swallow the answer. */
const LONGEST_HELD = 1024;

/** A sequence that could go on, or half a surrogate pair, at the end. */
const UNFINISHED =
  /(?:\u001b(?:\[[0-?]*[ -/]*|[\]PX^_][^\u0007\u001b\u009c]*\u001b?|[ -/]*)|\u009b[0-?]*[ -/]*|[\u0090\u0098\u009d-\u009f][^\u0007\u001b\u009c]*\u001b?|[\ud800-\udbff])$/;

/** `withoutControls` for such text: carriage returns stay as they are. */
export class ControlFreeStream {
  #held = "";

  push(delta: string): string {
    const text = this.#held + delta;
    const tail = Math.max(0, text.length - LONGEST_HELD);
    const found = UNFINISHED.exec(text.slice(tail));
    const end = found ? tail + found.index : text.length;
    this.#held = text.slice(end);
    return withoutControls(text.slice(0, end));
  }

  end(): string {
    const rest = withoutControls(this.#held);
    this.#held = "";
    return rest;
  }
}

export class PrintableStream {
  readonly #free = new ControlFreeStream();
  /** What decides about a carriage return that comes next: a break that was printed, or a carriage return that was not yet. */
  #before: "\n" | "\r" | "" = "";

  push(delta: string): string {
    return this.#lines(this.#free.push(delta));
  }

  end(): string {
    const rest = this.#lines(this.#free.end()) + (this.#before === "\r" ? "\n" : "");
    this.#before = "";
    return rest;
  }

  #lines(text: string): string {
    const before = this.#before;
    const all = before + text;
    const waits = all.endsWith("\r");
    const shown = withPlainBreaks(waits ? all.slice(0, -1) : all);
    const begins = /[\n\u0085\u2028\u2029]\r*$/.test(all); // A line.
    this.#before = begins ? "\n" : waits ? "\r" : "";
    return before === "\n" ? shown.slice(1) : shown;
  }
}
