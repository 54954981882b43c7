/**
 * A shell command in the foreground, to its end. What holds:
 * - the command sees the environment that was given, nothing of ours, and no input;
 * - it leads a group of its own; a time-out or an abort ends the whole group, TERM first and KILL after a grace;
 * - output is one stream in the order it was written, bounded, without escape sequences;
 * - whatever happens is a text: how it ended, then what it printed.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { setTimeout as delay, setImmediate as nextRound } from "node:timers/promises";
import { cleanLine, printableText, shorten } from "../../util/text.js";
import { timerMs } from "../../util/timer-ms.js";
import type { ToolContext } from "../agent.js";
import { BoundedOutput } from "./bounded-output.js";
import { endGroup, isGroupThere } from "./process-group.js";

export interface ShellOptions {
  readonly cwd: string;
  /** All that commands see of the environment. */
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** The longest output that is kept, in UTF-16 units. */
  readonly maxOutput: number;
}

const KILL_GRACE_MS = 1_000;
/** How long a process that outlives the command may keep its output open. */
const DRAIN_MS = 100;
/** How often the last line is told while it runs. */
const PROGRESS_MS = 500;
const LONGEST_PROGRESS = 200;

export async function runShell(
  command: string,
  options: ShellOptions,
  { signal, progress, leads }: ToolContext,
): Promise<string> {
  let child: ChildProcess;
  try {
    child = spawnShell(command, options);
    await once(child, "spawn");
    if (child.pid !== undefined) leads?.(child.pid);
  } catch (error) {
    return `Error: no shell could be started in ${options.cwd}: ${(error as Error).message}`;
  }
  const output = new BoundedOutput(options.maxOutput);
  const tell = progress ? lastLineTeller(progress) : () => {};
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    output.add(text);
    tell(text);
  });
  const closed = once(child, "close");
  const stop = stopWhenDue(child, options.timeoutMs, signal);
  const exit = await Promise.race([exitOf(child), stop.over.then(drain)]);
  stop.cancel();
  // Who holds the output open may have been started by the command and be running still: that is not waited for.
  const rest = (stop.reason ? stop.over : Promise.resolve()).then(drain);
  const isHeldOpen = await Promise.race([closed.then(() => false), rest.then(() => true)]);
  const left = isHeldOpen || (stop.reason === null && (await leavesBehind(child)));
  child.stdout?.destroy();
  const sentences = [stop.reason, howItEnded(exit), left ? "Something it started still runs." : null];
  const printed = output.text(printableText).trimEnd() || "(no output)";
  return `${sentences.filter(Boolean).join(" ")}\n\n${printed}`;
}

/** Both outputs in one pipe, so that their order is kept; bash where there is one. */
function spawnShell(command: string, { cwd, environment }: ShellOptions): ChildProcess {
  const shell = existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh";
  return spawn("/bin/sh", ["-c", 'exec "$0" -c "$1" 2>&1', shell, command], {
    cwd,
    env: { ...environment },
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
}

/** Whether something of its group goes on elsewhere, its output turned away; what is just ending has a moment. */
async function leavesBehind({ pid }: ChildProcess): Promise<boolean> {
  if (pid === undefined || !isGroupThere(pid)) return false;
  await drain();
  return isGroupThere(pid);
}

interface Stop {
  /** A sentence, once the command was told to end. */
  readonly reason: string | null;
  /** Settles when the command was told to end and its group is gone or killed. */
  readonly over: Promise<void>;
  cancel(): void;
}

function stopWhenDue(child: ChildProcess, timeoutMs: number, signal: AbortSignal): Stop {
  let reason: string | null = null;
  let settle: (ended: Promise<void>) => void;
  const over = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const end = (why: string) => {
    cancel();
    reason = why;
    if (child.pid !== undefined) settle(endGroup(child.pid, KILL_GRACE_MS));
  };
  const onAbort = () => end("Stopped.");
  const timer = setTimeout(end, timerMs(timeoutMs), `Timed out after ${timeoutMs / 1_000} s.`);
  const cancel = () => {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  };
  signal.addEventListener("abort", onAbort);
  if (signal.aborted) onAbort();
  return {
    get reason() {
      return reason;
    },
    over,
    cancel,
  };
}

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
}

function howItEnded(exit: Exit | undefined): string {
  if (!exit) return "It could not be ended and may still run.";
  return exit.signal ? `Ended by ${exit.signal}.` : `Exit code ${exit.code}.`;
}

/** Time for what is in the pipe to be read: a moment, and at least one round of the event loop. */
async function drain(): Promise<undefined> {
  await delay(DRAIN_MS, undefined, { ref: false });
  await nextRound();
}

/** Tells the last line that says something, at once and then now and then. */
function lastLineTeller(progress: (text: string) => void): (text: string) => void {
  let toldAt = Number.NEGATIVE_INFINITY;
  return (text) => {
    const now = performance.now();
    if (now - toldAt < PROGRESS_MS) return;
    const line = text
      .slice(-4_096)
      .split("\n")
      .map(cleanLine)
      .findLast((one) => one !== "");
    if (line === undefined) return;
    toldAt = now;
    progress(shorten(line, LONGEST_PROGRESS));
  };
}
