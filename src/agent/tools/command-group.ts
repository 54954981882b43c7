/** The processes of a command, in a sandbox or not: they are ended together, TERM first and KILL after a grace. */
import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { cleanLine, shorten } from "../../util/text.js";
import { endGroup } from "./process-group.js";

const KILL_GRACE_MS = 1_000;
const LONGEST_COMPLAINT = 1_000;
/** How long a sandbox may take to be made once it is not wanted any more. */
const MAKING_MS = 10_000;
const LOOK_MS = 20;

export class CommandGroup {
  readonly #child: ChildProcess;
  /** The leader within the sandbox, once that is known. */
  #inner: number | null = null;
  readonly #isWalled: boolean;
  /** What a sandbox says of itself. */
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

  /** Ends when they are gone or were killed. */
  async end(): Promise<void> {
    const { pid } = this.#child;
    if (pid === undefined || this.#hasExited) return;
    if (!this.#isWalled) return endGroup(pid, KILL_GRACE_MS);
    // The sandbox's own process must outlive the command, to tell how that ended. While it is being made, its first
    // process does not listen, and would live on alone if the one before it were told to end: so that is waited for.
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

/** Whether a sandbox's first process has started the command. A kernel that does not say so is taken to have. */
function hasChild(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim() !== "";
  } catch {
    return true;
  }
}
