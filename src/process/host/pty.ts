/** Processes on a PTY. Without the optional package that makes one, they get pipes. */
import { readSync } from "node:fs";
import type { IPty } from "@lydell/node-pty";
import { processNamed } from "../../util/holder.js";
import { canCloseDescriptors } from "../../util/without-descriptors.js";
import type { ProcessSpec, TerminalSize } from "../process.js";
import {
  type ChildExit,
  type HostedChild,
  leak,
  NotStarted,
  type StartedChild,
  signalNamed,
  withoutLeaks,
} from "./child.js";
import { openPty } from "./open-pty.js";
import type { OutputFile } from "./output-file.js";
import { markOf } from "./own-group.js";
import { PtyInput } from "./pty-input.js";

type Pty = typeof import("@lydell/node-pty");

const EOT = "\x04";

/** Null if this machine has none, or could not keep it from other processes. */
export async function loadPty(): Promise<Pty | null> {
  if (!canCloseDescriptors()) return null;
  try {
    return await import("@lydell/node-pty");
  } catch {
    return null;
  }
}

/** The kernel has less in a PTY; but something that was left behind may go on printing. */
const MOST_LEFT = 1024 * 1024;

/**
 * The package closes a PTY 200 ms after the exit, whatever was not read yet: on a busy machine that would be the last
 * output.
 */
function readBeforeClosing(pty: IPty, onData: (data: Buffer) => void): void {
  const { fd, _socket: socket } = openPty(pty);
  const destroy = socket.destroy.bind(socket);
  socket.destroy = (error) => {
    if (!socket.destroyed) onData(readNow(fd));
    return destroy(error);
  };
}

/** What can be read without waiting. */
function readNow(fd: number): Buffer {
  const all = Buffer.alloc(MOST_LEFT);
  let length = 0;
  try {
    for (let count = -1; count !== 0 && length < all.length; length += count) {
      count = readSync(fd, all, length, all.length - length, null);
    }
  } catch {
    // There is no more for now, or nobody has the other end open any more.
  }
  return all.subarray(0, length);
}

export function startOnPty(
  pty: Pty,
  spec: ProcessSpec,
  size: TerminalSize,
  output: OutputFile,
  onOutput: () => void,
): StartedChild {
  let started: IPty;
  // The package sets PWD to the folder that it is given, and this one may only be a way to it: so it is entered first.
  const before = process.cwd();
  try {
    process.chdir(spec.cwd);
    const [file, ...args] = withoutLeaks(spec);
    started = pty.spawn(file, args, {
      name: "xterm-256color",
      ...size,
      cwd: ".",
      env: { ...spec.environment, ...markOf(spec.id) },
      encoding: null,
    });
  } catch (error) {
    throw new NotStarted((error as Error).message);
  } finally {
    process.chdir(before);
  }
  const closed = leak();
  const name = processNamed(started.pid);
  const input = new PtyInput(started);
  let present = size;
  // It is typed for text, but gives bytes if there is no encoding.
  started.onData((data: string | Buffer) => {
    output.append(Buffer.from(data as Buffer));
    onOutput();
  });
  readBeforeClosing(started, (data) => output.append(data));
  const exit = new Promise<ChildExit>((resolve) => {
    started.onExit(({ exitCode, signal }) => {
      closed();
      const by = signalNamed(signal ?? 0);
      resolve(by ? { code: null, signal: by } : { code: exitCode, signal: null });
    });
  });
  const child: HostedChild = {
    pid: started.pid,
    name,
    get pty() {
      return present;
    },
    get takesInput() {
      return input.isOpen;
    },
    get unread() {
      return input.unread;
    },
    write: (text) => input.write(text),
    close: () => input.write(EOT),
    resize: (next) => {
      if (!input.isOpen) return;
      present = next;
      started.resize(next.cols, next.rows);
    },
  };
  return { child, exit };
}
