/**
 * Tells thoughts from words where a model writes both as text: `<think>…</think>` at the beginning of an answer. Anything
 * later is text, also a tag. Pieces come as they are; only what may be a part of a tag waits for the next one.
 */
const OPEN = /^\s*<(think|thinking|thought)>/i;
/** What may still become an opening tag. */
const MAYBE_OPEN = /^\s{0,100}(?:<(?:t(?:h(?:i(?:n(?:k(?:i(?:ng?)?)?)?)?|o(?:u(?:g(?:ht?)?)?)?)?)?)?)?$/i;

export interface ThoughtPiece {
  readonly kind: "text" | "reasoning";
  readonly text: string;
}

export class ThinkTags {
  #state: "start" | "thinking" | "gap" | "text" = "start";
  #close = "";
  #held = "";

  push(delta: string): ThoughtPiece[] {
    if (this.#state === "text") return pieces("text", delta);
    const text = this.#held + delta;
    this.#held = "";
    switch (this.#state) {
      case "start":
        return this.#begin(text);
      case "thinking":
        return this.#think(text);
      default:
        return this.#afterwards(text);
    }
  }

  /** No more comes: what was held back is what it looks like. */
  end(): ThoughtPiece[] {
    const held = this.#held;
    this.#held = "";
    return pieces(this.#state === "thinking" ? "reasoning" : "text", held);
  }

  #begin(text: string): ThoughtPiece[] {
    const [tag, name = ""] = OPEN.exec(text) ?? [];
    if (tag !== undefined) {
      this.#state = "thinking";
      this.#close = `</${name.toLowerCase()}>`;
      return this.#think(text.slice(tag.length));
    }
    if (MAYBE_OPEN.test(text)) {
      this.#held = text;
      return [];
    }
    this.#state = "text";
    return pieces("text", text);
  }

  #think(text: string): ThoughtPiece[] {
    const lower = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()); // Other letters may change their length.
    const at = lower.indexOf(this.#close);
    if (at >= 0) {
      this.#state = "gap";
      return [
        ...pieces("reasoning", text.slice(0, at)),
        ...this.#afterwards(text.slice(at + this.#close.length)),
      ];
    }
    let held = Math.min(this.#close.length - 1, text.length);
    while (held > 0 && !this.#close.startsWith(lower.slice(lower.length - held))) held -= 1;
    this.#held = text.slice(text.length - held);
    return pieces("reasoning", text.slice(0, text.length - held));
  }

  /** The answer begins with a word. */
  #afterwards(text: string): ThoughtPiece[] {
    const words = text.trimStart();
    if (words !== "") this.#state = "text";
    return pieces("text", words);
  }
}

function pieces(kind: ThoughtPiece["kind"], text: string): ThoughtPiece[] {
  return text === "" ? [] : [{ kind, text }];
}
