/**
 * The port over the places where commands can run that are not this machine: another machine, or a container. It only
 * says what to start here so that the command runs there; it runs no command itself.
 */

/** The name of the environment that is always there: this machine, in the sandbox if there is one. */
export const THIS_MACHINE = "local";

/**
 * How a command is started: in the foreground without input; in the background, where it outlives its starter and
 * takes input; or in the background on a PTY of its own.
 */
export type LaunchMode = "foreground" | "background" | "terminal";

export interface CommandEnvironment {
  /** As in the setting `environments.<name>`. */
  readonly name: string;
  /** As after "runs": "on build.example". */
  readonly where: string;
  /** The folder there for commands that name no other; null if that is left to the other side. */
  readonly workdir: string | null;
  /**
   * May first make what the command runs in. Throws an `Error` with a sentence if that fails: then nothing was run.
   */
  launch(command: string, workdir: string | null, mode: LaunchMode): Promise<LaunchThere>;
}

/** What to start here. No shell is added. */
export interface LaunchThere {
  readonly file: string;
  readonly args: readonly string[];
  /** The whole environment of `file`: nothing of it reaches the command unless the other side is told so. */
  readonly environment: Readonly<Record<string, string>>;
  /** Null if signals to `file` reach the command, and its exit code is the command's. */
  readonly remote: RemoteControl | null;
}

type Words = readonly [string, ...string[]];

/** Programs that act on a command where it runs. They get the environment of the process. */
export interface RemoteControl {
  /**
   * With `TERM` or `KILL` as one more word: signals the whole group there. With `0` it only looks. Exit code 0 if there is
   * one, 1 if it is gone.
   */
  readonly signal: Words;
  /**
   * Prints `running`, `exited <code>`, or nothing if that cannot be known. Asked whenever `file` has ended, whatever its
   * exit code: only this answer says how the command ended.
   */
  readonly status: Words;
  /** Removes what is kept there of a command that has ended. */
  readonly forget: Words;
}
