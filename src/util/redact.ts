/**
 * Takes secrets out of text. `hide` takes out those that are known, exactly and in the forms that programs write them in:
 * it stands at every way out. `redact` also takes out what is a secret by its form: for logs and errors, where nobody
 * misses a word. Both are linear in the text.
 */
import { formsOf, isUnmistakable } from "./secret-forms.js";
import { withoutShapes } from "./secret-shapes.js";
import { type Span, TextFinder } from "./text-finder.js";

const HIDDEN = "***";

export type Hide = (text: string) => string;

/** Text that comes in pieces: what may be the beginning of a secret waits for the next one. */
export interface HidingStream {
  push(piece: string): string;
  /** No more comes: what has waited. */
  end(): string;
}

/** What is known to be secret is asked for only when there is something to hide it in. */
export class Redactor {
  readonly #sources: (() => readonly string[])[] = [];
  #known: { readonly finder: TextFinder; readonly others: ReadonlySet<string> } | null = null;

  know(secrets: () => readonly string[]): void {
    this.#sources.push(secrets);
    this.#known = null;
  }

  readonly hide: Hide = (text) => replaced(text, this.#all().finder.find(text));

  readonly redact: Hide = (text) => withoutShapes(this.hide(text), (value) => this.#all().others.has(value));

  /** Every character is read once, however small the pieces are. */
  readonly stream = (): HidingStream => {
    let { finder } = this.#all();
    let reading = finder.begin();
    let shown = 0;
    /** What was read and not shown. */
    let waiting = "";
    const read = (piece: string): void => {
      waiting += piece;
      if (finder === this.#all().finder) finder.read(reading, piece);
      else begin(waiting); // More is known by now.
    };
    const begin = (text: string): void => {
      ({ finder } = this.#all());
      reading = finder.begin();
      [shown, waiting] = [0, text];
      finder.read(reading, text);
    };
    const showUpTo = (end: number): string => {
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
      end: () => {
        const text = showUpTo(reading.length);
        begin("");
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

/** `from`: where the text stands in what was read; a span that began before it has its stars already. */
function replaced(text: string, spans: readonly Span[], from = 0): string {
  let hidden = "";
  let at = 0;
  for (const { start, end } of spans) {
    if (start - from >= text.length) break;
    if (start >= from) hidden += text.slice(at, start - from) + HIDDEN;
    at = Math.max(at, end - from);
  }
  return hidden + text.slice(at);
}
