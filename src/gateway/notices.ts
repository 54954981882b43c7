/** What the gateway itself says in a chat, in pieces that the platform accepts, for the process that sends it. */

import { type Adapter, lengthIn } from "../adapter/adapter.js";
import { prepareMarkdown } from "../adapter/markdown/prepare.js";
import { type PieceRoom, split, splitInTurns } from "../delivery/split.js";
import { type DeliveryId, deliveryIdOf } from "../session/ids.js";
import type { Platform } from "../session/platform.js";
import { type Address, addressOf } from "../session/source.js";
import { limitsOf } from "./limits-of.js";
import type { Account, InboxItem, NewDelivery } from "./store.js";

/** About as many as turns that end at the same time. */
const MAX_CUT = 16;

export class Notices {
  readonly #adapters: readonly Adapter[];
  readonly #senderOf: (account: Account) => string;
  /** The texts that were cut lately. */
  readonly #cut = new Map<string, readonly string[]>();

  /** `senderOf`: this process, or "" if another one has the account. */
  constructor(adapters: readonly Adapter[], senderOf: (account: Account) => string) {
    this.#adapters = adapters;
    this.#senderOf = senderOf;
  }

  /** Cuts a long text, letting other work run meanwhile. */
  about(item: InboxItem, deliveryId: DeliveryId, text: string, why?: Why): Promise<NewDelivery[]> {
    return this.to(placeOf(item), deliveryId, text, why);
  }

  /** For a short text, within a transaction. */
  shortly(item: InboxItem, deliveryId: DeliveryId, text: string): NewDelivery[] {
    return this.#deliveries(placeOf(item), deliveryId, text);
  }

  async to(where: NoticeTarget, deliveryId: DeliveryId, text: string, why?: Why): Promise<NewDelivery[]> {
    await this.cut(where.address.platform, text);
    return this.#deliveries(where, deliveryId, text, why);
  }

  #deliveries(
    { account, address }: NoticeTarget,
    deliveryId: DeliveryId,
    text: string,
    why: Why = { purpose: "notice" },
  ): NewDelivery[] {
    const holder = this.#senderOf({ platform: address.platform, account });
    return this.piecesOf(address.platform, text).map((piece, n) => ({
      deliveryId: n === 0 ? deliveryId : deliveryIdOf(deliveryId, n + 1),
      account,
      holder,
      address,
      ...why,
      text: piece,
      sessionId: null,
      shown: false,
    }));
  }

  /** A text in pieces that the platform accepts; a long one should be cut before, with `cut`. */
  piecesOf(platform: Platform, text: string): readonly string[] {
    const room = this.#roomIn(platform);
    return this.#cut.get(keyOf(platform, text)) ?? split(text, room);
  }

  /** Cuts a long text, letting other work run meanwhile; then `piecesOf` has it at hand. */
  async cut(platform: Platform, text: string): Promise<void> {
    const room = this.#roomIn(platform);
    if (text.length < room.max / 2 && room.lengthOf(text) <= room.max) return;
    this.#cut.set(keyOf(platform, text), await splitInTurns(text, room));
    const [oldest] = this.#cut.keys();
    if (this.#cut.size > MAX_CUT && oldest !== undefined) this.#cut.delete(oldest);
  }

  #roomIn(platform: Platform): PieceRoom {
    const limits = limitsOf(this.#adapters, platform);
    return { max: limits.maxText, lengthOf: (piece) => lengthIn(limits, piece), prepare: prepareMarkdown };
  }
}

/** What it is for; by default a notice. */
type Why = Pick<NewDelivery, "purpose" | "handoffId" | "runId">;

interface NoticeTarget {
  readonly account: string;
  readonly address: Address;
}

function placeOf({ account, source }: InboxItem): NoticeTarget {
  return { account, address: addressOf(source) };
}

function keyOf(platform: Platform, text: string): string {
  return `${platform} ${text}`;
}
