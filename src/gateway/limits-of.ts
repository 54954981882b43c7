/** What a platform accepts, also if another process serves it: then by its manifest, without its client library. */
import type { Adapter, Capabilities } from "../adapter/adapter.js";
import { limitsOfPlatform } from "../adapter/manifest.js";
import { isPlatform, type Platform } from "../session/platform.js";

/** For a platform of which nothing is known here. */
const CAREFUL: Capabilities = { maxText: 1_000, unit: "utf16", edit: false, threads: false };

/** Only the adapter can measure its markup. Without it, texts get half the room, so that what markup adds still fits. */
export function limitsOf(adapters: readonly Adapter[], platform: Platform): Capabilities {
  const here = adapters.find((each) => each.platform === platform);
  if (here) return here.capabilities;
  const limits = isPlatform(platform) ? limitsOfPlatform(platform) : null;
  if (!limits) return CAREFUL;
  const { maxText, maxCaption } = limits;
  return {
    ...limits,
    maxText: Math.floor(maxText / 2),
    ...(maxCaption === undefined ? {} : { maxCaption: Math.floor(maxCaption / 2) }),
  };
}
