/**
 * Runs a shell command in the foreground to its end. What holds:
 * - it runs in the folder that was checked, not in a folder that has the same name now;
 * - the command sees the given environment, nothing of ours, and gets no input;
 * - it leads its own process group; a time-out or an abort ends the whole group, TERM first and KILL after a grace
 *   period, where it runs. In a sandbox with its own processes, everything that it started ends with it;
 * - the output is one stream in the order of writing, bounded, without escape sequences;
 * - the result is always a text: how it ended, then what it printed.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay, setImmediate as nextRound } from "node:timers/promises";
import { isGroupThere } from "../../util/process-group.js";
import { printableText } from "../../util/text.js";
import { timerMs } from "../../util/timer-ms.js";
import type { ToolContext } from "../agent.js";
import { BoundedOutput } from "./bounded-output.js";
import { CommandGroup } from "./command-group.js";
import type { CommandLaunch } from "./command-launch.js";
import { commandResult } from "./command-result.js";
import { CommandThere } from "./command-there.js";
import { howShellsTell } from "./exit-words.js";
import { LiveOutput } from "./live-output.js";

export interface ShellOptions {
  /** The folder, in words. */
  readonly folder: string;
  readonly timeoutMs: number;
  /** The longest output that is returned, in UTF-16 units. */
  readonly maxOutput: number;
}

/** How long a process that outlives the command may keep its output open. */
const DRAIN_MS = 100;
/** How long processes that were killed with their sandbox may take to be gone. */
const LEAVE_MS = 30_000;

export async function runShell(
  launch: CommandLaunch,
  { folder, timeoutMs, maxOutput }: ShellOptions,
  { signal, output: show, leads }: ToolContext,
): Promise<string> {
  const { hasOwnProcesses, remote, environment } = launch;
  let child: ChildProcess;
  try {
    child = start(launch);
    await once(child, "spawn");
    if (child.pid !== undefined) leads?.(child.pid);
  } catch (error) {
    return `Error: no shell could be started in ${folder}: ${(error as Error).message}`;
  }
  const output = new BoundedOutput(maxOutput);
  const live = show && new LiveOutput(show);
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    output.add(text);
    live?.add(text);
  });
  const there = remote && new CommandThere(child, remote, environment);
  const group = there ?? new CommandGroup(child, hasOwnProcesses);
  const closed = once(child, "close");
  const stop = stopWhenDue(group, timeoutMs, signal);
  const exit = await Promise.race([exitOf(child), stop.over.then(drain)]);
  stop.cancel();
  // A process that the command started may hold the output open and run on: this does not wait for it.
  const rest = hasOwnProcesses
    ? delay(LEAVE_MS, undefined, { ref: false })
    : (stop.reason ? stop.over : Promise.resolve()).then(drain);
  const isHeldOpen = await Promise.race([closed.then(() => false), rest.then(() => true)]);
  const left = isHeldOpen || (stop.reason === null && !hasOwnProcesses && (await leavesBehind(child)));
  child.stdout?.destroy();
  live?.end();
  group.forget();
  const printed = output.text(printableText).trimEnd();
  if (group.complaint !== "" && printed === "" && exit?.code === 1) {
    return `Error: not run: the sandbox could not be started: ${group.complaint}`;
  }
  const sentences = [
    stop.reason,
    there ? await there.howItEnded() : howItEnded(exit, hasOwnProcesses),
    left ? "Something that it started is still running." : null,
  ];
  return commandResult(sentences, printed);
}

function start({ file, args, environment, cwd, hasOwnProcesses, remote }: CommandLaunch): ChildProcess {
  return spawn(file, args, {
    cwd,
    env: { ...environment },
    detached: true,
    // What says something for itself, a sandbox or a client, has its own error output.
    stdio: [
      "ignore",
      "pipe",
      remote || hasOwnProcesses ? "pipe" : "ignore",
      hasOwnProcesses ? "pipe" : "ignore",
    ],
  });
}

/** True if a process of its group continues without the output; processes that are just ending get a moment. */
async function leavesBehind({ pid }: ChildProcess): Promise<boolean> {
  if (pid === undefined || !isGroupThere(pid)) return false;
  await drain();
  return isGroupThere(pid);
}

interface Stop {
  /** Why the command was ended, as a sentence; null if it was not. */
  readonly reason: string | null;
  /** Settles when the command was ended and its group is gone or killed. */
  readonly over: Promise<void>;
  cancel(): void;
}

function stopWhenDue(group: { end(): Promise<void> }, timeoutMs: number, signal: AbortSignal): Stop {
  let reason: string | null = null;
  let settle: (ended: Promise<void>) => void;
  const over = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const end = (why: string) => {
    cancel();
    reason = why;
    settle(group.end());
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

/** A sandbox reports a signal as shells do: 128 plus its number. */
function howItEnded(exit: Exit | undefined, isTold: boolean): string {
  if (!exit) return "It could not be stopped and may still be running.";
  if (exit.signal !== null) return `Killed by ${exit.signal}.`;
  return isTold ? howShellsTell(exit.code ?? 0) : `Exit code ${exit.code}.`;
}

/** Waits until the pipe is read: a moment, and at least one round of the event loop. */
async function drain(): Promise<undefined> {
  await delay(DRAIN_MS, undefined, { ref: false });
  await nextRound();
}
