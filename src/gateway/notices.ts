/** What the gateway itself says where a message came from: in pieces that the place takes, for whoever is to send it. */
import { type Adapter, lengthIn } from "../adapter/adapter.js";
import { prepareMarkdown } from "../adapter/markdown/prepare.js";
import { type Piece, type PieceRoom, split, splitInTurns } from "../delivery/split.js";
import type { Platform } from "../session/platform.js";
import { type Address, addressOf } from "../session/source.js";
import type { Account, InboxItem, NewDelivery } from "./store.js";

/** As many as turns that end at once. */
const MAX_CUT = 16;

export class Notices {
  readonly #adapters: readonly Adapter[];
  readonly #senderOf: (account: Account) => string;
  /** What was cut of late. */
  readonly #cut = new Map<string, readonly string[]>();

  /** `senderOf`: this process, or nobody in particular where another has the account. */
  constructor(adapters: readonly Adapter[], senderOf: (account: Account) => string) {
    this.#adapters = adapters;
    this.#senderOf = senderOf;
  }

  /** A long text is cut beside other work. */
  about(item: InboxItem, deliveryId: string, text: string, why?: Why): Promise<NewDelivery[]> {
    return this.to(placeOf(item), deliveryId, text, why);
  }

  /** A short text, in the middle of a transaction. */
  shortly(item: InboxItem, deliveryId: string, text: string): NewDelivery[] {
    return this.#deliveries(placeOf(item), deliveryId, text);
  }

  async to(where: NoticeTarget, deliveryId: string, text: string, why?: Why): Promise<NewDelivery[]> {
    await this.cut(where.address.platform, text);
    return this.#deliveries(where, deliveryId, text, why);
  }

  #deliveries(
    { account, address }: NoticeTarget,
    deliveryId: string,
    text: string,
    why: Why = { purpose: "notice" },
  ): NewDelivery[] {
    const owner = this.#senderOf({ platform: address.platform, account });
    return this.piecesOf(address.platform, text).map((piece, n) => ({
      deliveryId: n === 0 ? deliveryId : `${deliveryId}.${n + 1}`,
      account,
      owner,
      address,
      ...why,
      text: piece,
      sessionId: null,
      shown: false,
    }));
  }

  /** A text in pieces that the platform takes; a long one is cut beforehand. */
  piecesOf(platform: Platform, text: string): readonly string[] {
    const room = this.#roomIn(platform);
    if (!room) return [text];
    return this.#cut.get(keyOf(platform, text)) ?? textsOf(split(text, room));
  }

  /** Cuts a long text beforehand, beside other work: `piecesOf` has it from then on. */
  async cut(platform: Platform, text: string): Promise<void> {
    const room = this.#roomIn(platform);
    if (!room || text.length < room.max / 2) return;
    this.#cut.set(keyOf(platform, text), textsOf(await splitInTurns(text, room)));
    const [oldest] = this.#cut.keys();
    if (this.#cut.size > MAX_CUT && oldest !== undefined) this.#cut.delete(oldest);
  }

  #roomIn(platform: Platform): PieceRoom | null {
    const capabilities = this.#adapters.find((each) => each.platform === platform)?.capabilities;
    if (!capabilities) return null;
    return {
      max: capabilities.maxText,
      lengthOf: (piece) => lengthIn(capabilities, piece),
      prepare: prepareMarkdown,
    };
  }
}

/** Why it is said; a notice, unless it is more than that. */
type Why = Pick<NewDelivery, "purpose" | "handoffId">;

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

function textsOf(pieces: readonly Piece[]): readonly string[] {
  return pieces.map(({ text }) => text);
}
