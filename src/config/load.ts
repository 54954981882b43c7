/**
 * The settings of this run: defaults < `baton.yaml` in the working folder < `config.yaml` in the home folder <
 * environment. The parsers are loaded only where there is something to read; nothing is ever written here.
 */
import { join } from "node:path";
import type { Platform } from "../session/platform.js";
import type { SessionsConfig } from "../session/sessions.js";
import type { Secret } from "../util/secret.js";
import type { BusyMode, Provider, SandboxMode, WrittenLimits } from "./defaults.js";
import type { Environment } from "./environment.js";
import { configFiles } from "./files.js";
import { type Layer, layered, NOTHING } from "./layer.js";
import type { CommonSettings } from "./platform-settings.js";
import { invalidConfig, type Place } from "./problem.js";
import { resolveConfig } from "./resolve.js";
import { usualWorkdir, workspace } from "./workspace.js";

export interface Config {
  readonly home: string;
  /** A URL or an absolute path. */
  readonly store: Secret;
  readonly sessions: SessionsConfig;
  /** The folder of the JSONL mirror; null where there is none. */
  readonly mirror: string | null;
  readonly agent: AgentConfig;
  readonly busy: BusyConfig;
  readonly handoff: { readonly waitSeconds: number };
  readonly people: PeopleConfig;
  readonly limits: LimitsConfig;
  readonly tools: ToolsConfig;
  readonly mcp: McpConfig;
  readonly platforms: PlatformsConfig;
  /** The folder of results that are delivered locally. */
  readonly outputDir: string;
  /** The files that were read, weakest first. */
  readonly files: readonly string[];
  /** Where each dotted key was set; absent where the default holds. */
  readonly places: ReadonlyMap<string, Place>;
}

/** Whom to ask for an answer; null where nothing is set. */
export interface EndpointConfig {
  readonly provider: Provider | null;
  readonly model: string | null;
  readonly baseUrl: string | null;
  readonly apiKey: Secret | null;
}

export interface AgentConfig extends EndpointConfig {
  readonly turnDeadlineSeconds: number;
  /** The most messages of a session that an agent is given. */
  readonly maxMessages: number;
  /** The most messages that a turn sends beyond one for each of its steps. */
  readonly maxSends: number;
  /** The folder the agent works in. */
  readonly workdir: string;
  /** Asked where the first one fails. */
  readonly fallback: EndpointConfig;
  /** How often a model may call tools in a turn. */
  readonly maxSteps: number;
  readonly firstWordSeconds: number;
  /** Whether a model is sent images. */
  readonly images: boolean;
  /** By model, in US dollars for a million tokens. */
  readonly prices: Readonly<Record<string, PricesConfig>>;
}

export interface PricesConfig {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

/** By chat, then by platform, then the default. */
export interface BusyConfig {
  readonly default: BusyMode;
  readonly byPlatform: Readonly<Record<Platform, BusyMode>>;
  /** By `<platform>:<chat id>`, as it was written. */
  readonly byChat: Readonly<Record<string, BusyMode>>;
}

/** Exact ids of users, as they were written; who is not here is let in only by the owner. */
export interface PeopleConfig {
  /** Members. */
  readonly allow: Readonly<Record<Platform, readonly string[]>>;
  readonly owners: Readonly<Record<Platform, readonly string[]>>;
  readonly guests: Readonly<Record<Platform, readonly string[]>>;
  readonly pairing: "on" | "off";
}

export interface LimitsConfig {
  readonly guests: WrittenLimits;
  readonly members: WrittenLimits;
  readonly owners: WrittenLimits;
  /** By `<platform>:<user id>`, as it was written: over those of their role. */
  readonly byPerson: Readonly<Record<string, WrittenLimits>>;
}

export interface ToolsConfig {
  /** Absolute paths of the folders that file tools may use. */
  readonly folders: readonly string[];
  /** `host:port`s that may be fetched from though they are private. */
  readonly fetch: { readonly allowHosts: readonly string[] };
  readonly terminal: {
    readonly maxTimeoutSeconds: number;
    /** The only commands that run without a question; null for all that are not dangerous. */
    readonly allow: readonly string[] | null;
    readonly sandbox: SandboxMode;
    readonly network: "on" | "off";
  };
  /** The tools whose every call is asked about. */
  readonly ask: readonly string[];
  /** Who has which, by name; what is absent is as built in. */
  readonly guests?: readonly string[];
  readonly members?: readonly string[];
  readonly byPlatform: Readonly<Record<Platform, readonly string[]>>;
  /** By `<platform>:<user id>`, as it was written. */
  readonly byPerson: Readonly<Record<string, readonly string[]>>;
}

/** How each platform is reached, as its manifest declares. */
export type PlatformsConfig = Readonly<Record<Platform, PlatformConfig>>;

/** What is not set is null. `addressIn` reads the home channel. */
export interface PlatformConfig extends CommonSettings {
  readonly [name: string]: Secret | string | number | null;
}

export interface McpConfig {
  readonly servers: Readonly<Record<string, McpServerConfig>>;
}

export interface McpServerConfig {
  readonly enabled: boolean;
  readonly reach:
    | {
        readonly kind: "command";
        readonly command: string;
        readonly args: readonly string[];
        /** Beside what every child finds. */
        readonly env: Readonly<Record<string, string | Secret>>;
        readonly cwd: string;
      }
    | {
        readonly kind: "url";
        readonly url: string;
        readonly headers: Readonly<Record<string, string | Secret>>;
      };
  /** The server's own names of the tools that are taken; null for all. */
  readonly tools: readonly string[] | null;
  readonly timeoutSeconds: number;
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
  const { homeFile, projectFile } = await import("./schema.js");
  const { readVariables } = await import("./variables.js");
  let layer = NOTHING;
  for (const { kind, path } of files) {
    layer = layered(layer, await readConfigFile(path, kind === "home" ? homeFile : projectFile));
  }
  return layered(layer, readVariables(variables));
}
