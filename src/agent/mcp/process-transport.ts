/**
 * A server that is our process; Baton talks to it over its input and output. What holds:
 * - it sees the given environment, and nothing of ours;
 * - it leads its own process group, and the whole group ends with it: TERM first, KILL after a grace period, and KILL
 *   at once if our own process exits without waiting;
 * - a server that breaks the protocol is ended, and `ending` says why.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { type JSONRPCMessage, serializeMessage, type Transport } from "@modelcontextprotocol/client";
import { endGroup } from "../../util/process-group.js";
import { MessageLines } from "./message-lines.js";

export interface ProcessOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly onStderr: (text: string) => void;
}

const KILL_GRACE_MS = 1_000;
/** How long the rest of a pipe may take to be read, and how much earlier a pipe may end than its process. */
const DRAIN_MS = 100;
/** How long the rest of what a process said may take after its end: its children may hold the pipes. */
const REST_MS = 1_000;
const MOST_UNREAD = 16 * 2 ** 20;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

export class ProcessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Why it is gone; null while it runs, and if we closed it. */
  ending: string | null = null;
  #isOver = false;
  readonly #options: ProcessOptions;
  #child: Child | undefined;
  #over: Promise<void> | undefined;

  constructor(options: ProcessOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { command, args, env, cwd, onStderr } = this.#options;
    const child = spawn(command, args, { env: { ...env }, cwd, detached: true, stdio: "pipe" });
    await once(child, "spawn");
    this.#child = child;
    leaveNone(child);
    if (this.#over) this.#over = this.#endNow(null); // It was closed meanwhile.
    child.on("error", () => {}); // A signal could not be sent; the process's end shows what became of it.
    child.once("exit", (code, signal) =>
      this.#end(signal ? `it was killed by ${signal}` : `it exited with code ${code}`),
    );
    child.stdin.on("error", () => this.#endSoon("it closed its input"));
    child.stdout.on("end", () => this.#endSoon("it closed its output"));
    child.stderr.setEncoding("utf8").on("data", onStderr);
    this.#read(child);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const child = this.#child;
    if (!child || this.#isOver) throw new Error("the server is not running");
    if (child.stdin.writableLength > MOST_UNREAD) {
      this.#end("it does not read its input");
      throw new Error("the server does not read its input");
    }
    child.stdin.write(serializeMessage(message));
  }

  async close(): Promise<void> {
    await this.#end(null);
  }

  #read(child: Child): void {
    const lines = new MessageLines();
    child.stdout.on("data", (bytes: Buffer) => {
      // Other work gets its turn between two pieces, however much it prints.
      child.stdout.pause();
      setImmediate(() => child.stdout.resume());
      try {
        for (const message of lines.take(bytes)) this.onmessage?.(message);
      } catch (error) {
        this.#end((error as Error).message);
      }
    });
  }

  /** The process may be about to end by itself, and its exit code says more. */
  async #endSoon(why: string): Promise<void> {
    await delay(DRAIN_MS);
    await this.#end(why);
  }

  #end(why: string | null): Promise<void> {
    this.#over ??= this.#endNow(why);
    return this.#over;
  }

  async #endNow(why: string | null): Promise<void> {
    const child = this.#child;
    if (!child) return;
    const isOver = child.exitCode !== null || child.signalCode !== null;
    if (isOver) await Promise.race([ended(child.stdout, child.stderr), delay(REST_MS)]);
    this.#isOver = true;
    this.ending = why;
    child.stdin.end();
    this.onclose?.();
    if (child.pid !== undefined) await endGroup(child.pid, KILL_GRACE_MS);
    child.stdout.destroy();
    child.stderr.destroy();
    child.stdin.destroy();
    forget(child);
  }
}

async function ended(...pipes: readonly Readable[]): Promise<void> {
  const open = pipes.filter((pipe) => !pipe.readableEnded && !pipe.destroyed);
  await Promise.all(open.map((pipe) => once(pipe, "end").catch(() => {})));
}

const living = new Set<Child>();

/** If our process exits in a hurry, it leaves no child behind. */
function leaveNone(child: Child): void {
  if (living.size === 0) process.on("exit", killAll);
  living.add(child);
}

function forget(child: Child): void {
  living.delete(child);
  if (living.size === 0) process.off("exit", killAll);
}

function killAll(): void {
  for (const { pid } of living) {
    try {
      if (pid !== undefined) process.kill(-pid, "SIGKILL");
    } catch {
      // It is gone already.
    }
  }
}
