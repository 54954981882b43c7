/** A gateway with everything real but the platform and the agent, for tests of what people write and read. */

import { vi } from "vitest";
import type { Speaker } from "../../src/adapter/adapter.js";
import type { Agent, AgentEvent, TurnInput } from "../../src/agent/agent.js";
import type { AgentInfo } from "../../src/gateway/commands/agent-info.js";
import { Commands } from "../../src/gateway/commands/commands.js";
import { commandTable } from "../../src/gateway/commands/table.js";
import { Gateway } from "../../src/gateway/gateway.js";
import { Media } from "../../src/gateway/media.js";
import type { TitleMaker } from "../../src/gateway/memory/titles.js";
import { Upkeep } from "../../src/gateway/memory/upkeep.js";
import type { GatewayOptions } from "../../src/gateway/options.js";
import type { PeopleRules } from "../../src/gateway/people.js";
import { openDb } from "../../src/open-sessions.js";
import type { SessionId } from "../../src/session/ids.js";
import type { SessionEntry } from "../../src/session/session.js";
import { buildSessionKey, type SessionKey } from "../../src/session/session-key.js";
import { Sessions, type SessionsConfig } from "../../src/session/sessions.js";
import type { SessionSource } from "../../src/session/source.js";
import { openSqlStore } from "../../src/store/sql-store.js";
import { type ScriptedAbility, ScriptedAdapter } from "../../src/testing/scripted-adapter.js";
import { processHolder } from "../../src/util/holder.js";

export interface WorldOptions {
  readonly config?: SessionsConfig;
  readonly platform?: string;
  readonly account?: string;
  /** Other processes may have the account at the same time; so it is unless said otherwise. */
  readonly shared?: boolean;
  readonly can?: readonly ScriptedAbility[];
  /** Gives out files by their references. */
  readonly fetch?: NonNullable<Speaker["fetch"]>;
  /** Other platforms of the same gateway. */
  readonly beside?: readonly ScriptedAdapter[];
  readonly people?: PeopleRules;
  /** Another world's store: both gateways are over the same one. */
  readonly on?: World["store"];
  readonly gateway?: Partial<GatewayOptions>;
  /** Where files of messages are kept; without it none are taken. */
  readonly mediaFolder?: string;
  readonly info?: Partial<AgentInfo>;
  /** Who names new sessions; nobody unless said otherwise. */
  readonly titles?: TitleMaker;
}

export class World {
  readonly store: Awaited<ReturnType<typeof openSqlStore>>;
  readonly sessions: Sessions;
  readonly adapter: ScriptedAdapter;
  readonly agent = new DirectedAgent();
  readonly problems: string[] = [];
  readonly #config: SessionsConfig;
  readonly #options: WorldOptions;
  commands: Commands;
  gateway: Gateway;
  /** Of the gateway that runs now. */
  upkeep!: Upkeep;
  now = Date.UTC(2026, 0, 10, 12);

  static async open(options: WorldOptions = {}): Promise<World> {
    const store = options.on ?? (await openSqlStore(await openDb("sqlite::memory:"), 0));
    const world = new World(store, options);
    await world.gateway.start();
    return world;
  }

  private constructor(store: World["store"], options: WorldOptions) {
    this.store = store;
    this.#options = options;
    this.#config = options.config ?? {};
    this.sessions = new Sessions(store, { clock: () => this.now, config: this.#config });
    this.adapter = new ScriptedAdapter({
      shared: options.shared ?? true,
      can: options.can ?? [],
      ...(options.fetch ? { fetch: options.fetch } : {}),
      ...(options.platform ? { platform: options.platform } : {}),
      ...(options.account ? { account: options.account } : {}),
    });
    this.commands = this.#table();
    this.gateway = this.#compose();
  }

  #table(): Commands {
    const table = commandTable({
      agent: this.agent.name,
      clock: () => this.now,
      ...this.#options.info,
    });
    return new Commands(table, this.sessions);
  }

  get #people() {
    const platforms = [this.adapter, ...(this.#options.beside ?? [])].map(({ platform }) => platform);
    const allow = Object.fromEntries(platforms.map((platform) => [platform, ["ann", "bob"]]));
    return { allow, ...this.#options.people };
  }

  #compose(): Gateway {
    const { sessions, store, adapter, commands, problems } = this;
    const { mediaFolder } = this.#options;
    const common = {
      sessions,
      store,
      agent: this.#options.gateway?.agent ?? this.agent,
      maxMessages: this.#options.gateway?.maxMessages ?? 500,
      holder: processHolder(),
      clock: () => this.now,
      onProblem: (problem: string) => void problems.push(problem),
    };
    this.upkeep = new Upkeep({
      ...common,
      share: 0.7,
      maxMemory: 4_000,
      titles: this.#options.titles ?? "none",
      scopes: this.#config.scopes ?? {},
    });
    return new Gateway({
      ...common,
      upkeep: this.upkeep,
      adapters: [adapter, ...(this.#options.beside ?? [])],
      commands,
      tools: () => [],
      toolLists: {},
      scopes: this.#config.scopes ?? {},
      people: this.#people,
      busy: { default: "interrupt", byPlatform: {}, byChat: {} },
      deadlineMs: 60_000,
      elapsed: () => 0, // A machine that is busy loses no lease.
      ...(mediaFolder === undefined ? {} : { media: new Media(mediaFolder, store.files, () => this.now) }),
      ...this.#options.gateway,
    });
  }

  /** The gateway ends, and another one goes on. */
  async restart(): Promise<void> {
    await this.gateway.stop({ drainMs: 0 });
    this.commands = this.#table();
    this.gateway = this.#compose();
    await this.gateway.start();
  }

  async close(): Promise<void> {
    await this.gateway.stop({ drainMs: 0 });
    if (!this.#options.on) await this.store.close();
  }

  /** A chat as one person sees it, on this platform unless another one is told. */
  chat(userId: string, place: Partial<SessionSource> = {}, adapter = this.adapter): Chat {
    const userName = userId[0]?.toUpperCase() + userId.slice(1);
    const source: SessionSource = {
      platform: adapter.platform,
      chatId: userId,
      chatType: "dm",
      userId,
      userName,
      ...place,
    };
    return new Chat(this, source, this.#config, adapter);
  }
}

export class Chat {
  readonly source: SessionSource;
  readonly key: SessionKey;
  readonly #world: World;
  readonly #adapter: ScriptedAdapter;

  constructor(world: World, source: SessionSource, config: SessionsConfig, adapter: ScriptedAdapter) {
    this.#world = world;
    this.#adapter = adapter;
    this.source = source;
    this.key = buildSessionKey(source, config.scopes);
  }

  /** Everything this chat was told. */
  get told(): string[] {
    const { chatId, threadId } = this.source;
    return this.#adapter.sent
      .filter(({ address }) => address.chatId === chatId && address.threadId === threadId)
      .map(({ text }) => text);
  }

  /** Writes, without waiting for what comes of it. */
  async write(text: string): Promise<void> {
    await this.#adapter.write({ ...this.source, userId: this.source.userId ?? "" }, text);
  }

  /** Writes, and returns the next thing the chat is told. */
  async ask(text: string): Promise<string> {
    const before = this.told.length;
    await this.write(text);
    return this.next(before);
  }

  /** Waits until the chat was told more than so many things. */
  async next(before: number): Promise<string> {
    await this.#adapter.until(() => this.told.length > before);
    return this.told[before] ?? "";
  }

  async session(): Promise<SessionEntry> {
    const entry = await this.#world.sessions.current(this.key);
    if (!entry) throw new Error("The chat has no session.");
    return entry;
  }

  /** The active transcript of a session, by default the present one: `user: hello`. */
  async transcript(sessionId?: SessionId): Promise<string[]> {
    return this.#lines(sessionId, false);
  }

  /** The same with what was superseded, which is marked: `(user: hello)`. */
  async whole(sessionId?: SessionId): Promise<string[]> {
    return this.#lines(sessionId, true);
  }

  async #lines(sessionId: SessionId | undefined, superseded: boolean): Promise<string[]> {
    const id = sessionId ?? (await this.session()).sessionId;
    return (await this.#world.sessions.load(id, { superseded })).map((message) => {
      const line = `${message.role}: ${message.content}`;
      return message.supersededAt === undefined ? line : `(${line})`;
    });
  }

  /** Writes something that the agent does not finish by itself, and waits until it is at it. */
  async begin(text: "wait" | "hang"): Promise<void> {
    const runs = this.#world.agent.begun;
    await this.write(text);
    await until(() => this.#world.agent.begun > runs);
  }
}

/**
 * Does what the last message says: `wait` speaks and waits until it is stopped or steered, `hang` ends for nothing;
 * anything else it says again, with how many messages it saw.
 */
class DirectedAgent implements Agent {
  readonly name = "directed";
  /** How many waits and hangs have begun. */
  begun = 0;

  async *run({ history, signal, steer }: TurnInput): AsyncIterable<AgentEvent> {
    const last = history.at(-1)?.content ?? "";
    if (/wait$/.test(last)) {
      yield { kind: "text", text: "waiting" };
      this.begun += 1;
      let steered = steer();
      while (!signal.aborted && steered.length === 0) {
        await new Promise((resolve) => setImmediate(resolve));
        steered = steer();
      }
      yield* say(`waited ${steered.map(({ content }) => content).join()}`.trim());
    } else if (/hang$/.test(last)) {
      yield { kind: "tool call", call: { id: "c", name: "terminal", arguments: "{}" } };
      this.begun += 1;
      await new Promise(() => {});
    } else {
      yield* say(`${last} (${history.length})`);
    }
  }
}

async function* say(text: string): AsyncIterable<AgentEvent> {
  yield { kind: "message", message: { role: "assistant", content: text }, results: [] };
  yield { kind: "usage", usage: { inputTokens: 1_000, outputTokens: 234, cost: 0.0125 } };
  yield { kind: "done", stopped: false };
}

/** Waits until that is so, and fails where it never is. */
export async function until(holds: () => boolean): Promise<void> {
  await vi.waitUntil(holds, { interval: 1, timeout: 30_000 });
}
