/**
 * GET /api/owner/outbox: what is still to be sent, what could not be, and what may not have arrived. POST /api/owner/outbox decides
 * about one of the latter two: it is sent again or dropped, once.
 */
import {
  DELIVERY_DECISIONS,
  DELIVERY_LISTS,
  type DeliveryDecided,
  type ListedDelivery,
} from "../../../gateway/deliveries.js";
import { mayAccess } from "../../../session/access.js";
import { cleanLine, printableText, shorten } from "../../../util/text.js";
import { cursorIn, limitIn, RefusedCall, type WebAsking, wordIn } from "../../asking.js";
import type { GivenFields, Routes } from "../../routes.js";
import type { WebSetting } from "../../setting.js";
import type { WireDelivery, WirePage } from "../../wire.js";
import { mayReadAt } from "./may-read.js";

type OutboxSetting = Pick<WebSetting, "redact"> & {
  readonly store: Pick<WebSetting["store"], "deliveries">;
};

const USUAL = 50;
const MOST = 200;
const LONGEST_TEXT = 2_000;

export function outboxRoutes(routes: Routes, { store: { deliveries }, redact }: OutboxSetting): void {
  routes.getForOwners("/api/owner/outbox", async (asking): Promise<WirePage<WireDelivery>> => {
    const which = wordIn(asking, "state", DELIVERY_LISTS) ?? "waiting";
    const { cursor } = cursorIn(asking);
    const { items, nextCursor } = await deliveries.list(which, limitIn(asking, USUAL, MOST), cursor);
    const shown = await Promise.all(items.map((item) => wireDelivery(item, asking, redact)));
    return { items: shown, nextCursor };
  });

  routes.postForOwners("/api/owner/outbox", async (_, given) => {
    const { id, decision } = decisionIn(given);
    return { done: isDone(await deliveries.decide(id, decision)) };
  });
}

async function wireDelivery(
  item: ListedDelivery,
  asking: WebAsking,
  redact: (text: string) => string,
): Promise<WireDelivery> {
  const { id, state, to, purpose, text, createdAt, attempts, error, belongs } = item;
  const mayRead = belongs ? mayAccess(asking.who.viewer, belongs) : await mayReadAt(asking, to);
  return {
    ...{ id: `${id}`, state, to: cleanLine(to), purpose, at: createdAt, attempts },
    text: mayRead ? shorten(printableText(text), LONGEST_TEXT) : "",
    error: error === null ? null : redact(cleanLine(error)),
    isOthers: !mayRead,
  };
}

function decisionIn({ id, decision }: GivenFields) {
  const decided = DELIVERY_DECISIONS.find((each) => each === decision);
  if (typeof id !== "string" || !/^\d{1,15}$/.test(id) || decided === undefined)
    throw new RefusedCall(
      400,
      "bad_request",
      "Send the `id` of a message, and `send` or `drop` as `decision`.",
    );
  return { id: Number(id), decision: decided };
}

/** False if somebody else was faster. */
function isDone(decided: DeliveryDecided): boolean {
  if (decided === "handoff")
    throw new RefusedCall(
      409,
      "handoff_over",
      "This message announces a move that is over, so it can't be sent again. You can drop it.",
    );
  return decided === "done";
}
