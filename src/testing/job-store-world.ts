/** A store with a conversation, and what the cases about jobs do with it again and again. */
import { afterEach, beforeEach, expect } from "vitest";
import type { Fact } from "../gateway/facts.js";
import type {
  InboxItem,
  JobAfter,
  JobRun,
  NewDelivery,
  NewInboxItem,
  RunEffects,
  Turn,
  TurnEnd,
  TurnStep,
} from "../gateway/store.js";
import type { JobDecision } from "../schedule/decide.js";
import type { Job, NewJob, RunResult } from "../schedule/job.js";
import type { ShownRun } from "../schedule/store.js";
import { type DeliveryId, type JobId, newJobId, newTurnId } from "../session/ids.js";
import { platforms } from "../session/platform.js";
import type { SessionEntry } from "../session/session.js";
import { Sessions } from "../session/sessions.js";
import { addressOf, formatAddress, parseSource } from "../session/source.js";
import type { GatewayStoreFixture } from "./gateway-store-contract.js";

export const [, HERE = "", THERE = ""] = platforms();
export const ann = parseSource({ platform: HERE, chat_id: "1", user_id: "ann", user_name: "Ann" });
export const there = parseSource({ platform: THERE, chat_id: "9", user_id: "ann" });
export const bot = { platform: HERE, account: "bot" };
export const OWNER = `${HERE}:ann`;
export const MINUTE = 60_000;
export const MANY = 1_000;
export const nothing: TurnStep = { messages: [], deliveries: [], steeredIn: [] };
export const well: JobAfter = {
  failures: 0,
  notBefore: null,
  pausedWhy: null,
  spent: { day: "2026-01-01", tokens: 7 },
};
export const quiet: RunEffects = {
  state: "silent",
  error: null,
  output: null,
  results: [],
  deliveries: [],
  said: [],
};

type OpenedStore = Awaited<ReturnType<GatewayStoreFixture["open"]>>;

export class JobStoreWorld {
  fixture!: GatewayStoreFixture;
  store!: OpenedStore;
  sessions!: Sessions;
  entry!: SessionEntry;
  now = 0;
  #deliveries = 0;

  /** To be made within `describe`: each case has a new store. */
  constructor(createFixture: () => Promise<GatewayStoreFixture>) {
    beforeEach(async () => {
      this.now = Date.UTC(2026, 0, 1);
      this.fixture = await createFixture();
      this.store = await this.fixture.open();
      this.sessions = new Sessions(this.store, { clock: () => this.now });
      this.entry = await this.sessions.getOrCreate(ann);
    });
    afterEach(() => this.fixture.dispose());
  }

  /** Each time by another connection, where the store has several. */
  readonly race = async <Result>(
    count: number,
    step: (store: OpenedStore, n: number) => Promise<Result>,
  ): Promise<Result[]> => {
    const other = await this.fixture.open();
    return Promise.all(Array.from({ length: count }, (_, n) => step(n % 2 ? this.store : other, n)));
  };

  readonly fresh = (given: Partial<NewJob> = {}): NewJob => ({
    id: newJobId(),
    name: "digest",
    prompt: "say the news",
    command: null,
    session: "origin",
    model: null,
    tools: null,
    timeoutMs: MINUTE,
    dailyTokens: null,
    timing: { schedule: { kind: "every", everyMs: MINUTE }, timeZone: "UTC", from: this.now },
    catchUp: { missed: "latest", graceMs: MINUTE },
    overlap: "skip",
    jitterMs: 0,
    repeat: null,
    deliver: "origin",
    by: ann,
    owner: OWNER,
    origin: { key: this.entry.key, source: ann, account: bot.account },
    ...given,
  });
  /** Its next time is in a minute, unless another is given. */
  readonly added = async (given: Partial<NewJob> = {}, nextAt = this.now + MINUTE): Promise<Job> => {
    const job = this.fresh(given);
    const clock = { nextAt, wakeAt: nextAt };
    expect(await this.store.jobs.add(job, clock, [job.owner], MANY, this.now)).toBe(true);
    return this.seen(job);
  };
  readonly seen = async ({ id }: { readonly id: JobId }): Promise<Job> => {
    const job = await this.store.jobs.find(id);
    if (!job) throw new Error("The job is gone.");
    return job;
  };

  /** These times run; the next one is a minute after the last. */
  readonly decision = (times: readonly number[], more: Partial<JobDecision> = {}): JobDecision => {
    const next = (times.at(-1) ?? this.now) + MINUTE;
    const run = times.map((at) => ({ at, skipped: null }));
    return { times: run, left: null, nextAt: next, wakeAt: next, ...more };
  };
  /** Decides about a job as it is now; the first of these times need not be its next one. */
  readonly decide = async (job: Job, times: readonly number[], more: Partial<JobDecision> = {}) => {
    const [isDone] = await this.store.jobRuns.decided(
      [[await this.seen(job), this.decision(times, more)]],
      this.now,
    );
    return isDone;
  };
  readonly runs = (job: Job): Promise<ShownRun[]> => this.store.jobs.runs(job.id, MANY);
  readonly states = async (job: Job) => (await this.runs(job)).map(({ state }) => state);

  /** The run of a job that is to begin next. */
  readonly waiting = async (job: Job): Promise<JobRun> => {
    const found = (await this.store.jobRuns.waiting(MANY)).find((one) => one.job.id === job.id);
    if (!found) throw new Error("It does not wait.");
    return found;
  };
  readonly itemOf = ({ job, run }: JobRun): NewInboxItem => ({
    ...bot,
    kind: "message",
    key: job.origin.key,
    source: job.origin.source,
    messageId: String(run.id),
    made: "job",
    text: job.name,
    inBackground: true,
    by: job.by,
  });
  /** A job with a run whose turn is in the inbox. */
  readonly begun = async (given: Partial<NewJob> = {}) => {
    const job = await this.added(given);
    await this.decide(job, [job.nextAt ?? 0]);
    return this.begin(await this.waiting(job));
  };
  readonly begin = async (one: JobRun): Promise<JobRun & { readonly item: InboxItem }> => {
    const item = this.itemOf(one);
    expect(await this.store.jobRuns.begin(one.run.id, item, "me", this.now)).toBe(true);
    const held = (await this.store.inbox.waiting(item)).at(-1);
    if (!held) throw new Error("It is not in the inbox.");
    return { ...one, item: held.item };
  };
  readonly turnOf = async (item: InboxItem): Promise<Turn> => {
    const said = { role: "user", content: item.text } as const;
    const outcome = await this.sessions.resolveIn(item.source, { touch: false }, said, (request) =>
      this.store.turns.begin(newTurnId(), item, request, { holder: "me", leaseMs: 100 }, () => []),
    );
    if (outcome.kind !== "begun") throw new Error(`It did not begin: ${outcome.kind}.`);
    return outcome.turn;
  };
  /** A run whose turn is over. */
  readonly ended = async (
    given: Partial<NewJob> = {},
    end: TurnEnd = "done",
    error: string | null = null,
  ): Promise<JobRun> => this.finished(await this.begun(given), end, error);
  readonly finished = async (
    { job, item }: JobRun & { readonly item: InboxItem },
    end: TurnEnd = "done",
    error: string | null = null,
  ): Promise<JobRun> => {
    await this.store.turns.finish(await this.turnOf(item), end, nothing, error, this.now);
    const found = (await this.store.jobRuns.ended(MANY)).find((one) => one.job.id === job.id);
    if (!found) throw new Error("It has not ended.");
    return found;
  };

  readonly delivery = (given: Partial<NewDelivery> = {}): NewDelivery => ({
    deliveryId: `d${++this.#deliveries}` as DeliveryId,
    account: bot.account,
    holder: "me",
    address: addressOf(ann),
    purpose: "reply",
    text: "the news",
    sessionId: null,
    shown: false,
    ...given,
  });
  readonly waitsAt = (target: string, given: Partial<RunResult> = {}): RunResult => ({
    target,
    address: formatAddress(addressOf(ann)),
    state: "waiting",
    error: null,
    ...given,
  });
  readonly factsOf = async (work: () => Promise<unknown>): Promise<string[]> => {
    const facts: Fact["kind"][] = [];
    const end = this.store.subscribe(({ kind }) => kind !== "unknown" && facts.push(kind));
    await work();
    end();
    return facts;
  };
}
