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

  readonly stream = (): HidingStream => {
    let waiting = "";
    return {
      push: (piece) => {
        const text = waiting + piece;
        const { spans, openFrom } = this.#all().finder.findSoFar(text);
        const last = spans.findLast(({ start }) => start < openFrom);
        const whole = Math.max(openFrom, last?.end ?? 0);
        waiting = text.slice(whole);
        return replaced(
          text.slice(0, whole),
          spans.filter(({ start }) => start < whole),
        );
      },
      end: () => {
        const rest = this.hide(waiting);
        waiting = "";
        return rest;
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

function replaced(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  let hidden = "";
  let at = 0;
  for (const { start, end } of spans) {
    hidden += text.slice(at, start) + HIDDEN;
    at = end;
  }
  return hidden + text.slice(at);
}
