/** The processes of a command, in a sandbox or not. They end together: TERM first, KILL after a grace period. */
import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { endGroup } from "../../util/process-group.js";
import { cleanLine, shorten } from "../../util/text.js";

const KILL_GRACE_MS = 1_000;
const LONGEST_COMPLAINT = 1_000;
/** How long the creation of a sandbox may take after it is no longer needed. */
const MAKING_MS = 10_000;
const LOOK_MS = 20;

export class CommandGroup {
  readonly #child: ChildProcess;
  /** The leader inside the sandbox, once known. */
  #inner: number | null = null;
  readonly #isWalled: boolean;
  /** The sandbox's own error message. */
  complaint = "";

  constructor(child: ChildProcess, hasOwnProcesses: boolean) {
    this.#child = child;
    this.#isWalled = hasOwnProcesses;
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

  /** Settles when the processes are gone or were killed. */
  async end(): Promise<void> {
    const { pid } = this.#child;
    if (pid === undefined || this.#hasExited) return;
    if (!this.#isWalled) return endGroup(pid, KILL_GRACE_MS);
    // The sandbox's own process must outlive the command, to report its exit. While the sandbox is being created, its
    // first process does not listen to signals, and would live on alone if its parent ended first: so this waits.
    for (let waitedMs = 0; waitedMs < MAKING_MS && !this.#hasExited; waitedMs += LOOK_MS) {
      if (this.#inner !== null && hasChild(this.#inner)) return endGroup(this.#inner, KILL_GRACE_MS);
      await delay(LOOK_MS);
    }
    if (this.#hasExited) return;
    await endGroup(pid, 0);
    if (this.#inner !== null) await endGroup(this.#inner, 0);
  }

  get #hasExited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  forget(): void {
    this.#child.stderr?.destroy();
    this.#child.stdio[3]?.destroy();
  }
}

/** True if a sandbox's first process has started the command. If the kernel does not tell, true. */
function hasChild(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim() !== "";
  } catch {
    return true;
  }
}
