/** GET /api/owner/turns: the turns that run now, in any process, the longest first. */
import type { WorkingTurn } from "../../../gateway/overview.js";
import { placeWords } from "../../../gateway/place-words.js";
import { nameOf } from "../../../gateway/session-names.js";
import { mayAccess, type Viewer } from "../../../session/access.js";
import { holderWords } from "../../../util/holder.js";
import { cleanLine } from "../../../util/text.js";
import { limitIn } from "../../asking.js";
import type { Routes } from "../../routes.js";
import type { WebSetting } from "../../setting.js";
import type { WireRunningTurn } from "../../wire.js";

const USUAL = 100;
const MOST = 500;

export function turnRoutes(
  routes: Routes,
  { store }: { readonly store: Pick<WebSetting["store"], "overview"> },
): void {
  routes.getForOwners("/api/owner/turns", async (asking) => {
    const turns = await store.overview.turns(limitIn(asking, USUAL, MOST));
    return { items: turns.map((turn) => wireTurn(turn, asking.who.viewer)) };
  });
}

/** A title says what it is about. */
function wireTurn({ entry, startedAt, holder, isStopping }: WorkingTurn, viewer: Viewer): WireRunningTurn {
  const isOthers = !mayAccess(viewer, entry);
  return {
    sessionId: entry.sessionId,
    name: isOthers ? placeWords(entry.origin) : nameOf(entry),
    platform: entry.platform,
    startedAt,
    holder: cleanLine(holderWords(holder)),
    isStopping,
    isOthers,
  };
}
