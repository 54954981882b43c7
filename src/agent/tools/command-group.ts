/** The processes of a command, in a sandbox or not: they are ended together, TERM first and KILL after a grace. */
import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { cleanLine, shorten } from "../../util/text.js";
import { endGroup, isGroupThere } from "./process-group.js";

const KILL_GRACE_MS = 1_000;
const LONGEST_COMPLAINT = 1_000;

export class CommandGroup {
  readonly #child: ChildProcess;
  /** The leader within the sandbox, once that is known. */
  #inner: number | null = null;
  /** What a sandbox says of itself. */
  complaint = "";

  constructor(child: ChildProcess, hasOwnProcesses: boolean) {
    this.#child = child;
    if (!hasOwnProcesses) return;
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.complaint = cleanLine(shorten(this.complaint + text, LONGEST_COMPLAINT));
    });
    const information = child.stdio[3] as Readable;
    let told = "";
    information.setEncoding("utf8").on("data", (text: string) => {
      told += text;
      this.#inner ??= Number(/"child-pid": (\d+)\D/.exec(told)?.[1] ?? 0) || null;
    });
  }

  /** Ends when they are gone or were killed. */
  async end(): Promise<void> {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    // The sandbox's own process must outlive the command, to tell how that ended; before there is one, it is all there is.
    if (this.#inner !== null && isGroupThere(this.#inner)) await endGroup(this.#inner, KILL_GRACE_MS);
    else await endGroup(pid, KILL_GRACE_MS);
  }

  forget(): void {
    this.#child.stderr?.destroy();
    this.#child.stdio[3]?.destroy();
  }
}
