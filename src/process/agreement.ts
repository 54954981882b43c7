/**
 * Makes the store agree with the host of a home folder. What the host says counts: a process that somebody called lost runs
 * again if the host runs it, and one that the host has no record of is lost. If the host gives no answer, nothing is changed.
 */
import { BatonError } from "../session/errors.js";
import type { ProcessId } from "../session/ids.js";
import { Alarm } from "../util/alarm.js";
import { backoff, type Pauses } from "../util/backoff.js";
import type { Clock } from "../util/clock.js";
import type { OnProblem } from "../util/problem.js";
import { withinTime } from "../util/within-time.js";
import type { HostClient } from "./host-client.js";
import type { ProcessStatus } from "./process.js";
import type { KeptProcess, ProcessCaps, ProcessStore } from "./store.js";

export interface AgreementSetting {
  readonly store: ProcessStore;
  readonly client: Pick<HostClient, "request" | "helloIfRunning">;
  /** Names the home folder in the store. */
  readonly home: string;
  readonly caps: ProcessCaps;
  /** How long ended ones are kept. */
  readonly keptMs: number;
  readonly clock: Clock;
  readonly onProblem: OnProblem;
  /** They agree, and there are processes that run or left something behind. */
  readonly onAgreed: () => Promise<void>;
}

const UNKNOWN = "The process host has no record of it.";
/** How long to wait before the host is started again for what it left. */
const AGAIN: Pauses = { firstMs: 1_000, longestMs: 60_000 };
/** How long another Baton may take from saving a process to starting it, with the host. Until then nobody calls it lost. */
const STARTING_MS = 120_000;
/** How long a host may take to answer somebody who must not wait. */
export const ANSWER_MS = 5_000;
/** How long after its start Baton saves that a process runs: a commit can take longer than the first output. */
const SETTLE_MS = 50;

export class Agreement {
  readonly #setting: AgreementSetting;
  /** Those that are just being started here. */
  readonly #starting = new Set<ProcessId>();
  /** They run, but the store does not say so yet. */
  readonly #started: ProcessStatus[] = [];
  #saving: Promise<void> = Promise.resolve();
  readonly #settling = new Alarm(() => this.#settle());
  readonly #again = new Alarm(() => this.#lookAgain());
  /** How often the host could not be reached since it last could. */
  #failures = 0;
  #isShut = false;

  constructor(setting: AgreementSetting) {
    this.#setting = setting;
  }

  /** While the work starts a process, nobody else decides what became of it. Its row is up to date a moment later. */
  async starting(id: ProcessId, work: () => Promise<ProcessStatus>): Promise<ProcessStatus> {
    this.#starting.add(id);
    try {
      const status = await work();
      this.#started.push(status);
      this.#settling.after(SETTLE_MS);
      return status;
    } finally {
      this.#starting.delete(id);
    }
  }

  /** Nobody waits for this before the first output: the row says already that the process may run. */
  #settle(): void {
    this.#saving = this.#saving.then(() => this.#saveStarted());
    this.#saving.then(() => this.tidy()).catch(() => {}); // The gateway tidies from time to time, and reports then.
  }

  async #saveStarted(): Promise<void> {
    for (const status of this.#started.splice(0))
      await this.save(status).catch((cause: Error) => this.saveLater(cause)); // It runs, whatever the store says.
  }

  /** What a running host knows; nothing if none runs. Null if it does not answer soon: nobody who looks must wait for it. */
  known(): Promise<readonly ProcessStatus[] | null> {
    const { client } = this.#setting;
    const ask = async () => ((await client.helloIfRunning()) ? client.request("list", {}) : []);
    return withinTime(ask(), ANSWER_MS);
  }

  /** The same, but no answer is an error: it does not mean that the host knows nothing. */
  async #answered(): Promise<readonly ProcessStatus[]> {
    const known = await this.known();
    if (known) return known;
    throw new BatonError("process_host_slow", "The process host does not answer.");
  }

  /** Saves what the host says of a process. */
  async save({ id, startedAt, end, endedAt }: ProcessStatus): Promise<void> {
    const { store, clock } = this.#setting;
    if (!end) return store.started(id, startedAt);
    if (await store.ended(id, end, endedAt ?? clock(), startedAt)) return;
    if (end.kind === "lost") return;
    const known = await store.find(id);
    if (known?.end?.kind === "lost" && known.endedAt !== null) {
      // Somebody else thought so; this is its true end.
      if (await store.reopen(id, known.endedAt)) await store.ended(id, end, endedAt ?? clock());
    } else if (!end.leftBehind) await store.leftNothing(id);
  }

  saveLater(cause: Error): void {
    this.#setting.onProblem(`Can't save what became of a process: ${cause.message}`, { cause });
    this.lookAfter(AGAIN.firstMs);
  }

  /** To be called at the start, and after the connection was lost. */
  async reconcile(): Promise<void> {
    const { store, client, home, clock, onAgreed } = this.#setting;
    await store.attend(home, clock());
    const kept = (await store.list({ home })).filter(({ id }) => !this.#starting.has(id));
    const open = kept.filter(({ end }) => end === null || (end.kind === "exited" && end.leftBehind));
    const lost = kept.filter(({ end }) => end?.kind === "lost");
    if (open.length + lost.length === 0) return;
    // If no host runs, a new one reads what the last one knew. For those that are lost, none is started.
    const known = open.length > 0 ? await client.request("list", {}) : await this.#answered();
    for (const process of lost) await this.#reopen(process, known);
    for (const { id, state, startedAt } of open) {
      const status = known.find((one) => one.id === id);
      if (status) await this.save(status);
      else if (state === "ended") await store.leftNothing(id);
      else if (state === "running") await store.ended(id, { kind: "lost", why: UNKNOWN }, clock());
      else if (Math.abs(clock() - startedAt) < STARTING_MS) this.lookAfter(STARTING_MS);
      else await this.save(await client.request("abandon", { id }));
    }
    await onAgreed();
  }

  /** Somebody else called it lost, such as after a day without a gateway here; but the host knows better. */
  async #reopen({ id, endedAt }: KeptProcess, known: readonly ProcessStatus[]): Promise<void> {
    const status = known.find((one) => one.id === id);
    if (!status || endedAt === null || status.end?.kind === "lost") return;
    if (!(await this.#setting.store.reopen(id, endedAt))) return;
    await this.save(await this.#setting.client.request("status", { id })); // It may have ended meanwhile.
  }

  /** The same, after those that were only thought lost are known again. */
  async #found(kept: readonly KeptProcess[]): Promise<readonly KeptProcess[]> {
    const lost = kept.filter(({ end }) => end?.kind === "lost");
    if (lost.length === 0) return kept;
    const known = await this.#answered();
    for (const process of lost) await this.#reopen(process, known);
    return this.#setting.store.list({ home: this.#setting.home });
  }

  /** Forgets those that ended a while ago, and earlier ones if there are too many. */
  async tidy(): Promise<void> {
    const { store, home, keptMs, clock, caps } = this.#setting;
    const known = await this.#found(await store.list({ home }));
    const ends = known.flatMap(({ endedAt }) => endedAt ?? []).sort((a, b) => b - a);
    const room = Math.max(0, caps.inAll - (known.length - ends.length));
    const before = Math.max(clock() - keptMs, (ends[room] ?? 0) + 1);
    if (this.#isShut) return; // Nobody could remove their output any more.
    for (const id of await store.forget(home, before)) await this.#forget(id);
  }

  /** If something that it left behind still writes its output, the host removes that later. */
  async #forget(id: ProcessId): Promise<void> {
    await this.#setting.client.request("forget", { id }).catch((cause: BatonError) => {
      if (cause.code !== "process_still_running" && !this.#isShut)
        this.#setting.onProblem(`Can't remove the output of ${id}: ${cause.message}`, { cause });
    });
  }

  /** Looks again soon, or after that time: the host has ended, or the store failed. */
  lookAfter(ms: number = AGAIN.firstMs): void {
    this.#again.after(ms);
  }

  /** A failure is reported once, until it works again. */
  #lookAgain(): void {
    const failed = (cause: Error): void => {
      if (this.#isShut) return;
      this.#failures += 1;
      if (this.#failures === 1)
        this.#setting.onProblem(`Can't reach the process host: ${cause.message}`, { cause });
      this.#again.after(backoff(this.#failures, AGAIN));
    };
    this.reconcile().then(() => {
      this.#failures = 0;
    }, failed);
  }

  /** Saves what was started. From then on it does nothing by itself. */
  async shut(): Promise<void> {
    this.#isShut = true;
    this.#settling.stop();
    this.#again.stop();
    await this.#saving;
    await this.#saveStarted();
  }
}
