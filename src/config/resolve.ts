/** From what was written to the configuration of this run: what holds, with what depends on the machine filled in. */
import { join } from "node:path";
import type { Config, PlatformsConfig } from "./config.js";
import { environmentOf } from "./environments.js";
import { held } from "./held.js";
import type { Layer } from "./layer.js";
import { mcpServerOf } from "./mcp.js";
import type { SettingPlace } from "./problem.js";
import { NO_ARCHIVE } from "./retention.js";
import { homeFile } from "./schema.js";
import { storeAt } from "./store-setting.js";

export function resolveConfig(
  { content, places }: Layer,
  home: string,
  workingFolder: string,
  files: readonly string[],
  usualWorkdir: string,
): Config {
  /** A variable's path counts from the working folder, a file's from the home folder: no other file may name one. */
  const folderOf = (key: string) => (isVariable(places.get(key)) ? workingFolder : home);
  const {
    store,
    mirror,
    outputDir,
    retention,
    tools,
    mcp,
    environments,
    agent,
    platforms,
    timezone,
    scopes,
    reset,
    ...rest
  } = held(homeFile, content, folderOf);
  const workdir = agent.workdir ?? usualWorkdir;
  return {
    ...rest,
    home,
    store: store ?? storeAt(join(home, "baton.db"), home),
    sessions: sessionsIn(content),
    mirror: mirror === null ? null : join(home, "sessions"),
    agent: { ...agent, workdir },
    tools: {
      ...tools,
      folders: tools.folders ?? [workdir],
      guests: tools.guests ?? undefined,
      members: tools.members ?? undefined,
    },
    mcp: {
      servers: Object.fromEntries(
        Object.entries(mcp.servers).map(([name, server]) => [name, mcpServerOf(server, home, workdir)]),
      ),
    },
    environments: Object.fromEntries(
      Object.entries(environments).map(([name, written]) => [name, environmentOf(written, home)]),
    ),
    platforms: platforms as PlatformsConfig,
    outputDir: outputDir ?? join(home, "cron", "output"),
    retention: { ...retention, archive: archiveIn(retention.archive ?? join(home, "archive")) },
    files,
    places,
  };
}

function archiveIn(folder: string): string | null {
  return folder === NO_ARCHIVE ? null : folder;
}

/** As they are written: the library has the same defaults, and fills them in itself. */
function sessionsIn({ timezone, scopes, reset }: Layer["content"]): Config["sessions"] {
  const written = Object.entries({ timezone, scopes, reset }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(written);
}

function isVariable(place: SettingPlace | undefined): boolean {
  return place !== undefined && "variable" in place;
}
