/** What only owners see: the gateway itself, and what waits in it. */
import type { Routes } from "../../routes.js";
import type { OpenPages, WebSetting } from "../../setting.js";
import { healthRoutes } from "./health.js";
import { inboxRoutes } from "./inbox.js";
import { logRoutes } from "./logs.js";
import { outboxRoutes } from "./outbox.js";
import { peopleRoutes } from "./people.js";
import { platformRoutes } from "./platforms.js";
import { settingRoutes } from "./settings.js";
import { turnRoutes } from "./turns.js";

/** Returns what ends it. */
export function ownerRoutes(routes: Routes, setting: WebSetting, pages: OpenPages): () => void {
  platformRoutes(routes, setting);
  peopleRoutes(routes, setting);
  turnRoutes(routes, setting);
  inboxRoutes(routes, setting);
  outboxRoutes(routes, setting);
  logRoutes(routes, setting);
  settingRoutes(routes, setting);
  return healthRoutes(routes, setting, pages);
}
