/**
 * The settings of this run: defaults < `baton.yaml` in the working folder < `config.yaml` in the home folder <
 * environment. The parsers are loaded only where there is something to read; nothing is ever written here.
 */
import type { Platform } from "../session/platform.js";
import type { SessionsConfig } from "../session/sessions.js";
import type { BusyMode } from "./defaults.js";
import type { Environment } from "./environment.js";
import { configFiles } from "./files.js";
import { type Layer, layered, NOTHING } from "./layer.js";
import { invalidConfig, type Place } from "./problem.js";
import { resolveConfig } from "./resolve.js";
import type { Secret } from "./secret.js";

export interface Config {
  readonly home: string;
  /** A URL or an absolute path. */
  readonly store: Secret;
  readonly sessions: SessionsConfig;
  /** The folder of the JSONL mirror; null where there is none. */
  readonly mirror: string | null;
  readonly agent: AgentConfig;
  readonly busy: BusyConfig;
  readonly people: PeopleConfig;
  readonly tools: ToolsConfig;
  /** The folder of results that are delivered locally. */
  readonly outputDir: string;
  /** The files that were read, weakest first. */
  readonly files: readonly string[];
  /** Where each dotted key was set; absent where the default holds. */
  readonly places: ReadonlyMap<string, Place>;
}

export interface AgentConfig {
  readonly turnDeadlineSeconds: number;
  /** The most messages of a session that an agent is given. */
  readonly maxMessages: number;
  /** The folder the agent works in. */
  readonly workdir: string;
}

/** By chat, then by platform, then the default. */
export interface BusyConfig {
  readonly default: BusyMode;
  readonly byPlatform: Readonly<Record<Platform, BusyMode>>;
  /** By `<platform>:<chat id>`, as it was written. */
  readonly byChat: Readonly<Record<string, BusyMode>>;
}

export interface PeopleConfig {
  /** Exact ids of users, as they were written; who is not here is not let in. */
  readonly allow: Readonly<Record<Platform, readonly string[]>>;
}

export interface ToolsConfig {
  /** Absolute paths of the folders that file tools may use. */
  readonly folders: readonly string[];
  /** `host:port`s that may be fetched from though they are private. */
  readonly fetch: { readonly allowHosts: readonly string[] };
  readonly terminal: { readonly maxTimeoutSeconds: number };
}

/** Refuses a configuration with mistakes, naming all of them. */
export async function loadConfig(environment: Environment, workingFolder: string): Promise<Config> {
  const layer = await readLayers(environment, workingFolder);
  if (layer.problems.length > 0) throw invalidConfig(layer.problems);
  const files = configFiles(environment, workingFolder).filter((file) => file.exists);
  return resolveConfig(
    layer,
    environment.home,
    workingFolder,
    files.map((file) => file.path),
  );
}

/** Every source of settings, laid over each other, with all that is wrong in any of them. */
export async function readLayers(environment: Environment, workingFolder: string): Promise<Layer> {
  const { variables } = environment;
  const files = configFiles(environment, workingFolder).filter((file) => file.exists);
  if (files.length === 0 && Object.keys(variables).length === 0) return NOTHING;
  const { readConfigFile } = await import("./read-file.js");
  const { homeFile, projectFile } = await import("./schema.js");
  const { readVariables } = await import("./variables.js");
  let layer = NOTHING;
  for (const { kind, path } of files) {
    layer = layered(layer, await readConfigFile(path, kind === "home" ? homeFile : projectFile));
  }
  return layered(layer, readVariables(variables));
}
