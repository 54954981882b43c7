/**
 * A value that may hold a password or a token. It prints as what may be seen, however it is printed; only `reveal()` gives
 * the value itself, and one that stands in a file is read only then.
 */
import { inspect } from "node:util";

let heard: (value: string) => void = () => {};

/**
 * Calls back with every secret that is revealed from now on: also with one whose file was changed since the settings were
 * read. Whoever hides secrets knows it before anybody can say it.
 */
export function hearSecrets(hear: (value: string) => void): void {
  heard = hear;
}

export class Secret {
  /** What may be shown to anybody. */
  readonly shown: string;
  /** Where it is kept, where that is a file of its own. */
  readonly file: string | null;
  readonly #value: () => string;
  #last: string | undefined;

  constructor(shown: string, value: () => string, file: string | null = null) {
    this.shown = shown;
    this.#value = value;
    this.file = file;
  }

  /** The value: for those who connect with it, never for a message. Throws if its file cannot be used. */
  reveal(): string {
    const value = this.#value();
    if (value !== this.#last && value !== this.shown) heard(value);
    this.#last = value;
    return value;
  }

  toString(): string {
    return this.shown;
  }

  toJSON(): string {
    return this.shown;
  }

  [inspect.custom](): string {
    return this.shown;
  }
}

/** `{ file: path }` in a config file: the secret is what stands in that file. */
export class SecretFile {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }
}
