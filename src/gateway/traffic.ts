/** How many letters went to each place: whoever shows something there learns whether it is still the last. */
import type { Adapter, Speaker } from "../adapter/adapter.js";
import { speakerWith } from "../adapter/speaker.js";
import { type Address, formatAddress } from "../session/source.js";

/** Of places in which nothing happened for long, the count begins again. */
const MOST_PLACES = 10_000;

export class Traffic {
  readonly #letters = new Map<string, number>();

  /** How many were sent there, as far as they arrived or may have. */
  to(address: Address): number {
    return this.#letters.get(formatAddress(address)) ?? 0;
  }

  /** The same adapter, whose letters are counted. */
  counted(adapter: Adapter): Adapter {
    const { platform, account, capabilities } = adapter;
    return {
      ...{ platform, account, capabilities },
      serve: (line) => adapter.serve({ ...line, up: (speaker) => line.up(this.#counted(speaker)) }),
    };
  }

  #counted(speaker: Speaker): Speaker {
    return speakerWith(speaker, {
      send: (letter) => speaker.send(letter).finally(() => this.#count(letter.address)),
    });
  }

  #count(address: Address): void {
    const place = formatAddress(address);
    const before = this.#letters.get(place) ?? 0;
    this.#letters.delete(place); // The places of the last letters are at the end.
    this.#letters.set(place, before + 1);
    const [oldest] = this.#letters.keys();
    if (this.#letters.size > MOST_PLACES && oldest !== undefined) this.#letters.delete(oldest);
  }
}
