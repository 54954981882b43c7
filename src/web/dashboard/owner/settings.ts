/** GET /api/owner/settings: every value that holds, where it comes from, and what it means. A secret is only `(set)`. */
import { keysOf } from "../../../config/keys.js";
import { homeFile } from "../../../config/schema.js";
import type { ShownSetting } from "../../../config/settings.js";
import type { Setting } from "../../../util/setting.js";
import { cleanLine, shorten } from "../../../util/text.js";
import type { Routes } from "../../routes.js";
import type { WebSetting } from "../../setting.js";
import type { WireSetting } from "../../wire.js";

const SET = "(set)";
const LONGEST_VALUE = 2_000;
/** Of a value that is given in the open, as the settings show it. */
const HIDDEN = "***";

export function settingRoutes(routes: Routes, setting: Pick<WebSetting, "settings" | "redact">): void {
  routes.getForOwners("/api/owner/settings", async () => {
    const declared = declaredSettings();
    const items = setting
      .settings()
      .map((one): WireSetting => wireSetting(one, declared(one.key), setting.redact));
    return { items };
  });
}

function wireSetting(
  { key, value, from }: ShownSetting,
  declared: Setting | null,
  redact: (text: string) => string,
): WireSetting {
  return {
    key: cleanLine(key),
    value: isHidden(value, declared) ? SET : redact(shorten(valueText(value), LONGEST_VALUE)),
    origin: redact(cleanLine(from)),
    description: declared?.description ?? "",
  };
}

function isHidden(value: unknown, declared: Setting | null): boolean {
  if (value === HIDDEN) return true;
  return typeof value === "string" && declared !== null && declared.takes.is === "secret";
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return cleanLine(value);
  return cleanLine(JSON.stringify(value));
}

/** Finds the declaration of a key. Names of the reader's choosing stand for any name. */
function declaredSettings(): (key: string) => Setting | null {
  const keys = keysOf(homeFile).map(({ path, setting }) => ({ path, setting }));
  return (key) => {
    const words = key.split(".");
    const found = keys.find(
      ({ path }) =>
        path.length === words.length &&
        path.every((name, place) => name.startsWith("<") || name === words[place]),
    );
    return found?.setting ?? null;
  };
}
