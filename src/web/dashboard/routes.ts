/** What the page shows beside the chat: one file for each list. A device can be signed out here, and owners can decide; everything else only reads. */
import type { Routes } from "../routes.js";
import type { OpenPages, WebSetting } from "../setting.js";
import { deviceRoutes } from "./devices.js";
import { handoffRoutes } from "./handoffs.js";
import { jobRoutes } from "./jobs.js";
import { memoryRoutes } from "./memory.js";
import { ownerRoutes } from "./owner/routes.js";
import { placeRoutes } from "./places.js";
import { processRoutes } from "./processes.js";
import { usageRoutes } from "./usage.js";
import { workRoutes } from "./work.js";

/** Returns what ends it. */
export function dashboardRoutes(routes: Routes, setting: WebSetting, pages: OpenPages): () => void {
  placeRoutes(routes, setting);
  handoffRoutes(routes, setting);
  jobRoutes(routes, setting);
  processRoutes(routes, setting);
  memoryRoutes(routes, setting);
  usageRoutes(routes, setting);
  deviceRoutes(routes, setting, pages);
  workRoutes(routes, setting);
  return ownerRoutes(routes, setting, pages);
}
