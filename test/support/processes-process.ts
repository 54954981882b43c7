/** What a gateway has of background processes, in a process of its own, which can be killed. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { OutputPart, TerminalSize } from "../../src/process/process.js";
import type { SeenProcess } from "../../src/process/processes.js";
import { PROTOCOLS } from "../../src/process/protocol.js";
import type { ProcessId } from "../../src/session/ids.js";

const CHILD = fileURLToPath(new URL("./processes-child.mjs", import.meta.url));

interface Calls {
  start(asked: { command: string; cwd: string; pty: TerminalSize | null }): Promise<SeenProcess>;
  reconcile(): Promise<void>;
  find(id: ProcessId): Promise<SeenProcess>;
  list(which: object): Promise<SeenProcess[]>;
  poll(id: ProcessId, limit: number): Promise<{ process: SeenProcess; output: OutputPart }>;
  read(id: ProcessId, from: number, limit: number): Promise<OutputPart>;
  write(id: ProcessId, text: string): Promise<SeenProcess>;
  close(id: ProcessId): Promise<SeenProcess>;
  kill(id: ProcessId, by: "agent" | "person"): Promise<SeenProcess>;
  tidy(): Promise<void>;
  /** Makes this process the host, too. */
  serve(): Promise<void>;
  /** The clock goes on by so much. */
  pass(ms: number): Promise<void>;
  /** What it waits for: timers, sockets and the like. */
  resources(): Promise<string[]>;
}

interface Answer {
  readonly n: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string; readonly code?: string };
}

export class ProcessesProcess {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #last = 0;

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  private constructor(folder: string, store: string, protocols: readonly number[]) {
    this.#child = fork(CHILD, [folder, store, JSON.stringify(protocols)], {
      execArgv: [],
      env: { PATH: process.env.PATH },
    });
    this.#child.on("message", (answer: Answer) => this.#waiting.get(answer.n)?.(answer));
  }

  static async open(folder: string, store: string, protocols = PROTOCOLS): Promise<ProcessesProcess> {
    const opened = new ProcessesProcess(folder, store, protocols);
    await new Promise((resolve) => opened.#waiting.set(0, resolve));
    return opened;
  }

  async call<Name extends keyof Calls>(
    method: Name,
    ...args: Parameters<Calls[Name]>
  ): Promise<Awaited<ReturnType<Calls[Name]>>> {
    this.#last += 1;
    const n = this.#last;
    const answered = new Promise<Answer>((resolve) => this.#waiting.set(n, resolve));
    this.#child.send({ n, method, args });
    const { result, error } = await answered;
    if (error) throw Object.assign(new Error(error.message), error);
    return result as Awaited<ReturnType<Calls[Name]>>;
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill("SIGKILL");
    await once(this.#child, "exit");
  }
}
