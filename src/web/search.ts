/** GET /api/search: messages with these words, newest first, in the conversations of whoever asks. */
import { nameOf } from "../gateway/session-names.js";
import { readFilters } from "../session/search-filters.js";
import { cursorIn, limitIn, type WebAsking } from "./asking.js";
import type { Routes } from "./routes.js";
import type { WebSetting } from "./setting.js";
import type { WireHit, WirePage } from "./wire.js";

const USUAL = 20;
const MOST = 100;

export function searchRoutes(routes: Routes, { sessions }: Pick<WebSetting, "sessions">): void {
  routes.get("/api/search", (asking) => found(asking, sessions.timezone));
}

async function found(asking: WebAsking, timeZone: string): Promise<WirePage<WireHit>> {
  const written = ["platform", "role", "after", "before"].flatMap((name) => {
    const text = asking.query(name);
    return text === null ? [] : [[name, text]];
  });
  const options = {
    ...(await readFilters(Object.fromEntries(written), { timeZone, now: asking.now })),
    limit: limitIn(asking, USUAL, MOST),
    ...cursorIn(asking),
  };
  const { items, nextCursor } = await asking.view.search(asking.query("q") ?? "", options);
  const hits = items.map((hit) => {
    const { sessionId, platform, seq, role, at, snippet } = hit;
    return { sessionId, name: nameOf(hit), platform, seq, role, at, snippet };
  });
  return { items: hits, nextCursor };
}
