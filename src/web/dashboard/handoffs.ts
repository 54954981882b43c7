/** GET /api/handoffs: the moves that go on, and the last one of each recent session, of the sessions that this person may see. */
import { placeWords, surfaceOf } from "../../gateway/place-words.js";
import type { Handoff } from "../../session/handoff.js";
import { LOCAL } from "../../session/platform.js";
import { cleanLine } from "../../util/text.js";
import type { WebAsking } from "../asking.js";
import type { Routes } from "../routes.js";
import type { WebSetting } from "../setting.js";
import type { WireHandoff } from "../wire.js";
import { seenSession } from "./seen.js";

type HandoffsSetting = Pick<WebSetting, "sessions"> & {
  readonly store: Pick<WebSetting["store"], "overview">;
};

const RECENT = 50;
/** There are few: each session has one at most, and it waits a minute. */
const MOST_OPEN = 200;

export function handoffRoutes(routes: Routes, setting: HandoffsSetting): void {
  routes.get("/api/handoffs", async (asking) => {
    const found = await handoffsFor(asking, setting);
    return { items: found.map(wireHandoff) };
  });
}

async function handoffsFor(
  { view, now }: WebAsking,
  { sessions, store }: HandoffsSetting,
): Promise<Handoff[]> {
  const { items: recent } = await view.list({ limit: RECENT });
  const ids = recent.map(({ sessionId }) => sessionId);
  const last = await store.overview.lastHandoffs(ids, now);
  const found = new Map(last.map((handoff) => [handoff.id, handoff]));
  const open = (await sessions.listPendingHandoffs()).slice(0, MOST_OPEN);
  for (const handoff of open) {
    if (!found.has(handoff.id) && (await seenSession(view, handoff.sessionId)))
      found.set(handoff.id, handoff);
  }
  return [...found.values()].sort((one, other) => other.requestedAt - one.requestedAt);
}

function wireHandoff({ id, sessionId, state, error, ...handoff }: Handoff): WireHandoff {
  return {
    id,
    sessionId,
    target: whereTo(handoff),
    state,
    at: handoff.finishedAt ?? handoff.requestedAt,
    why: error === null ? null : cleanLine(error),
  };
}

function whereTo({ target, destination }: Pick<Handoff, "target" | "destination">): string {
  if (destination) return placeWords(destination);
  return target === LOCAL ? surfaceOf({ platform: LOCAL }) : cleanLine(target);
}
