/** What every verb is given. `main.ts` fills it in and loads each part only when it is asked for. */

import type { ReadStream, WriteStream } from "node:tty";
import type { Adapter } from "../adapter/adapter.js";
import type { Environment } from "../config/environment.js";
import type { Config } from "../config/load.js";
import type { ModelChoice } from "../config/model-choice.js";
import type { Gateway } from "../gateway/gateway.js";
import type { HandoffDesk } from "../gateway/handoff/desk.js";
import type { Swept } from "../gateway/media.js";
import type { People } from "../gateway/people.js";
import type { OpenPlatforms } from "../gateway/run-gateway.js";
import type { AccountHolder, Move, Moves, Spending } from "../gateway/store.js";
import type { PlatformState } from "../gateway/surfaces.js";
import type { SessionEntry } from "../session/session.js";
import type { SessionKey, SessionScopes } from "../session/session-key.js";
import type { Sessions } from "../session/sessions.js";
import type { SessionSource } from "../session/source.js";
import type { Finding } from "../util/finding.js";
import type { Terminal } from "./terminal.js";

export interface AccountState extends PlatformState {
  readonly account: string;
  readonly holder: AccountHolder | null;
}

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
  /** As for a terminal in this folder, or for a gateway, which works in the workspace. */
  loadConfig(purpose?: "gateway"): Promise<Config>;
  /** Looking never creates anything: where there is no store yet, an empty one in memory stands in. */
  openSessions(config: Config, purpose: "look" | "write"): Promise<Sessions>;
  /** The people of the store; looking creates nothing, as with sessions. */
  openPeople(
    config: Config,
    purpose: "look" | "write",
  ): Promise<{ readonly people: People; readonly spending: Spending; close(): Promise<void> }>;
  /** How each account of a platform was last, as the gateway that has it says; who has it, and who shares what. */
  platformStates(config: Config): Promise<{
    readonly platforms: readonly AccountState[];
    /** Accounts that share conversations, in words. */
    readonly sharing: readonly string[];
  }>;
  /** Removes files of messages that nothing in the store refers to any more. */
  sweepMedia(config: Config): Promise<Swept>;
  readonly streams: {
    readonly stdin: ReadStream;
    readonly stdout: WriteStream;
    readonly stderr: WriteStream;
  };
  /** A gateway for this terminal alone. */
  openChat(config: Config, adapter: Adapter, events: ChatEvents): Promise<OpenChat>;
  /** Where handoffs are asked for and looked at, as whoever runs the gateway. */
  openHandoffs(config: Config, purpose: "look" | "write"): Promise<OpenHandoffs>;
  /** The model that answers; null for the offline agent. */
  chooseModel(config: Config): Promise<ModelChoice | null>;
  /** What is offered where that model is. */
  listModels(choice: ModelChoice): Promise<readonly string[]>;
  /** The platforms that are set up, and why some of them cannot be opened. */
  openPlatforms(
    config: Config,
  ): Promise<{ readonly adapters: readonly Adapter[]; readonly problems: readonly string[] }>;
  /** Makes this machine one of an account's devices; `say` is told what a person has to do. */
  linkPlatform(
    config: Config,
    platform: string,
    say: (line: string) => void,
    end: AbortSignal,
  ): Promise<void>;
  openGateway(config: Config, ...call: Parameters<OpenPlatforms>): ReturnType<OpenPlatforms>;
  /** The folders and the database behind a store's URL. */
  inspectStore(config: Config): Promise<Finding[]>;
  /** The servers whose tools the agent uses, tried out. */
  inspectMcp(config: Config): Promise<Finding[]>;
  /** Where the agent works, and what its commands may reach there. */
  inspectSandbox(config: Config): Promise<Finding[]>;
  /** Null where the store is not one SQLite file. */
  backups(url: string): Promise<Backups | null>;
  loadExport(): Promise<Export>;
  readonly importSessions: ImportSessions;
}

/** What a chat is told of what happens behind it. */
export interface ChatEvents {
  /** A session has changed. */
  readonly onChange?: () => void;
  readonly onProblem: (problem: string) => void;
  /** A handoff that was asked for here goes on, or is over. */
  readonly onHandoff?: (move: Move) => void;
  /** There are other places than before that a line may be completed with. */
  readonly onPlaces?: () => void;
  /** A conversation is offered to the terminal, in words. */
  readonly onOffer?: (text: string) => void;
  /** Called again and again while a message in this lane waits for what another process answers in its session. */
  readonly onElsewhere?: (key: SessionKey) => void;
}

export interface OpenHandoffs {
  readonly desk: HandoffDesk;
  readonly sessions: Sessions;
  readonly moves: Moves;
  close(): Promise<void>;
}

/** What a chat in the terminal needs of the gateway behind it. */
export interface OpenChat {
  readonly gateway: Gateway;
  readonly sessions: Sessions;
  /** Where this terminal is, and its lane. */
  readonly source: SessionSource;
  readonly key: SessionKey;
  readonly agent: string;
  complete(line: string): readonly { readonly name: string; readonly description: string }[];
  /** Leaves a running turn to the next chat, which goes on with it. */
  close(): Promise<void>;
}

/** Backups of a store, made while it is in use and put back while it is not. */
export interface Backups {
  /** The file of the store. */
  readonly store: string;
  /** To a file that does not exist yet. */
  make(to: string, progress: (done: number) => void): Promise<BackupFacts>;
  /** Refuses a file that could not be restored. */
  check(file: string): BackupFacts;
  /** Gives the place of what was there before; null where there was nothing. */
  restore(file: string, progress: (done: number) => void): Promise<{ readonly aside: string | null }>;
}

export interface BackupFacts {
  readonly file: string;
  readonly bytes: number;
  readonly schema: number;
  /** Rows by table. */
  readonly rows: Readonly<Record<string, number>>;
}

export const EXPORT_FORMATS = ["jsonl", "markdown", "json"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

interface Export {
  exportSession(
    sessions: Sessions,
    entry: SessionEntry,
    format: ExportFormat,
    write: (text: string) => void | Promise<void>,
  ): Promise<void>;
  exportFileName(entry: SessionEntry, format: ExportFormat): string;
}

type ImportSessions = (
  path: string,
  sessions: Sessions,
  options: {
    readonly dryRun?: boolean;
    readonly scopes?: SessionScopes;
    readonly onProgress?: (done: number, total: number) => void;
  },
) => Promise<ImportReport>;

/** What came, or would come. */
export interface ImportReport {
  readonly format: string;
  readonly dryRun: boolean;
  readonly sessions: readonly ImportedSession[];
  readonly totals: {
    readonly sessions: number;
    readonly new: number;
    readonly extended: number;
    readonly present: number;
    readonly messages: number;
    readonly added: number;
  };
  readonly problems: readonly {
    readonly file: string;
    /** Counted from 1; null where it is not about one line. */
    readonly line: number | null;
    readonly reason: string;
  }[];
}

export interface ImportedSession {
  readonly sessionId: string;
  readonly key: string;
  readonly title: string | null;
  readonly messages: number;
  readonly added: number;
  readonly status: "new" | "extended" | "present";
  readonly note?: string;
}

/** Opens the store for one command and closes it whatever happens. */
export async function withSessions<Result>(
  cli: Cli,
  purpose: "look" | "write",
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
  purpose: "look" | "write",
  work: (open: OpenHandoffs) => Promise<Result>,
): Promise<Result> {
  const open = await cli.openHandoffs(await cli.loadConfig(), purpose);
  try {
    return await work(open);
  } finally {
    await open.close();
  }
}
