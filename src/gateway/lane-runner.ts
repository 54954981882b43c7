/**
 * Answers what waits in the lanes: each lane in order, the lanes side by side. A message joins its lane as the busy mode
 * of its chat says; a turn that a process left comes before what waits.
 */
import { once } from "node:events";
import { pause } from "../adapter/http-call.js";
import type { SessionId } from "../session/ids.js";
import { LOCAL } from "../session/platform.js";
import type { SessionKey } from "../session/session-key.js";
import type { Apologies } from "./apology.js";
import type { Access, Who } from "./authorize.js";
import { burstAfter, momentAfter } from "./burst.js";
import { type BusyMode, type BusyModes, busyModeFor, momentOf } from "./busy.js";
import type { Common } from "./common.js";
import { messageOf } from "./inbound-text.js";
import type { Answering, Lane } from "./lane.js";
import type { Lanes } from "./lanes.js";
import { isLeft } from "./left-turns.js";
import { authorIn, type Requests } from "./requests.js";
import type { InboxItem, RunningTurn } from "./store.js";
import type { Surfaces } from "./surfaces.js";
import type { TurnRun } from "./turn-run.js";
import type { TurnStarter } from "./turn-starter.js";

export interface LaneRunnerSetting extends Common {
  readonly busy: BusyModes;
  readonly lanes: Lanes;
  readonly requests: Requests;
  readonly apologies: Apologies;
  readonly surfaces: Surfaces;
  readonly starter: TurnStarter;
  /** Settles when the files of messages that belong to this one are there; null if none are expected. */
  readonly expected: (item: InboxItem) => Promise<void> | null;
  /** Waits that long. */
  readonly wait?: (ms: number, end: AbortSignal) => Promise<void>;
  /** Aborted when the gateway stops. */
  readonly stopping: AbortSignal;
}

const BUSY_POLL_MS = 200;
const RETRY_MS = 1_000;
/** How often one message after the other may begin the moment anew. */
const MOST_MOMENTS = 20;

export class LaneRunner {
  readonly #setting: LaneRunnerSetting;
  readonly #stopped: Promise<unknown>;

  constructor(setting: LaneRunnerSetting) {
    this.#setting = setting;
    this.#stopped = once(setting.stopping, "abort");
  }

  /**
   * Puts a message into its lane, as the busy mode of its chat says; true if it joins the running turn. Somebody who may
   * not touch that turn can neither join nor end it: then the message waits.
   */
  async join(item: InboxItem, who: Who, asked?: BusyMode): Promise<boolean> {
    const { lanes, busy, requests } = this.#setting;
    const lane = lanes.of(item.key);
    const mode = asked ?? busyModeFor(busy, item.source);
    // `/steer` is about the answer that comes here, wherever its conversation is now.
    const present = asked ? lane.answering : await this.answering(item.key).catch(() => undefined);
    const author = mode === "queue" ? undefined : present?.author.catch(() => null); // If nobody knows, it waits.
    const may = author !== undefined && requests.may(who, await author);
    const isPresent = present !== undefined && lane.answering === present;
    const run = mode === "steer" && may && isPresent ? lane.run : undefined;
    // It overtakes what waits only if its author asked for that.
    if (run && (asked || !(await this.#isBehind(item, lane, run))) && lane.run === run) {
      run.steer(item, messageOf(item, authorIn(item, { allowed: true, ...who })));
      return true;
    }
    if (mode === "interrupt" && may && isPresent) lane.stop("interrupted", present.item.id);
    if (mode === "interrupt") lane.wouldInterrupt(who);
    this.queue(item);
    return false;
  }

  /** What is being answered in a lane; not a turn whose session has left meanwhile: nothing in the lane is about that one. */
  async answering(key: SessionKey): Promise<Answering | undefined> {
    const { answering, run } = this.#setting.lanes.of(key);
    if (!run) return answering;
    const entry = await this.#setting.sessions.current(key);
    return entry?.sessionId === run.turn.sessionId ? answering : undefined;
  }

  /** True if older messages wait that are not about to join this turn, also ones that the lane does not know yet. */
  async #isBehind(item: InboxItem, lane: Lane, run: TurnRun): Promise<boolean> {
    if (lane.queued.length > 0) return true;
    const steered = new Set(run.unsteered.map(({ id }) => id));
    const waiting = await this.#setting.store.inbox.waitingIn(item.key);
    return waiting.some(({ id }) => id < item.id && !steered.has(id)) || lane.queued.length > 0;
  }

  queue(item: InboxItem): void {
    const lane = this.#setting.lanes.of(item.key);
    lane.add(item);
    this.#pump(lane);
  }

  /** Goes on with a turn, if its process left it. */
  goOnWith(running: RunningTurn): void {
    if (!isLeft(running.lease, this.#setting.clock())) return;
    const lane = this.#setting.lanes.of(running.turn.key);
    lane.left.push(running);
    this.#pump(lane);
  }

  /** Something waits for the turn of this session to end: if its process left it, it goes on here. */
  async goOnIn(sessionId: SessionId): Promise<void> {
    const { store, clock } = this.#setting;
    const running = await store.turns.runningIn(sessionId, clock());
    if (running) this.goOnWith(running);
  }

  /** The turn that a lane's session has, in any process; null if none runs, or its process left it. */
  async running(key: SessionKey): Promise<RunningTurn | null> {
    const { sessions, store, clock } = this.#setting;
    const entry = await sessions.current(key);
    const running = entry && (await store.turns.runningIn(entry.sessionId, clock()));
    return running && !isLeft(running.lease, clock()) ? running : null;
  }

  #pump(lane: Lane): void {
    if (lane.pumping) return;
    lane.pumping = Promise.resolve()
      .then(() => this.#answerAll(lane))
      .catch((error: Error) => {
        lane.pumping = undefined;
        if (lane.trouble !== error.message)
          this.#setting.onProblem(`Can't continue a conversation: ${error.message}`, { cause: error });
        lane.trouble = error.message; // It is reported once, and tried again and again.
        setTimeout(() => this.#pump(lane), RETRY_MS).unref();
      });
  }

  /** Answers what waits in the lane, one after the other. */
  async #answerAll(lane: Lane): Promise<void> {
    const { starter, apologies, stopping } = this.#setting;
    while (!stopping.aborted) {
      const left = lane.left.shift();
      const item = lane.queue[0];
      if (left) await this.#told(lane, left.item, (author) => starter.goOn(lane, left, author));
      else if (!item) break;
      else if (await this.#isGrowing(lane, item)) continue;
      else if (await this.#told(lane, item, (author) => starter.answer(lane, item, author)))
        lane.remove(item);
      else if (lane.left.length === 0) await new Promise((resolve) => setTimeout(resolve, BUSY_POLL_MS));
    }
    apologies.freed(lane);
    lane.trouble = null;
    lane.pumping = undefined; // Now, not when this promise settles: what joins in between must pump again.
  }

  /** Waits a moment for messages that belong to this one; true if there is something new to look at. */
  async #isGrowing(lane: Lane, item: InboxItem): Promise<boolean> {
    const { busy, expected, wait = pause, stopping } = this.#setting;
    const momentMs = momentOf(busy);
    if (lane.gathered === item.id || item.platform === LOCAL) return false; // A terminal sends whole messages.
    for (let moments = 0; moments < MOST_MOMENTS; moments++) {
      const burst = [item, ...burstAfter(lane.queue, item, momentMs)];
      const last = burst.at(-1) ?? item;
      const ms = momentAfter(last, momentMs);
      if (ms > 0) await wait(ms, stopping);
      await expected(last);
      if (1 + burstAfter(lane.queue, item, momentMs).length === burst.length) break;
    }
    lane.gathered = item.id;
    return true; // It may have been deleted meanwhile, or the gateway stops.
  }

  /** Answers a message in its lane. If the store fails meanwhile, its chat gets an apology. */
  #told<Result>(
    lane: Lane,
    item: InboxItem,
    work: (author: Promise<Access>) => Promise<Result>,
  ): Promise<Result> {
    const { surfaces, requests, apologies } = this.#setting;
    const surface = surfaces.of(item);
    const authorOf = (of: InboxItem) => requests.authorOf(of);
    return lane.answer(item, authorOf, async (author) => {
      // A terminal shows a recovered answer live, so it comes first. Elsewhere the answer starts before anything new can end it.
      if (surface?.capabilities.shared) await Promise.race([surface.tried, this.#stopped]);
      return apologies.around(lane, { surface, message: item }, () => work(author));
    });
  }
}
