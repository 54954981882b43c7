/**
 * All processes of a home folder: starts them, keeps their output bounded, and ends them. It asks no database: what it
 * knows is in its folder, and the next host goes on with it.
 */
import { type FSWatcher, watch } from "node:fs";
import type { ProcessId } from "../../session/ids.js";
import { cleanLine } from "../../util/text.js";
import { timerMs } from "../../util/timer-ms.js";
import type { ProcessSpec, ProcessStatus } from "../process.js";
import type { HostErrorCode, HostVerb, HostVerbs } from "../protocol.js";
import { NotStarted } from "./child.js";
import { HostedProcess, type HostParts } from "./hosted-process.js";
import type { loadPty } from "./pty.js";
import { idOfOutput, readRecords } from "./record.js";

/** The most input that may wait for a process that does not read. */
const MOST_WAITING_INPUT = 1024 * 1024;
/** How often a process may be looked at for new output. */
const OUTPUT_MS = 10;
/** How often to look at processes of an earlier host, and for output that no event announced. */
const LOOK_MS = 500;
/** What is kept of an ended process that nobody asks to forget. */
const KEPT_MS = 24 * 60 * 60 * 1_000;

export class HostError extends Error {
  readonly code: HostErrorCode;

  constructor(code: HostErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

export interface HostSetting {
  readonly folder: string;
  readonly pty: Awaited<ReturnType<typeof loadPty>>;
  readonly clock: () => number;
  readonly onOutput: (id: ProcessId, to: number) => void;
  readonly onEnded: (status: ProcessStatus) => void;
}

type Handlers = {
  readonly [V in HostVerb]: (takes: HostVerbs[V]["takes"]) => Promise<HostVerbs[V]["gives"]>;
};

export class Host {
  readonly #setting: HostSetting;
  readonly #processes = new Map<ProcessId, HostedProcess>();
  readonly #starting = new Map<ProcessId, Promise<HostedProcess>>();
  /** Those whose output was looked at just now; true if there was more since. */
  readonly #looked = new Map<ProcessId, boolean>();
  readonly #watcher: FSWatcher | null;
  readonly #looking: NodeJS.Timeout;

  constructor(setting: HostSetting) {
    this.#setting = setting;
    const parts = this.#parts();
    for (const record of readRecords(setting.folder)) {
      try {
        this.#processes.set(record.id, HostedProcess.adopt(parts, record));
      } catch {
        // Its output can't be opened: the others must not wait for that.
      }
    }
    this.#watcher = this.#watch(setting.folder);
    this.#looking = setInterval(() => this.#look(), timerMs(LOOK_MS));
    this.#look();
  }

  /** Null if the system can watch no more: the timer looks as well. */
  #watch(folder: string): FSWatcher | null {
    try {
      const watcher = watch(folder, (_, file) => {
        const process =
          file === null ? undefined : this.#processes.get(idOfOutput(file) ?? ("" as ProcessId));
        if (process) this.#hear(process);
      });
      return watcher.on("error", () => {});
    } catch {
      return null;
    }
  }

  /** How many run, or left something behind that does. */
  get running(): number {
    return [...this.#processes.values()].filter(({ isActive }) => isActive).length + this.#starting.size;
  }

  do<V extends HostVerb>(verb: V, takes: HostVerbs[V]["takes"]): Promise<HostVerbs[V]["gives"]> {
    const handler: Handlers[V] | undefined = Object.hasOwn(this.#handlers, verb)
      ? this.#handlers[verb]
      : undefined;
    if (!handler)
      throw new HostError("process_host_failed", `This process host does not know "${cleanLine(verb)}".`);
    return handler(takes);
  }

  readonly #handlers: Handlers = {
    spawn: async ({ spec }) => (await this.#spawn(spec)).status,
    abandon: async ({ id }) => (await this.#abandon(id)).status,
    list: async () => [...this.#processes.values()].map(({ status }) => status),
    status: async ({ id }) => (await this.#find(id)).status,
    read: async ({ id, from, limit }) => (await this.#find(id)).read(from, limit),
    poll: async ({ id, limit }) => {
      const process = await this.#find(id);
      const output = process.poll(limit);
      return { status: process.status, output };
    },
    write: async ({ id, text, after = null }) => {
      const process = await this.#takingInput(id);
      if (after !== null && after !== process.status.unsent)
        throw new HostError(
          "process_input_changed",
          "Something else was typed into the process meanwhile, so nothing was written.",
        );
      if (process.unread + text.length > MOST_WAITING_INPUT)
        throw new HostError(
          "process_input_full",
          "The process does not read, and much input waits for it already. Nothing was written.",
        );
      process.write(text);
      return process.status;
    },
    close: async ({ id }) => {
      const process = await this.#takingInput(id);
      process.close();
      return process.status;
    },
    resize: async ({ id, cols, rows }) => {
      const process = await this.#find(id);
      if (process.status.pty === null)
        throw new HostError("process_without_terminal", "The process has no terminal.");
      process.resize({ cols, rows });
      return process.status;
    },
    kill: async ({ id, by, graceMs }) => {
      const process = await this.#find(id);
      await process.kill(by, graceMs);
      return process.status;
    },
    follow: async ({ id }) => (await this.#find(id)).status,
    unfollow: async () => ({}),
    forget: async ({ id }) => {
      const process = this.#processes.get(id);
      if (process?.isActive) throw new HostError("process_still_running", "The process is still running.");
      process?.remove();
      this.#processes.delete(id);
      return {};
    },
  };

  /** Once for each id, also if it is asked for twice at the same time. */
  async #spawn(spec: ProcessSpec): Promise<HostedProcess> {
    const known = this.#processes.get(spec.id) ?? this.#starting.get(spec.id);
    if (known) return known;
    const starting = HostedProcess.start(this.#parts(), spec);
    this.#starting.set(spec.id, starting);
    try {
      const process = await starting;
      this.#processes.set(spec.id, process);
      this.#hear(process);
      return process;
    } catch (error) {
      if (error instanceof NotStarted) {
        const message = `The command can't be started: ${error.message}.`;
        throw new HostError("process_not_started", message);
      }
      throw error;
    } finally {
      this.#starting.delete(spec.id);
    }
  }

  /** Its record says that it never ran: so nobody can start it later. */
  async #abandon(id: ProcessId): Promise<HostedProcess> {
    const known = this.#processes.get(id) ?? (await this.#starting.get(id)?.catch(() => undefined));
    if (known) return known;
    const abandoned = HostedProcess.abandon(this.#parts(), id);
    this.#processes.set(id, abandoned);
    return abandoned;
  }

  /** Also one that is just being started. */
  async #find(id: ProcessId): Promise<HostedProcess> {
    const process = this.#processes.get(id) ?? (await this.#starting.get(id)?.catch(() => undefined));
    if (!process) throw new HostError("process_not_found", "The process host does not know this process.");
    return process;
  }

  async #takingInput(id: ProcessId): Promise<HostedProcess> {
    const process = await this.#find(id);
    if (!process.status.takesInput) throw new HostError("process_input_closed", process.whyDeaf);
    return process;
  }

  #parts(): HostParts {
    const { folder, pty, clock, onEnded } = this.#setting;
    return {
      folder,
      pty,
      clock,
      onOutput: (process) => this.#hear(process),
      onEnded: (process) => {
        this.#setting.onOutput(process.id, process.status.output.to);
        onEnded(process.status);
      },
    };
  }

  /** There may be new output: looked at now, and then at most once in a while. */
  #hear(process: HostedProcess): void {
    if (this.#looked.has(process.id)) {
      this.#looked.set(process.id, true);
      return;
    }
    process.trim();
    const { to } = process.status.output;
    if (to === 0) return; // Its first output is heard at once.
    this.#setting.onOutput(process.id, to);
    this.#looked.set(process.id, false);
    setTimeout(() => {
      const isMore = this.#looked.get(process.id);
      this.#looked.delete(process.id);
      if (isMore && this.#processes.has(process.id)) this.#hear(process);
    }, timerMs(OUTPUT_MS));
  }

  #look(): void {
    for (const process of this.#processes.values()) {
      try {
        this.#lookAt(process);
      } catch {
        // A full disk, or too many open files: it is looked at again.
      }
    }
  }

  #lookAt(process: HostedProcess): void {
    process.saveAgain();
    if (process.isActive) {
      this.#hear(process); // Perhaps no event came.
      void process.look();
    } else if ((process.endedAt ?? 0) < this.#setting.clock() - KEPT_MS) {
      process.remove();
      this.#processes.delete(process.id);
    }
  }

  /** Leaves everything to the next host. */
  close(): void {
    clearInterval(this.#looking);
    this.#watcher?.close();
    for (const process of this.#processes.values()) process.leave();
  }
}
