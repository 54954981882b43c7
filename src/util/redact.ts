/**
 * Removes secrets from text. `hide` removes the known ones, exactly and in the forms that programs write them in; it is
 * used at every exit. `redact` also removes what looks like a secret: for logs and errors, where nobody misses a word.
 * Both are linear in the text.
 */
import { formsOf, isUnmistakable } from "./secret-forms.js";
import { withoutShapes } from "./secret-shapes.js";
import { TextFinder, type TextSpan } from "./text-finder.js";

const HIDDEN = "***";

export type Hide = (text: string) => string;

/** For text that comes in pieces: text that may be the beginning of a secret waits for the next piece. */
export interface HidingStream {
  push(piece: string): string;
  /**
   * Some text was left out: what has waited goes, and what comes next is shown only from where no secret can reach that
   * began in the part that is missing.
   */
  skip(): void;
  /** No more text comes: returns what has waited. */
  end(): string;
}

/** Asks for the known secrets only when there is text to hide them in. */
export class Redactor {
  readonly #sources: (() => readonly string[])[] = [];
  #known: { readonly finder: TextFinder; readonly others: ReadonlySet<string> } | null = null;

  know(secrets: () => readonly string[]): void {
    this.#sources.push(secrets);
    this.#known = null;
  }

  readonly hide: Hide = (text) => replaced(text, this.#all().finder.find(text));

  readonly redact: Hide = (text) => withoutShapes(this.hide(text), (value) => this.#all().others.has(value));

  /** Reads every character once, however small the pieces are. */
  readonly stream = (): HidingStream => {
    let { finder } = this.#all();
    let reading = finder.begin();
    let shown = 0;
    /** Text that was read and not returned yet. */
    let waiting = "";
    /** How many characters that are not blank are still to be swallowed, and up to where all is. */
    let unsafe = 0;
    let safeFrom = 0;
    const read = (piece: string): void => {
      for (let at = 0; unsafe > 0 && at < piece.length; at++) {
        if (!/\s/.test(piece[at] ?? "")) unsafe -= 1;
        safeFrom = reading.length + at + 1;
      }
      waiting += piece;
      if (finder === this.#all().finder) finder.read(reading, piece);
      else begin(waiting); // More secrets are known now.
    };
    const begin = (text: string): void => {
      ({ finder } = this.#all());
      reading = finder.begin();
      safeFrom = Math.max(0, safeFrom - shown);
      [shown, waiting] = [0, text];
      finder.read(reading, text);
    };
    const showUpTo = (end: number): string => {
      if (shown < safeFrom) {
        const gone = Math.min(end, safeFrom) - shown;
        waiting = waiting.slice(Math.max(0, gone));
        shown += Math.max(0, gone);
      }
      if (end <= shown) return "";
      const text = replaced(waiting.slice(0, end - shown), reading.spans, shown);
      waiting = waiting.slice(end - shown);
      shown = end;
      return text;
    };
    return {
      push: (piece) => {
        read(piece);
        const openFrom = finder.openFrom(reading);
        const last = reading.spans.findLast(({ start }) => start < openFrom);
        const text = showUpTo(Math.max(openFrom, last?.end ?? 0));
        reading.spans = reading.spans.filter(({ end }) => end > openFrom);
        return text;
      },
      skip: () => {
        begin("");
        [unsafe, safeFrom] = [finder.longest, 0];
      },
      end: () => {
        const text = showUpTo(reading.length);
        begin("");
        [unsafe, safeFrom] = [0, 0];
        return text;
      },
    };
  };

  #all() {
    if (this.#known === null) {
      const secrets = [
        ...new Set(this.#sources.flatMap((source) => source()).map((secret) => secret.trim())),
      ];
      const finder = new TextFinder(secrets.filter(isUnmistakable).flatMap(formsOf));
      this.#known = { finder, others: new Set(secrets.filter((secret) => secret !== "")) };
    }
    return this.#known;
  }
}

/** `from`: the position of the text in what was read; a span that began before it already has its stars. */
function replaced(text: string, spans: readonly TextSpan[], from = 0): string {
  let hidden = "";
  let at = 0;
  for (const { start, end } of spans) {
    if (start - from >= text.length) break;
    if (start >= from) hidden += text.slice(at, start - from) + HIDDEN;
    at = Math.max(at, end - from);
  }
  return hidden + text.slice(at);
}
