/** GET /api/owner/inbox: what was accepted and is not answered yet, oldest first. */
import type { OpenItem } from "../../../gateway/overview.js";
import { placeWords } from "../../../gateway/place-words.js";
import { cleanLine, shorten } from "../../../util/text.js";
import { cursorIn, limitIn, type WebAsking } from "../../asking.js";
import type { Routes } from "../../routes.js";
import type { WebSetting } from "../../setting.js";
import type { WirePage, WireWaiting } from "../../wire.js";
import { mayReadFrom } from "./may-read.js";

type InboxSetting = Pick<WebSetting, "sessions"> & {
  readonly store: Pick<WebSetting["store"], "overview">;
};

const USUAL = 50;
const MOST = 200;
const BEGINNING = 300;

export function inboxRoutes(routes: Routes, { sessions, store }: InboxSetting): void {
  routes.getForOwners("/api/owner/inbox", async (asking): Promise<WirePage<WireWaiting>> => {
    const { cursor } = cursorIn(asking);
    const { items, nextCursor } = await store.overview.open(limitIn(asking, USUAL, MOST), cursor);
    return { items: items.map((item) => wireWaiting(item, asking, sessions)), nextCursor };
  });
}

function wireWaiting(item: OpenItem, { who }: WebAsking, sessions: WebSetting["sessions"]): WireWaiting {
  const isOthers = !mayReadFrom(who, item, sessions);
  return {
    id: `${item.id}`,
    kind: item.made ?? item.kind,
    place: placeWords(item.source),
    at: item.at,
    text: isOthers ? "" : shorten(cleanLine(item.text), BEGINNING),
    state: item.isBegun ? "running" : "waiting",
    isOthers,
  };
}
