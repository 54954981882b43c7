/** What the gateway itself says where a message came from: in pieces that the place takes, for whoever is to send it. */
import { type Adapter, lengthIn } from "../adapter/adapter.js";
import { split } from "../delivery/split.js";
import type { Platform } from "../session/platform.js";
import { type Address, addressOf } from "../session/source.js";
import type { Account, InboxItem, NewDelivery } from "./store.js";

export class Notices {
  readonly #adapters: readonly Adapter[];
  readonly #senderOf: (account: Account) => string;

  /** `senderOf`: this process, or nobody in particular where another has the account. */
  constructor(adapters: readonly Adapter[], senderOf: (account: Account) => string) {
    this.#adapters = adapters;
    this.#senderOf = senderOf;
  }

  about(item: InboxItem, deliveryId: string, text: string): NewDelivery[] {
    return this.to({ account: item.account, address: addressOf(item.source) }, deliveryId, text);
  }

  to(where: { account: string; address: Address }, deliveryId: string, text: string): NewDelivery[] {
    const { account, address } = where;
    const owner = this.#senderOf({ platform: address.platform, account });
    return this.piecesOf(address.platform, text).map((piece, n) => ({
      deliveryId: n === 0 ? deliveryId : `${deliveryId}.${n + 1}`,
      account,
      owner,
      address,
      kind: "notice",
      text: piece,
      sessionId: null,
      shown: false,
    }));
  }

  /** A text in pieces that the platform takes. */
  piecesOf(platform: Platform, text: string): readonly string[] {
    const adapter = this.#adapters.find((each) => each.platform === platform);
    if (!adapter) return [text];
    const { capabilities } = adapter;
    const room = { max: capabilities.maxText, lengthOf: (piece: string) => lengthIn(capabilities, piece) };
    return split(text, room).map((piece) => piece.text);
  }
}
