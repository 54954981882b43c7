/** GET /api/places: where this person may take a conversation, as /handoff lists it, but for the page itself. */
import { WEB } from "../../adapter/web/web-source.js";
import { placeTitle } from "../../gateway/commands/handoff.js";
import { cleanLine } from "../../util/text.js";
import type { Routes } from "../routes.js";
import type { WebSetting } from "../setting.js";
import type { WirePlace } from "../wire.js";

export function placeRoutes(
  routes: Routes,
  { gateway }: { readonly gateway: Pick<WebSetting["gateway"], "handoffs"> },
): void {
  routes.get("/api/places", async ({ who }) => {
    const places = await gateway.handoffs.places.all(who);
    const items = places
      .filter(({ address }) => address.platform !== WEB)
      .map(
        (place): WirePlace => ({
          word: cleanLine(place.word),
          name: placeTitle(place),
          platform: place.address.platform,
        }),
      );
    return { items };
  });
}
