/** Sessions as files: the formats of an export, and what an import says that it did. */
import type { SessionId } from "./ids.js";
import type { SessionScopes } from "./session-key.js";

export const EXPORT_FORMATS = ["jsonl", "markdown", "json"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export type Write = (text: string) => void | Promise<void>;

export type ImportFormat = "sessions-json" | "metadata-jsonl" | "sqlite" | "openclaw" | "claude-code";

export interface ImportOptions {
  /** Look and report, change nothing. */
  readonly dryRun?: boolean;
  /** The scopes of the gateway, so that imported sessions continue under its keys. */
  readonly scopes?: SessionScopes;
  /** Times after it, in milliseconds UTC, are not believed; the machine's clock if it is not given. */
  readonly now?: number;
  /** Called for each session. After the last one, both are equal, and the search index is updated. */
  readonly onProgress?: (done: number, total: number) => void;
  /** If it aborts, the import ends after the session it is at. What came in stays, and another import continues. */
  readonly signal?: AbortSignal;
}

/** What was imported, or would be. */
export interface ImportReport {
  /** The format of the first of `sources`. */
  readonly format: ImportFormat;
  /** The folders and files that hold sessions. */
  readonly sources: readonly ImportedSource[];
  readonly dryRun: boolean;
  readonly sessions: readonly ImportedSession[];
  readonly totals: {
    readonly sessions: number;
    readonly new: number;
    readonly extended: number;
    readonly present: number;
    /** Messages in the source, and how many of them came in. */
    readonly messages: number;
    readonly added: number;
    /** All problems, also those that `problems` does not list. */
    readonly problems: number;
    /** Lines and rows that hold nothing that was said: settings, snapshots, progress. */
    readonly bookkeeping: number;
  };
  /** The platforms that the source names and Baton does not know. Their sessions are local ones, of the gateway's owner. */
  readonly unknownPlatforms: readonly ImportedPlatform[];
  /** At most 1,000 of them. */
  readonly problems: readonly ImportProblem[];
}

export interface ImportedSource {
  readonly path: string;
  readonly format: ImportFormat;
}

export interface ImportedPlatform {
  readonly name: string;
  readonly sessions: number;
}

export interface ImportedSession {
  readonly sessionId: SessionId;
  readonly key: string;
  readonly title: string | null;
  /** How many messages the source has. */
  readonly messages: number;
  /** How many of them came in. */
  readonly added: number;
  readonly status: "new" | "extended" | "present";
  readonly note?: string;
}

export interface ImportProblem {
  readonly file: string;
  /** Counted from 1; null if it is not about one line. */
  readonly line: number | null;
  readonly reason: string;
}
