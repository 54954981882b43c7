/** `Sessions` in a process of its own, on the compiled code: for what only several processes can show. */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Sessions } from "../../src/index.js";

const CHILD = fileURLToPath(new URL("./sessions-child.mjs", import.meta.url));

type Method = {
  [Name in keyof Sessions]: Sessions[Name] extends (...args: never[]) => Promise<unknown> ? Name : never;
}[keyof Sessions];
type Arguments<Name extends Method> = Parameters<Sessions[Name]>;
type Result<Name extends Method> = Awaited<ReturnType<Sessions[Name]>>;

export interface Written {
  readonly sessionId: string;
  readonly seq: number;
  readonly content: string;
}

/** What a call in the other process failed with. */
class RemoteError extends Error {
  readonly code: string;

  constructor(error: { name: string; code: string; message: string }) {
    super(error.message);
    this.name = error.name;
    this.code = error.code;
  }
}

export class SessionsProcess {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  #commands = 0;

  /** `shell` is a shell command that ends by becoming the process: "$@". */
  constructor(shell?: { command: string; args?: readonly string[] }) {
    const node = [process.execPath, CHILD];
    const [file = "", ...args] = shell ? ["bash", "-c", shell.command, ...(shell.args ?? []), ...node] : node;
    const options: SpawnOptions = { stdio: ["ignore", "inherit", "inherit", "ipc"], serialization: "json" };
    this.#child = spawn(file, args, options);
    this.#child.on("message", (message) => this.#answer(message as Answer));
    this.#child.on("exit", (code, signal) => {
      for (const { reject } of this.#waiting.values())
        reject(new Error(`The process ended: ${code ?? signal}`));
      this.#waiting.clear();
    });
  }

  static async open(url: string): Promise<SessionsProcess> {
    const started = new SessionsProcess();
    await started.open(url);
    return started;
  }

  async open(url: string): Promise<void> {
    await this.#command("open", url);
  }

  call<Name extends Method>(method: Name, ...args: Arguments<Name>): Promise<Result<Name>> {
    return this.#command("call", method, ...args) as Promise<Result<Name>>;
  }

  atOnce<Name extends Method>(
    times: number,
    method: Name,
    ...args: Arguments<Name>
  ): Promise<Result<Name>[]> {
    return this.#command("atOnce", times, method, ...args) as Promise<Result<Name>[]>;
  }

  turns(count: number, name: string, chats: readonly string[]): Promise<Written[]> {
    return this.#command("turns", count, name, chats) as Promise<Written[]>;
  }

  ticks(): Promise<number> {
    return this.#command("ticks") as Promise<number>;
  }

  async remove(path: string): Promise<void> {
    await this.#command("remove", path);
  }

  async holdLock(path: string, ms: number): Promise<void> {
    await this.#command("holdLock", path, ms);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await gone;
  }

  #command(command: string, ...args: unknown[]): Promise<unknown> {
    const id = ++this.#commands;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#child.send({ id, command, args });
    });
  }

  #answer({ id, result, error }: Answer): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error) waiting?.reject(new RemoteError(error));
    else waiting?.resolve(result);
  }
}

interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { name: string; code: string; message: string };
}
