/** What every verb gets. `main.ts` fills it in and loads each part when it is first used. */

import type { Adapter } from "../adapter/adapter.js";
import type { Config } from "../config/config.js";
import type { Environment } from "../config/environment.js";
import type { ModelChoice } from "../config/model-choice.js";
import type { Swept } from "../gateway/media.js";
import type { OpenPlatforms } from "../gateway/run-gateway.js";
import type { KnownAccount } from "../gateway/served.js";
import type { ToldWork } from "../gateway/told-work.js";
import type { NewWork } from "../gateway/work.js";
import type { Processes } from "../process/processes.js";
import type { SessionEntry } from "../session/session.js";
import type { Sessions } from "../session/sessions.js";
import type { ExportFormat, ImportOptions, ImportReport, Write } from "../session/transfer.js";
import type { Finding } from "../util/finding.js";
import type { OpenErasure, OpenHandoffs, OpenJobs, OpenLanes, OpenPeople, OpenRetention } from "./opened.js";
import type { ChatEvents, ChatSurface, OpenChat } from "./opened-chat.js";
import type { PageLinks, ServedPage } from "./opened-page.js";
import type { StandardStreams, Terminal } from "./terminal.js";

/** `look` only reads; `change` changes a store that exists; `write` also creates one. */
export type StoreUse = "look" | "change" | "write";

export interface Cli {
  readonly terminal: Terminal;
  readonly version: string;
  /** The oldest Node.js that Baton runs on. */
  readonly oldestNode: string;
  readonly home: string;
  /** The program itself, as Node.js runs it. */
  readonly main: string;
  readonly environment: Environment;
  readonly workingFolder: string;
  /** Takes the secrets that are known out of a text. */
  hide(text: string): string;
  /** Takes out what looks like a secret, too: for logs and errors. */
  redact(text: string): string;
  /** For a terminal in this folder, or for a gateway, which works in the workspace. */
  loadConfig(purpose?: "gateway"): Promise<Config>;
  /** If there is no store yet, `look` and `change` open an empty one in memory. */
  openSessions(config: Config, purpose: StoreUse): Promise<Sessions>;
  /** The people in the store, and what they used. */
  openPeople(config: Config, purpose: StoreUse): Promise<OpenPeople>;
  /** Erases people from the store and the home folder. */
  openErasure(config: Config): Promise<OpenErasure>;
  /** The last known state of each account, which process has it, and which accounts share conversations. */
  platformStates(config: Config): Promise<{
    readonly platforms: readonly KnownAccount[];
    /** One sentence for each. */
    readonly sharing: readonly string[];
  }>;
  /** Removes ended sessions. */
  openRetention(config: Config, purpose: StoreUse): Promise<OpenRetention>;
  /** Deletes files that no message in the store uses any more. */
  sweepMedia(config: Config): Promise<Swept>;
  readonly streams: StandardStreams;
  /** A gateway for this terminal alone. */
  openChat(config: Config, surface: ChatSurface, events: ChatEvents): Promise<OpenChat>;
  /** Requests and shows handoffs, with the rights of the owner. */
  openHandoffs(config: Config, purpose: StoreUse): Promise<OpenHandoffs>;
  /** Moves conversations between lanes. */
  openLanes(config: Config, purpose: StoreUse): Promise<OpenLanes>;
  /** The scheduled jobs of everybody. */
  openJobs(config: Config, purpose: StoreUse): Promise<OpenJobs>;
  /** The background processes of this home folder. No host is started unless one is needed. */
  openProcesses(config: Config): Promise<{ readonly processes: Processes; close(): Promise<void> }>;
  /** The model that answers; null for the offline agent. */
  chooseModel(config: Config): Promise<ModelChoice | null>;
  /** The model that is asked if that one fails; null if none is set. */
  fallbackModel(config: Config): Promise<ModelChoice | null>;
  /** Asks the model one short question. Gives its name, or fails with a sentence. */
  tryModel(choice: ModelChoice): Promise<string>;
  /** The models of that server. */
  listModels(choice: ModelChoice): Promise<readonly string[]>;
  /** The platforms that are set up, and why some of them can't be opened. */
  openPlatforms(
    config: Config,
  ): Promise<{ readonly adapters: readonly Adapter[]; readonly problems: readonly string[] }>;
  /** Links this machine to an account as one of its devices; `say` gets the instructions for the person. */
  linkPlatform(
    config: Config,
    platform: string,
    say: (line: string) => void,
    end: AbortSignal,
    columns: number,
  ): Promise<void>;
  /** The page, for a gateway of this process. */
  openPage(config: Config): Promise<ServedPage>;
  /** Links to the page, whoever serves it. */
  openPageLinks(config: Config, purpose: StoreUse): Promise<PageLinks>;
  openGateway(config: Config, ...call: Parameters<OpenPlatforms>): ReturnType<OpenPlatforms>;
  /** The folders and the database behind a store's URL. */
  inspectStore(config: Config): Promise<Finding[]>;
  /** Tries the MCP servers. */
  inspectMcp(config: Config): Promise<Finding[]>;
  /** The working folder of the agent, and what its commands can reach. */
  inspectSandbox(config: Config): Promise<Finding[]>;
  /** Tries to reach the other places where commands can run. */
  inspectEnvironments(config: Config): Promise<Finding[]>;
  /** The host of background processes, if one runs. */
  inspectProcesses(config: Config): Promise<Finding[]>;
  /** Null if the store is not a SQLite file. */
  backups(url: string): Promise<Backups | null>;
  /** Shows others how far long work has got. It never fails: then nobody sees it. */
  openWork(config: Config, begun: NewWork): Promise<ToldWork>;
  loadExport(): Promise<Export>;
  readonly importSessions: ImportSessions;
}

/** Backups of a store: made while it is in use, restored while it is not. */
export interface Backups {
  /** The file of the store. */
  readonly store: string;
  /** To a file that does not exist yet. */
  make(to: string, progress: (done: number) => void): Promise<BackupFacts>;
  /** Refuses a file that can't be restored. */
  check(file: string): BackupFacts;
  /** Gives the file with the old store; null if there was none. */
  restore(file: string, progress: (done: number) => void): Promise<{ readonly aside: string | null }>;
}

export interface BackupFacts {
  readonly file: string;
  readonly bytes: number;
  readonly schema: number;
  /** Rows by table. */
  readonly rows: Readonly<Record<string, number>>;
}

interface Export {
  exportSession(sessions: Sessions, entry: SessionEntry, format: ExportFormat, write: Write): Promise<void>;
  exportFileName(entry: SessionEntry, format: ExportFormat): string;
}

type ImportSessions = (path: string, sessions: Sessions, options: ImportOptions) => Promise<ImportReport>;

/** Opens the store for one command and always closes it. */
export async function withSessions<Result>(
  cli: Cli,
  purpose: StoreUse,
  work: (sessions: Sessions, config: Config) => Promise<Result>,
): Promise<Result> {
  const config = await cli.loadConfig();
  const sessions = await cli.openSessions(config, purpose);
  try {
    return await work(sessions, config);
  } finally {
    await sessions.close();
  }
}

/** The same for handoffs. */
export async function withHandoffs<Result>(
  cli: Cli,
  purpose: StoreUse,
  work: (open: OpenHandoffs) => Promise<Result>,
): Promise<Result> {
  const open = await cli.openHandoffs(await cli.loadConfig(), purpose);
  try {
    return await work(open);
  } finally {
    await open.close();
  }
}

/** The same for lanes. */
export async function withLanes<Result>(
  cli: Cli,
  purpose: StoreUse,
  work: (open: OpenLanes, config: Config) => Promise<Result>,
): Promise<Result> {
  const config = await cli.loadConfig("gateway");
  const open = await cli.openLanes(config, purpose);
  try {
    return await work(open, config);
  } finally {
    await open.close();
  }
}

/** The same for scheduled jobs. */
export async function withJobs<Result>(
  cli: Cli,
  purpose: StoreUse,
  work: (open: OpenJobs, config: Config) => Promise<Result>,
): Promise<Result> {
  const config = await cli.loadConfig();
  const open = await cli.openJobs(config, purpose);
  try {
    return await work(open, config);
  } finally {
    await open.close();
  }
}
