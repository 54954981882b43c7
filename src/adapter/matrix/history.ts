/** Which events of a room are new to us: what the sync brought, what it left out, and where our part of it begins. */
import type { MatrixApi } from "./api.js";
import { type Json, list, record, string } from "./json.js";
import { isMissing } from "./trouble.js";

const PAGE = 100;
const MAX_PAGES = 10;

/** The events of a room's timeline, oldest first, with those that a `limited` one left out: at most a thousand. */
export async function newEvents(
  api: MatrixApi,
  roomId: string,
  given: unknown,
  since: string | null,
  userId: string,
): Promise<readonly Json[]> {
  const timeline = record(given);
  const events = list(timeline.events).map(record);
  const from = string(timeline.prev_batch);
  if (since === null) return [];
  const before = timeline.limited === true && from ? await backfill(api, roomId, from, since) : [];
  const known = new Set(events.map(({ event_id }) => event_id));
  const all = [...before.filter(({ event_id }) => !known.has(event_id)), ...events];
  return all.slice(ourBeginning(all, userId));
}

async function backfill(api: MatrixApi, roomId: string, from: string, to: string): Promise<Json[]> {
  const pages: Json[][] = [];
  let next: string | undefined = from;
  while (next !== undefined && pages.length < MAX_PAGES) {
    try {
      const page: Json = await api.messagesBefore(roomId, next, to, PAGE);
      const events = list(page.chunk).map(record);
      pages.push(events);
      next = events.length > 0 && page.end !== next ? string(page.end) : undefined;
    } catch (error) {
      if (!isMissing(error)) throw error;
      next = undefined; // It is not shown to us: there is nothing to answer there.
    }
  }
  return pages.flat().reverse();
}

/** In a room that was just entered: from the invitation on, or else from when we came in. */
function ourBeginning(events: readonly Json[], userId: string): number {
  const isOurs = (event: Json, membership: string): boolean =>
    event.type === "m.room.member" &&
    event.state_key === userId &&
    record(event.content).membership === membership;
  const joined = events.findLastIndex(
    (event) => isOurs(event, "join") && record(record(event.unsigned).prev_content).membership !== "join",
  );
  if (joined < 0) return 0;
  const invited = events.slice(0, joined).findLastIndex((event) => isOurs(event, "invite"));
  return invited < 0 ? joined : invited;
}
