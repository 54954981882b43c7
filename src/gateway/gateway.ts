/**
 * The journey of one message: authorise → inbox → lane → turn → transcript and outbox → deliver. What was accepted is
 * answered, whatever happens to this process; each step is committed before the next one is taken.
 */
import { randomUUID } from "node:crypto";
import type { Adapter, InboundMessage, Received } from "../adapter/adapter.js";
import { Intake } from "../adapter/intake.js";
import type { Agent, Tool } from "../agent/agent.js";
import {
  buildSessionContext,
  buildSessionContextPrompt,
  buildSessionLabels,
  type ContextConfig,
} from "../session/context.js";
import { ConflictError, StoreError } from "../session/errors.js";
import type { Handoff } from "../session/handoff.js";
import type { SessionEntry } from "../session/session.js";
import { isShared, type SessionKey, type SessionScopes } from "../session/session-key.js";
import type { Sessions } from "../session/sessions.js";
import { addressOf, formatAddress, type SessionSource } from "../session/source.js";
import type { Message, StoredMessage } from "../session/transcript.js";
import { type Clock, steadyClock } from "../util/clock.js";
import { cleanLine } from "../util/text.js";
import { timerMs } from "../util/timer-ms.js";
import { counted } from "../util/words.js";
import { Allowance } from "./allowance.js";
import { Apologies } from "./apology.js";
import { type ApprovalQuestion, Approvals } from "./approvals.js";
import { Arrivals } from "./arrivals.js";
import { isGivenUp, isTriedAlone } from "./attempts.js";
import type { Access, Who } from "./authorize.js";
import { type BusyMode, type BusyModes, busyModeFor } from "./busy.js";
import type { Commands } from "./commands/commands.js";
import { editStream } from "./edit-stream.js";
import { Entrance } from "./entrance.js";
import type { Fact } from "./facts.js";
import { HandoffCarrier } from "./handoff/carrier.js";
import { HandoffDesk } from "./handoff/desk.js";
import { Homes } from "./homes.js";
import { Lane } from "./lane.js";
import type { LimitLists } from "./limits.js";
import type { Media } from "./media.js";
import { Notices } from "./notices.js";
import { hasLeft, mayBeAlive, runningGroup } from "./owner.js";
import { People, type PeopleRules } from "./people.js";
import type { ToolLists } from "./permissions.js";
import { authorIn, Requests } from "./requests.js";
import { resetNote, resetText } from "./reset-words.js";
import { sessionModel } from "./session-model.js";
import { AGENT, servedAccounts, sharingTexts } from "./shared-accounts.js";
import { Solitude } from "./solitude.js";
import type {
  Account,
  Asker,
  Doubtful,
  GatewayStore,
  InboxItem,
  Move,
  NewDelivery,
  RunningTurn,
  StandingApprovals,
  Turn,
  TurnToStop,
} from "./store.js";
import { type Surface, speakerOf } from "./surface.js";
import { type PlatformState, Surfaces } from "./surfaces.js";
import { messageOf, TurnRun, WENT_WRONG } from "./turn-run.js";
import { type TurnToolsSetting, turnTools } from "./turn-tools.js";
import { showTyping } from "./typing.js";
import { interruptedNotice, interruptedStep } from "./unfinished-calls.js";

export interface GatewayOptions {
  readonly sessions: Sessions;
  readonly store: GatewayStore;
  readonly agent: Agent;
  readonly adapters: readonly Adapter[];
  readonly commands: Commands;
  /** All that there is for this person; of these an agent has what `toolLists` leave them. */
  readonly tools: (who: Who) => readonly Tool[] | Promise<readonly Tool[]>;
  readonly toolLists: ToolLists;
  readonly scopes: SessionScopes;
  readonly people: PeopleRules;
  /** How much people may ask for; what is absent is as built in. */
  readonly limits?: LimitLists;
  /** What is said to others in this group is answered too. */
  readonly answersAll?: (source: SessionSource) => boolean;
  /** Where files of messages are kept; without it none are taken. */
  readonly media?: Media;
  readonly busy: BusyModes;
  readonly context: Omit<ContextConfig, "shared">;
  readonly maxMessages: number;
  /** How many messages a turn may send beyond one for each of its steps. */
  readonly maxSends?: number;
  readonly deadlineMs: number;
  /** How long a turn is its process's without a sign of life. */
  readonly leaseMs?: number;
  /** How long a handoff may wait to be carried out. */
  readonly handoffWaitMs?: number;
  /** Called with each handoff that was asked for here, as it goes on. */
  readonly onHandoff?: (move: Move) => void;
  /** Called once with each conversation that is offered to the terminal, in words. */
  readonly onOffer?: (text: string) => void;
  /** Called again and again while another process answers in the session of this lane, and a message waits for that. */
  readonly onElsewhere?: (key: SessionKey) => void;
  readonly owner: string;
  readonly clock: Clock;
  /** Milliseconds that pass whatever the clock says; by these a lease runs out that cannot be renewed. */
  readonly elapsed?: () => number;
  readonly onProblem: (problem: string) => void;
}

/** What a command changes a conversation with, once it is known that it may. */
export interface Hands {
  readonly sessions: Omit<Sessions, "rewrite">;
  readonly handoffs: HandoffDesk;
  /** Fails where whoever asks may not touch all of these messages. */
  judge(entry: SessionEntry, messages: readonly StoredMessage[]): Promise<void>;
  /** Takes back the messages from that place on, once they are judged; `first` is done in between. */
  takeBack(
    entry: SessionEntry,
    messages: readonly StoredMessage[],
    from: number,
    first?: () => Promise<unknown>,
  ): Promise<void>;
}

const LEASE_MS = 15_000;
const MAX_SENDS = 20;
/** How long a turn that is tried alone waits for others, and they for it. */
const ALONE_MS = 60_000;
const BUSY_POLL_MS = 200;
/** A turn that was told to end does, unless a tool takes its time. */
const MOST_LOOKS = 100;

export class Gateway {
  readonly people: People;
  readonly homes: Homes;
  readonly #options: GatewayOptions;
  readonly #entrance: Entrance;
  readonly allowance: Allowance;
  readonly #lanes = new Map<SessionKey, Lane>();
  readonly #surfaces: Surfaces;
  /** What chats are told while the store fails. */
  readonly #apologies = new Apologies();
  /** What running turns ask before they act. */
  readonly approvals: Approvals;
  /** What owners allowed for good. */
  readonly standing: StandingApprovals;
  /** Where handoffs are asked for. */
  readonly handoffs: HandoffDesk;
  readonly #carrier: HandoffCarrier;
  #unsubscribe: () => void = () => {};
  /** How many turns run here. */
  #running = 0;
  readonly #solitude = new Solitude(ALONE_MS);
  readonly #notices: Notices;
  readonly #requests: Requests;
  readonly #turnTools: TurnToolsSetting;
  readonly #leaseMs: number;
  readonly #elapsed: () => number;
  #reaper: NodeJS.Timeout | undefined;
  readonly #sharingTold = new Set<string>();
  /** What is being received: it is kept before the gateway stops. */
  readonly #receiving = new Set<Promise<unknown>>();
  /** Messages of a chat are kept in the order in which they came, however long one takes. */
  readonly #intake = new Intake();
  readonly #arrivals: Arrivals;
  #isStarted = false;
  #stopping = false;
  #sayStopping: () => void = () => {};
  /** Settles when the gateway is asked to stop. */
  readonly #stopAsked = new Promise<void>((resolve) => {
    this.#sayStopping = resolve;
  });

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#leaseMs = options.leaseMs ?? LEASE_MS;
    this.#elapsed = options.elapsed ?? (() => performance.now());
    const { store, commands, scopes, answersAll, media, owner, clock, onProblem } = options;
    const limitLists = options.limits ?? {};
    const people = new People(store.people, options.people, {
      clock,
      toolLists: options.toolLists,
      limitLists,
    });
    this.people = people;
    this.#requests = new Requests(people, options.toolLists);
    this.approvals = new Approvals(options.toolLists, clock);
    this.standing = store.standing;
    this.allowance = new Allowance({ spending: store.spending, lists: limitLists, clock });
    this.#notices = new Notices(options.adapters, (account) => this.#surfaces.senderOf(account));
    this.#turnTools = {
      ...options,
      approvals: this.approvals,
      notices: this.#notices,
      canAnswer: async (about, { source }) => {
        if (source.chatType !== "dm") return true;
        const there = await people.access(source);
        return there.allowed && this.approvals.mayAnswer(there, about);
      },
    };
    this.homes = new Homes(store.accounts, options.context.homeChannels);
    const connected = (): Surface[] => this.#surfaces.connected();
    const { sessions } = options;
    this.handoffs = new HandoffDesk({
      sessions,
      moves: store.moves,
      accounts: store.accounts,
      homes: this.homes,
      connected,
      ...(options.handoffWaitMs ? { waitMs: options.handoffWaitMs } : {}),
      clock,
    });
    this.#carrier = new HandoffCarrier({
      sessions,
      moves: store.moves,
      desk: this.handoffs,
      people,
      notices: this.#notices,
      connected,
      onAwaited: (sessionId) => this.#recoverTurn(sessionId),
      onSeen: options.onHandoff ?? (() => {}),
      onOffer: options.onOffer ?? (() => {}),
      owner,
      leaseMs: this.#leaseMs,
      clock,
      onProblem,
    });
    this.#entrance = new Entrance({
      apologies: this.#apologies,
      people,
      allowance: this.allowance,
      inbox: store.inbox,
      takesFiles: media !== undefined,
      scopes,
      commands,
      answersAll: answersAll ?? (() => false),
      owner,
      clock,
      onProblem,
    });
    this.#arrivals = new Arrivals({
      inbox: store.inbox,
      media: media ?? null,
      allowance: this.allowance,
      owner,
      join: (item, who) => this.#join(item, who),
      onProblem,
    });
    this.#surfaces = new Surfaces({
      adapters: options.adapters,
      store,
      commands: commands.table,
      media: media ?? null,
      receive: (surface, message) => this.#track(this.#inOrder(surface, message)),
      turnAway: (surface, message) => this.#entrance.turnAway(surface, message),
      knows: (sender) => people.isLetIn(sender),
      onTaken: (surface) => this.#recover(surface),
      onLeft: (account) => {
        for (const lane of this.#lanes.values()) lane.leave(account);
      },
      onConnected: () => this.#carrier.wake(),
      owner,
      leaseMs: this.#leaseMs,
      clock,
      steady: steadyClock(clock),
      elapsed: this.#elapsed,
      onProblem,
    });
  }

  /** Goes on where the last process ended, then begins to receive. */
  async start(): Promise<void> {
    this.#unsubscribe = this.#options.store.subscribe((fact) => this.#hear(fact));
    await this.#surfaces.start();
    this.#isStarted = true;
    this.#reaper = setInterval(() => this.#reap(), timerMs(this.#leaseMs));
    this.#reaper.unref();
    this.#carrier.wake();
  }

  /** Receives no more, lets running turns end for as long as that, then leaves them to the next process. */
  async stop(options: { drainMs: number }): Promise<void> {
    this.#stopping = true;
    this.#sayStopping();
    clearInterval(this.#reaper);
    await Promise.allSettled(this.#receiving);
    await this.#carrier.stop();
    const lanes = [...this.#lanes.values()];
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

  /** Waits until what is to be said now has been sent. */
  delivered(): Promise<void> {
    return this.#surfaces.delivered();
  }

  /** Each adapter's platform, whether it receives, and what went wrong last. */
  platforms(): PlatformState[] {
    return this.#surfaces.states();
  }

  /** The lane of a key; commands look at it and stop its turn. */
  lane(key: SessionKey): Lane {
    let lane = this.#lanes.get(key);
    if (!lane) {
      lane = new Lane();
      this.#lanes.set(key, lane);
    }
    return lane;
  }

  /** The turn that a lane's session has, in whichever process; null where none runs, or its process is gone. */
  async running(key: SessionKey): Promise<RunningTurn | null> {
    const { sessions, store } = this.#options;
    const entry = await sessions.current(key);
    const running = entry && (await store.turns.runningIn(entry.sessionId, this.#options.clock()));
    return running && !this.#isLeft(running) ? running : null;
  }

  async isAnswering(key: SessionKey): Promise<boolean> {
    return this.lane(key).run !== undefined || (await this.running(key)) !== null;
  }

  /** Ends the turn of a lane's session soon, wherever it runs, for somebody who may; null where none does. */
  async stopTurn(key: SessionKey, who: Who): Promise<"here" | "elsewhere" | null> {
    const { store, owner } = this.#options;
    const lane = this.lane(key);
    const present = lane.answering;
    const running = lane.run ? null : await this.running(key); // What is about to begin here may wait for one elsewhere.
    this.#requests.must(who, present ? [await present.author] : []);
    if (running) await this.#requests.mustForItems(who, [running.item]);
    const stopped = present && lane.stop("stopped", present.item.id) ? "here" : null;
    if (!running || !(await store.turns.askToStop(running.turn, "stopped"))) return stopped;
    return running.lease.owner === owner ? "here" : "elsewhere";
  }

  /**
   * Changes a lane's session for somebody who may touch all that runs and waits in it. Everything that writes is in what
   * `work` is given: a command that forgets to ask has nothing to write with.
   */
  async touch<Result>(key: SessionKey, who: Who, work: (hands: Hands) => Promise<Result>): Promise<Result> {
    const present = this.lane(key).answering;
    const running = await this.running(key);
    const waiting = await this.#options.store.inbox.waitingIn(key);
    const items = [...(present ? [present.item] : []), ...(running ? [running.item] : []), ...waiting];
    await this.#requests.mustForItems(who, items);
    const { sessions } = this.#options;
    const judge: Hands["judge"] = (entry, messages) =>
      this.#requests.mustForMessages(who, messages, entry, who.source);
    return work({
      sessions,
      handoffs: this.handoffs,
      judge,
      takeBack: async (entry, messages, from, first) => {
        await judge(entry, messages.slice(from));
        await first?.();
        await sessions.rewrite(entry.sessionId, messages.slice(0, from));
      },
    });
  }

  /** The same once the turn of that session is over, which is ended, wherever it runs; one change at a time. */
  change<Result>(key: SessionKey, who: Who, work: (hands: Hands) => Promise<Result>): Promise<Result> {
    const lane = this.lane(key);
    return lane.change(() =>
      this.touch(key, who, async (hands) => {
        for (let looks = 0; await this.stopTurn(key, who); looks++) {
          if (looks === MOST_LOOKS)
            throw new ConflictError(
              "turn_running",
              "The answer in another process does not stop. Try again later.",
            );
          if (lane.answering) await Promise.allSettled([lane.answering.over]);
          else await new Promise((resolve) => setTimeout(resolve, BUSY_POLL_MS));
        }
        return work(hands);
      }),
    );
  }

  /** Fails where somebody may not touch what another asked for; null is somebody unknown. */
  async mustTouch(who: Who, asker: SessionSource | null): Promise<void> {
    this.#requests.must(who, [asker && (await this.#requests.authorOf({ source: asker }))]);
  }

  /**
   * Puts a message into its lane as if it had just come in, for a command that asks the agent again: one's own words, or
   * those of somebody whose requests one may touch. True where it went into the running turn.
   */
  async enqueue(
    item: Omit<InboxItem, "id" | "receivedAt" | "kind">,
    who: Who,
    mode?: BusyMode,
  ): Promise<boolean> {
    if (item.by) this.#requests.must(who, [await this.#requests.authorOf(item)]);
    const accepted = await this.#options.store.inbox.accept(
      { ...item, kind: "message" },
      this.#options.owner,
      this.#options.clock(),
    );
    return accepted !== null && this.#join(accepted, who, mode);
  }

  /** Who wrote this, as somebody who asks for a handoff: told by this process where others share the account. */
  askerOf(item: InboxItem): Asker {
    const { source, account } = item;
    return {
      source,
      account,
      owner: this.#surfaces.of(item)?.capabilities.shared ? this.#options.owner : "",
    };
  }

  /** Which process this is, for what it takes. */
  get owner(): string {
    return this.#options.owner;
  }

  /** Says something in another place, through whichever process has it. Nothing is said where none does. */
  async tell(source: SessionSource, deliveryId: string, text: string): Promise<void> {
    const served = await this.handoffs.accountOn(source.platform);
    if (!served) return;
    const where = { account: served.account, address: addressOf(source) };
    const deliveries = await this.#notices.to(where, deliveryId, text);
    await this.#options.store.outbox.add(deliveries, this.#options.clock());
  }

  /**
   * Takes back what was not sent yet of the answer that is being made in a lane, or was made last, for somebody who may;
   * how many messages. To be called before the turn is stopped, while it is known which one it is.
   */
  async dropUnsent(item: InboxItem, who: Who): Promise<number> {
    const { sessions, store } = this.#options;
    const entry = await sessions.current(item.key);
    const running = this.lane(item.key).run?.turn ?? (await this.running(item.key))?.turn;
    const turnId = running?.id ?? (entry && (await store.outbox.unsentTurn(item, entry.sessionId)));
    const asked = turnId ? await store.turns.item(turnId) : null;
    if (!turnId || !asked) return 0;
    await this.#requests.mustForItems(who, [asked]);
    const dropped = await store.outbox.drop(item, turnId);
    this.#surfaces.dropped(item, dropped);
    return dropped.length;
  }

  /** Whether the whole question has been sent to where this came from. */
  async wasShown({ shown }: ApprovalQuestion, { account, source }: InboxItem): Promise<boolean> {
    const here = formatAddress(addressOf(source));
    const isHere = shown.every((each) => each.account === account && formatAddress(each.address) === here);
    if (shown.length === 0 || !isHere) return false;
    return this.#options.store.outbox.areSent(shown.map(({ deliveryId }) => deliveryId));
  }

  /** How many messages since then may not have arrived where this one came from. */
  doubtful(item: InboxItem, since: number): Promise<Doubtful> {
    return this.#options.store.outbox.doubtful(item, addressOf(item.source), since);
  }

  /** Tells `onHandoff` of this one, at once and until it is over. */
  async follow(handoff: Handoff): Promise<void> {
    await this.#carrier.follow(handoff);
    this.#carrier.wake();
  }

  /** The session that was handed off from this lane last, and when. */
  handedOff(key: SessionKey): Promise<Handoff | null> {
    return this.#options.store.moves.lastFrom(key);
  }

  /** Says something where a message came from, and keeps nothing of it; fails where it did not go out. */
  async say(item: InboxItem, text: string): Promise<void> {
    const surface = this.#surfaces.of(item);
    if (!surface) throw new Error("The platform is not connected here.");
    const speaker = await speakerOf(surface);
    await speaker.send({
      address: addressOf(item.source),
      purpose: "notice",
      text,
      deliveryId: `say.${randomUUID()}`,
    });
  }

  async #track<Result>(receiving: Promise<Result>): Promise<Result> {
    this.#receiving.add(receiving);
    try {
      return await receiving;
    } finally {
      this.#receiving.delete(receiving);
    }
  }

  async #inOrder(surface: Surface, message: InboundMessage): Promise<Received> {
    if (this.#stopping) throw new Error("The gateway is stopping and takes no more messages.");
    const { platform, account } = surface;
    const chat = JSON.stringify([platform, account, message.source.chatId]);
    return this.#intake.once(chat, () => this.#receive(surface, message));
  }

  async #receive(surface: Surface, message: InboundMessage): Promise<Received> {
    const entered = await this.#arrivals.receive(surface, message, () =>
      this.#entrance.receive(surface, message),
    );
    if (entered.kind === "nothing") return entered.received;
    const { item } = entered;
    if (entered.kind === "amended") this.lane(item.key).amend(item);
    else if (item.kind === "command") this.#command(item);
    if (entered.kind === "new")
      surface.speaker?.react?.(addressOf(item.source), item.messageId, "seen").catch(() => {});
    return "accepted";
  }

  /**
   * A message joins its lane, by the busy mode of the place where a turn is running; true where it goes into that turn.
   * Nobody speaks into a turn, or ends it, that they may not touch: then the message waits.
   */
  async #join(item: InboxItem, who: Who, asked?: BusyMode): Promise<boolean> {
    const lane = this.lane(item.key);
    const mode = asked ?? busyModeFor(this.#options.busy, item.source);
    const present = lane.answering;
    const author = mode === "queue" ? undefined : present?.author.catch(() => null); // Nobody knows: it waits.
    const may = author !== undefined && this.#requests.may(who, await author);
    const isPresent = present !== undefined && lane.answering === present;
    const run = mode === "steer" && may && isPresent ? lane.run : undefined;
    // Unless it was asked to, it does not overtake what waits.
    if (run && (asked || !(await this.#isBehind(item, lane, run))) && lane.run === run) {
      run.steer(item, messageOf(item, authorIn(item, { allowed: true, ...who })));
      return true;
    }
    if (mode === "interrupt" && may && isPresent) lane.stop("interrupted", present.item.id);
    if (mode === "interrupt") lane.wouldInterrupt(who);
    this.#queue(item);
    return false;
  }

  /** Older messages wait that are not on their way into this turn, also ones that the lane does not know yet. */
  async #isBehind(item: InboxItem, lane: Lane, run: TurnRun): Promise<boolean> {
    if (lane.queued.length > 0) return true;
    const steered = new Set(run.unsteered.map(({ id }) => id));
    const waiting = await this.#options.store.inbox.waitingIn(item.key);
    return waiting.some(({ id }) => id < item.id && !steered.has(id)) || lane.queued.length > 0;
  }

  #queue(item: InboxItem): void {
    const lane = this.lane(item.key);
    lane.add(item);
    this.#pump(lane);
  }

  #command(item: InboxItem): void {
    const { commands, store, clock, owner, onProblem } = this.#options;
    const act = async (): Promise<void> => {
      if (!(await store.inbox.beginCommand(item.id, owner))) return;
      const said = await commands.run(item, this).catch((error: Error) => {
        onProblem(`${nameOf(item)} failed: ${error.stack ?? error.message}`);
        return [`${nameOf(item)}: ${WENT_WRONG}`];
      });
      const why = { purpose: "command" } as const;
      const told = said.map((text, n) => this.#notices.about(item, `inbox.${item.id}.${n}`, text, why));
      const deliveries = (await Promise.all(told)).flat();
      await store.inbox.finishCommand(item.id, deliveries, clock());
    };
    this.lane(item.key)
      .hold(act)
      .catch((error: Error) => {
        onProblem(`${nameOf(item)} could not be saved: ${error.message}`);
        const surface = this.#surfaces.of(item);
        if (surface && error instanceof StoreError) void this.#apologies.say(surface, item, { isKept: true });
      });
  }

  #pump(lane: Lane): void {
    if (lane.pumping) return;
    lane.pumping = Promise.resolve()
      .then(() => this.#answerAll(lane))
      .catch((error: Error) => {
        lane.pumping = undefined;
        if (lane.trouble !== error.message)
          this.#options.onProblem(`Can't continue a conversation: ${error.message}`);
        lane.trouble = error.message; // Said once, however often it is tried.
        setTimeout(() => this.#pump(lane), 1_000).unref();
      });
  }

  /** Answers what waits in the lane, one after the other. */
  async #answerAll(lane: Lane): Promise<void> {
    while (!this.#stopping) {
      const left = lane.left.shift();
      const item = lane.queue[0];
      if (left) await this.#told(lane, left.item, (author) => this.#goOn(lane, left, author));
      else if (!item) break;
      else if (await this.#told(lane, item, (author) => this.#answer(lane, item, author))) lane.remove(item);
      else if (lane.left.length === 0) await new Promise((resolve) => setTimeout(resolve, BUSY_POLL_MS));
    }
    this.#apologies.freed(lane);
    lane.trouble = null;
    lane.pumping = undefined; // Now, not when this promise settles: what joins in between must pump anew.
  }

  /** Answers a message in its lane; where the store fails in that, its chat is told. */
  #told<Result>(
    lane: Lane,
    item: InboxItem,
    work: (author: Promise<Access>) => Promise<Result>,
  ): Promise<Result> {
    const surface = this.#surfaces.of(item);
    const authorOf = (of: InboxItem) => this.#requests.authorOf(of);
    return lane.answer(item, authorOf, async (author) => {
      // A terminal is to show what was left as it is made. Elsewhere it begins before anything comes in that could end it.
      if (surface?.capabilities.shared) await Promise.race([surface.tried, this.#stopAsked]);
      return this.#apologies.around(lane, { surface, message: item }, () => work(author));
    });
  }

  /** False where it waits: for another process, a handoff, older messages, or its author's other turns. */
  async #answer(lane: Lane, item: InboxItem, author: Promise<Access>): Promise<boolean> {
    const who = await author;
    const end = who.allowed ? this.allowance.tryTurn(who) : () => {};
    if (!end) return this.#waitOrSkip(item);
    try {
      return await this.#beside(false, () => this.#beginAndRun(lane, item, who));
    } finally {
      end();
    }
  }

  /** Its author has as many turns as they may: alone in their lane they wait, but nobody else waits for them. */
  async #waitOrSkip(item: InboxItem): Promise<boolean> {
    const { store, scopes, owner, clock } = this.#options;
    if (!isShared(item.source, scopes)) return false;
    const text =
      "You already have as many requests running as you are allowed, so I skipped this one. Send it again when one of them is done.";
    const deliveries = await this.#notices.about(item, `inbox.${item.id}.skipped`, text);
    await store.inbox.skip(item.id, owner, deliveries, clock());
    return true;
  }

  /** Beside other turns of this process, or alone: before it has begun, so that those who wait are not running. */
  async #beside<Result>(alone: boolean, work: () => Promise<Result>): Promise<Result | false> {
    const end = await this.#solitude.enter(alone);
    try {
      return this.#stopping ? false : await work();
    } finally {
      end();
    }
  }

  async #beginAndRun(lane: Lane, item: InboxItem, who: Access): Promise<boolean> {
    const { sessions, store, owner } = this.#options;
    const interrupting = lane.takeInterrupting();
    const message = messageOf(item, authorIn(item, who));
    const hold = { owner, leaseMs: this.#leaseMs };
    const begun = await sessions.resolveIn(item.source, { touch: !item.inBackground }, message, (request) =>
      store.turns.begin(`turn_${randomUUID()}`, item, request, hold, (entry, before) =>
        this.#resetNotices(item, entry, before),
      ),
    );
    if (begun.kind === "gone") return true;
    if (begun.kind === "moving") return false;
    if (begun.kind === "behind") {
      await this.#surfaces.takeOn(item); // Here, too, what it is behind comes before it.
      return false;
    }
    if (begun.kind === "busy") {
      if (this.#isLeft(begun.running)) lane.left.push(begun.running);
      else if (await this.#mayInterrupt(interrupting, begun.running))
        await store.turns.askToStop(begun.running.turn, "interrupted");
      else this.#options.onElsewhere?.(item.key);
      return false;
    }
    await this.#run(lane, item, begun.turn, begun.entry, who);
    return true;
  }

  async #mayInterrupt(interrupting: readonly Who[], { item }: RunningTurn): Promise<boolean> {
    if (interrupting.length === 0) return false;
    const author = await this.#requests.authorOf(item);
    return interrupting.some((who) => this.#requests.may(who, author));
  }

  async #run(lane: Lane, item: InboxItem, turn: Turn, entry: SessionEntry, who: Access): Promise<void> {
    this.#running += 1;
    try {
      await this.#converse(lane, item, turn, entry, who);
    } finally {
      this.#running -= 1;
    }
  }

  async #converse(lane: Lane, item: InboxItem, turn: Turn, entry: SessionEntry, who: Access): Promise<void> {
    const { sessions, store, agent, clock, maxMessages, deadlineMs, scopes } = this.#options;
    const surface = this.#surfaces.of(item);
    const history = await sessions.history(turn.sessionId, { maxMessages });
    const shared = isShared(item.source, scopes) || hasOthers(history, who);
    const homeChannels = await this.homes.forContext();
    const context = buildSessionContext(
      item.source,
      { ...this.#options.context, homeChannels, shared },
      entry,
    );
    const run = new TurnRun(turn, {
      agent,
      turns: store.turns,
      journal: store.journal,
      tools: async () => (who.allowed ? turnTools(this.#turnTools, { who, turn, item }) : []), // Let in no longer: answered without tools.
      prompt: [buildSessionContextPrompt(context, { labels: false }), ...resetNote(entry)].join("\n\n"),
      labels: buildSessionLabels(context),
      history,
      ...sessionModel(entry),
      beforeCall: async () => (who.allowed ? this.allowance.modelCall(who) : undefined),
      shared,
      live: surface?.speaker?.live?.(turn.address, item.made ? null : item.messageId),
      stream:
        surface &&
        editStream({
          surface,
          address: turn.address,
          id: `${turn.id}.${turn.fence}.live`,
          isClear: () => store.outbox.isClear(item, turn.address),
        }),
      cut: (text) => this.#notices.cut(turn.address.platform, text),
      pieces: (text) => this.#notices.piecesOf(turn.address.platform, text),
      maxSends: this.#options.maxSends ?? MAX_SENDS,
      replyTo: item.source.chatType === "dm" || item.made ? null : item.messageId,
      onBegun: (deliveryId, beginning) => this.#surfaces.goOnWith(item, deliveryId, beginning),
      account: item.account,
      owner: () => this.#surfaces.senderOf(item), // As it is by then: the account may be another's.
      clock,
      elapsed: this.#elapsed,
      leaseMs: this.#leaseMs,
      deadlineMs,
      onProblem: this.#options.onProblem,
    });
    const stopTyping = showTyping(surface, turn.address);
    lane.run = run;
    try {
      if ((await run.run()) === "released") await store.turns.release(turn);
    } finally {
      stopTyping();
      lane.run = undefined;
      for (const unsteered of run.unsteered) lane.add(unsteered);
    }
  }

  /** What was committed, here or by another process. */
  #hear(fact: Fact): void {
    const { kind } = fact;
    if (kind === "outbox") this.#surfaces.wake(fact);
    if (kind === "inbox") this.#takeMoved(fact);
    if (kind === "unknown") this.#surfaces.wakeAll();
    // Before the platforms were tried, a handoff that was begun here would look as if nobody could carry it out.
    if (this.#isStarted && (kind === "handoffs" || kind === "unknown")) this.#carrier.wake();
    if (kind === "stops" || kind === "unknown") this.#heedStops();
  }

  /** A message that came along with its conversation, or asks the agent to confirm a handoff, joins the lane it is in now. */
  #takeMoved({ item, owner }: Extract<Fact, { kind: "inbox" }>): void {
    if (owner !== this.#options.owner || (item.made !== "moved" && item.made !== "handoff")) return;
    if (!this.#arrivals.follow(item)) this.#queue(item);
  }

  /** Ends the turns of this process that somebody asked to end. */
  #heedStops(): void {
    if (this.#running === 0) return;
    const { store, owner, onProblem } = this.#options;
    const heed = (asked: readonly TurnToStop[]): void => {
      for (const { key, inboxId, wish } of asked) this.#lanes.get(key)?.stop(wish, inboxId);
    };
    store.turns
      .toStop(owner)
      .then(heed, (error: Error) => onProblem(`Can't read which answers to stop: ${error.message}`));
  }

  /** Looks from time to time for what processes left behind that ended, were stopped, or lost their store. */
  #reap(): void {
    for (const [key, lane] of this.#lanes) if (lane.isEmpty) this.#lanes.delete(key); // As many as talk, not as ever did.
    const unread = ({ message }: Error) =>
      this.#options.onProblem(`Can't read the unfinished work: ${message}`);
    this.#surfaces.reap().catch(unread);
  }

  /** Takes on what this account's processes left: it may be done again and again, beside other processes. */
  async #recover(surface: Surface): Promise<void> {
    const { store, clock, owner: me } = this.#options;
    const account = { platform: surface.platform, account: surface.account };
    const isExclusive = surface.capabilities.shared !== true;
    for (const { item, owner } of await store.inbox.interruptedCommands(account)) {
      if (!hasLeft(owner, me, isExclusive)) continue;
      const text = `I was interrupted while running ${nameOf(item)}. Check whether it took effect before you repeat it.`;
      await store.inbox.finishCommand(
        item.id,
        await this.#notices.about(item, `inbox.${item.id}.unknown`, text),
        clock(),
      );
    }
    if (isExclusive) await this.#tellOfSharing(account);
    for (const running of await store.turns.running(account, clock())) this.#goOnWith(running);
    const waiting = await store.inbox.waiting(account);
    const left = waiting.filter(({ owner }) => hasLeft(owner, me, isExclusive));
    for (const from of new Set(left.map(({ owner }) => owner))) await store.inbox.adopt(account, from, me);
    // This process's own, too: where a commit was not heard of, it does not know that it has them.
    for (const { item } of [...left, ...waiting.filter(({ owner }) => owner === me)]) {
      if (item.kind === "command") this.#command(item);
      else if (!this.#arrivals.has(item)) this.#queue(item);
    }
    this.#surfaces.wake(surface);
  }

  /** Says, once each, which accounts share people's conversations with this one. */
  async #tellOfSharing(account: Account): Promise<void> {
    const { store, scopes, clock, onProblem } = this.#options;
    await store.accounts.write(account, AGENT, scopes.agent || "main");
    for (const text of sharingTexts(await servedAccounts(store.accounts, clock()))) {
      if (this.#sharingTold.has(text)) continue;
      this.#sharingTold.add(text);
      onProblem(text);
    }
  }

  /** A turn that some process left: of whichever account, since something waits for its end. */
  async #recoverTurn(sessionId: string): Promise<void> {
    const running = await this.#options.store.turns.runningIn(sessionId, this.#options.clock());
    if (running) this.#goOnWith(running);
  }

  #goOnWith(running: RunningTurn): void {
    if (!this.#isLeft(running)) return;
    const lane = this.lane(running.turn.key);
    lane.left.push(running);
    this.#pump(lane);
  }

  #isLeft({ lease }: RunningTurn): boolean {
    return lease.until <= this.#options.clock() || !mayBeAlive(lease.owner);
  }

  #goOn(lane: Lane, left: RunningTurn, author: Promise<Access>): Promise<unknown> {
    const alone = isTriedAlone({ attempt: left.turn.attempt + 1 });
    return this.#beside(alone, () => this.#takeOver(lane, left, author));
  }

  /** Goes on with a turn that was left, or parks one that processes end of. */
  async #takeOver(lane: Lane, { turn, item, wish }: RunningTurn, author: Promise<Access>): Promise<void> {
    const { store, owner, clock, onProblem } = this.#options;
    const taken = await store.turns.takeOver(turn, { owner, leaseMs: this.#leaseMs }, clock());
    if (!taken) return;
    if (wish) lane.stop(wish); // Its process did not come to it.
    if (!(await this.#keepInterrupted(taken, item))) return;
    const entry = await this.#options.sessions.get(taken.sessionId);
    if (entry && !isGivenUp(taken)) return this.#run(lane, item, taken, entry, await author);
    const tries = taken.attempt - 1;
    onProblem(`Gave up a turn: its process ended ${counted(tries, "time")} while it ran (${turn.id}).`);
    const text = `I gave up on this: I was interrupted ${tries} times while working on it. Try again with /retry.`;
    const deliveries = await this.#notices.about(item, `${turn.id}.parked`, text);
    const step = { messages: [], deliveries, steeredIn: [] };
    await store.turns.finish(taken, "parked", step, `its process ended ${tries} times`, clock());
  }

  /** Puts what the process before was doing into the transcript, with what is known of it; false where the turn is lost. */
  async #keepInterrupted(turn: Turn, item: InboxItem): Promise<boolean> {
    const { store, clock } = this.#options;
    const calls = await store.journal.open(turn);
    const messages = interruptedStep(calls, runningGroup);
    if (!messages) return true;
    const said = calls.map((call) => call.said).join("");
    const texts = [said, interruptedNotice(calls, runningGroup) ?? ""];
    const told = texts.map((text, n) =>
      text.trim() ? this.#notices.about(item, `${turn.id}.${turn.fence}.interrupted.${n}`, text) : [],
    );
    const deliveries = (await Promise.all(told)).flat();
    const step = { messages, deliveries, steeredIn: [] };
    return store.turns.step(turn, step, this.#leaseMs, clock());
  }

  #resetNotices(item: InboxItem, entry: SessionEntry, before: SessionEntry | null): NewDelivery[] {
    const text = resetText(entry, before);
    if (text === null || !this.#options.sessions.policyFor(entry).notify) return [];
    const { sessionId } = entry;
    const notices = this.#notices.shortly(item, `inbox.${item.id}.reset`, text);
    return notices.map((notice) => ({ ...notice, sessionId }));
  }
}

/** Whether somebody with other rights spoke in it before: a conversation that moved here from elsewhere. */
function hasOthers(history: readonly Message[], who: Access): boolean {
  const role = who.allowed ? who.role : undefined;
  return history.some((message) => message.role === "user" && message.author && message.author.role !== role);
}

/** The command's own word. */
function nameOf(item: InboxItem): string {
  return cleanLine(item.text).split(" ")[0] ?? "";
}
