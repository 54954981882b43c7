/**
 * The wall around commands: what they may reach, and how one is started behind it. A sandbox only says what to start; it
 * runs nothing itself, so that a command in the foreground and one in the background are walled in alike.
 */

/** What commands may reach. All paths are absolute. */
export interface Walls {
  /** The folders that commands may change. */
  readonly folders: readonly string[];
  /** Files and folders that no command sees, wherever they lie. */
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
   * Whether descriptor 3 says `{ "child-pid": … }`, the leader of the group that the command is in, whether it takes all
   * that the command started along when it ends, and whether what it prints on stderr are words of its own.
   */
  readonly hasOwnProcesses: boolean;
}

export interface Sandbox {
  /** As in "Commands run in …". */
  readonly name: string;
  /** The folders that commands may change, as they really are. */
  readonly folders: readonly string[];
  readonly network: boolean;
  /** Null if nothing that is done in it needs a question; otherwise why the questions stay, as after "since". */
  readonly doubt: string | null;
  /** Null if it hides all that it must; otherwise what may come to light, as a clause: then no command may be run. */
  readonly gap: string | null;
  launch(
    command: readonly [string, ...string[]],
    cwd: string,
    environment: Readonly<Record<string, string>>,
  ): Launch;
}
