/** The settings of a run, as the rest of the program reads them: what was set, or what holds without it. */
import { join } from "node:path";
import type { Platform } from "../session/platform.js";
import type { SessionsConfig } from "../session/sessions.js";
import type { EnvironmentConfig } from "../util/environment-config.js";
import type { Secret } from "../util/secret.js";
import type { ValueOf } from "./groups.js";
import type { McpServerConfig } from "./mcp.js";
import type { CommonSettings } from "./platform-settings.js";
import type { SettingPlace } from "./problem.js";
import type { homeFile } from "./schema.js";
import type { WebConfig } from "./web.js";

type Held = ValueOf<typeof homeFile>;

/** What holds, by the declarations of the settings; and what follows from the machine. */
export interface Config
  extends Pick<
    Held,
    | "busy"
    | "groups"
    | "reactions"
    | "handoff"
    | "people"
    | "limits"
    | "processes"
    | "jobs"
    | "delivery"
    | "memory"
    | "voice"
    | "ui"
    | "proxy"
  > {
  readonly home: string;
  readonly web: WebConfig;
  /** A URL or an absolute path. */
  readonly store: Secret;
  readonly sessions: SessionsConfig;
  /** The folder of the JSONL mirror; null if there is none. */
  readonly mirror: string | null;
  readonly agent: AgentConfig;
  readonly tools: ToolsConfig;
  readonly mcp: { readonly servers: Readonly<Record<string, McpServerConfig>> };
  /** Where commands can run beside this machine. */
  readonly environments: Readonly<Record<string, EnvironmentConfig>>;
  readonly platforms: PlatformsConfig;
  /** The folder of the results of scheduled jobs. */
  readonly outputDir: string;
  readonly retention: RetentionConfig;
  /** The files that were read, weakest first. */
  readonly files: readonly string[];
  /** Where each dotted key was set; absent if the default holds. */
  readonly places: ReadonlyMap<string, SettingPlace>;
}

/** What is not set is null, and removes nothing. */
interface RetentionConfig extends Omit<Held["retention"], "archive"> {
  /** The folder of the archive; null to remove sessions without one. */
  readonly archive: string | null;
}

export type AgentConfig = Held["agent"] & { readonly workdir: string };

/** Whom to ask for an answer; null where nothing is set. */
export type EndpointConfig = AgentConfig["fallback"];

interface ToolsConfig extends Omit<Held["tools"], "folders" | "guests" | "members"> {
  /** Absolute paths of the folders that file tools may use. */
  readonly folders: readonly string[];
  /** Who has which, by name; what is absent is as built in. */
  readonly guests: readonly string[] | undefined;
  readonly members: readonly string[] | undefined;
}

/** How each platform is reached, as its manifest declares. */
export type PlatformsConfig = Readonly<Record<Platform, PlatformConfig>>;

/** What is not set is null. `addressIn` reads the home channel. */
interface PlatformConfig extends CommonSettings {
  readonly [name: string]: Secret | string | number | boolean | null;
}

/** Where files of messages are kept. */
export function mediaFolder({ home }: Config): string {
  return join(home, "media");
}

/** How a gateway treats what people send. */
export function rulesOf({ people, limits, busy, reactions }: Config) {
  return { people, limits, busy, reactions };
}

/** How long a gateway waits: for an answer, for a handoff, and for a platform that can't be reached. */
export function waitsOf({ agent, handoff, delivery }: Config) {
  return {
    turnDeadlineMs: agent.turnDeadlineSeconds * 1_000,
    handoffWaitMs: handoff.waitSeconds * 1_000,
    giveUpAfterMs: delivery.giveUpAfterDays * 86_400_000,
  };
}
