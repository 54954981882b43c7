/** A store with a session, and what the cases about background processes do with it again and again. */
import { afterEach, beforeEach, expect } from "vitest";
import type { Fact } from "../gateway/facts.js";
import type { Account, GatewayStore, PlacedProcess } from "../gateway/store.js";
import { HOLDS_SESSION_MS, type NewProcess, type Watch } from "../process/store.js";
import { deliveryIdOf, newProcessId, newTurnId, type SessionId } from "../session/ids.js";
import { platforms } from "../session/platform.js";
import type { SessionEntry } from "../session/session.js";
import { Sessions } from "../session/sessions.js";
import { addressOf, parseSource } from "../session/source.js";
import type { SessionStore } from "../session/store.js";
import type { GatewayStoreFixture } from "./gateway-store-contract.js";

export const [, HERE = "", THERE = ""] = platforms();
export const ann = parseSource({ platform: HERE, chat_id: "1", user_id: "ann", user_name: "Ann" });
export const bob = parseSource({ platform: HERE, chat_id: "2", user_id: "bob" });
export const there = parseSource({ platform: THERE, chat_id: "9", user_id: "ann" });
export const caps = { perSession: 3, inAll: 5 };
export const exited = { kind: "exited", code: 0, signal: null, by: "itself", leftBehind: false } as const;
export const HOUR = 3_600_000;
export const bot = { platform: HERE, account: "bot" };
export const told: Watch = { checkIntervalMs: null, notifyOnComplete: true, patterns: [] };
export const completion = { kind: "completion" } as const;

type Store = SessionStore & GatewayStore;

export class ProcessStoreWorld {
  fixture!: GatewayStoreFixture;
  store!: Store;
  sessions!: Sessions;
  entry!: SessionEntry;
  now = 0;

  /** To be made within `describe`: each case has a new store. */
  constructor(createFixture: () => Promise<GatewayStoreFixture>) {
    beforeEach(async () => {
      this.now = Date.UTC(2026, 0, 1);
      this.fixture = await createFixture();
      this.store = await this.fixture.open();
      this.sessions = this.resetting(this.store);
      this.entry = await this.sessions.getOrCreate(ann);
    });
    afterEach(() => this.fixture.dispose());
  }

  readonly resetting = (over: Store): Sessions =>
    new Sessions(over, {
      clock: () => this.now,
      config: { timezone: "UTC", reset: { default: { mode: "both", idleMinutes: 60, atHour: 4 } } },
      hasActiveProcesses: (key) => over.processes.holds(key, this.now - HOLDS_SESSION_MS),
    });
  readonly fresh = (more: Partial<NewProcess> = {}): NewProcess => ({
    id: newProcessId(),
    home: "/home/ann",
    sessionId: this.entry.sessionId,
    by: ann,
    command: "npm start",
    workdir: "/work",
    walled: false,
    environment: "here",
    pty: false,
    watch: { checkIntervalMs: null, notifyOnComplete: false, patterns: [] },
    ...more,
  });
  readonly added = async (more: Partial<NewProcess> = {}, on = this.store): Promise<NewProcess> => {
    const process = this.fresh(more);
    expect(await on.processes.add(process, caps, this.now)).toBe("added");
    return process;
  };
  readonly runs = async (more: Partial<NewProcess> = {}): Promise<NewProcess> => {
    const process = await this.added(more);
    await this.store.processes.started(process.id, this.now);
    return process;
  };
  readonly ids = async (which: { sessionId?: SessionId; home?: string } = {}) =>
    (await this.store.processes.list(which)).map(({ id }) => id);
  readonly factsOf = async (work: () => Promise<unknown>): Promise<Fact[]> => {
    const facts: Fact[] = [];
    const end = this.store.subscribe((fact) => fact.kind !== "unknown" && facts.push(fact));
    await work();
    end();
    return facts;
  };

  /** A turn of the session in this chat, through this account. */
  readonly turn = async (source = ann, account = bot): Promise<void> => {
    const { key } = this.sessions.laneOf(source);
    const written = { kind: "message", key, source, messageId: newProcessId(), text: "hi" } as const;
    const item = await this.store.inbox.accept({ ...account, ...written }, "me", this.now);
    if (!item) throw new Error("It was there already.");
    const begun = await this.sessions.resolveIn(source, {}, { role: "user", content: "hi" }, (request) =>
      this.store.turns.begin(newTurnId(), item, request, { holder: "me", leaseMs: 100 }, () => []),
    );
    if (begun.kind !== "begun") throw new Error(`It did not begin: ${begun.kind}.`);
    await this.store.turns.finish(
      begun.turn,
      "done",
      { messages: [], deliveries: [], steeredIn: [] },
      null,
      this.now,
    );
  };
  /** A process that has ended. */
  readonly overWith = async (
    watch: Watch,
    more: Partial<NewProcess> = {},
    at = this.now,
  ): Promise<NewProcess> => {
    const process = await this.runs({ watch, ...more });
    await this.store.processes.ended(process.id, exited, at);
    return process;
  };
  readonly due = async (account: Account = bot) =>
    (await this.store.reports.due(account, 10)).map(({ process: { id } }) => id);
  /** Something for the agent and something for the chat. */
  readonly both = ({ process, place }: PlacedProcess, id: string, holder = "me") => ({
    wake: {
      item: {
        ...bot,
        kind: "message",
        key: place.key,
        source: place.source,
        messageId: id,
        made: "process",
        text: "It ended.",
        inBackground: true,
        by: process.by,
      },
      holder,
    } as const,
    deliveries: [
      {
        deliveryId: deliveryIdOf(id),
        account: bot.account,
        holder,
        address: addressOf(place.source),
        purpose: "notice",
        text: "It ended.",
        sessionId: null,
        shown: false,
      } as const,
    ],
  });
  /** Says that the first process that is due has ended. */
  readonly say = async (holder = "me", id = "1"): Promise<boolean> => {
    const [seen] = await this.store.reports.due(bot, 1);
    return (
      seen !== undefined && this.store.reports.report(seen, completion, this.both(seen, id, holder), this.now)
    );
  };
}
