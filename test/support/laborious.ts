/** Messages that are long work to read, and in how many rounds of the event loop they were read. */
import type { Message } from "../../src/session/transcript.js";

/** More than is done without letting others go first. */
const WORK_MS = 10;

export class Laborious {
  readonly messages: readonly Message[];
  readonly #rounds = new Set<number>();
  #round = 0;

  constructor(count: number) {
    const read = (): string => {
      this.#rounds.add(this.#round);
      setImmediate(() => {
        this.#round += 1;
      });
      for (const end = performance.now() + WORK_MS; performance.now() < end; );
      return "words";
    };
    this.messages = Array.from({ length: count }, () => ({
      role: "user" as const,
      get content() {
        return read();
      },
    }));
  }

  get rounds(): number {
    return this.#rounds.size;
  }
}
