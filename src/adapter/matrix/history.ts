/** Which events of a room are new to us: what the sync left out and what it brought, and where our part of it begins. */

import type { Fields } from "../../util/json.js";
import { listOf, record, textOf } from "../untrusted.js";
import type { MatrixApi } from "./api.js";
import { isRefusedForGood, sentenceOf } from "./failure.js";
import type { Gap } from "./pending.js";

const PAGE = 100;
const MAX_PAGES = 10;

/** Events of a room, oldest first. */
export interface Stretch {
  readonly events: readonly Fields[];
  /** Why older ones are missing, as a sentence; absent if none are. */
  readonly missing?: string;
}

/** What the gap has, with what the sync has shown of it: at most the last thousand events. Fails if they cannot be had. */
export async function eventsOf(api: MatrixApi, gap: Gap, userId: string): Promise<Stretch> {
  const found = await eventsBetween(api, gap);
  const known = new Set(found.events.map(({ event_id }) => event_id));
  const shown = gap.shown.filter(({ event_id }) => !known.has(event_id));
  return ourPart({ ...found, events: [...found.events, ...shown] }, userId);
}

async function eventsBetween(api: MatrixApi, { roomId, since, upTo }: Gap): Promise<Stretch> {
  const pages: Fields[][] = [];
  const stretch = (missing?: string): Stretch => ({
    events: pages.flat().reverse(),
    ...(missing === undefined ? {} : { missing }),
  });
  let next: string | undefined = upTo;
  while (next !== undefined) {
    if (pages.length === MAX_PAGES) return stretch(`I look back over ${PAGE * MAX_PAGES} at most.`);
    try {
      const page: Fields = await api.messagesBefore(roomId, next, since, PAGE);
      const events = listOf(page.chunk).map(record);
      pages.push(events);
      next = events.length > 0 && page.end !== next ? textOf(page.end) : undefined;
    } catch (error) {
      if (!isRefusedForGood(error)) throw error;
      return stretch(sentenceOf(error));
    }
  }
  return stretch();
}

/** In a room that was just entered: from the invitation on, or else from when we came in. */
export function ourPart(stretch: Stretch, userId: string): Stretch {
  const { events } = stretch;
  const isOurs = (event: Fields, membership: string): boolean =>
    event.type === "m.room.member" &&
    event.state_key === userId &&
    record(event.content).membership === membership;
  const joined = events.findLastIndex(
    (event) => isOurs(event, "join") && record(record(event.unsigned).prev_content).membership !== "join",
  );
  if (joined < 0) return stretch;
  const invited = events.slice(0, joined).findLastIndex((event) => isOurs(event, "invite"));
  return { events: events.slice(invited < 0 ? joined : invited) };
}
