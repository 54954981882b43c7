/** What is set of a platform now, and where. */
import type { PlatformManifest } from "../../../adapter/manifest.js";
import type { Config } from "../../../config/config.js";
import { platformSettings } from "../../../config/platform-settings.js";
import type { Platform } from "../../../session/platform.js";
import { Secret } from "../../../util/secret.js";
import { variableOf } from "../../../util/setting.js";
import type { FoundPlatform, FoundSetting, PresentSetting } from "./answers.js";

/** Everything that setup can ask, and what is set. */
export function lookAt(
  config: Config,
  platform: Platform,
  { title, settings, like }: PlatformManifest,
): FoundPlatform {
  const values = config.platforms[platform];
  const foundAt = (name: string): FoundSetting => {
    const path = ["platforms", platform, name];
    const key = path.join(".");
    const variable = variableOf(path, platformSettings().get(platform)?.[name]);
    return { path: key, variable, present: presentOf(values?.[name], config, key, variable) };
  };
  return {
    platform,
    title,
    like: values?.like ? null : (like ?? null),
    fields: Object.entries(settings).flatMap(([key, { question, takes, description }]) =>
      question
        ? [{ ...foundAt(key), key, question, isSecret: takes.is === "secret", meaning: description }]
        : [],
    ),
    others: Object.fromEntries(
      Object.entries(settings).flatMap(([key, { question }]) => {
        const value = values?.[key];
        const isPlain = typeof value === "string" || typeof value === "number";
        return isPlain && !question ? [[key, String(value)]] : [];
      }),
    ),
    home: foundAt("homeChannel"),
    people: { owners: config.people.owners[platform] ?? [], allow: config.people.allow[platform] ?? [] },
  };
}

/** Null if there is none that works: then setup asks for it. */
function presentOf(
  setting: unknown,
  { places }: Config,
  path: string,
  variable: string,
): PresentSetting | null {
  const place = places.get(path);
  const isVariable = place !== undefined && "variable" in place;
  const isDefault = place === undefined;
  const from = isVariable ? variable : setting instanceof Secret ? setting.shown : "config.yaml";
  if (!(setting instanceof Secret))
    return typeof setting === "string" ? { value: setting, isVariable, isDefault, from } : null;
  try {
    return { value: setting.reveal(), isVariable, isDefault, from };
  } catch {
    return null; // Its file is missing or readable by others: `baton doctor` says so.
  }
}
