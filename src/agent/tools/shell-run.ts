/**
 * A shell command in the foreground, to its end. What holds:
 * - it runs in the folder that was checked, by `way`, not in what has its name by now;
 * - the command sees the environment that was given, nothing of ours, and no input;
 * - it leads a group of its own; a time-out or an abort ends the whole group, TERM first and KILL after a grace. In a
 *   sandbox with processes of its own all that it started ends with it, whatever group or session it went to;
 * - output is one stream in the order it was written, bounded, without escape sequences;
 * - whatever happens is a text: how it ended, then what it printed.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { setTimeout as delay, setImmediate as nextRound } from "node:timers/promises";
import { cleanLine, printableText, shorten } from "../../util/text.js";
import { timerMs } from "../../util/timer-ms.js";
import type { ToolContext } from "../agent.js";
import type { Launch, Sandbox } from "../sandbox/sandbox.js";
import { BoundedOutput } from "./bounded-output.js";
import { CommandGroup } from "./command-group.js";
import { isGroupThere } from "./process-group.js";

export interface ShellOptions {
  readonly cwd: string;
  /** The path that leads there, whatever becomes of its name meanwhile. */
  readonly way: string;
  /** All that commands see of the environment. */
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** The longest output that is kept, in UTF-16 units. */
  readonly maxOutput: number;
  /** Null if it runs with all that this user may do. */
  readonly sandbox?: Sandbox | null;
}

/** How long a process that outlives the command may keep its output open. */
const DRAIN_MS = 100;
/** How long what was killed with its sandbox may take to be gone. */
const LEAVE_MS = 30_000;
/** How often the last line is told while it runs. */
const PROGRESS_MS = 500;
const LONGEST_PROGRESS = 200;

export async function runShell(
  command: string,
  options: ShellOptions,
  { signal, progress, leads }: ToolContext,
): Promise<string> {
  const launch = launchOf(command, options);
  const { hasOwnProcesses } = launch;
  let child: ChildProcess;
  try {
    child = start(launch, options.way);
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
  const group = new CommandGroup(child, hasOwnProcesses);
  const closed = once(child, "close");
  const stop = stopWhenDue(group, options.timeoutMs, signal);
  const exit = await Promise.race([exitOf(child), stop.over.then(drain)]);
  stop.cancel();
  // Who holds the output open may have been started by the command and be running still: that is not waited for.
  const rest = hasOwnProcesses
    ? delay(LEAVE_MS, undefined, { ref: false })
    : (stop.reason ? stop.over : Promise.resolve()).then(drain);
  const isHeldOpen = await Promise.race([closed.then(() => false), rest.then(() => true)]);
  const left = isHeldOpen || (stop.reason === null && !hasOwnProcesses && (await leavesBehind(child)));
  child.stdout?.destroy();
  group.forget();
  const printed = output.text(printableText).trimEnd();
  if (group.complaint !== "" && printed === "" && exit?.code === 1) {
    return `Error: not run: the sandbox could not be started: ${group.complaint}`;
  }
  const sentences = [
    stop.reason,
    howItEnded(exit, hasOwnProcesses),
    left ? "Something that it started is still running." : null,
  ];
  return `${sentences.filter(Boolean).join(" ")}\n\n${printed || "(no output)"}`;
}

/** Both outputs in one pipe, so that their order is kept; bash where there is one. */
function launchOf(command: string, { cwd, environment, sandbox }: ShellOptions): Launch {
  const shell = existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh";
  const [file, ...args] = ["/bin/sh", "-c", 'exec "$0" -c "$1" 2>&1', shell, command] as const;
  return sandbox
    ? sandbox.launch([file, ...args], cwd, environment)
    : { file, args, environment, hasOwnProcesses: false };
}

function start({ file, args, environment, hasOwnProcesses }: Launch, way: string): ChildProcess {
  return spawn(file, args, {
    cwd: way,
    env: { ...environment },
    detached: true,
    stdio: ["ignore", "pipe", ...(hasOwnProcesses ? (["pipe", "pipe"] as const) : (["ignore"] as const))],
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

function stopWhenDue(group: CommandGroup, timeoutMs: number, signal: AbortSignal): Stop {
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

/** A sandbox tells a signal as shells do: 128 and its number. */
function howItEnded(exit: Exit | undefined, isTold: boolean): string {
  if (!exit) return "It could not be stopped and may still be running.";
  const told = isTold ? SIGNALS.get((exit.code ?? 0) - 128) : undefined;
  const signal = exit.signal ?? told;
  return signal ? `Killed by ${signal}.` : `Exit code ${exit.code}.`;
}

const SIGNALS = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

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
