/** Every value that holds and where it came from, for people to look at. Secrets are shown as they may be seen. */
import { DEFAULTS } from "./defaults.js";
import { leavesOf } from "./layer.js";
import type { Config } from "./load.js";
import { placeText } from "./problem.js";

export interface Setting {
  readonly key: string;
  /** Null, or an empty group, where there is nothing. */
  readonly value: unknown;
  /** `default`, file and line, or the name of the variable. */
  readonly from: string;
}

export function settingsOf(config: Config): Setting[] {
  const { timezone, scopes, reset } = config.sessions;
  const { agent, busy, people, tools, store, mirror, outputDir, places } = config;
  const tree = {
    timezone: timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    scopes: { ...DEFAULTS.scopes, ...scopes },
    reset: {
      default: { ...DEFAULTS.reset, ...reset?.default },
      byPlatform: { ...reset?.byPlatform },
      byChatType: { ...reset?.byChatType },
    },
    busy,
    agent,
    people,
    tools,
    store: store.shown,
    mirror: mirror === null ? null : "jsonl",
    outputDir,
  };
  return leavesOf(tree).map(({ path, value }) => {
    const key = path.join(".");
    const place = places.get(key);
    return { key, value, from: place ? placeText(place) : "default" };
  });
}
