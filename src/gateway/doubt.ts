/** What a chat is told of a message of which nobody knows whether it arrived: once, and never of that sentence itself. */
import { cleanLine, shorten } from "../util/text.js";
import type { Delivery, NewDelivery } from "./store.js";

const SHOWN_CHARS = 60;

/** Null where the chat is not told. The first words of a handoff are looked after by who carries it out. */
export function doubtOf(delivery: Delivery, owner: string): NewDelivery | null {
  const { deliveryId, account, address, purpose, sessionId } = delivery;
  if (purpose === "doubt" || purpose === "announcement") return null;
  return {
    deliveryId: `doubt.${deliveryId}`,
    account,
    owner,
    address,
    purpose: "doubt",
    text: doubtText(delivery),
    sessionId,
    shown: false,
  };
}

function doubtText({ text, file }: Delivery): string {
  const words = shorten(cleanLine(file ? (file.name ?? file.file) : text), SHOWN_CHARS);
  const mine = file ? `My file "${words}"` : `My message that begins "${words}"`;
  const which = words === "" ? "One of my messages" : mine;
  return `${which} may be missing here: the connection broke while I sent it. If you do not see it, ask me to repeat it.`;
}
