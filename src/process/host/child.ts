/** A started process, with pipes or with a PTY. */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { constants } from "node:os";
import { processNamed } from "../../util/holder.js";
import { withoutDescriptors } from "../../util/without-descriptors.js";
import type { ProcessSpec, TerminalSize } from "../process.js";
import type { OutputFile } from "./output-file.js";
import { markOf } from "./own-group.js";

export interface ChildExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface HostedChild {
  readonly pid: number;
  /** As `util/holder.ts` names it. */
  readonly name: string;
  readonly pty: TerminalSize | null;
  readonly takesInput: boolean;
  /** How much input it has not read yet, in bytes. */
  readonly unread: number;
  write(text: string): void;
  /** Ends its input. */
  close(): void;
  resize(size: TerminalSize): void;
}

const SIGNALS = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

export function signalNamed(number: number): NodeJS.Signals | null {
  return (SIGNALS.get(number) as NodeJS.Signals | undefined) ?? null;
}

/** What cannot be started, as a sentence. */
export class NotStarted extends Error {}

export interface StartedChild {
  readonly child: HostedChild;
  /** Settles when it has ended and all its output is in the file. */
  readonly exit: Promise<ChildExit>;
}

/** Its input is a socket: bash would take that for a remote login, and run ~/.bashrc. */
const NO_LOGIN = { SHLVL: "1" };

let leaking = 0;

/** Says that a PTY is open, which every child would get; returns how to say that it is closed. */
export function leak(): () => void {
  leaking += 1;
  return () => {
    leaking -= 1;
  };
}

/** What to start, so that the process gets only its input and output: needed only while a PTY is open. */
export function withoutLeaks({
  file,
  args,
}: Pick<ProcessSpec, "file" | "args">): readonly [string, ...string[]] {
  return leaking === 0 ? [file, ...args] : withoutDescriptors(file, args);
}

/** The process gets the file itself, so that its output survives the host. It leads a group of its own. */
export async function startPiped(spec: ProcessSpec, output: OutputFile): Promise<StartedChild> {
  const file = output.openForProcess();
  let started: ChildProcess;
  try {
    const [program, ...args] = withoutLeaks(spec);
    started = spawn(program, args, {
      cwd: spec.cwd,
      env: { ...NO_LOGIN, ...spec.environment, ...markOf(spec.id) },
      detached: true,
      stdio: ["pipe", file, file],
    });
  } finally {
    closeSync(file);
  }
  const name = processNamed(started.pid ?? 0); // At once: nobody can tell when a process started that is gone.
  const exit = new Promise<ChildExit>((resolve) => {
    started.once("exit", (code, signal) => resolve({ code, signal }));
  });
  await new Promise((resolve, reject) => {
    started.once("spawn", resolve);
    started.once("error", (error) => reject(new NotStarted(error.message)));
  });
  const { pid = 0, stdin } = started;
  stdin?.on("error", () => stdin.destroy()); // It reads no more.
  const child: HostedChild = {
    pid,
    name,
    pty: null,
    get takesInput() {
      return stdin?.writable === true;
    },
    get unread() {
      return stdin?.writableLength ?? 0;
    },
    write: (text) => stdin?.write(text),
    close: () => stdin?.end(),
    resize: () => {},
  };
  return { child, exit };
}
