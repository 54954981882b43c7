/**
 * The background processes of a home folder: what the store says of them and what their host knows, together. A process is
 * in the store before the host is asked to start it, and the host starts an id only once: so nothing is lost, and nothing
 * runs twice.
 */
import { BatonError, ConflictError, NotFoundError } from "../session/errors.js";
import { newProcessId, type ProcessId, type SessionId } from "../session/ids.js";
import { Alarm } from "../util/alarm.js";
import { backoff, type Pauses } from "../util/backoff.js";
import type { Clock } from "../util/clock.js";
import type { OnProblem } from "../util/problem.js";
import { withinTime } from "../util/within-time.js";
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

const UNKNOWN = "The process host has no record of it.";
/** Errors after which a process may run all the same. */
const MAYBE_DONE: readonly string[] = ["process_host_lost", "process_host_slow"];
/** How long to wait before the host is started again for what it left. */
const AGAIN: Pauses = { firstMs: 1_000, longestMs: 60_000 };
/** How long another Baton may take from saving a process to starting it, with the host. Until then nobody calls it lost. */
const STARTING_MS = 120_000;
/** How long a host may take to answer somebody who must not wait. */
const ANSWER_MS = 5_000;

/** How long after its start Baton saves that a process runs: a commit can take longer than the first output. */
const SETTLE_MS = 50;

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
  readonly #starting = new Set<ProcessId>();
  /** They run, but the store does not say so yet. */
  readonly #started: ProcessStatus[] = [];
  readonly #settling = new Alarm(() => this.#settle());
  #saving: Promise<void> = Promise.resolve();
  readonly #followers = new Map<ProcessId, Set<(to: number) => void>>();
  readonly #waiters = new Waiters();
  readonly #again = new Alarm(() => this.#lookAgain());
  /** How often the host could not be reached since it last could. */
  #failures = 0;
  #isShut = false;

  constructor(options: ProcessesOptions) {
    this.#options = options;
    this.home = homeName(options.folder);
    this.#client = new HostClient({
      ...options,
      onEvent: (event) => this.#hear(event),
      onConnected: () => this.#again.after(0),
      onLost: () => this.#goOn(),
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
    this.#starting.add(id);
    try {
      const status = await this.#spawn({ ...spec, id });
      this.#started.push(status);
      this.#settling.after(SETTLE_MS);
      return { kept: { ...kept, ...JUST_STARTED, startedAt: status.startedAt }, status };
    } finally {
      this.#starting.delete(id);
    }
  }

  /** What need not be done before somebody sees the first output: the store knows already that they may run. */
  #settle(): void {
    this.#saving = this.#saving.then(() => this.#saveStarted());
    this.#saving.then(() => this.tidy()).catch(() => {}); // It is tried again after the next start.
  }

  async #saveStarted(): Promise<void> {
    for (const status of this.#started.splice(0))
      await this.#save(status).catch((cause: Error) => this.#saveLater(cause)); // It runs, whatever the store says.
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
        await store.ended(spec.id, { kind: "lost", why }, clock()).catch((cause) => this.#saveLater(cause));
      throw error;
    }
  }

  /** Newest first. */
  async list(which: { readonly sessionId?: SessionId; readonly home?: string }): Promise<SeenProcess[]> {
    const kept = await this.#options.store.list(which);
    const isHere = kept.some(({ home }) => home === this.home);
    const known = isHere ? await this.#known() : [];
    return kept.map((process) => ({
      kept: process,
      status: known.find(({ id }) => id === process.id) ?? null,
    }));
  }

  /** What a running host knows; nothing if none runs or it does not answer soon: nobody who looks must wait for it. */
  async #known(): Promise<readonly ProcessStatus[]> {
    const ask = async () => ((await this.#client.helloIfRunning()) ? this.#client.request("list", {}) : []);
    return (await withinTime(ask(), ANSWER_MS)) ?? [];
  }

  async find(id: ProcessId): Promise<SeenProcess | null> {
    const kept = await this.#options.store.find(id);
    if (!kept) return null;
    const isHere = kept.home === this.home;
    return { kept, status: (isHere && (await this.#known()).find((one) => one.id === id)) || null };
  }

  /** As its host knows it, which is started if none runs. */
  async status(id: ProcessId): Promise<SeenProcess & { readonly status: ProcessStatus }> {
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
    if (status.end) await this.#save(status);
    return this.#seen(id, status);
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
  async reconcile(): Promise<void> {
    const { store, clock } = this.#options;
    await store.attend(this.home, clock());
    const kept = (await store.list({ home: this.home })).filter(({ id }) => !this.#starting.has(id));
    const open = kept.filter(({ end }) => end === null || (end.kind === "exited" && end.leftBehind));
    const lost = kept.filter(({ end }) => end?.kind === "lost");
    if (open.length + lost.length === 0) return;
    // If no host runs, a new one reads what the last one knew. For those that are lost, none is started.
    const known = open.length > 0 ? await this.#client.request("list", {}) : await this.#known();
    for (const process of lost) await this.#reopen(process, known);
    for (const { id, state, startedAt } of open) {
      const status = known.find((one) => one.id === id);
      if (status) await this.#save(status);
      else if (state === "ended") await store.leftNothing(id);
      else if (state === "running") await store.ended(id, { kind: "lost", why: UNKNOWN }, clock());
      else if (Math.abs(clock() - startedAt) < STARTING_MS) this.#again.after(STARTING_MS);
      else await this.#save(await this.#client.request("abandon", { id }));
    }
    for (const id of this.#followers.keys()) await this.#client.request("follow", { id }).catch(() => {});
  }

  /** Somebody else called it lost, such as after a day without a gateway here; but the host knows better. */
  async #reopen({ id, endedAt }: KeptProcess, known: readonly ProcessStatus[]): Promise<void> {
    const status = known.find((one) => one.id === id);
    if (!status || endedAt === null || status.end?.kind === "lost") return;
    if (!(await this.#options.store.reopen(id, endedAt))) return;
    await this.#save(await this.#client.request("status", { id })); // It may have ended meanwhile.
  }

  /** The same, after those that were only thought lost are known again. */
  async #found(kept: readonly KeptProcess[]): Promise<readonly KeptProcess[]> {
    const lost = kept.filter(({ end }) => end?.kind === "lost");
    if (lost.length === 0) return kept;
    const known = await this.#known();
    for (const process of lost) await this.#reopen(process, known);
    return this.#options.store.list({ home: this.home });
  }

  /** Forgets those that ended a while ago, and earlier ones if there are too many. */
  async tidy(): Promise<void> {
    const { store, keptMs, clock, caps } = this.#options;
    const known = await this.#found(await store.list({ home: this.home }));
    const ends = known.flatMap(({ endedAt }) => endedAt ?? []).sort((a, b) => b - a);
    const room = Math.max(0, caps.inAll - (known.length - ends.length));
    const before = Math.max(clock() - keptMs, (ends[room] ?? 0) + 1);
    for (const id of await store.forget(this.home, before)) await this.#forget(id);
  }

  /** If something that it left behind still writes its output, the host removes that later. */
  async #forget(id: ProcessId): Promise<void> {
    await this.#client.request("forget", { id }).catch((cause: BatonError) => {
      if (cause.code !== "process_still_running")
        this.#options.onProblem(`Can't remove the output of ${id}: ${cause.message}`, { cause });
    });
  }

  async shut(): Promise<void> {
    this.#isShut = true;
    this.#settling.stop();
    await this.#saving;
    await this.#saveStarted();
    this.#again.stop();
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
    this.#save(status).catch((cause: Error) => this.#saveLater(cause));
  }

  /** What the host says is what counts. */
  async #save({ id, startedAt, end, endedAt }: ProcessStatus): Promise<void> {
    const { store, clock } = this.#options;
    if (!end) return store.started(id, startedAt);
    if (await store.ended(id, end, endedAt ?? clock())) return;
    if (end.kind === "lost") return;
    const known = await store.find(id);
    if (known?.end?.kind === "lost" && known.endedAt !== null) {
      // Somebody else thought so; this is its true end.
      if (await store.reopen(id, known.endedAt)) await store.ended(id, end, endedAt ?? clock());
    } else if (!end.leftBehind) await store.leftNothing(id);
  }

  #saveLater(cause: Error): void {
    this.#options.onProblem(`Can't save what became of a process: ${cause.message}`, { cause });
    this.#goOn();
  }

  /** The host has ended: what runs without it is taken on by the next one. */
  #goOn(): void {
    this.#waiters.tellAll();
    this.#again.after(AGAIN.firstMs);
  }

  /** A failure is reported once, until it works again. */
  #lookAgain(): void {
    const failed = (cause: Error): void => {
      if (this.#isShut) return;
      this.#failures += 1;
      if (this.#failures === 1)
        this.#options.onProblem(`Can't reach the process host: ${cause.message}`, { cause });
      this.#again.after(backoff(this.#failures, AGAIN));
    };
    this.reconcile().then(() => {
      this.#failures = 0;
    }, failed);
  }
}

function full(why: "session full" | "all full", { perSession, inAll }: ProcessCaps): ConflictError {
  const where = why === "session full" ? `This conversation has ${perSession}` : `There are ${inAll}`;
  const setting = why === "session full" ? "processes.maxPerSession" : "processes.max";
  const message = `${where} running processes, which is the most that \`${setting}\` allows. End one first.`;
  return new ConflictError("process_limit", message);
}
