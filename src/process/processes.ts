/**
 * The background processes of a home folder: what the store says of them and what their host knows, together. A process is
 * in the store before the host is asked to start it, and the host starts an id only once: so nothing is lost, and nothing
 * runs twice.
 */
import { BatonError, ConflictError, NotFoundError } from "../session/errors.js";
import { newProcessId, type ProcessId, type SessionId } from "../session/ids.js";
import type { Clock } from "../util/clock.js";
import type { OnProblem } from "../util/problem.js";
import { withinTime } from "../util/within-time.js";
import { Agreement, ANSWER_MS } from "./agreement.js";
import { hasFiles } from "./host/record.js";
import { HostClient, type HostClientOptions } from "./host-client.js";
import { homeName } from "./places.js";
import type { OutputPart, ProcessSpec, ProcessStatus, TerminalSize } from "./process.js";
import type { HostEvent, HostVerb, HostVerbs } from "./protocol.js";
import type { KeptProcess, NewProcess, ProcessCaps, ProcessStore } from "./store.js";
import { Waiters } from "./waiters.js";

export interface StartProcess extends Omit<NewProcess, "id" | "home" | "pty"> {
  readonly spec: Omit<ProcessSpec, "id">;
}

export interface SeenProcess {
  readonly kept: KeptProcess;
  /** Null if its host cannot be asked, or knows nothing of it. */
  readonly status: ProcessStatus | null;
}

/** A process that its host knows. */
export interface KnownProcess extends SeenProcess {
  readonly status: ProcessStatus;
}

export interface ProcessesOptions
  extends Pick<HostClientOptions, "folder" | "version" | "protocols" | "start"> {
  readonly store: ProcessStore;
  readonly caps: ProcessCaps;
  /** How long ended ones are kept. */
  readonly keptMs: number;
  /** How long a process has to end by itself after TERM. */
  readonly graceMs: number;
  readonly clock: Clock;
  readonly onProblem: OnProblem;
}

/** Errors after which a process may run all the same. */
const MAYBE_DONE: readonly string[] = ["process_host_lost", "process_host_slow"];

const JUST_STARTED = {
  state: "running",
  end: null,
  endedAt: null,
  reportedThrough: 0,
  matchedThrough: 0,
  matchedAt: null,
} as const;

export class Processes {
  readonly #options: ProcessesOptions;
  readonly #client: HostClient;
  /** Names the home folder in the store. */
  readonly home: string;
  readonly #followers = new Map<ProcessId, Set<(to: number) => void>>();
  readonly #waiters = new Waiters();
  readonly #agreement: Agreement;

  constructor(options: ProcessesOptions) {
    this.#options = options;
    this.home = homeName(options.folder);
    this.#client = new HostClient({
      ...options,
      onEvent: (event) => this.#hear(event),
      onConnected: () => this.#agreement.lookAfter(0),
      onLost: () => this.#goOn(),
    });
    this.#agreement = new Agreement({
      ...options,
      home: this.home,
      client: this.#client,
      onAgreed: () => this.#followAgain(),
    });
  }

  /** Starts it, once; fails with a sentence if it cannot be started. */
  async start({ spec, ...process }: StartProcess): Promise<SeenProcess> {
    const { store, caps, clock } = this.#options;
    const id = newProcessId();
    const kept = { ...process, id, home: this.home, pty: spec.pty !== null };
    await store.attend(this.home, clock());
    const added = await store.add(kept, caps, clock());
    if (added !== "added") throw full(added, caps);
    const status = await this.#agreement.starting(id, () => this.#spawn({ ...spec, id }));
    return { kept: { ...kept, ...JUST_STARTED, startedAt: status.startedAt }, status };
  }

  /** If it certainly does not run, the store says so. */
  async #spawn(spec: ProcessSpec): Promise<ProcessStatus> {
    try {
      return await this.#client.request("spawn", { spec });
    } catch (error) {
      const isOpen = error instanceof BatonError && MAYBE_DONE.includes(error.code);
      const { store, clock } = this.#options;
      const why = (error as Error).message;
      if (isOpen) this.#goOn();
      else
        await store
          .ended(spec.id, { kind: "lost", why }, clock())
          .catch((cause) => this.#agreement.saveLater(cause));
      throw error;
    }
  }

  /** Newest first. */
  async list(which: { readonly sessionId?: SessionId; readonly home?: string }): Promise<SeenProcess[]> {
    const kept = await this.#options.store.list(which);
    const isHere = kept.some(({ home }) => home === this.home);
    const known = (isHere && (await this.#agreement.known())) || [];
    return kept.map((process) => ({
      kept: process,
      status: known.find(({ id }) => id === process.id) ?? null,
    }));
  }

  async find(id: ProcessId): Promise<SeenProcess | null> {
    const kept = await this.#options.store.find(id);
    if (!kept) return null;
    const isHere = kept.home === this.home;
    const known = isHere ? await this.#agreement.known() : null;
    return { kept, status: known?.find((one) => one.id === id) ?? null };
  }

  /** As its host knows it, which is started if none runs. */
  async status(id: ProcessId): Promise<KnownProcess> {
    const status = await this.#ask("status", { id });
    const { kept } = await this.#seen(id, status);
    return { kept, status };
  }

  /** What is new since the last poll, at most the last `limit` bytes. */
  async poll(id: ProcessId, limit: number): Promise<{ process: SeenProcess; output: OutputPart }> {
    const { status, output } = await this.#ask("poll", { id, limit });
    return { process: await this.#seen(id, status), output };
  }

  /** From a position, or, if that is negative, that many bytes before the end; at most `limit` bytes. */
  read(id: ProcessId, from: number, limit: number): Promise<OutputPart> {
    return this.#ask("read", { id, from, limit });
  }

  /** Returns when it has ended, when the time is up or when the signal aborts. It changes nothing. */
  async wait(
    id: ProcessId,
    { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<SeenProcess> {
    const until = performance.now() + timeoutMs;
    for (;;) {
      const leftMs = until - performance.now();
      const news = this.#waiters.next(id, leftMs, signal);
      try {
        // A host that hangs must not keep anybody: if it is time to answer, it has only a moment.
        const asked = this.#ask("status", { id });
        const status = await Promise.race([asked, news.come.then(() => withinTime(asked, ANSWER_MS))]);
        if (status === null && !signal.aborted && performance.now() < until) continue;
        if (status === null) return await this.#seen(id, null);
        if (status.end !== null || signal.aborted || leftMs <= 0) return await this.#seen(id, status);
        await news.come;
      } finally {
        news.forget();
      }
    }
  }

  /** Ends the whole group; returns when it is gone, or could not be ended. */
  async kill(id: ProcessId, by: "agent" | "person"): Promise<SeenProcess> {
    const status = await this.#ask("kill", { id, by, graceMs: this.#options.graceMs });
    if (status.end) await this.#agreement.save(status);
    return this.#seen(id, status);
  }

  /** Ends it if it runs, and removes its output. The store forgets it separately. */
  async remove(id: ProcessId): Promise<void> {
    const kept = await this.#options.store.find(id);
    if (kept?.home !== this.home) return;
    if (kept.end === null) await this.kill(id, "person");
    if (hasFiles(this.#options.folder, id)) await this.#client.request("forget", { id });
  }

  /** With `after`, nothing is written if something else is unsent by now (`process_input_changed`). */
  async write(id: ProcessId, text: string, after?: string): Promise<SeenProcess> {
    const takes = after === undefined ? { id, text } : { id, text, after };
    return this.#seen(id, await this.#ask("write", takes));
  }

  /** Ends its input. */
  async close(id: ProcessId): Promise<SeenProcess> {
    return this.#seen(id, await this.#ask("close", { id }));
  }

  async resize(id: ProcessId, size: TerminalSize): Promise<SeenProcess> {
    return this.#seen(id, await this.#ask("resize", { id, ...size }));
  }

  /** Calls back when there is output up to a position. Returns how to end it. */
  async follow(id: ProcessId, onOutput: (to: number) => void): Promise<() => void> {
    const followers = this.#followers.get(id) ?? new Set();
    this.#followers.set(id, followers.add(onOutput));
    const forget = (): void => {
      followers.delete(onOutput);
      if (followers.size === 0) this.#followers.delete(id);
    };
    const { output } = await this.#ask("follow", { id }).catch((error) => {
      forget();
      throw error;
    });
    onOutput(output.to);
    return () => {
      forget();
      if (followers.size > 0) return;
      this.#client.request("unfollow", { id }).catch(() => {}); // The host has ended: then nobody follows.
    };
  }

  /** What the host can do; null if none runs. */
  about(): Promise<{ readonly hasPty: boolean; readonly endsWithService: boolean } | null> {
    return this.#client.helloIfRunning();
  }

  /** To be called when processes may have been started elsewhere: from then on their ends are heard here, too. */
  async listen(): Promise<void> {
    if (!this.#client.isConnected) await this.reconcile();
  }

  /** Makes the store agree with the host: to be called at the start, and after the connection was lost. */
  reconcile(): Promise<void> {
    return this.#agreement.reconcile();
  }

  /** Forgets those that ended a while ago, and earlier ones if there are too many. */
  tidy(): Promise<void> {
    return this.#agreement.tidy();
  }

  async shut(): Promise<void> {
    await this.#agreement.shut();
    this.#client.close();
  }

  async #ask<V extends "poll" | "read" | "status" | "kill" | "write" | "close" | "resize" | "follow">(
    verb: V,
    takes: HostVerbs[V]["takes"],
  ): Promise<HostVerbs[V]["gives"]> {
    const kept = await this.#options.store.find(takes.id);
    if (!kept) throw new NotFoundError("process_not_found", `There is no process ${takes.id}.`);
    if (kept.home !== this.home)
      throw new NotFoundError(
        "process_not_found",
        `Process ${takes.id} runs on another machine or in another home folder.`,
      );
    return this.#client.request(verb as HostVerb, takes) as Promise<HostVerbs[V]["gives"]>;
  }

  async #seen(id: ProcessId, status: ProcessStatus | null): Promise<SeenProcess> {
    const kept = await this.#options.store.find(id);
    if (!kept) throw new NotFoundError("process_not_found", `There is no process ${id}.`);
    return { kept, status };
  }

  #hear(event: HostEvent): void {
    if (event.event === "output") {
      for (const follower of this.#followers.get(event.id) ?? []) follower(event.to);
      return;
    }
    const { status } = event;
    this.#waiters.tell(status.id);
    this.#agreement.save(status).catch((cause: Error) => this.#agreement.saveLater(cause));
  }

  /** The host has ended: the next one takes on what runs without it. */
  #goOn(): void {
    this.#waiters.tellAll();
    this.#agreement.lookAfter();
  }

  /** A new host does not know who follows what. */
  async #followAgain(): Promise<void> {
    for (const id of this.#followers.keys()) await this.#client.request("follow", { id }).catch(() => {});
  }
}

function full(why: "session full" | "all full", { perSession, inAll }: ProcessCaps): ConflictError {
  const where = why === "session full" ? `This conversation has ${perSession}` : `There are ${inAll}`;
  const setting = why === "session full" ? "processes.maxPerSession" : "processes.max";
  const message = `${where} running processes, which is the most that \`${setting}\` allows. End one first.`;
  return new ConflictError("process_limit", message);
}
