/** A started process, with pipes or with a PTY. */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { processNamed } from "../../util/holder.js";
import type { ProcessSpec, TerminalSize } from "../process.js";
import type { OutputFile } from "./output-file.js";

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

/** What cannot be started, as a sentence. */
export class NotStarted extends Error {}

export interface StartedChild {
  readonly child: HostedChild;
  /** Settles when it has ended and all its output is in the file. */
  readonly exit: Promise<ChildExit>;
}

/** The process gets the file itself, so that its output survives the host. It leads a group of its own. */
export async function startPiped(spec: ProcessSpec, output: OutputFile): Promise<StartedChild> {
  const file = output.openForProcess();
  let started: ChildProcess;
  try {
    started = spawn(spec.file, spec.args, {
      cwd: spec.cwd,
      env: { ...spec.environment },
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
