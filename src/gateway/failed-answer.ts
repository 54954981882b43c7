/**
 * A message that certainly could not be sent and will not be: the message that it answers is marked, and the chat hears
 * of it when somebody writes there next, once.
 */
import { deliveryIdOf, type TurnId } from "../session/ids.js";
import { addressOf } from "../session/source.js";
import { cleanLine, shorten } from "../util/text.js";
import type { Account, Delivery, InboxItem, NewDelivery, Outbox, Turns } from "./store.js";
import type { Surface } from "./surface.js";

const SHOWN_CHARS = 200;

/** False if nobody expects it there, or its job or the carrier of its handoff says that it failed. */
export function isMissed({ purpose, runId }: Pick<Delivery, "purpose" | "runId">): boolean {
  return purpose !== "doubt" && purpose !== "announcement" && !runId;
}

/**
 * Marks the message that a failed one answers, once for all parts of an answer. It is only a sign: if the platform
 * refuses it, nothing else changes.
 */
export function failedMarks(
  surface: Surface,
  turns: Pick<Turns, "item">,
): (delivery: Pick<Delivery, "turnId">) => void {
  let marked: TurnId | null = null;
  const mark = async (turnId: TurnId): Promise<void> => {
    const item = await turns.item(turnId);
    if (!item || item.made || item.platform !== surface.platform || item.account !== surface.account) return;
    await surface.speaker?.react?.(addressOf(item.source), item.messageId, "failed");
  };
  return ({ turnId }) => {
    if (turnId === null || turnId === marked || !surface.speaker?.react) return;
    marked = turnId;
    mark(turnId).catch(() => {});
  };
}

/** Says in the chat from which this came what could not be sent there since somebody last wrote. */
export function tellFailed(
  outbox: Pick<Outbox, "tellFailed">,
  item: InboxItem,
  sender: (account: Account) => string,
  now: number,
): Promise<void> {
  const address = addressOf(item.source);
  return outbox.tellFailed(
    item,
    address,
    (count, error): NewDelivery => ({
      deliveryId: deliveryIdOf("inbox", item.id, "undelivered"),
      account: item.account,
      holder: sender(item),
      address,
      purpose: "doubt",
      text: failedText(count, error),
      sessionId: null,
      shown: false,
    }),
    now,
  );
}

/** Why it failed, as a part of a sentence. */
export function reasonWords(error: string): string {
  return shorten(cleanLine(error), SHOWN_CHARS).replace(/\.$/, "");
}

function failedText(count: number, error: string): string {
  const reason = reasonWords(error);
  if (count === 1)
    return `My last answer here could not be delivered: ${reason}. If you still need it, ask me to repeat it.`;
  return `${count} of my messages here could not be delivered. The reason for the last one: ${reason}. If you still need them, ask me to repeat them.`;
}
