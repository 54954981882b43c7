/**
 * The settings of this run: defaults < `baton.yaml` in the working folder < `config.yaml` in the home folder <
 * environment. The parsers are loaded only where there is something to read; nothing is ever written here.
 */
import { join } from "node:path";
import type { Platform } from "../session/platform.js";
import type { SessionsConfig } from "../session/sessions.js";
import type { Secret } from "../util/secret.js";
import type { Environment } from "./environment.js";
import { configFiles } from "./files.js";
import type { ValueOf } from "./groups.js";
import { type Layer, layered, NOTHING } from "./layer.js";
import type { McpServerConfig } from "./mcp.js";
import type { CommonSettings } from "./platform-settings.js";
import { invalidConfig, type SettingPlace } from "./problem.js";
import { resolveConfig } from "./resolve.js";
import { homeFile, projectFile } from "./schema.js";
import { usualWorkdir, workspace } from "./workspace.js";

type Held = ValueOf<typeof homeFile>;

/** What holds, by the declarations of the settings; and what follows from the machine. */
export interface Config extends Pick<Held, "busy" | "handoff" | "people" | "limits"> {
  readonly home: string;
  /** A URL or an absolute path. */
  readonly store: Secret;
  readonly sessions: SessionsConfig;
  /** The folder of the JSONL mirror; null if there is none. */
  readonly mirror: string | null;
  readonly agent: AgentConfig;
  readonly tools: ToolsConfig;
  readonly mcp: { readonly servers: Readonly<Record<string, McpServerConfig>> };
  readonly platforms: PlatformsConfig;
  /** The folder of results that are delivered locally. */
  readonly outputDir: string;
  /** The files that were read, weakest first. */
  readonly files: readonly string[];
  /** Where each dotted key was set; absent if the default holds. */
  readonly places: ReadonlyMap<string, SettingPlace>;
}

export type AgentConfig = Held["agent"] & { readonly workdir: string };

/** Whom to ask for an answer; null where nothing is set. */
export type EndpointConfig = AgentConfig["fallback"];

export interface ToolsConfig extends Omit<Held["tools"], "folders" | "guests" | "members"> {
  /** Absolute paths of the folders that file tools may use. */
  readonly folders: readonly string[];
  /** Who has which, by name; what is absent is as built in. */
  readonly guests: readonly string[] | undefined;
  readonly members: readonly string[] | undefined;
}

/** How each platform is reached, as its manifest declares. */
export type PlatformsConfig = Readonly<Record<Platform, PlatformConfig>>;

/** What is not set is null. `addressIn` reads the home channel. */
export interface PlatformConfig extends CommonSettings {
  readonly [name: string]: Secret | string | number | null;
}

/** Where files of messages are kept. */
export function mediaFolder({ home }: Config): string {
  return join(home, "media");
}

/** Refuses a configuration with mistakes, naming all of them. A gateway works in the workspace, wherever it is started. */
export async function loadConfig(
  environment: Environment,
  workingFolder: string,
  purpose: "terminal" | "gateway" = "terminal",
): Promise<Config> {
  const layer = await readLayers(environment, workingFolder);
  if (layer.problems.length > 0) throw invalidConfig(layer.problems);
  const files = configFiles(environment, workingFolder).filter((file) => file.exists);
  return resolveConfig(
    layer,
    environment.home,
    workingFolder,
    files.map((file) => file.path),
    purpose === "gateway" ? workspace() : usualWorkdir(workingFolder, environment.home),
  );
}

/** Every source of settings, laid over each other, with all that is wrong in any of them. */
export async function readLayers(environment: Environment, workingFolder: string): Promise<Layer> {
  const { variables } = environment;
  const files = configFiles(environment, workingFolder).filter((file) => file.exists);
  if (files.length === 0 && Object.keys(variables).length === 0) return NOTHING;
  const { readConfigFile } = await import("./read-file.js");
  const { readVariables } = await import("./variables.js");
  let layer = NOTHING;
  for (const { kind, path } of files) {
    layer = layered(layer, await readConfigFile(path, kind === "home" ? homeFile : projectFile));
  }
  return layered(layer, readVariables(variables));
}
