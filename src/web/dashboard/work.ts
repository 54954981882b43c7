/** GET /api/work: imports, backups and other long work, in any process. It is the owners' work, so nobody else sees it. */
import type { LongWork } from "../../gateway/work.js";
import { cleanLine } from "../../util/text.js";
import type { Routes } from "../routes.js";
import type { WebSetting } from "../setting.js";
import type { WireWork } from "../wire.js";

const MOST = 100;

export function workRoutes(
  routes: Routes,
  { store }: { readonly store: Pick<WebSetting["store"], "work"> },
): void {
  routes.get("/api/work", async ({ isOwner, now }) => {
    const work = isOwner ? await store.work.list(now) : [];
    return { items: work.slice(0, MOST).map(wireWork) };
  });
}

function wireWork({ id, what, done, total, unit, startedAt, endedAt, outcome }: LongWork): WireWork {
  return {
    ...{ id: `${id}`, what: cleanLine(what), done, total, unit: cleanLine(unit), startedAt, endedAt },
    outcome: outcome === null ? null : cleanLine(outcome),
  };
}
