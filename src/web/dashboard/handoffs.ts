/** GET /api/handoffs?session=: the last move of a conversation that this person may see. */
import type { SessionId } from "../../session/ids.js";
import { cleanLine } from "../../util/text.js";
import { RefusedCall, type WebAsking } from "../asking.js";
import type { Routes } from "../routes.js";
import type { WebSetting } from "../setting.js";
import type { WireLastHandoff } from "../wire.js";

type HandoffsSetting = { readonly store: Pick<WebSetting["store"], "overview"> };

export function handoffRoutes(routes: Routes, { store }: HandoffsSetting): void {
  routes.get("/api/handoffs", async (asking): Promise<WireLastHandoff> => {
    const { sessionId } = await asking.view.get(sessionIn(asking));
    const [last] = await store.overview.lastHandoffs([sessionId], asking.now);
    if (!last) return { last: null };
    const { id, state, requestedAt, finishedAt, error } = last;
    const why = error === null ? null : cleanLine(error);
    return { last: { id, state, at: finishedAt ?? requestedAt, why } };
  });
}

function sessionIn(asking: WebAsking): SessionId {
  const session = asking.query("session");
  if (session === null) throw new RefusedCall(400, "bad_request", "Say of which `session`.");
  return session as SessionId;
}
