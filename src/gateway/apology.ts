/**
 * What a chat is told while the store fails: once, until messages are kept again. It cannot go through the outbox, for it
 * is the store that fails; so it is sent as it is, and not tried again. It promises an answer only where one will come.
 *
 * A store that takes messages but is damaged where conversations are cannot answer them: while a lane is stuck on that,
 * nothing more is taken.
 */
import type { InboundMessage } from "../adapter/adapter.js";
import { StoreError } from "../session/errors.js";
import { addressOf } from "../session/source.js";
import type { Surface } from "./surface.js";

const WHY = "The person who runs me can see why with `baton doctor`.";
const LATER = `I can't save anything right now. Your message is not lost: I will answer when I can. ${WHY}`;
const AGAIN = `I can't save anything right now. If I have not answered once I am back, please send your message again. ${WHY}`;

/** Trying again does not mend these. */
const DAMAGE: readonly string[] = ["store_corrupt", "store_gone"];

/** What was said, as far as it matters here. */
type Unanswered = Pick<InboundMessage, "kind" | "source" | "messageId">;

export class Apologies {
  /** By chat, what it was told last. */
  readonly #told = new Map<string, string>();
  readonly #stuck = new Map<object, StoreError>();

  /** Messages are kept again. */
  over(): void {
    this.#told.clear();
  }

  /** Why nothing may be taken, though it could be kept; null where it may. */
  get damage(): StoreError | null {
    return [...this.#stuck.values()].find(({ code }) => DAMAGE.includes(code)) ?? null;
  }

  /** Nothing waits in the lane any more. */
  freed(lane: object): void {
    this.#stuck.delete(lane);
  }

  /** Runs what answers a message that was kept. Where the store fails in it, its chat is told, and the lane is stuck. */
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

  /** A surface that shows turns as they happen sees the refusal itself, and says it in its own way. */
  async say(
    surface: Surface,
    { kind, source, messageId }: Unanswered,
    { isKept = false }: { isKept?: boolean } = {},
  ): Promise<void> {
    const chat = `${source.platform} ${source.chatId} ${source.threadId ?? ""}`;
    const isWords = kind !== "reaction" && kind !== "button";
    const text = isKept || surface.capabilities.redelivers ? LATER : AGAIN;
    // Who was told to look whether an answer comes need not be told that one does.
    const { speaker } = surface;
    if (!speaker || speaker.live || !isWords || [text, AGAIN].includes(this.#told.get(chat) ?? "")) return;
    this.#told.set(chat, text);
    const deliveryId = `apology.${messageId}`;
    await speaker.send({ address: addressOf(source), purpose: "notice", text, deliveryId }).catch(() => {}); // It was worth a try.
  }
}
