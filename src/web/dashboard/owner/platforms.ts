/** GET /api/owner/platforms: each platform, whether it is connected, and which process has it. */
import type { ConnectionState } from "../../../gateway/connection.js";
import { platformTitle } from "../../../gateway/describe.js";
import type { ServedPlatform } from "../../../gateway/served.js";
import { cleanLine } from "../../../util/text.js";
import type { Routes } from "../../routes.js";
import type { WebSetting } from "../../setting.js";
import type { WirePlatform } from "../../wire.js";

type PlatformsSetting = Pick<WebSetting, "redact"> & {
  readonly gateway: Pick<WebSetting["gateway"], "platforms">;
};

const STATES: Readonly<Record<ConnectionState["kind"], string>> = {
  idle: "not connected",
  connected: "connected",
  "standing by": "standing by",
  lost: "connection lost",
  failed: "not connected",
};
const BY: Readonly<Record<ServedPlatform["by"], string>> = {
  here: "this gateway",
  elsewhere: "another gateway",
  gone: "no gateway",
};

export function platformRoutes(routes: Routes, { gateway, redact }: PlatformsSetting): void {
  routes.getForOwners("/api/owner/platforms", async () => {
    const states = await gateway.platforms();
    return { items: states.map((state) => wirePlatform(state, redact)) };
  });
}

/** What a process said that has ended does not hold any more. */
function wirePlatform(
  { platform, state, lastError, by }: ServedPlatform,
  redact: (text: string) => string,
): WirePlatform {
  const error = "reason" in state ? state.reason : lastError;
  return {
    platform,
    title: platformTitle(platform),
    state: by === "gone" ? STATES.idle : STATES[state.kind],
    since: by !== "gone" && state.kind === "connected" ? state.since : null,
    by: BY[by],
    error: error === null ? null : redact(cleanLine(error)),
  };
}
