/**
 * The adapters of this process, each with the connection that keeps it up and the deliverer that sends through it.
 * Received messages go to the host; the outbox has what to send, and a commit that adds to it wakes the deliverer.
 */

import type { Adapter, InboundMessage, Line, Received, Speaker } from "../adapter/adapter.js";
import { boundedMessage } from "../adapter/inbound-limit.js";
import type { DeliveryId } from "../session/ids.js";
import { type Platform, platformTraits } from "../session/platform.js";
import type { SessionSource } from "../session/source.js";
import { type Clock, steadyClock } from "../util/clock.js";
import type { OnProblem } from "../util/problem.js";
import type { Beginning } from "./beginning.js";
import { Connection, type ConnectionState } from "./connection.js";
import { Deliverer } from "./deliverer.js";
import { failedMarks } from "./failed-answer.js";
import type { Media } from "./media.js";
import type { Account, GatewayStore } from "./store.js";
import type { Surface } from "./surface.js";
import { Traffic } from "./traffic.js";

export interface SurfacesSetting {
  readonly adapters: readonly Adapter[];
  readonly store: Pick<GatewayStore, "accounts" | "inbox" | "outbox" | "turns">;
  readonly commands: Line["commands"];
  readonly reactions: Line["reactions"];
  readonly media: Media | null;
  /** How long a message waits for a platform that can't be reached. */
  readonly giveUpAfterMs: number;
  readonly holder: string;
  readonly leaseMs: number;
  readonly clock: Clock;
  readonly elapsed: () => number;
  readonly onProblem: OnProblem;
}

/** What the surfaces tell the gateway. */
export interface SurfaceHost {
  receive(surface: Surface, message: InboundMessage): Promise<Received>;
  /** Tells the sender that the store does not answer; stores nothing. */
  turnAway(surface: Surface, message: InboundMessage): never;
  /** True if this sender has access. */
  knows(sender: SessionSource): Promise<boolean>;
  /** This process has the account now, or still: it takes on what others left there before it receives anything. */
  taken(surface: Surface): Promise<void>;
  /** Another process may have the account now, and what waits there. */
  left(account: Account): void;
  connected(): void;
}

export interface PlatformState {
  readonly platform: Platform;
  readonly state: ConnectionState;
  readonly lastError: string | null;
}

/** What keeps a surface up, and what sends through it. */
interface Kept {
  readonly connection: Connection;
  readonly deliverer: Deliverer;
}

export class Surfaces {
  /** What was sent where by this process. */
  readonly traffic = new Traffic();
  readonly #setting: SurfacesSetting;
  readonly #all: readonly Kept[];
  readonly #steady: Clock;
  /** Called when an account is connected. */
  readonly #waiting = new Set<() => void>();
  #host: SurfaceHost | undefined;

  constructor(setting: SurfacesSetting) {
    this.#setting = setting;
    this.#steady = steadyClock(setting.clock);
    this.#all = setting.adapters.map((adapter) => this.#serve(adapter));
  }

  #serve(adapter: Adapter): Kept {
    const { store, commands, reactions, media, holder, leaseMs, clock, elapsed, onProblem } = this.#setting;
    const connection: Connection = new Connection({
      adapter: this.traffic.counted(adapter),
      accounts: store.accounts,
      commands,
      reactions,
      receive: async (message) => {
        const bounded = boundedMessage(message, adapter.capabilities.maxInbound);
        if (connection.isListening) return this.#started.turnAway(connection, bounded);
        if (!connection.isHeld) throw new Error("Another process may have the account now.");
        return this.#started.receive(connection, bounded);
      },
      knows: (sender) => this.#started.knows(sender),
      holder,
      leaseMs,
      clock,
      elapsed,
      onProblem,
      onTaken: () => this.#started.taken(connection),
      onConnected: () => {
        deliverer.reached();
        this.#deliverLeft(deliverer);
        this.#started.connected();
        for (const look of this.#waiting) look();
      },
      onLost: () => this.#leave(connection),
    });
    const deliverer = new Deliverer({
      surface: connection,
      outbox: store.outbox,
      holder,
      clock,
      steady: this.#steady,
      onProblem,
      isReady: () => connection.isConnected && connection.speaker !== null,
      findFile: async (file) => (await media?.find(file)) ?? null,
      giveUpAfterMs: this.#setting.giveUpAfterMs,
      onFailed: failedMarks(connection, store.turns),
    });
    return { connection, deliverer };
  }

  async start(host: SurfaceHost): Promise<void> {
    this.#host = host;
    await Promise.all(this.#all.map(({ connection }) => connection.start()));
  }

  /** Nothing comes in before the start. */
  get #started(): SurfaceHost {
    if (!this.#host) throw new Error("The gateway has not started.");
    return this.#host;
  }

  /** Sends nothing more, after what is being sent now. */
  async fallSilent(): Promise<void> {
    for (const { deliverer } of this.#all) await deliverer.stop();
  }

  /** Leaves the accounts and their waiting work to other processes. */
  async stop(): Promise<void> {
    for (const { connection } of this.#all) await connection.stop();
    for (const { connection } of this.#all) await this.#leave(connection);
  }

  of(account: Account): Connection | undefined {
    return this.#served(account)?.connection;
  }

  /** The speaker of an account, once it is connected; null if this process does not serve it, or `end` comes first. */
  async reach(account: Account, end: AbortSignal): Promise<Speaker | null> {
    const connection = this.of(account);
    while (connection && !end.aborted) {
      if (connection.isConnected && connection.speaker) return connection.speaker;
      await this.#change(end);
    }
    return null;
  }

  async #change(end: AbortSignal): Promise<void> {
    let look: () => void = () => {};
    const changed = new Promise<void>((resolve) => {
      look = resolve;
    });
    this.#waiting.add(look);
    end.addEventListener("abort", look);
    await changed;
    this.#waiting.delete(look);
    end.removeEventListener("abort", look);
  }

  /** Where people are. */
  connected(): Surface[] {
    return this.#withPeople.filter(({ isConnected }) => isConnected);
  }

  get #withPeople(): Connection[] {
    const all = this.#all.map(({ connection }) => connection);
    return all.filter(({ platform }) => !platformTraits(platform).isInternal);
  }

  /** The accounts that this process has, with somebody behind it. */
  attended(): Account[] {
    return this.#all
      .map(({ connection }) => connection)
      .filter(({ isHeld, capabilities }) => isHeld && !capabilities.isUnattended);
  }

  #served(account: Account): Kept | undefined {
    return this.#all.find(({ connection }) => isOf(connection, account));
  }

  states(): PlatformState[] {
    return this.#withPeople.map(({ platform, state, lastError }) => ({ platform, state, lastError }));
  }

  /** The process that sends through this account: this one, or "" for the one that has the account. */
  senderOf(account: Account): string {
    return this.of(account)?.isHeld ? this.#setting.holder : "";
  }

  /** Something waits to be sent through this account. */
  wake(account: Account): void {
    this.#served(account)
      ?.deliverer.wake()
      .catch((error: Error) => this.#unread(error));
  }

  wakeAll(): void {
    for (const { connection } of this.#all) this.wake(connection);
  }

  /** The delivery with that id completes a message that already shows its beginning. */
  goOnWith(account: Account, deliveryId: DeliveryId, beginning: Beginning): void {
    this.#served(account)?.deliverer.goOnWith(deliveryId, beginning);
  }

  /** These deliveries were dropped from the outbox. */
  dropped(account: Account, deliveryIds: readonly DeliveryId[]): void {
    this.#served(account)?.deliverer.dropped(deliveryIds);
  }

  /** Waits until everything that is ready to be sent has been sent. */
  async delivered(): Promise<void> {
    for (const { deliverer } of this.#all) {
      await deliverer.wake();
      await deliverer.idle();
    }
  }

  /** Takes on what other processes left: they ended, were stopped, or lost their store. Called again and again. */
  async reap(): Promise<void> {
    for (const { connection, deliverer } of this.#all) {
      if (!connection.isHeld) {
        await this.#leave(connection); // Something may have been stored while the account was being lost.
        continue;
      }
      await this.#started.taken(connection);
      if (!connection.isConnected) continue;
      await deliverer.recover();
      await deliverer.wake();
    }
  }

  /** Takes on what was left of an account, if this process has it. */
  async takeOn(account: Account): Promise<void> {
    const connection = this.of(account);
    if (connection?.isHeld) await this.#started.taken(connection);
  }

  /** First what a process was sending when it ended, then what waits. */
  #deliverLeft(deliverer: Deliverer): void {
    const work = async (): Promise<void> => {
      await deliverer.recover();
      await deliverer.wake();
    };
    work().catch((error: Error) => {
      if (!deliverer.isStopped) this.#unread(error);
    });
  }

  /** Leaves the waiting messages and deliveries to the process that has the account next. */
  async #leave(account: Account): Promise<void> {
    const { store, holder } = this.#setting;
    this.#host?.left(account);
    await store.inbox.release(account, holder);
    await store.outbox.release(account, holder);
  }

  #unread(cause: Error): void {
    this.#setting.onProblem(`Can't read the outbox: ${cause.message}`, { cause });
  }
}

function isOf(surface: Surface, { platform, account }: Account): boolean {
  return surface.platform === platform && surface.account === account;
}
