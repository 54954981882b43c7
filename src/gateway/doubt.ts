/** Tells a chat, once, that a message may not have arrived; never about that sentence itself. */
import { deliveryIdOf } from "../session/ids.js";
import { cleanLine, shorten } from "../util/text.js";
import type { Delivery, NewDelivery } from "./store.js";

const SHOWN_CHARS = 60;

/** Null if the chat gets no such sentence. The carrier of a handoff takes care of its first words. */
export function doubtOf(delivery: Delivery, holder: string): NewDelivery | null {
  const { deliveryId, account, address, purpose, sessionId } = delivery;
  if (purpose === "doubt" || purpose === "announcement") return null;
  return {
    deliveryId: deliveryIdOf("doubt", deliveryId),
    account,
    holder,
    address,
    purpose: "doubt",
    text: doubtText(delivery),
    sessionId,
    shown: false,
  };
}

function doubtText({ text, files = [] }: Delivery): string {
  const names = files.map(({ name, file }) => name ?? file).join(", ");
  const words = shorten(cleanLine(names || text), SHOWN_CHARS);
  const mine = names ? `My file "${words}"` : `My message that begins "${words}"`;
  const which = words === "" ? "One of my messages" : mine;
  return `${which} may be missing here: the connection broke while I sent it. If you do not see it, ask me to repeat it.`;
}
