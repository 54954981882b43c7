/** What tests of jobs have in common: a gateway that runs them, and a job with everything as usual. */
import { once } from "node:events";
import { vi } from "vitest";
import { type Agent, AgentError, type AgentEvent, type TurnInput } from "../../src/agent/agent.js";
import type { GatewayJobs } from "../../src/gateway/jobs/options.js";
import { clockFrom } from "../../src/schedule/decide.js";
import type { NewJob } from "../../src/schedule/job.js";
import type { JobStore, ShownRun } from "../../src/schedule/store.js";
import { newJobId } from "../../src/session/ids.js";
import { buildSessionKey } from "../../src/session/session-key.js";
import type { SessionSource } from "../../src/session/source.js";
import { World, type WorldOptions } from "./gateway-world.js";

export const JOB_OPTIONS: GatewayJobs = {
  outputFolder: null,
  runsHere: true,
  mostRunning: 4,
  timeZone: "UTC",
  timeoutMs: 60_000,
  mostPerPerson: 50,
};

const ANN: SessionSource = {
  platform: "telegram",
  chatId: "ann",
  chatType: "dm",
  userId: "ann",
  userName: "Ann",
};

/** Of Ann on Telegram, in her private chat with the bot, due once a minute after `now`. */
export function aJob(now: number, given: Partial<NewJob> = {}): NewJob {
  const by = given.by ?? ANN;
  return {
    id: newJobId(),
    name: "digest",
    prompt: "say the news",
    command: null,
    session: "own",
    model: null,
    tools: null,
    timeoutMs: 60_000,
    dailyTokens: null,
    timing: { schedule: { kind: "once", at: now + 60_000 }, timeZone: "UTC", from: now },
    catchUp: { missed: "latest", graceMs: 12 * 3_600_000 },
    overlap: "skip",
    jitterMs: 0,
    repeat: null,
    deliver: "origin",
    by,
    owner: `${by.platform}:${by.userId}`,
    origin: { key: buildSessionKey(by), source: by, account: "bot" },
    ...given,
  };
}

export async function addJob(jobs: JobStore, job: NewJob, now: number): Promise<NewJob> {
  await jobs.add(job, clockFrom(job.id, job, now), [job.owner], Number.MAX_SAFE_INTEGER, now);
  return job;
}

/** An agent for jobs: it says the last line of what it is asked, `fail` fails, and `wait` says nothing until it is stopped. */
class RepeatingAgent implements Agent {
  readonly name = "repeating";
  /** What it was given, oldest first. */
  readonly turns: TurnInput[] = [];

  async *run(turn: TurnInput): AsyncIterable<AgentEvent> {
    this.turns.push(turn);
    const line = turn.history.at(-1)?.content.split("\n").at(-1) ?? "";
    if (line === "fail") throw new AgentError("The model is out of order.");
    if (line === "wait") await once(turn.signal, "abort");
    if (turn.signal.aborted) return yield { kind: "done", stopped: true };
    yield { kind: "message", message: { role: "assistant", content: line }, results: [] };
    yield { kind: "usage", usage: { inputTokens: 90, outputTokens: 10 } };
    yield { kind: "done", stopped: false };
  }
}

/** A gateway with jobs and that agent. */
export class JobWorld {
  readonly agent = new RepeatingAgent();
  world!: World;

  static async open({ gateway, ...options }: WorldOptions = {}): Promise<JobWorld> {
    const made = new JobWorld();
    made.world = await World.open({
      ...options,
      gateway: { jobs: JOB_OPTIONS, agent: made.agent, ...gateway },
    });
    return made;
  }

  get jobs(): JobStore {
    return this.world.store.jobs;
  }

  close(): Promise<void> {
    return this.world.close();
  }

  add(given: Partial<NewJob> = {}): Promise<NewJob> {
    return addJob(this.jobs, aJob(this.world.now, given), this.world.now);
  }

  /** Lets time pass; the scheduler looks then. */
  pass(ms: number): void {
    this.world.now += ms;
    this.world.gateway.jobs?.scheduler.wake();
  }

  /** Waits until so many runs of a job are over, and nothing of them waits; returns the last one. */
  async over({ id }: Pick<NewJob, "id">, count = 1, states = OVER): Promise<ShownRun> {
    let last: ShownRun | undefined;
    await vi.waitUntil(
      async () => {
        const runs = await this.jobs.runs(id, 100);
        last = runs[0];
        const isSettled = ({ state, results }: ShownRun) =>
          OVER.has(state) && results.every((result) => result.state !== "waiting");
        return runs.filter(({ state }) => states.has(state)).length >= count && runs.every(isSettled);
      },
      { interval: 5, timeout: 30_000 },
    );
    await this.world.gateway.delivered();
    if (!last) throw new Error("It has no run.");
    return last;
  }

  /** One minute later: the job of `add` has run. */
  async run(given: Partial<NewJob> = {}): Promise<ShownRun> {
    const job = await this.add(given);
    this.pass(61_000);
    return this.over(job);
  }
}

const OVER: ReadonlySet<string> = new Set(["done", "silent", "failed", "skipped"]);
