/**
 * A background process: what to start, and what is known of it. Its host keeps it (`host/`); the gateway, the tools and
 * the command line see it through `Processes`.
 */
import type { ProcessId } from "../session/ids.js";
import type { RemoteControl } from "../util/command-environment.js";

export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

/** What the host starts. No shell is added. */
export interface ProcessSpec {
  readonly id: ProcessId;
  readonly file: string;
  readonly args: readonly string[];
  /** The whole environment of the process. */
  readonly environment: Readonly<Record<string, string>>;
  /** A path that leads to the folder; it must be valid until the process has started. */
  readonly cwd: string;
  /** Null for pipes. */
  readonly pty: TerminalSize | null;
  /**
   * True if `file` is a sandbox with processes of its own. Its first child is their first process: it leads the group
   * that is signalled, and all of them end with it. On a PTY, TERM goes to the terminal's foreground group instead.
   */
  readonly hasOwnProcesses: boolean;
  /** For a command that runs elsewhere, such as on another machine; null if signals and exit codes come from `file`. */
  readonly remote: RemoteControl | null;
}

/** `another`: a signal that Baton did not send. */
export const ENDED_BY = ["itself", "agent", "person", "another"] as const;
export type EndedBy = (typeof ENDED_BY)[number];

export type ProcessEnd =
  | {
      readonly kind: "exited";
      /** Both are null if Baton ended it, but nobody could see how: an earlier host had started it. */
      readonly code: number | null;
      /** Such as SIGTERM. */
      readonly signal: string | null;
      readonly by: EndedBy;
      /** True if something that it started in its group still runs. */
      readonly leftBehind: boolean;
    }
  /** Nobody knows how it ended. `why` is a sentence. */
  | { readonly kind: "lost"; readonly why: string };

/** A process as its host knows it. Times are milliseconds UTC. */
export interface ProcessStatus {
  readonly id: ProcessId;
  readonly pid: number;
  readonly startedAt: number;
  /** Null if it has pipes, also if it asked for a PTY that this machine cannot make. */
  readonly pty: TerminalSize | null;
  /** Null while it runs. */
  readonly end: ProcessEnd | null;
  readonly endedAt: number | null;
  /** Positions in its output, in bytes since its start: the first one that is kept, and the end. */
  readonly output: { readonly from: number; readonly to: number };
  /** False if nothing can be written to it any more. */
  readonly takesInput: boolean;
  /** What was typed into it last and is not complete as a command: see unsent.ts. */
  readonly unsent: string;
}

/** A part of the output, with its escape sequences. */
export interface OutputPart {
  readonly text: string;
  /** Where it begins and ends, in bytes. `from` is later than asked for if older output was dropped. */
  readonly from: number;
  readonly to: number;
}
