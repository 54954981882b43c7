/**
 * GET /api/devices and POST /api/devices/revoke: the browsers in which this person is signed in, under any of their identities.
 * Nobody signs out anybody else here; the owner of the machine does that at the command line.
 */
import { cleanLine } from "../../util/text.js";
import { notFound } from "../asking.js";
import type { Routes } from "../routes.js";
import type { OpenPages, WebSetting } from "../setting.js";
import type { WireDevice } from "../wire.js";

const MOST = 500;

export function deviceRoutes(
  routes: Routes,
  { store: { devices } }: { readonly store: Pick<WebSetting["store"], "devices"> },
  pages: Pick<OpenPages, "end">,
): void {
  routes.get("/api/devices", async ({ who, signedIn }) => {
    const theirs = (await devices.list(who.identities)).slice(0, MOST);
    const items = theirs.map(
      ({ id, identity, name, createdAt, seenAt }): WireDevice => ({
        ...{ id, identity, createdAt, seenAt },
        name: cleanLine(name),
        isThis: id === signedIn.device,
      }),
    );
    return { items };
  });

  routes.post("/api/devices/revoke", async ({ who }, { id }) => {
    if (typeof id !== "string" || !(await devices.revoke(id, who.identities))) throw notFound();
    pages.end(id);
    return { done: true };
  });
}
