/**
 * The adapters of this process, each with the connection that keeps it up and the deliverer that speaks through it. What
 * is received goes in by `receive`; what is to be said is in the outbox, and is sent when a commit has put it there.
 */
import type { Adapter, InboundMessage, Received, Surroundings } from "../adapter/adapter.js";
import { boundedMessage } from "../adapter/inbound-limit.js";
import type { Platform } from "../session/platform.js";
import type { SessionSource } from "../session/source.js";
import type { Clock } from "../util/clock.js";
import type { Beginning } from "./beginning.js";
import { Connection, type ConnectionState } from "./connection.js";
import { Deliverer } from "./deliverer.js";
import type { Media } from "./media.js";
import type { Account, GatewayStore } from "./store.js";

export interface SurfacesSetting {
  readonly adapters: readonly Adapter[];
  readonly store: Pick<GatewayStore, "accounts" | "inbox" | "outbox">;
  readonly commands: Surroundings["commands"];
  readonly media: Media | null;
  readonly receive: (adapter: Adapter, message: InboundMessage) => Promise<Received>;
  /** Tells who writes that the store is away; keeps nothing. */
  readonly turnAway: (adapter: Adapter, message: InboundMessage) => never;
  /** Whether this sender is let in. */
  readonly knows: (sender: SessionSource) => Promise<boolean>;
  /** The account is this process's now: what others left is taken on before anything is received. */
  readonly onTaken: (adapter: Adapter) => Promise<void>;
  /** The account is not this process's any more, nor what waits of it. */
  readonly onLeft: (account: Account) => void;
  readonly onConnected: () => void;
  readonly owner: string;
  readonly leaseMs: number;
  readonly clock: Clock;
  readonly steady: Clock;
  readonly elapsed: () => number;
  readonly onProblem: (problem: string) => void;
}

export interface PlatformState {
  readonly platform: Platform;
  readonly state: ConnectionState;
  readonly lastError: string | null;
}

interface Surface {
  readonly adapter: Adapter;
  readonly connection: Connection;
  readonly deliverer: Deliverer;
}

export class Surfaces {
  readonly #setting: SurfacesSetting;
  readonly #all: readonly Surface[];

  constructor(setting: SurfacesSetting) {
    this.#setting = setting;
    this.#all = setting.adapters.map((adapter) => this.#surface(adapter));
  }

  #surface(adapter: Adapter): Surface {
    const { store, commands, media, owner, leaseMs, clock, steady, elapsed, onProblem } = this.#setting;
    const connection: Connection = new Connection({
      adapter,
      accounts: store.accounts,
      commands,
      receive: async (message) => {
        const bounded = boundedMessage(message);
        if (connection.isListening) return this.#setting.turnAway(adapter, bounded);
        if (!connection.isHeld) throw new Error("Another process may have the account now.");
        return this.#setting.receive(adapter, bounded);
      },
      knows: (sender) => this.#setting.knows(sender),
      owner,
      leaseMs,
      clock,
      elapsed,
      onProblem,
      onTaken: () => this.#setting.onTaken(adapter),
      onConnected: () => {
        this.#deliverLeft(deliverer);
        this.#setting.onConnected();
      },
      onLost: () => this.#leave(adapter),
    });
    const deliverer = new Deliverer({
      adapter,
      outbox: store.outbox,
      owner,
      clock,
      steady,
      onProblem,
      isReady: () => connection.isConnected,
      files: async (attachments) => (await media?.find(attachments)) ?? [],
    });
    return { adapter, connection, deliverer };
  }

  async start(): Promise<void> {
    await Promise.all(this.#all.map(({ connection }) => connection.start()));
  }

  /** Says no more; what is being said is waited for. */
  async fallSilent(): Promise<void> {
    for (const { deliverer } of this.#all) await deliverer.stop();
  }

  /** Leaves the accounts, with all that is kept for them. */
  async stop(): Promise<void> {
    for (const { connection } of this.#all) await connection.stop();
    for (const { adapter } of this.#all) await this.#leave(adapter);
  }

  of(account: Account): Adapter | undefined {
    return this.#all.find(({ adapter }) => isOf(adapter, account))?.adapter;
  }

  connected(): Adapter[] {
    return this.#all.filter(({ connection }) => connection.isConnected).map(({ adapter }) => adapter);
  }

  states(): PlatformState[] {
    return this.#all.map(({ adapter: { platform }, connection: { state, lastError } }) => ({
      platform,
      state,
      lastError,
    }));
  }

  /** Who sends what is said to it: this process, or whichever one has the account. */
  senderOf(account: Account): string {
    const isHeld = this.#all.some(({ adapter, connection }) => isOf(adapter, account) && connection.isHeld);
    return isHeld ? this.#setting.owner : "";
  }

  /** Something waits to be sent through this account. */
  wake(account: Account): void {
    for (const { adapter, deliverer } of this.#all)
      if (isOf(adapter, account)) deliverer.wake().catch((error: Error) => this.#unread(error));
  }

  wakeAll(): void {
    for (const { adapter } of this.#all) this.wake(adapter);
  }

  /** What a stream has begun to show is finished by its delivery. */
  goOnWith(account: Account, deliveryId: string, beginning: Beginning): void {
    this.#all.find(({ adapter }) => isOf(adapter, account))?.deliverer.goOnWith(deliveryId, beginning);
  }

  /** These will not be sent any more. */
  dropped(account: Account, deliveryIds: readonly string[]): void {
    this.#all.find(({ adapter }) => isOf(adapter, account))?.deliverer.dropped(deliveryIds);
  }

  /** Waits until what is to be said now has been sent. */
  async delivered(): Promise<void> {
    for (const { deliverer } of this.#all) {
      await deliverer.wake();
      await deliverer.idle();
    }
  }

  /** Takes on what processes left behind that ended, were stopped, or lost their store; done again and again. */
  async reap(): Promise<void> {
    for (const { adapter, connection, deliverer } of this.#all) {
      if (!connection.isHeld) {
        await this.#leave(adapter); // What was still being kept when the account was lost.
        continue;
      }
      await this.#setting.onTaken(adapter);
      if (connection.isConnected) await deliverer.recover();
    }
  }

  /** Takes on what was left of an account, where this process has it. */
  async takeOn(account: Account): Promise<void> {
    for (const { adapter, connection } of this.#all)
      if (isOf(adapter, account) && connection.isHeld) await this.#setting.onTaken(adapter);
  }

  /** What was being said when a process ended, then what is to be said. */
  #deliverLeft(deliverer: Deliverer): void {
    const work = async (): Promise<void> => {
      await deliverer.recover();
      await deliverer.wake();
    };
    work().catch((error: Error) => this.#unread(error));
  }

  /** Leaves what waits and what is to be said to whichever process has the account next. */
  async #leave(adapter: Adapter): Promise<void> {
    const { store, owner } = this.#setting;
    this.#setting.onLeft(adapter);
    await store.inbox.release(adapter, owner);
    await store.outbox.release(adapter, owner);
  }

  #unread({ message }: Error): void {
    this.#setting.onProblem(`Can't read the outbox: ${message}`);
  }
}

function isOf(adapter: Adapter, { platform, account }: Account): boolean {
  return adapter.platform === platform && adapter.account === account;
}
