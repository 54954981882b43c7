/** From what was written to what holds: defaults filled in, paths made absolute, secrets wrapped. */
import { join } from "node:path";
import { Secret } from "../util/secret.js";
import { DEFAULTS, defaultOutputDir, defaultStore } from "./defaults.js";
import type { Layer } from "./layer.js";
import type {
  AgentConfig,
  BusyConfig,
  Config,
  EndpointConfig,
  LimitsConfig,
  McpServerConfig,
  PeopleConfig,
  PlatformConfig,
  PlatformsConfig,
  ToolsConfig,
} from "./load.js";
import { pathFrom, storeUrlFrom } from "./paths.js";
import { platformSettings } from "./platform-settings.js";
import type { Place } from "./problem.js";
import type { HomeFile } from "./schema.js";
import { readSecretFile, SecretFile, withoutPassword } from "./secret.js";

export function resolveConfig(
  { content, places }: Layer,
  home: string,
  workingFolder: string,
  files: readonly string[],
  usualWorkdir: string,
): Config {
  const {
    store,
    mirror,
    agent = {},
    busy = {},
    handoff = {},
    people = {},
    limits = {},
    tools = {},
    mcp = {},
    platforms,
    outputDir,
    ...sessions
  } = content as HomeFile;
  const place = (key: string) => places.get(key);
  /** A variable's path counts from the working folder, a file's from the home folder: no other file may name one. */
  const folderOf = (key: string) => (isVariable(place(key)) ? workingFolder : home);
  const path = (key: string, written: string | undefined, fallback: string) =>
    written === undefined ? fallback : pathFrom(folderOf(key), written);
  const workdir = path("agent.workdir", agent.workdir, usualWorkdir);
  return {
    home,
    store: storeOf(store ?? defaultStore(home), folderOf("store")),
    sessions: sessions as Config["sessions"], // Absent keys are absent, never undefined: zod's type cannot say so.
    mirror: mirror === "jsonl" ? join(home, "sessions") : null,
    agent: {
      turnDeadlineSeconds: agent.turnDeadlineSeconds ?? DEFAULTS.agent.turnDeadlineSeconds,
      maxMessages: agent.maxMessages ?? DEFAULTS.agent.maxMessages,
      maxSends: agent.maxSends ?? DEFAULTS.agent.maxSends,
      workdir,
      ...endpointOf(agent, folderOf("agent.apiKey")),
      fallback: endpointOf(agent.fallback ?? {}, folderOf("agent.fallback.apiKey")),
      maxSteps: agent.maxSteps ?? DEFAULTS.agent.maxSteps,
      firstWordSeconds: agent.firstWordSeconds ?? DEFAULTS.agent.firstWordSeconds,
      images: agent.images ?? DEFAULTS.agent.images,
      prices: (agent.prices ?? {}) as AgentConfig["prices"],
    },
    busy: {
      default: busy.default ?? DEFAULTS.busy,
      byPlatform: (busy.byPlatform ?? {}) as BusyConfig["byPlatform"],
      byChat: busy.byChat ?? {},
    },
    handoff: { waitSeconds: handoff.waitSeconds ?? DEFAULTS.handoff.waitSeconds },
    people: {
      allow: (people.allow ?? {}) as PeopleConfig["allow"],
      owners: (people.owners ?? {}) as PeopleConfig["owners"],
      guests: (people.guests ?? {}) as PeopleConfig["guests"],
      pairing: people.pairing ?? DEFAULTS.pairing,
    },
    limits: {
      guests: { ...DEFAULTS.limits.guests, ...limits.guests },
      members: { ...DEFAULTS.limits.members, ...limits.members },
      owners: { ...DEFAULTS.limits.owners, ...limits.owners },
      byPerson: limits.byPerson ?? {},
    } as LimitsConfig,
    tools: {
      ...tools,
      folders: tools.folders?.map((folder) => pathFrom(home, folder)) ?? [workdir],
      fetch: { allowHosts: tools.fetch?.allowHosts ?? [] },
      terminal: {
        ...DEFAULTS.tools.terminal,
        allow: null,
        ...tools.terminal,
      },
      ask: tools.ask ?? [],
      byPlatform: tools.byPlatform ?? {},
      byPerson: tools.byPerson ?? {},
    } as ToolsConfig,
    mcp: {
      servers: Object.fromEntries(
        Object.entries(mcp.servers ?? {}).map(([name, server]) => [name, mcpServerOf(server, home, workdir)]),
      ),
    },
    platforms: platformsOf(platforms, (key) => folderOf(`platforms.${key}`)),
    outputDir: path("outputDir", outputDir, defaultOutputDir(home)),
    files,
    places,
  };
}

type WrittenServer = NonNullable<NonNullable<HomeFile["mcp"]>["servers"]>[string];

function mcpServerOf(written: WrittenServer, home: string, workdir: string): McpServerConfig {
  const { command, args, env, cwd, url, headers, tools, timeoutSeconds, enabled } = written;
  return {
    enabled: enabled ?? true,
    reach:
      command === undefined
        ? { kind: "url", url: url ?? "", headers: valuesOf(headers, home) }
        : {
            kind: "command",
            command: command.includes("/") ? pathFrom(home, command) : command,
            args: args ?? [],
            env: valuesOf(env, home),
            cwd: cwd === undefined ? workdir : pathFrom(home, cwd),
          },
    tools: tools ?? null,
    timeoutSeconds: timeoutSeconds ?? DEFAULTS.mcp.timeoutSeconds,
  };
}

function valuesOf(written: WrittenServer["env"], home: string): Record<string, string | Secret> {
  return Object.fromEntries(
    Object.entries(written ?? {}).map(([name, value]) => [
      name,
      value instanceof SecretFile ? secretIn(pathFrom(home, value.path)) : value,
    ]),
  );
}

function secretIn(path: string): Secret {
  return new Secret(`{ file: ${path} }`, () => readSecretFile(path), path);
}

function isVariable(place: Place | undefined): boolean {
  return place !== undefined && "variable" in place;
}

function platformsOf(written: HomeFile["platforms"], folderOf: (key: string) => string): PlatformsConfig {
  return Object.fromEntries(
    [...platformSettings()].map(([platform, settings]) => {
      const given: Readonly<Record<string, unknown>> = written?.[platform] ?? {};
      const values = Object.entries(settings).map(([name, setting]) => {
        const value = given[name] ?? setting.default ?? null;
        const isHidden = setting.takes.is === "secret" && value !== null;
        const folder = folderOf(`${platform}.${name}`);
        return [name, isHidden ? keyOf(value as string | SecretFile, folder) : value];
      });
      return [platform, Object.fromEntries(values) as PlatformConfig];
    }),
  );
}

type WrittenEndpoint = NonNullable<NonNullable<HomeFile["agent"]>["fallback"]>;

function endpointOf(written: WrittenEndpoint, folder: string): EndpointConfig {
  const { provider = null, model = null, baseUrl = null, apiKey } = written;
  return { provider, model, baseUrl, apiKey: apiKey === undefined ? null : keyOf(apiKey, folder) };
}

/** A variable has the key itself, a file only where it is. */
function keyOf(written: string | SecretFile, folder: string): Secret {
  if (!(written instanceof SecretFile)) return new Secret("***", () => written.trim());
  const path = pathFrom(folder, written.path);
  return new Secret(`{ file: ${path} }`, () => readSecretFile(path).trim(), path);
}

function storeOf(written: string | SecretFile, folder: string): Secret {
  if (written instanceof SecretFile) {
    const path = pathFrom(folder, written.path);
    return new Secret(`{ file: ${path} }`, () => storeUrlFrom(folder, readSecretFile(path)), path);
  }
  const url = storeUrlFrom(folder, written);
  return new Secret(withoutPassword(url), () => url);
}
