/** Tells somebody that their voice message could not be heard: it says nothing else, so the agent is not asked. */
import { deliveryIdOf } from "../session/ids.js";
import type { Common } from "./common.js";
import type { Notices } from "./notices.js";
import type { Inbox, InboxItem } from "./store.js";

export interface UnheardSetting extends Pick<Common, "holder" | "clock"> {
  readonly inbox: Pick<Inbox, "skip">;
  readonly notices: Pick<Notices, "about">;
}

/** True if the message is nothing but speech that nobody understood. */
export function isUnheard({ text, attachments = [], missing = [] }: InboxItem): boolean {
  const isSpeech = attachments.length > 0 && attachments.every(({ voice, text: words }) => voice && !words);
  return text === "" && missing.length === 0 && isSpeech;
}

export async function tellUnheard(
  { inbox, holder, clock, notices }: UnheardSetting,
  item: InboxItem,
  reason: string,
): Promise<void> {
  const text = `I can't tell what you say in this voice message, because ${reason}. Please type it instead.`;
  const told = await notices.about(item, deliveryIdOf("inbox", item.id, "unheard"), text);
  await inbox.skip(item.id, holder, told, clock());
}
