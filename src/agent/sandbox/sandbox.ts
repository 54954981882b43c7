/**
 * The wall around commands: what they can reach, and how one is started behind it. A sandbox only says what to start
 * and runs nothing itself, so commands in the foreground and in the background use the same wall.
 */
import type { LaunchMode } from "../../util/command-environment.js";

/** What commands can reach. All paths are absolute. */
export interface Walls {
  /** The folders that commands may change. */
  readonly folders: readonly string[];
  /** Files and folders that no command sees, wherever they are. */
  readonly hidden: readonly string[];
  /** The user's home, which is empty and private to each command. */
  readonly home: string;
  /** Where programs are found, as in `PATH`. */
  readonly path: string;
  /** A private folder that commands see as /tmp. */
  readonly temporary: string;
  readonly network: boolean;
}

/** What to start instead of the command. */
export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /**
   * True if the sandbox has its own processes: then the first child of `file` leads the command's group, and everything
   * that the command started ends with it. In the foreground, descriptor 3 says `{ "child-pid": … }`, which is that
   * child, and stderr has only the sandbox's own messages. On a PTY the command's group is the one that has the terminal.
   */
  readonly hasOwnProcesses: boolean;
}

export interface Sandbox {
  /** As in "Commands run in …". */
  readonly name: string;
  /** The folders that commands may change, with links resolved. */
  readonly folders: readonly string[];
  readonly network: boolean;
  /** Null if nothing in the sandbox needs a question; otherwise why Baton still asks, as after "because". */
  readonly doubt: string | null;
  /**
   * Null if it hides everything that it must; otherwise what a command could see, as a clause: then no command may run.
   */
  readonly gap: string | null;
  launch(
    command: readonly [string, ...string[]],
    cwd: string,
    environment: Readonly<Record<string, string>>,
    /** In the foreground by default. */
    mode?: LaunchMode,
    /** A folder of Baton's own that this command may read, although it is hidden from others. */
    given?: string,
  ): Launch;
}

/** How commands are confined. */
export type Confinement =
  | { readonly kind: "none" }
  /** `mayLeave`: a command may ask to run outside. */
  | { readonly kind: "sandbox"; readonly sandbox: Sandbox; readonly mayLeave: boolean }
  /** A sandbox is required and missing, so nothing runs. `why` is a sentence. */
  | { readonly kind: "missing"; readonly why: string };
