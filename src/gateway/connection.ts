/**
 * One account of a platform, in this process. One process has the account at a time. Another one stands by, and takes it
 * when the first one ends or loses it. A process that can't renew its lease gives up the account, and saves and answers
 * nothing until it has it again. If nobody stands by and the platform repeats unconfirmed messages, it keeps listening,
 * only to tell people that; otherwise it leaves the platform.
 * While this process has the account, `line-keeper.ts` keeps its line up. A platform that can't be reached does not stop
 * the others.
 */
import type { Adapter, Capabilities, ConnectError, Line, Receive, Speaker } from "../adapter/adapter.js";
import { platformTraits } from "../session/platform.js";
import type { Clock } from "../util/clock.js";
import { holderWords, mayBeAlive } from "../util/holder.js";
import type { OnProblem } from "../util/problem.js";
import { cleanLine } from "../util/text.js";
import { timerMs } from "../util/timer-ms.js";
import { relativeTime } from "../util/words.js";
import { LineKeeper } from "./line-keeper.js";
import { Renewal } from "./renewal.js";
import type { Accounts } from "./store.js";
import type { Surface } from "./surface.js";

export type ConnectionState =
  | { readonly kind: "idle" }
  | { readonly kind: "connected"; readonly since: number }
  /** Another process has the account. */
  | { readonly kind: "standing by"; readonly holder: string }
  /** It will be tried again. */
  | { readonly kind: "lost"; readonly reason: string }
  /** A person must fix it. */
  | { readonly kind: "failed"; readonly reason: string };

export interface ConnectionSetting {
  readonly adapter: Adapter;
  readonly accounts: Accounts;
  readonly commands: Line["commands"];
  readonly receive: Receive;
  /** True if this sender has access. */
  readonly knows: Line["knows"];
  readonly reactions: Line["reactions"];
  readonly holder: string;
  readonly leaseMs: number;
  readonly clock: Clock;
  /** Milliseconds that pass whatever the clock says. */
  readonly elapsed: () => number;
  readonly onProblem: OnProblem;
  /** This process has the account now. It takes on what others left before anything comes in. */
  readonly onTaken: () => Promise<void>;
  /** Messages can be sent now. */
  readonly onConnected: () => void;
  /** Another process may have the account now, and the work that belongs to it. */
  readonly onLost: () => Promise<void>;
  /** How long connecting may take. */
  readonly connectMs?: number;
  /** From 0 to 1, for the pauses between two attempts. */
  readonly random?: () => number;
}

/** The name under which an account stores its last state, for other processes that look. */
export const STATE = "state";
/** The name under which processes that stand by write until when they count. */
const STANDBY = "standby";
/** Long, because they use their own clocks. It does no harm if one has ended since. */
const STANDBY_MS = 10 * 60_000;
/** A holder about whom nothing is known. */
const SOMEBODY = "another process";

/** The state of a platform, in words. */
export function stateText(state: ConnectionState, lastError: string | null, now: number): string {
  const trouble = lastError === null ? "" : ` (last problem: ${cleanLine(lastError)})`;
  switch (state.kind) {
    case "idle":
      return `not connected${trouble}`;
    case "connected":
      return `connected ${relativeTime(state.since, now)}${trouble}`;
    case "standing by":
      return `standing by: ${state.holder === SOMEBODY ? SOMEBODY : cleanLine(holderWords(state.holder))} has the account`;
    case "lost":
      return `connection lost, Baton keeps trying: ${cleanLine(state.reason)}`;
    case "failed":
      return `not connected: ${cleanLine(state.reason)}`;
    default:
      return state satisfies never;
  }
}

export class Connection implements Surface {
  /** Settles after the first attempt to connect, or when another process has the account. */
  readonly tried: Promise<void>;
  readonly #setting: ConnectionSetting;
  #state: ConnectionState = { kind: "idle" };
  #lastError: string | null = null;
  /** The problem that was reported last, of the platform or the store. */
  #trouble: string | null = null;
  #isOurs = false;
  /** True once the work that others left is taken on. */
  #isTakenOn = false;
  /** True if nobody stood by at the last renewal. */
  #isAlone = false;
  #isListening = false;
  #lease: Renewal | undefined;
  #keeper: LineKeeper | null = null;
  #next: NodeJS.Timeout | undefined;
  #beat: NodeJS.Timeout | undefined;
  #stopped = false;
  #trying: Promise<void> = Promise.resolve();
  #told: Promise<void> = Promise.resolve();
  #onTried: () => void = () => {};

  constructor(setting: ConnectionSetting) {
    this.#setting = setting;
    this.tried = new Promise((resolve) => {
      this.#onTried = resolve;
    });
  }

  get platform(): Adapter["platform"] {
    return this.#setting.adapter.platform;
  }

  get account(): string {
    return this.#setting.adapter.account;
  }

  get capabilities(): Capabilities {
    return this.#setting.adapter.capabilities;
  }

  get speaker(): Speaker | null {
    return this.#keeper?.speaker ?? null;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** What went wrong last, even if everything works again. */
  get lastError(): string | null {
    return this.#lastError;
  }

  /** True if this process has the account, connected or not. */
  get isHeld(): boolean {
    return this.#isOurs && this.#lease?.isOver !== true;
  }

  get isConnected(): boolean {
    return this.#state.kind === "connected" && this.isHeld;
  }

  /** True if no process has the account, and this one only tells people that it can't answer. */
  get isListening(): boolean {
    return this.#isListening;
  }

  /** Tries once, and later by itself. Throws only if the store fails before this process has the account. */
  async start(): Promise<void> {
    await this.#try().finally(() => this.#onTried());
  }

  /** Stops receiving, and leaves the account to the next process. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#next);
    clearInterval(this.#beat);
    await this.#hangUp();
    await this.#trying.catch(() => {});
    this.#is({ kind: "idle" });
    await this.#told;
    if (this.#isOurs && this.#isExclusive)
      await this.#setting.accounts.release(this.#setting.adapter, this.#setting.holder);
    this.#isOurs = false;
  }

  get #isExclusive(): boolean {
    return this.#setting.adapter.capabilities.shared !== true;
  }

  #try(): Promise<void> {
    this.#trying = this.#takeAndConnect();
    return this.#trying;
  }

  async #takeAndConnect(): Promise<void> {
    if (this.#stopped) return;
    if (!this.#isOurs) {
      const holder = this.#isExclusive ? await this.#take() : null;
      await this.#hangUp();
      if (holder !== null) {
        this.#is({ kind: "standing by", holder });
        return this.#later(this.#setting.leaseMs / 3);
      }
      this.#isOurs = true;
      this.#isTakenOn = false;
    }
    if (this.#isTakenOn || (await this.#takeOn())) await this.#connect();
  }

  /** Takes on what others left with the account; false if it must try again, or lost the account meanwhile. */
  async #takeOn(): Promise<boolean> {
    const lease = this.#lease;
    try {
      await this.#setting.onTaken();
    } catch (error) {
      if (!this.#isExclusive) throw error; // Nothing else depends on this one.
      if (this.#lease === lease) this.#again(error as Error);
      return false;
    }
    if (!this.#isOurs || this.#lease !== lease) return false;
    this.#isTakenOn = true;
    return true;
  }

  /** Null if this process has the account now; otherwise the one that has it. */
  async #take(): Promise<string | null> {
    const { accounts, adapter, holder, clock, leaseMs, elapsed } = this.#setting;
    const before = await accounts.lease(adapter, clock());
    const ended = before && !mayBeAlive(before.holder) ? before.holder : null;
    const lease = new Renewal(leaseMs, elapsed);
    const isTaken = await accounts.take(adapter, { holder, leaseMs }, ended, clock());
    if (!isTaken) {
      await accounts.write(adapter, STANDBY, String(clock() + STANDBY_MS));
      return before?.holder ?? SOMEBODY;
    }
    this.#isAlone = false;
    this.#lease = lease;
    clearInterval(this.#beat);
    this.#beat = setInterval(() => this.#renew(), timerMs(leaseMs / 3));
    this.#beat.unref();
    return null;
  }

  async #renew(): Promise<void> {
    const { accounts, adapter, holder, clock, leaseMs, onConnected } = this.#setting;
    const wasOver = this.#lease?.isOver;
    const held = await this.#lease?.ask(async () => {
      this.#isAlone = Number(await accounts.read(adapter, STANDBY)) < clock();
      return accounts.renew(adapter, { holder, leaseMs }, clock());
    });
    if (this.#stopped || !this.#isOurs) return;
    if (held === false) {
      await this.#letGo(
        { kind: "standing by", holder: SOMEBODY },
        "another process has the account now; this one stands by.",
      );
    } else if (held instanceof Error) {
      if (!this.#lease?.isOver) return; // A busy store does not mean that the lease is lost.
      const reason = `Could not renew the lease on the account for ${leaseMs / 1_000} s: ${held.message}`;
      await this.#letGo(
        { kind: "lost", reason },
        `${reason} Baton saves and answers nothing until the store answers again.`,
        this.#isAlone && this.#setting.adapter.capabilities.redelivers === true,
      );
    } else if (wasOver && this.isConnected) {
      onConnected(); // The process was frozen: messages may wait to be sent.
    }
  }

  /** Leaves the account to the process that takes it first, and tries to be that one. */
  async #letGo(state: ConnectionState, why: string, mayListen = false): Promise<void> {
    const { leaseMs, onProblem } = this.#setting;
    const wasConnected = this.#state.kind === "connected";
    clearInterval(this.#beat);
    this.#isOurs = false;
    this.#is(state);
    onProblem(`${this.#title}: ${why}`);
    this.#isListening = mayListen && wasConnected;
    if (!this.#isListening) await this.#hangUp();
    await this.#setting
      .onLost()
      .catch((cause: Error) => onProblem(`${this.#title}: ${cause.message}`, { cause }));
    this.#later(leaseMs / 3);
  }

  async #hangUp(): Promise<void> {
    this.#isListening = false;
    const keeper = this.#keeper;
    this.#keeper = null;
    await keeper?.stop();
  }

  async #connect(): Promise<void> {
    if (this.#stopped) return;
    const { adapter, accounts, commands, reactions, receive, knows, onProblem } = this.#setting;
    const { connectMs, random } = this.#setting;
    const memory: Line["memory"] = {
      read: (name) => accounts.read(adapter, name),
      write: (name, value) => accounts.write(adapter, name, value),
    };
    const problem = (sentence: string): void => onProblem(`${this.#title}: ${cleanLine(sentence)}`);
    const keeper: LineKeeper = new LineKeeper({
      adapter,
      given: { receive, memory, commands, reactions, knows, problem },
      onUp: () => keeper === this.#keeper && this.#up(),
      onDown: (error) => keeper === this.#keeper && this.#down(error),
      ...(connectMs === undefined ? {} : { connectMs }),
      ...(random ? { random } : {}),
    });
    this.#keeper = keeper;
    await keeper.start();
  }

  #up(): void {
    if (!this.#isOurs) return; // It only listens.
    const { clock, onConnected } = this.#setting;
    this.#trouble = null;
    if (this.#state.kind !== "connected") this.#is({ kind: "connected", since: clock() });
    onConnected();
  }

  #down(error: ConnectError): void {
    const { outcome, message } = error;
    // Another process may be connected instead, so one that only listens gives way.
    if (this.#isListening) return void this.#hangUp();
    const wasConnected = this.#state.kind === "connected";
    this.#lastError = message;
    this.#is({ kind: outcome === "permanent" ? "failed" : "lost", reason: message });
    if (wasConnected && outcome === "retryable")
      this.#problemOnce(`The connection to ${this.#title} is lost: ${message} Baton tries again.`, error);
    else
      this.#problemOnce(
        `${this.#title} is ${wasConnected ? "no longer" : "not"} connected: ${message}`,
        error,
      );
  }

  /** Reports it once, however often it is tried. */
  #problemOnce(sentence: string, cause: Error): void {
    if (this.#trouble !== cause.message) this.#setting.onProblem(sentence, { cause });
    this.#trouble = cause.message;
  }

  /** Only the process that has the account writes its state. */
  #is(state: ConnectionState): void {
    this.#state = state;
    const { accounts, adapter } = this.#setting;
    if (!this.#isOurs || !this.#isExclusive) return;
    const value = JSON.stringify({ state, lastError: this.#lastError });
    this.#told = this.#told.then(() => accounts.write(adapter, STATE, value)).catch(() => {}); // It is only information.
  }

  #later(ms: number): void {
    if (this.#stopped) return;
    clearTimeout(this.#next);
    this.#next = setTimeout(() => {
      this.#try().catch((error: Error) => this.#again(error));
    }, timerMs(ms));
    this.#next.unref();
  }

  /** The store failed before the platform was tried. This is reported once, however often it is tried. */
  #again(error: Error): void {
    if (this.#stopped) return;
    const { message } = error;
    this.#lastError = message;
    if (this.#isOurs) this.#is({ kind: "lost", reason: message });
    this.#problemOnce(`${this.#title} is not ready. Baton keeps trying: ${message}`, error);
    this.#later(this.#setting.leaseMs / 3);
  }

  get #title(): string {
    return platformTraits(this.#setting.adapter.platform).title;
  }
}
