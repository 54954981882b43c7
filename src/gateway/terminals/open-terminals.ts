/** Which terminals are open, and what those hear that share a lane. */
import { deliveryIdOf } from "../../session/ids.js";
import type { SessionKey } from "../../session/session-key.js";
import { fateOf } from "../../util/holder.js";
import { cleanLine, shorten } from "../../util/text.js";
import type { NewDelivery, OpenTerminal } from "../store.js";

const LONGEST_CALL = 80;

/** One that stands still, as after Ctrl-Z, is open. Of a process elsewhere only its lease tells. */
export function isOpen({ holder, until }: Pick<OpenTerminal, "holder" | "until">, now: number): boolean {
  const fate = fateOf(holder);
  return fate === "unknown" ? until > now : fate === "alive";
}

/** The chats in that lane, but for the one of this process. */
export function otherChats(
  all: readonly OpenTerminal[],
  { key, holder, now }: { readonly key: SessionKey; readonly holder: string; readonly now: number },
): OpenTerminal[] {
  return all.filter(
    (each) => each.key === key && !each.isScript && each.holder !== holder && isOpen(each, now),
  );
}

/** Tells another terminal that a question waits for its answer where it was asked. */
export function waitsElsewhere(
  question: Pick<NewDelivery, "deliveryId" | "account" | "address">,
  what: string,
  { holder }: Pick<OpenTerminal, "holder">,
): NewDelivery {
  const deliveryId = deliveryIdOf(question.deliveryId, "elsewhere", holder);
  const call = shorten(cleanLine(what), LONGEST_CALL).replaceAll("`", "'");
  const text = `Another terminal asks: allow \`${call}\`? Answer it there.`;
  const { account, address } = question;
  return { deliveryId, account, holder, address, purpose: "notice", text, sessionId: null, shown: false };
}
