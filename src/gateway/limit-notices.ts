/** After an answer, the person reads once that a limit is near. Who reads no chat now hears of it after the next answer. */
import { deliveryIdOf } from "../session/ids.js";
import type { Allowance } from "./allowance.js";
import type { Common } from "./common.js";
import type { Notices } from "./notices.js";
import type { Begun } from "./turn-context.js";

export interface LimitNoticesSetting extends Pick<Common, "store" | "clock" | "onProblem"> {
  readonly allowance: Allowance;
  readonly notices: Notices;
}

export async function tellOfLimits(
  { allowance, store, notices, clock, onProblem }: LimitNoticesSetting,
  { item, turn, who }: Begun,
): Promise<void> {
  if (!who.allowed || item.inBackground) return;
  try {
    for (const { notice, text } of await allowance.usage.notices(who, turn.sessionId)) {
      const id = deliveryIdOf(turn.id, "limit", notice.limit);
      await store.usage.tell(notice, await notices.about(item, id, text), clock());
    }
  } catch (cause) {
    onProblem("A notice about a limit could not be saved; it comes after the next answer.", { cause });
  }
}
