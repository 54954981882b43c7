/**
 * The journey of one message: authorise → inbox → lane → turn → transcript and outbox → deliver. Each step is committed
 * before the next one begins, so a message that was accepted is answered, whatever happens to this process. This file
 * puts the parts together, starts and stops them, and passes on what was committed.
 */
import type { SessionKey } from "../session/session-key.js";
import { timerMs } from "../util/timer-ms.js";
import { Allowance } from "./allowance.js";
import { Apologies } from "./apology.js";
import { Approvals } from "./approvals.js";
import { Arrivals } from "./arrivals.js";
import { CommandRunner } from "./command-runner.js";
import { type Common, commonOf } from "./common.js";
import { Entrance } from "./entrance.js";
import type { Fact } from "./facts.js";
import { ForCommands } from "./for-commands.js";
import { HandoffCarrier } from "./handoff/carrier.js";
import { HandoffDesk } from "./handoff/desk.js";
import { Jobs } from "./jobs/jobs.js";
import { LaneRunner } from "./lane-runner.js";
import { type Lane, Lanes } from "./lanes.js";
import { Notices } from "./notices.js";
import type { GatewayOptions } from "./options.js";
import { People } from "./people.js";
import { Places } from "./places.js";
import { ProcessReporter } from "./processes/reporter.js";
import { Reception } from "./reception.js";
import { Recovery } from "./recovery.js";
import { Requests } from "./requests.js";
import { type PlatformState, Surfaces } from "./surfaces.js";
import { Told } from "./told.js";
import { TurnRunner } from "./turn-runner.js";
import { TurnStarter } from "./turn-starter.js";

const MAX_SENDS = 20;
const GIVE_UP_AFTER_MS = 3 * 86_400_000;

export class Gateway {
  readonly people: People;
  readonly homes: Places["homes"];
  readonly allowance: Allowance;
  /** The questions that running turns ask before they act. */
  readonly approvals: Approvals;
  /** Accepts requests for handoffs. */
  readonly handoffs: HandoffDesk;
  /** What commands may do here. */
  readonly forCommands: ForCommands;
  /** This process, as its leases name it. */
  readonly holder: string;
  readonly #common: Common;
  readonly #stopping = new AbortController();
  readonly #lanes = new Lanes();
  readonly #surfaces: Surfaces;
  readonly #turnRunner: TurnRunner;
  readonly #runner: LaneRunner;
  readonly #carrier: HandoffCarrier;
  readonly #entrance: Entrance;
  readonly #arrivals: Arrivals;
  readonly #reception: Reception;
  readonly #recovery: Recovery;
  readonly #upkeep: GatewayOptions["upkeep"];
  /** Null if nothing runs in the background. */
  readonly #reporter: ProcessReporter | null;
  /** Null if there are no scheduled jobs here. */
  readonly jobs: Jobs | null;
  #unsubscribe: () => void = () => {};
  #reaper: NodeJS.Timeout | undefined;
  #isStarted = false;

  /** Each part is given only parts that were made before it. */
  constructor(options: GatewayOptions) {
    const { store, sessions, commands, scopes, holder, clock, toolLists, jobs = null } = options;
    const adapters = [...options.adapters, ...Jobs.adapters(jobs)];
    const { limits: limitLists = {}, giveUpAfterMs = GIVE_UP_AFTER_MS } = options;
    const common = commonOf(options);
    const media = options.media ?? null;
    const lanes = this.#lanes;
    const stopping = this.#stopping.signal;

    const groups = options.groups?.byChat ?? {};
    const people = new People(store.people, options.people, { clock, toolLists, limitLists, groups });
    const requests = new Requests(people, toolLists);
    const approvals = new Approvals(toolLists, clock, store.accounts);
    const allowance = new Allowance({
      spending: store.spending,
      usage: store.usage,
      lists: limitLists,
      clock,
    });
    const apologies = new Apologies();

    const { reactions: meanings = {} } = options;
    const reactions = Object.keys(meanings).length > 0;
    const surfaces = new Surfaces({
      ...common,
      adapters,
      commands: commands.table,
      reactions,
      media,
      giveUpAfterMs,
    });
    const notices = new Notices(adapters, (account) => surfaces.senderOf(account));
    const connected = () => surfaces.connected();
    const { homeChannels = [] } = options;
    const { accounts, devices } = store;
    const places = new Places({ sessions, accounts, devices, homeChannels, here: surfaces, clock });
    const { homes, served } = places;
    const told = new Told({
      ...{ homes, served, scopes, clock, onProblem: common.onProblem },
      instructions: options.instructions ?? (async () => []),
      workdir: options.workdir,
      timeZone: sessions.timezone,
      schedules: jobs !== null,
      memory: options.memory,
    });
    this.jobs = jobs
      ? new Jobs({ ...common, jobs, people, toolLists, places, homes, notices, surfaces })
      : null;
    const desk = this.jobs?.desk ?? null;

    const turnRunner = new TurnRunner({
      ...options,
      ...common,
      turnTools: {
        ...options,
        approvals,
        notices,
        people,
        surfaces,
        reach: { served, surfaces },
        jobs: desk,
      },
      maxSends: options.maxSends ?? MAX_SENDS,
      upkeep: options.upkeep ?? null,
      told,
      allowance,
      notices,
      surfaces,
    });
    const starter = new TurnStarter({
      ...common,
      scopes,
      allowance,
      requests,
      notices,
      surfaces,
      turnRunner,
      onElsewhere: options.onElsewhere ?? (() => {}),
      stopping,
    });
    const { busy } = options;
    const runner = new LaneRunner({
      ...common,
      busy,
      lanes,
      requests,
      apologies,
      surfaces,
      starter,
      expected: (item) => this.#arrivals.expected(item),
      ...(options.wait ? { wait: options.wait } : {}),
      stopping,
    });

    const handoffs = new HandoffDesk({
      sessions,
      handoffs: store.handoffs,
      places,
      ...(options.handoffWaitMs ? { waitMs: options.handoffWaitMs } : {}),
      clock,
    });
    const carrier = new HandoffCarrier({
      ...common,
      handoffs: store.handoffs,
      outbox: store.outbox,
      desk: handoffs,
      people,
      notices,
      connected,
      onAwaited: (sessionId) => runner.goOnIn(sessionId),
      onSeen: options.onHandoff ?? (() => {}),
      onOffer: options.onOffer ?? (() => {}),
    });

    const { processes = null } = options;
    this.#reporter = processes
      ? new ProcessReporter({
          ...common,
          processes: processes.processes,
          homes: store.processes,
          reports: store.reports,
          accounts: store.accounts,
          attended: () => surfaces.attended(),
          people,
          notices,
        })
      : null;

    const parts = { people, requests, homes, allowance, approvals, notices, surfaces, lanes, runner };
    const forCommands = new ForCommands({
      ...common,
      ...parts,
      handoffs,
      carrier,
      beside: options.beside ?? (async () => null),
      processes,
      jobs: desk,
      upkeep: options.upkeep ?? null,
      memory: options.memory ?? null,
      told,
    });
    const commandRunner = new CommandRunner({
      ...common,
      commands,
      forCommands,
      lanes,
      notices,
      apologies,
      surfaces,
    });
    const entrance = new Entrance({
      ...common,
      apologies,
      approvals,
      people,
      allowance,
      inbox: store.inbox,
      takesFiles: media !== null,
      scopes,
      commands,
      groups: options.groups ?? {},
      ...{ meanings, outbox: store.outbox, lanes },
    });
    const arrivals = new Arrivals({
      ...common,
      inbox: store.inbox,
      media,
      texts: options.texts ?? null,
      busy,
      notices,
      allowance,
      requests,
      reach: (account, end) => surfaces.reach(account, end),
      runner,
    });

    this.#upkeep = options.upkeep;
    this.people = people;
    this.homes = homes;
    this.allowance = allowance;
    this.approvals = approvals;
    this.handoffs = handoffs;
    this.forCommands = forCommands;
    this.holder = holder;
    this.#common = common;
    this.#surfaces = surfaces;
    this.#turnRunner = turnRunner;
    this.#runner = runner;
    this.#carrier = carrier;
    this.#entrance = entrance;
    this.#arrivals = arrivals;
    this.#reception = new Reception({
      ...common,
      entrance,
      arrivals,
      commandRunner,
      lanes,
      busy,
      surfaces,
      stopping,
    });
    this.#recovery = new Recovery({ ...common, scopes, runner, commandRunner, arrivals, surfaces, notices });
  }

  /** Goes on where the last process ended, then begins to receive. */
  async start(): Promise<void> {
    this.#unsubscribe = this.#common.store.subscribe((fact) => this.#hear(fact));
    await this.#surfaces.start({
      receive: (surface, message) => this.#reception.receive(surface, message),
      turnAway: (surface, message) => this.#entrance.turnAway(surface, message),
      knows: (sender) => this.people.isLetIn(sender),
      taken: async (surface) => {
        await this.#recovery.takeOn(surface);
        await this.#reporter?.taken(surface);
        this.jobs?.taken(surface);
      },
      left: (account) => this.#lanes.leave(account),
      connected: () => this.#carrier.wake(),
    });
    this.#isStarted = true;
    this.#reaper = setInterval(() => this.#reap(), timerMs(this.#common.leaseMs));
    this.#reaper.unref();
    this.#carrier.wake();
    this.#reporter?.start();
    this.#upkeep?.start({
      access: (source) => this.people.access(source),
      modelCall: (who, sessionId) => this.allowance.modelCall(who, sessionId),
    });
  }

  /** Receives no more, gives running turns that long to end, then leaves them to the next process. */
  async stop(options: { drainMs: number }): Promise<void> {
    this.#stopping.abort();
    clearInterval(this.#reaper);
    await this.#reception.idle();
    await this.#carrier.stop();
    await this.#reporter?.stop();
    await this.jobs?.scheduler.stop();
    await this.#upkeep?.stop();
    const lanes = this.#lanes.all();
    const drained = Promise.all([this.#arrivals.idle(), ...lanes.map((lane) => lane.idle())]);
    const timer = setTimeout(() => {
      this.#arrivals.giveUp();
      for (const lane of lanes) lane.stop("parked");
    }, timerMs(options.drainMs));
    await drained;
    clearTimeout(timer);
    await this.#surfaces.fallSilent();
    this.#unsubscribe();
    await this.#entrance.idle();
    await this.#surfaces.stop();
  }

  /** Waits until everything in this lane is answered, also what waits for its files. */
  async answered(key: SessionKey): Promise<void> {
    await this.#arrivals.idle(key);
    await this.lane(key).idle();
  }

  /** Ends what this process does in a lane, and drops what waits there for it: nothing of that is asked again. Returns its texts. */
  async cancel(key: SessionKey): Promise<readonly string[]> {
    await this.#reception.idle();
    const dropped = await this.#arrivals.drop(key, "everything");
    this.lane(key).stop("stopped");
    await this.answered(key);
    return dropped.map(({ text }) => text);
  }

  /** Drops what people wrote in a lane and waits there for this process, and returns it: it is to be asked elsewhere. */
  async takeBack(key: SessionKey): Promise<readonly string[]> {
    const dropped = await this.#arrivals.drop(key, "written");
    return dropped.map(({ text }) => text);
  }

  /** Waits until everything that is ready to be sent has been sent. */
  delivered(): Promise<void> {
    return this.#surfaces.delivered();
  }

  /** The platforms, whether each receives, and what went wrong last. */
  platforms(): PlatformState[] {
    return this.#surfaces.states();
  }

  /** What waits and runs in this process for a key. */
  lane(key: SessionKey): Lane {
    return this.#lanes.of(key);
  }

  /** Something was committed, here or by another process. */
  #hear(fact: Fact): void {
    const { kind } = fact;
    if (kind === "outbox") this.#surfaces.wake(fact);
    if (kind === "inbox") this.#takeMade(fact);
    if (kind === "unknown") this.#surfaces.wakeAll();
    // Before the start no platform is connected, so it would look as if no handoff could be carried out here.
    if (this.#isStarted && (kind === "handoffs" || kind === "unknown")) this.#carrier.wake();
    if (this.#isStarted && (kind === "processes" || kind === "unknown")) this.#reporter?.wake();
    if (kind === "jobs" || kind === "unknown") this.jobs?.scheduler.wake();
    if (kind === "stops" || kind === "unknown") this.#heedStops();
  }

  /** What no person sent: it moved with its conversation, or Baton itself tells the agent something. */
  #takeMade({ item, holder }: Extract<Fact, { kind: "inbox" }>): void {
    if (holder !== this.holder || item.made === undefined) return;
    if (item.made === "command" || item.made === "reaction") return; // It joins its lane by itself.
    if (!this.#arrivals.follow(item)) this.#runner.queue(item);
  }

  /** Ends the turns of this process that somebody asked to end. */
  #heedStops(): void {
    if (this.#turnRunner.running === 0) return;
    const { store, onProblem } = this.#common;
    store.turns.toStop(this.holder).then(
      (asked) => this.#lanes.stop(asked),
      (cause: Error) => onProblem(`Can't read which answers to stop: ${cause.message}`, { cause }),
    );
  }

  /** Looks from time to time for what other processes left: they ended, were stopped, or lost their store. */
  #reap(): void {
    this.#lanes.sweep();
    this.#reporter?.tidy();
    this.#surfaces
      .reap()
      .catch((cause: Error) =>
        this.#common.onProblem(`Can't read the unfinished work: ${cause.message}`, { cause }),
      );
  }
}
