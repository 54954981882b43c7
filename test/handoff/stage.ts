/**
 * One handoff with everything real but the platforms, the agent and the death of processes: a SQLite file, a connection
 * and a gateway for each process. After every call to the store it is looked at which lane has the session, past our own
 * code.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { type Adapter, type InboundMessage, SendError, type Speaker } from "../../src/adapter/adapter.js";
import { TERMINAL_ACCOUNT } from "../../src/adapter/terminal/terminal-source.js";
import type { Agent, AgentEvent, TurnInput } from "../../src/agent/agent.js";
import { Commands } from "../../src/gateway/commands/commands.js";
import { commandTable } from "../../src/gateway/commands/table.js";
import { Gateway } from "../../src/gateway/gateway.js";
import type { GatewayStore } from "../../src/gateway/store.js";
import { openDb } from "../../src/open-sessions.js";
import { identityOf } from "../../src/session/access.js";
import type { SessionId } from "../../src/session/ids.js";
import { LOCAL, platforms } from "../../src/session/platform.js";
import { buildSessionKey, type SessionKey } from "../../src/session/session-key.js";
import { Sessions } from "../../src/session/sessions.js";
import { localSource, type SessionSource } from "../../src/session/source.js";
import type { SessionStore } from "../../src/session/store.js";
import { openSqlStore } from "../../src/store/sql-store.js";
import { ScriptedAdapter } from "../../src/testing/scripted-adapter.js";
import { ScriptedPlatform } from "../../src/testing/scripted-platform.js";
import { randomFrom } from "../support/random.mjs";
import { Mortal, type Reached, type Side } from "./mortal.js";
import { Witness } from "./witness.js";

const [, CHAT = "", THERE = ""] = platforms();
/** Beats, and a process that stands by, come three times as often. */
const LEASE_MS = 450;
/** Nothing takes so long; it is told what hangs. */
const LONGEST_MS = 60_000;
const SLOWER = 10;
const DELAYED = 0.08;
const LONGEST_DELAY_MS = 6;

const CONNECTED = `SELECT value FROM account_memory WHERE platform = '${THERE}' AND value LIKE '%"connected"%'`;

/** How a run differs from the others of its cell. */
export interface Variant {
  readonly seed: number;
  readonly side: Side;
  readonly threads: "none" | "threads" | "threads once";
  readonly strikes: 1 | 2;
  /** Who asks: somebody in a chat, at the terminal, or a script, for whoever runs the gateway. */
  readonly from: "chat" | "terminal" | "script";
  /** One process has both places. */
  readonly isOne: boolean;
  /** Another gateway stands by from the beginning. */
  readonly hasStandby: boolean;
  /** A turn is running when it is asked for. */
  readonly isBusy: boolean;
  /** Something waits behind it. */
  readonly isQueued: boolean;
  /** The person is let in there by a link of theirs, which can be taken away. */
  readonly isLinked: boolean;
}

/** `swallowed`: it was done, and nobody said so. */
export type Trouble = "out of order" | "swallowed";

export type Part = "asker" | "gateway" | "all";

export interface Actor {
  readonly part: Part;
  readonly mortal: Mortal;
  readonly gateway: Gateway;
  readonly store: SessionStore & GatewayStore;
}

export interface Typed {
  readonly text: string;
  /** Before anybody asked for a handoff: it stays with the conversation, wherever that goes. */
  readonly isEarly: boolean;
}

export class Stage {
  readonly variant: Variant;
  readonly random: () => number;
  readonly witness: Witness;
  readonly here = new ScriptedPlatform();
  readonly there = new ScriptedPlatform();
  readonly typed: Typed[] = [];
  readonly problems: string[] = [];
  readonly ann: SessionSource;
  readonly annThere: SessionSource = { platform: THERE, chatId: "ann", chatType: "dm", userId: "ann" };
  /** What the next calls to the destination's platform meet. */
  readonly troubles: Trouble[] = [];
  onReached: (reached: Reached, mortal: Mortal) => void = () => {};
  readonly #path: string;
  readonly #actors: Actor[] = [];
  readonly #coming: Promise<unknown>[] = [];
  #isAsked = false;
  #isHeldUp = true;
  readonly #began = Date.now();
  #skippedMs = 0;
  #written = 0;

  constructor(path: string, variant: Variant) {
    this.#path = path;
    this.variant = variant;
    this.random = randomFrom(variant.seed);
    this.witness = new Witness(path);
    this.ann =
      variant.from === "terminal"
        ? localSource()
        : { platform: CHAT, chatId: "ann", chatType: "dm", userId: "ann", userName: "Ann" };
  }

  /** Slower than the timers: a machine that is busy must not make a process look as if it had ended. */
  readonly clock = (): number =>
    Math.floor(this.#began + (Date.now() - this.#began) / SLOWER) + this.#skippedMs;

  /** As if so much time had passed: with those who are there at work, or with nobody. */
  async pass(ms: number, isAtWork: boolean): Promise<void> {
    if (isAtWork) await this.witness.renewAll(ms);
    this.#skippedMs += ms;
  }

  get target(): string {
    return `${THERE}:ann`;
  }

  get key(): SessionKey {
    return buildSessionKey(this.ann);
  }

  /** The process that has this part now. */
  actor(part: "asker" | "gateway"): Actor {
    const found = this.#alive(part);
    if (!found) throw new Error(`No ${part} is alive.`);
    return found;
  }

  #alive(part: "asker" | "gateway"): Actor | undefined {
    return this.#actors.find(
      (actor) => (actor.part === part || actor.part === "all") && !actor.mortal.isDead,
    );
  }

  async start(part: Part): Promise<Actor> {
    const mortal = new Mortal((reached, who) => this.#reached(reached, who));
    const real = await openSqlStore(await openDb(this.#path), this.clock());
    const names = Object.keys(real).filter((name) => !["subscribe", "changes", "close"].includes(name));
    const parts = names.map((name) => [name, mortal.wrap(name, real[name as keyof typeof real])] as const);
    const store = { ...real, ...Object.fromEntries(parts), subscribe: mortal.watched(real.subscribe) };
    const gateway = this.#compose(part, mortal, store);
    const actor = { part, mortal, gateway, store: real };
    this.#actors.push(actor);
    await Promise.race([gateway.start(), mortal.death]);
    return actor;
  }

  /** Everybody is there, and something was said. Returns the transcript. */
  async begin(): Promise<readonly string[]> {
    const { isOne, hasStandby, isLinked, isBusy, isQueued } = this.variant;
    const { store } = await this.start(isOne ? "all" : "gateway");
    await this.#until(() => this.witness.rows(CONNECTED).length > 0);
    if (hasStandby) await this.start("gateway");
    if (!isOne) await this.start("asker");
    const sessions = new Sessions(store, { clock: this.clock });
    const [asked, answered] = ["hello", "Hello!"];
    const { entry } = await sessions.receive(this.ann, { role: "user", content: asked });
    await sessions.record(entry.sessionId, [{ role: "assistant", content: answered }]);
    this.witness.follow(entry.sessionId);
    if (isLinked) {
      await store.people.join(identity(this.ann), identity(this.annThere), "p_ann", this.clock());
      await sessions.receive(this.annThere, { role: "user", content: "mine, too" });
    }
    if (isBusy) {
      this.write(this.ann, "slow one");
      await this.#until(() => this.witness.rows("SELECT id FROM turns WHERE state = 'running'").length === 1);
    }
    if (isQueued) {
      this.write(this.ann, "one that waits");
      await this.#until(
        () => this.witness.rows("SELECT id FROM inbox WHERE text = 'one that waits'").length === 1,
      );
    }
    return [asked, answered];
  }

  async ask(): Promise<void> {
    this.#isAsked = true;
    if (this.variant.from !== "script") return this.write(this.ann, `/handoff ${this.target}`);
    const { gateway, store } = this.actor("asker");
    const entry = await new Sessions(store).current(this.key);
    const place = await gateway.handoffs.placeNamed(this.target, null);
    if (entry) this.goesOn(gateway.handoffs.ask(entry, place, null));
  }

  /** As whoever has waited long enough. */
  async giveUp(): Promise<void> {
    const { gateway } = this.actor("asker");
    const [handoff] = this.witness.handoffs();
    const move = handoff && (await gateway.handoffs.active(handoff.session_id as SessionId));
    if (move) await gateway.handoffs.giveUp(move).catch(() => {}); // It was begun in this moment.
  }

  /** The person is not let in there any more. */
  async remove(): Promise<void> {
    await this.actor("gateway").store.people.unlink(identity(this.annThere), "p_other", this.clock());
  }

  /** After all that, each place still answers. */
  sayLastWords(isThereOpen: boolean): void {
    this.write(this.ann, "last words here");
    if (isThereOpen) this.write(this.placeThere, "last words there");
  }

  /** Leaves as a process does that is asked to. */
  stop({ gateway, mortal, part }: Actor): void {
    const stopped = async (): Promise<void> => {
      await gateway.stop({ drainMs: 0 });
      mortal.die();
      this.comesSoon(part);
    };
    this.goesOn(stopped());
  }

  /** The process ends for good; the next one with its part comes after a while, unless somebody stands by. */
  kill(which: "asker" | "gateway"): void {
    const actor = this.#alive(which);
    if (!actor) return; // The next one has not come yet.
    const { part, mortal } = actor;
    mortal.die();
    if (!(part === "gateway" && this.variant.hasStandby)) this.comesSoon(part);
  }

  /** It does nothing for longer than its leases last, and then goes on as if nothing had been. */
  stall(which: "asker" | "gateway"): void {
    const { part, mortal } = this.actor(which);
    const goOn = mortal.stall();
    const stalled = async (): Promise<void> => {
      await this.pass(2 * LEASE_MS, false);
      if (!(part === "gateway" && this.variant.hasStandby)) await this.start(part);
      const isOver = (): boolean =>
        this.witness.handoffs().every(({ state }) => /completed|failed/.test(state));
      for (let looks = 0; looks < 100 && !isOver(); looks++) await sleep(8);
      goOn();
    };
    this.goesOn(stalled());
  }

  comesSoon(part: Part): void {
    this.goesOn(sleep(this.random() * 20).then(() => this.start(part)));
  }

  /** The run is not over before this is. */
  goesOn(work: Promise<unknown>): void {
    work.catch(() => {}); // It is told by `settled`.
    this.#coming.push(work);
  }

  /** Somebody writes; nobody waits for what comes of it. */
  write(source: SessionSource, text: string): void {
    this.#written += 1;
    const message: InboundMessage = { kind: "message", source, messageId: `m${this.#written}`, text };
    if (!text.startsWith("/")) this.typed.push({ text, isEarly: !this.#isAsked });
    const platform = source.platform === THERE ? this.there : this.here;
    void platform.write(message);
  }

  /** Where a late completion would put it. */
  get destination() {
    const place = new Sessions(this.actor("gateway").store).laneOf(this.annThere);
    return { place, answering: { account: "bot", holder: "" } };
  }

  /** In the thread, if there is one by now. */
  get placeThere(): SessionSource {
    const [threadId] = this.there.threads.keys();
    return threadId === undefined ? this.annThere : { ...this.annThere, threadId };
  }

  /** Lets what takes its time come to its end. */
  release(): void {
    this.#isHeldUp = false;
  }

  /** Waits until nothing is on its way. */
  async settled(): Promise<void> {
    const deadline = Date.now() + LONGEST_MS;
    for (let calm = 0; calm < 3; ) {
      while (this.#coming.length > 0) await this.#coming.shift();
      await sleep(8);
      const open = this.witness.open();
      calm = open.length === 0 && this.#isHeard() ? calm + 1 : 0;
      if (Date.now() > deadline)
        throw new Error(`It does not come to an end: ${JSON.stringify(open)} ${this.problems.join("; ")}`);
    }
  }

  /** Everything that was written has been taken. */
  #isHeard(): boolean {
    const heard = this.here.acknowledged.size + this.there.acknowledged.size;
    return heard === this.#written;
  }

  async #until(holds: () => boolean): Promise<void> {
    for (const deadline = Date.now() + LONGEST_MS; !holds(); await sleep(3))
      if (Date.now() > deadline) throw new Error(`It never came to be so: ${holds}`);
  }

  async close(): Promise<void> {
    for (const { mortal, gateway } of this.#actors) if (!mortal.isDead) await gateway.stop({ drainMs: 0 });
    for (const { mortal, store } of this.#actors) {
      mortal.die();
      await store.close();
    }
    this.witness.close();
  }

  async #reached(reached: Reached, mortal: Mortal): Promise<void> {
    if (reached.side === "after") this.witness.look(reached);
    this.onReached(reached, mortal);
    if (this.random() < DELAYED) await sleep(this.random() * LONGEST_DELAY_MS);
  }

  #compose(part: Part, mortal: Mortal, store: SessionStore & GatewayStore): Gateway {
    const sessions = new Sessions(store, { clock: this.clock });
    const adapters = [
      ...(part === "gateway" ? [] : [this.#adapterHere()]),
      ...(part === "asker" ? [] : [this.#adapterThere()]),
    ];
    const { isLinked } = this.variant;
    const agent = this.#agent();
    return new Gateway({
      sessions,
      store,
      agent,
      adapters: adapters.map((adapter) => this.#wrapped(adapter, mortal)),
      commands: new Commands(commandTable({ agent: agent.name, clock: this.clock }), sessions),
      tools: () => [],
      toolLists: {},
      scopes: {},
      people: isLinked
        ? { allow: { [CHAT]: ["ann"] }, pairing: "off" }
        : { owners: { [CHAT]: ["ann"], [THERE]: ["ann"] }, pairing: "off" },
      busy: { default: "queue", byPlatform: {}, byChat: {} },
      maxMessages: 100,
      deadlineMs: 60_000,
      leaseMs: LEASE_MS,
      holder: mortal.holder,
      clock: this.clock,
      elapsed: () => 0, // A machine that is busy loses no lease.
      onProblem: (problem) => this.problems.push(problem),
    });
  }

  #adapterHere(): ScriptedAdapter {
    return this.variant.from === "terminal"
      ? new ScriptedAdapter({ platform: LOCAL, account: TERMINAL_ACCOUNT, shared: true, on: this.here })
      : new ScriptedAdapter({ platform: CHAT, on: this.here });
  }

  #adapterThere(): ScriptedAdapter {
    const { threads } = this.variant;
    return new ScriptedAdapter({ platform: THERE, on: this.there, can: threads === "none" ? [] : [threads] });
  }

  /** Its platform reaches the process only while it lives, and has troubles. */
  #wrapped(adapter: ScriptedAdapter, mortal: Mortal): Adapter {
    const isThere = adapter.platform === THERE;
    const read = (_: ScriptedAdapter, property: string | symbol): unknown => {
      const value = Reflect.get(adapter, property, adapter) as unknown;
      if (typeof value !== "function") return value;
      const isTold = isThere && (property === "send" || property === "createThread");
      return (...args: unknown[]) => this.#troubled(isTold, () => Reflect.apply(value, adapter, args));
    };
    const speaker: Speaker = mortal.wrap(isThere ? "there" : "here", new Proxy(adapter, { get: read }));
    const { platform, account, capabilities } = adapter;
    return {
      ...{ platform, account, capabilities },
      serve: (line) => {
        const { receive } = mortal.wrap("platform", { receive: line.receive });
        return adapter.serve({ ...line, receive, up: () => line.up(speaker) });
      },
    };
  }

  async #troubled(isTold: boolean, call: () => unknown): Promise<unknown> {
    const trouble = isTold ? this.troubles.shift() : undefined;
    if (trouble === "out of order")
      throw new SendError("retryable", "The server is out of order.", { retryAfterMs: 10 });
    const result = await call();
    if (trouble === "swallowed") throw new SendError("unknown", "The server did not answer in time.");
    return result;
  }

  /** Says what it was asked again; what begins with `slow` when it is let. */
  #agent(): Agent {
    const isHeldUp = (): boolean => this.#isHeldUp;
    return {
      name: "echo",
      async *run({ history, signal }: TurnInput): AsyncIterable<AgentEvent> {
        const asked = history.findLast(({ role }) => role === "user")?.content ?? "";
        while (asked.startsWith("slow") && isHeldUp() && !signal.aborted) await sleep(2);
        yield { kind: "message", message: { role: "assistant", content: `re: ${asked}` }, results: [] };
        yield { kind: "done", stopped: signal.aborted };
      },
    };
  }
}

function identity(source: SessionSource): string {
  return identityOf(source) ?? "";
}
