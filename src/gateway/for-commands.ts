/**
 * What commands may do with the gateway. Everything that changes a conversation asks first whose requests it would
 * touch, so a command that forgets to ask has nothing to write with.
 */

import { randomUUID } from "node:crypto";
import { ConflictError } from "../session/errors.js";
import type { Asker, Handoff } from "../session/handoff.js";
import type { DeliveryId } from "../session/ids.js";
import type { SessionEntry } from "../session/session.js";
import type { SessionKey } from "../session/session-key.js";
import type { Sessions } from "../session/sessions.js";
import { addressOf, type SessionSource } from "../session/source.js";
import type { StoredMessage } from "../session/transcript.js";
import type { Allowance } from "./allowance.js";
import { type ApprovalQuestion, type Approvals, shownAt } from "./approvals.js";
import type { Who } from "./authorize.js";
import type { BusyMode } from "./busy.js";
import type { Common } from "./common.js";
import type { Desks } from "./desks.js";
import type { GatewayEvents, SessionWish } from "./gateway-events.js";
import type { HandoffCarrier } from "./handoff/carrier.js";
import type { Homes } from "./homes.js";
import type { LaneRunner } from "./lane-runner.js";
import type { Answering, Lane, Lanes } from "./lanes.js";
import type { Notices } from "./notices.js";
import type { People } from "./people.js";
import type { Requests } from "./requests.js";
import type { Doubtful, InboxItem, RunningTurn, StandingApprovals, Undelivered } from "./store.js";
import { speakerOf } from "./surface.js";
import type { Surfaces } from "./surfaces.js";
import type { TurnRun } from "./turn-run.js";

export interface ForCommandsSetting extends Common, Desks {
  readonly people: People;
  readonly requests: Requests;
  readonly homes: Homes;
  readonly allowance: Allowance;
  readonly approvals: Approvals;
  readonly notices: Notices;
  readonly surfaces: Surfaces;
  readonly lanes: Lanes;
  readonly runner: LaneRunner;
  readonly carrier: HandoffCarrier;
  readonly beside: NonNullable<GatewayEvents["beside"]>;
}

/** What a command changes a conversation with, once it is known that it may. */
export interface Hands {
  readonly sessions: Omit<Sessions, "rewrite">;
  readonly handoffs: Desks["handoffs"];
  /** Fails if the person may not touch all of these messages. */
  judge(entry: SessionEntry, messages: readonly StoredMessage[]): Promise<void>;
  /** Takes back the messages from that place on, if the person may; `first` is done in between. */
  takeBack(
    entry: SessionEntry,
    messages: readonly StoredMessage[],
    from: number,
    first?: () => Promise<unknown>,
  ): Promise<void>;
}

const BUSY_POLL_MS = 200;
/** A turn that was told to end does, unless a tool takes its time. */
const MOST_LOOKS = 100;

export class ForCommands {
  readonly #setting: ForCommandsSetting;
  readonly people: People;
  readonly homes: Homes;
  readonly allowance: Allowance;
  readonly approvals: Approvals;
  readonly standing: StandingApprovals;
  readonly usage: Common["store"]["usage"];
  /** Where people are signed in to the page. */
  readonly devices: Common["store"]["devices"];
  /** What accounts remember. */
  readonly accounts: Pick<Common["store"]["accounts"], "read">;
  readonly handoffs: Pick<Desks["handoffs"], "places" | "placeNamed" | "active" | "offers">;
  readonly processes: Desks["processes"];
  readonly jobs: Desks["jobs"];
  readonly upkeep: Desks["upkeep"];
  readonly memory: Desks["memory"];
  readonly told: Desks["told"];
  /** This process, for what it takes. */
  readonly holder: string;

  constructor(setting: ForCommandsSetting) {
    this.#setting = setting;
    this.people = setting.people;
    this.homes = setting.homes;
    this.allowance = setting.allowance;
    this.approvals = setting.approvals;
    this.standing = setting.store.standing;
    this.usage = setting.store.usage;
    this.devices = setting.store.devices;
    this.accounts = setting.store.accounts;
    this.handoffs = setting.handoffs;
    this.processes = setting.processes;
    this.jobs = setting.jobs;
    this.upkeep = setting.upkeep;
    this.memory = setting.memory;
    this.told = setting.told;
    this.holder = setting.holder;
  }

  beside(wish: SessionWish): Promise<string | null> {
    return this.#setting.beside(wish);
  }

  /** The platforms and how they are, also those of other processes. */
  platforms(): ReturnType<Desks["handoffs"]["places"]["served"]["states"]> {
    return this.#setting.handoffs.places.served.states();
  }

  /** The commands that the place itself answers from which this came. */
  ownCommands(item: InboxItem): readonly { readonly name: string; readonly description: string }[] {
    return this.#setting.surfaces.of(item)?.capabilities.ownCommands ?? [];
  }

  /** How many messages wait in a lane, and what runs in it here. */
  lane(key: SessionKey): Pick<Lane, "waiting"> & { readonly run?: Pick<TurnRun, "startedAt"> | undefined } {
    return this.#setting.lanes.of(key);
  }

  /** The turn that a lane's session has, in any process; null if none runs. */
  running(key: SessionKey): Promise<RunningTurn | null> {
    return this.#setting.runner.running(key);
  }

  async isAnswering(key: SessionKey): Promise<boolean> {
    return this.lane(key).run !== undefined || (await this.running(key)) !== null;
  }

  /** Ends the turn of a lane's session soon, wherever it runs, if the person may; null if none runs. */
  async stopTurn(key: SessionKey, who: Who): Promise<"here" | "elsewhere" | null> {
    return this.#stop(key, who, await this.#setting.runner.answering(key));
  }

  /** The same, also if the answer that comes here is of a session that has left. */
  stopAnswer(key: SessionKey, who: Who): Promise<"here" | "elsewhere" | null> {
    return this.#stop(key, who, this.#setting.lanes.of(key).answering);
  }

  async #stop(
    key: SessionKey,
    who: Who,
    present: Answering | undefined,
  ): Promise<"here" | "elsewhere" | null> {
    const { store, lanes, requests, holder } = this.#setting;
    const lane = lanes.of(key);
    const runs = present !== undefined && lane.run !== undefined;
    const running = runs ? null : await this.running(key); // What is about to begin here may wait for one elsewhere.
    requests.must(who, present ? [await present.author] : []);
    if (running) await requests.mustForItems(who, [running.item]);
    const stopped = present && lane.stop("stopped", present.item.id) ? "here" : null;
    if (!running || !(await store.turns.askToStop(running.turn, "stopped"))) return stopped;
    return running.lease.holder === holder ? "here" : "elsewhere";
  }

  /** Changes a lane's session for somebody who may touch everything that runs and waits in it. */
  async touch<Result>(key: SessionKey, who: Who, work: (hands: Hands) => Promise<Result>): Promise<Result> {
    const { sessions, store, requests, runner, handoffs } = this.#setting;
    const present = await runner.answering(key);
    const running = await this.running(key);
    const waiting = await store.inbox.waitingIn(key);
    const items = [...(present ? [present.item] : []), ...(running ? [running.item] : []), ...waiting];
    await requests.mustForItems(who, items);
    const judge: Hands["judge"] = (entry, messages) =>
      requests.mustForMessages(who, messages, entry, who.source);
    return work({
      sessions,
      handoffs,
      judge,
      takeBack: async (entry, messages, from, first) => {
        await judge(entry, messages.slice(from));
        await first?.();
        await sessions.rewrite(entry.sessionId, messages.slice(0, from));
      },
    });
  }

  /** The same, after it has ended the turn of that session, wherever it runs; one change at a time. */
  change<Result>(key: SessionKey, who: Who, work: (hands: Hands) => Promise<Result>): Promise<Result> {
    const { lanes, runner } = this.#setting;
    return lanes.of(key).change(() =>
      this.touch(key, who, async (hands) => {
        for (let looks = 0; await this.stopTurn(key, who); looks++) {
          if (looks === MOST_LOOKS)
            throw new ConflictError(
              "turn_running",
              "The answer in another process does not stop. Try again later.",
            );
          const present = await runner.answering(key);
          if (present) await Promise.allSettled([present.over]);
          else await new Promise((resolve) => setTimeout(resolve, BUSY_POLL_MS));
        }
        return work(hands);
      }),
    );
  }

  /** Fails if the person may not touch what another asked for; null is somebody unknown. */
  async mustTouch(who: Who, asker: SessionSource | null): Promise<void> {
    const { requests } = this.#setting;
    requests.must(who, [asker && (await requests.authorOf({ source: asker }))]);
  }

  /**
   * Puts a message into its lane as if it had just come in, for a command that asks the agent again: the person's own
   * words, or those of somebody whose requests they may touch. True if it joined the running turn.
   */
  async enqueue(
    item: Omit<InboxItem, "id" | "receivedAt" | "kind">,
    who: Who,
    mode?: BusyMode,
  ): Promise<boolean> {
    const { store, requests, runner, holder, clock } = this.#setting;
    if (item.by) requests.must(who, [await requests.authorOf(item)]);
    const accepted = await store.inbox.accept({ ...item, kind: "message" }, holder, clock());
    return accepted !== null && runner.join(accepted, who, mode);
  }

  /** The writer of a command, as somebody who asks for a handoff. In a terminal only this process can tell them more. */
  askerOf(item: InboxItem): Asker {
    const { surfaces, holder } = this.#setting;
    const { source, account } = item;
    return { source, account, holder: surfaces.of(item)?.capabilities.shared ? holder : "" };
  }

  /** Says something in another chat, through the process that serves it, now or when one does again. */
  async tell(source: SessionSource, deliveryId: DeliveryId, text: string): Promise<void> {
    const { store, handoffs, notices, clock } = this.#setting;
    const known = await handoffs.places.lastAccountOn(addressOf(source));
    if (!known) return;
    const where = { account: known.account, address: addressOf(source) };
    await store.outbox.add(await notices.to(where, deliveryId, text), clock());
  }

  /**
   * Drops what was not sent yet of the current answer, or the last one, if the person may; returns how many messages. It
   * must come before the turn is stopped, while it is known which turn it is.
   */
  async dropUnsent(item: InboxItem, who: Who): Promise<number> {
    const { sessions, store, lanes, requests, surfaces } = this.#setting;
    const entry = await sessions.current(item.key);
    const running = lanes.of(item.key).run?.turn ?? (await this.running(item.key))?.turn;
    const turnId = running?.id ?? (entry && (await store.outbox.unsentTurn(item, entry.sessionId)));
    const asked = turnId ? await store.turns.item(turnId) : null;
    if (!turnId || !asked) return 0;
    await requests.mustForItems(who, [asked]);
    const dropped = await store.outbox.drop(item, turnId);
    surfaces.dropped(item, dropped);
    return dropped.length;
  }

  /** Since when all of the question can be seen in the chat that this came from; null if it cannot. */
  shownAt(question: ApprovalQuestion, item: InboxItem): Promise<number | null> {
    return shownAt(question, item, this.#setting.store.outbox);
  }

  /** How many messages since then may not have arrived in the chat that this came from. */
  doubtful(item: InboxItem, since: number): Promise<Doubtful> {
    return this.#setting.store.outbox.doubtful(item, addressOf(item.source), since);
  }

  /** What could not be sent since then, to the chat that this came from or to any. */
  undelivered(item: InboxItem, which: "here" | "anywhere", since: number): Promise<Undelivered> {
    const { platform, account, source } = item;
    const here = { platform, account, address: addressOf(source) };
    return this.#setting.store.outbox.undelivered(since, which === "here" ? here : null);
  }

  /** Tells `onHandoff` of this one, at once and until it is over. */
  async follow(handoff: Handoff): Promise<void> {
    await this.#setting.carrier.follow(handoff);
    this.#setting.carrier.wake();
  }

  /** The last session that was handed off from this lane, and when. */
  handedOff(key: SessionKey): Promise<Handoff | null> {
    return this.#setting.store.handoffs.lastFrom(key);
  }

  /** Shows a secret in the chat that a message came from, and stores nothing; fails if it was not sent. */
  async say(item: InboxItem, text: string): Promise<void> {
    const surface = this.#setting.surfaces.of(item);
    if (!surface) throw new Error("The platform is not connected here.");
    const speaker = await speakerOf(surface);
    await speaker.send({
      address: addressOf(item.source),
      purpose: "notice",
      text,
      isSecret: true,
      deliveryId: `say.${randomUUID()}`,
    });
  }
}
