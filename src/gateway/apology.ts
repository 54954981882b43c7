/**
 * What a chat reads while the store fails: one sentence, until messages can be saved again. The outbox is in the store,
 * so the sentence is sent directly, and once. It promises an answer only if one will come.
 *
 * A damaged store may still save messages although it can't answer them. While a lane is stuck on that, nothing more is
 * accepted.
 */
import type { InboundMessage } from "../adapter/adapter.js";
import { StoreError } from "../session/errors.js";
import { addressOf } from "../session/source.js";
import type { Surface } from "./surface.js";

const WHY = "The person who runs me can see why with `baton doctor`.";
const LATER = `I can't save anything right now. Your message is not lost: I will answer when I can. ${WHY}`;
const AGAIN = `I can't save anything right now. If I have not answered once I am back, please send your message again. ${WHY}`;

/** Trying again does not help with these. */
const DAMAGE: readonly string[] = ["store_corrupt", "store_gone"];

/** The part of a message that matters here. */
type Unanswered = Pick<InboundMessage, "kind" | "source" | "messageId">;

export class Apologies {
  /** The last sentence that each chat got. */
  readonly #told = new Map<string, string>();
  readonly #stuck = new Map<object, StoreError>();

  /** Messages can be saved again. */
  over(): void {
    this.#told.clear();
  }

  /** Why no message may be accepted although it could be saved; null if it may. */
  get damage(): StoreError | null {
    return [...this.#stuck.values()].find(({ code }) => DAMAGE.includes(code)) ?? null;
  }

  /** The lane is no longer stuck. */
  freed(lane: object): void {
    this.#stuck.delete(lane);
  }

  /** Runs the work that answers a saved message. If the store fails, the chat gets the sentence, and the lane is stuck. */
  async around<Result>(
    lane: object,
    told: { readonly surface: Surface | undefined; readonly message: Unanswered },
    work: () => Promise<Result>,
  ): Promise<Result> {
    try {
      const result = await work();
      this.freed(lane);
      return result;
    } catch (error) {
      if (error instanceof StoreError) {
        this.#stuck.set(lane, error);
        if (told.surface) void this.say(told.surface, told.message, { isKept: true });
      }
      throw error;
    }
  }

  /** A surface that shows turns live sees the error itself, and shows it in its own way. */
  async say(
    surface: Surface,
    { kind, source, messageId }: Unanswered,
    { isKept = false }: { isKept?: boolean } = {},
  ): Promise<void> {
    const chat = `${source.platform} ${source.chatId} ${source.threadId ?? ""}`;
    const isWords = kind !== "reaction";
    const text = isKept || surface.capabilities.redelivers ? LATER : AGAIN;
    // A chat that was asked to send it again does not need this promise as well.
    const { speaker } = surface;
    if (!speaker || speaker.live || !isWords || [text, AGAIN].includes(this.#told.get(chat) ?? "")) return;
    this.#told.set(chat, text);
    const deliveryId = `apology.${messageId}`;
    await speaker.send({ address: addressOf(source), purpose: "notice", text, deliveryId }).catch(() => {}); // If this fails too, there is nothing more to do.
  }
}
