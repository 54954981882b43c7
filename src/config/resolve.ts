/** From what was written to what holds: defaults filled in, paths made absolute, secrets wrapped. */
import { join } from "node:path";
import { DEFAULTS, defaultOutputDir, defaultStore } from "./defaults.js";
import type { Layer } from "./layer.js";
import type { BusyConfig, Config, PeopleConfig } from "./load.js";
import { pathFrom, storeUrlFrom } from "./paths.js";
import type { Place } from "./problem.js";
import type { HomeFile } from "./schema.js";
import { readSecretFile, Secret, SecretFile, withoutPassword } from "./secret.js";

export function resolveConfig(
  { content, places }: Layer,
  home: string,
  workingFolder: string,
  files: readonly string[],
): Config {
  const {
    store,
    mirror,
    agent = {},
    busy = {},
    people = {},
    tools = {},
    outputDir,
    ...sessions
  } = content as HomeFile;
  const place = (key: string) => places.get(key);
  /** A variable's path counts from the working folder, a file's from the home folder: no other file may name one. */
  const folderOf = (key: string) => (isVariable(place(key)) ? workingFolder : home);
  const path = (key: string, written: string | undefined, fallback: string) =>
    written === undefined ? fallback : pathFrom(folderOf(key), written);
  const workdir = path("agent.workdir", agent.workdir, workingFolder);
  return {
    home,
    store: storeOf(store ?? defaultStore(home), folderOf("store")),
    sessions: sessions as Config["sessions"], // Absent keys are absent, never undefined: zod's type cannot say so.
    mirror: mirror === "jsonl" ? join(home, "sessions") : null,
    agent: {
      turnDeadlineSeconds: agent.turnDeadlineSeconds ?? DEFAULTS.agent.turnDeadlineSeconds,
      maxMessages: agent.maxMessages ?? DEFAULTS.agent.maxMessages,
      workdir,
    },
    busy: {
      default: busy.default ?? DEFAULTS.busy,
      byPlatform: (busy.byPlatform ?? {}) as BusyConfig["byPlatform"],
      byChat: busy.byChat ?? {},
    },
    people: { allow: (people.allow ?? {}) as PeopleConfig["allow"] },
    tools: {
      folders: tools.folders?.map((folder) => pathFrom(home, folder)) ?? [workdir],
      fetch: { allowHosts: tools.fetch?.allowHosts ?? [] },
      terminal: {
        maxTimeoutSeconds: tools.terminal?.maxTimeoutSeconds ?? DEFAULTS.tools.terminal.maxTimeoutSeconds,
      },
    },
    outputDir: path("outputDir", outputDir, defaultOutputDir(home)),
    files,
    places,
  };
}

function isVariable(place: Place | undefined): boolean {
  return place !== undefined && "variable" in place;
}

function storeOf(written: string | SecretFile, folder: string): Secret {
  if (written instanceof SecretFile) {
    const path = pathFrom(folder, written.path);
    return new Secret(`{ file: ${path} }`, () => storeUrlFrom(folder, readSecretFile(path)));
  }
  const url = storeUrlFrom(folder, written);
  return new Secret(withoutPassword(url), () => url);
}
