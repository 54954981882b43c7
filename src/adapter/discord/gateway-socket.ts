/**
 * One connection to Discord's gateway: it resumes the last session if it can, and else begins one within the day's budget.
 * The library (of discord.js) would call again by itself. It asks for the session before each call: there it is held.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { CloseCodes, type SessionInfo, WebSocketManager, WebSocketShardEvents } from "@discordjs/ws";
import { type GatewayDispatchPayload, GatewayIntentBits, type REST } from "discord.js";
import { ConnectError } from "../adapter.js";
import { ended } from "../ended.js";
import { IDENTIFIES_A_DAY, type IdentifyBudget } from "./budget.js";
import { connectError, fatalClose } from "./failure.js";
import { type GatewaySession, isGatewayUrl } from "./progress.js";

const INTENTS =
  GatewayIntentBits.Guilds |
  GatewayIntentBits.GuildMessages |
  GatewayIntentBits.DirectMessages |
  GatewayIntentBits.MessageContent;
const REACTIONS = GatewayIntentBits.GuildMessageReactions | GatewayIntentBits.DirectMessageReactions;
const CLOSE_WITHIN_MS = 3_000;
/** Somebody has to mend something: looked after so seldom that a day's budget is not used up by it. */
const MENDING_MS = 30 * 60 * 1_000;

export interface GatewaySocketOptions {
  readonly rest: REST;
  readonly token: string;
  /** True if it wants to hear of reactions. */
  readonly reactions: boolean;
  readonly budget: IdentifyBudget;
  /** Where to go on, if anywhere. */
  readonly session: GatewaySession | null;
  readonly onEvent: (event: GatewayDispatchPayload) => void;
  /** A new session has begun: what is counted is counted from there. */
  readonly onBegun: (sequence: number) => void;
  readonly onUp: () => void;
  /** How far the events of the session were worked on. */
  readonly readUpTo: () => number;
}

export class GatewaySocket {
  readonly #options: GatewaySocketOptions;
  readonly #intents: number;
  #session: Omit<GatewaySession, "sequence"> | null;
  /** Settles at the gateway's first word. */
  readonly #greeted = deferred();
  readonly #closed = deferred();
  #isCalled = false;
  #isUp = false;
  #isOver = false;
  #isHungUp = false;

  constructor(options: GatewaySocketOptions) {
    this.#options = options;
    this.#intents = options.reactions ? INTENTS | REACTIONS : INTENTS;
    // What a session brings was asked for when it began.
    this.#session = options.session?.intents === this.#intents ? options.session : null;
    if (options.session && this.#session) options.onBegun(options.session.sequence);
    this.#closed.promise.catch(() => {}); // The code that serves the line hears of it.
  }

  get session(): GatewaySession | null {
    return this.#session && { ...this.#session, sequence: this.#options.readUpTo() };
  }

  /** Until the end, or until it is closed: then it fails with a `ConnectError`. Leaves in a way that lets the next one resume. */
  async serve(end: AbortSignal): Promise<void> {
    const until = this.#session ? null : await this.#options.budget.exhaustedUntil();
    if (until !== null) throw waiting(until);
    const manager = this.#newManager(end);
    try {
      const { url } = await manager.fetchGatewayInformation();
      if (!isGatewayUrl(url)) throw new Error("its gateway has no address");
      manager.connect().catch((error: unknown) => this.#over(connectError(error)));
      await Promise.race([this.#closed.promise, ended(end)]);
    } catch (error) {
      throw connectError(error);
    } finally {
      await this.#hangUp(manager);
    }
  }

  #newManager(end: AbortSignal): WebSocketManager {
    const { rest, token, budget, onUp, onEvent } = this.#options;
    const manager = new WebSocketManager({
      rest,
      token,
      intents: this.#intents,
      shardCount: 1,
      shardIds: [0],
      handshakeTimeout: 10_000,
      helloTimeout: 15_000,
      retrieveSessionInfo: () => this.#sessionForLibrary(),
      updateSessionInfo: (_, info) => this.#keep(info),
      buildIdentifyThrottler: () => ({
        waitForIdentify: async (_, signal) => {
          await budget.spend(signal, (at) => this.#over(waiting(at)));
          if (this.#isOver || end.aborted) await NEVER; // Nobody introduces themselves any more.
        },
      }),
    });
    manager.on(WebSocketShardEvents.Hello, () => this.#greeted.resolve());
    manager.on(WebSocketShardEvents.Closed, ({ code }) => this.#over(closed(code, this.#isUp)));
    manager.on(WebSocketShardEvents.Error, ({ error }) => this.#over(connectError(error)));
    for (const event of [WebSocketShardEvents.Ready, WebSocketShardEvents.Resumed] as const)
      manager.on(event, () => {
        this.#isUp = true;
        onUp();
      });
    manager.on(WebSocketShardEvents.Dispatch, ({ data }) => {
      if (!end.aborted) onEvent(data);
    });
    return manager;
  }

  /** Asked before each call, and while the connection is up. */
  async #sessionForLibrary(): Promise<SessionInfo | null> {
    if (this.#isOver) await NEVER; // It calls no more.
    this.#isCalled = true;
    const { session } = this;
    if (!session) return null;
    const { sessionId, resumeUrl, sequence } = session;
    return { sessionId, resumeURL: resumeUrl, sequence, shardId: 0, shardCount: 1 };
  }

  #keep(info: SessionInfo | null): void {
    if (this.#isHungUp) return;
    if (!info) {
      this.#session = null;
    } else if (info.sessionId !== this.#session?.sessionId) {
      const { sessionId, resumeURL: resumeUrl, sequence } = info;
      this.#session = isGatewayUrl(resumeUrl) ? { sessionId, resumeUrl, intents: this.#intents } : null;
      this.#options.onBegun(sequence);
    }
  }

  #over(error: ConnectError): void {
    this.#isOver = true;
    this.#greeted.resolve();
    this.#closed.reject(error);
  }

  /** A call that was begun is let through first: the library lets go of a socket that is not open yet. */
  async #hangUp(manager: WebSocketManager): Promise<void> {
    const soon = (): Promise<void> => sleep(CLOSE_WITHIN_MS, undefined, { ref: false });
    if (this.#isCalled) await Promise.race([this.#greeted.promise, soon()]);
    this.#isOver = true;
    this.#isHungUp = true;
    await Promise.race([manager.destroy({ code: CloseCodes.Resuming }), soon()]);
  }
}

const NEVER = new Promise<never>(() => {});

function deferred(): { promise: Promise<void>; resolve: () => void; reject: (error: Error) => void } {
  let [resolve, reject] = [() => {}, (_error: Error) => {}];
  const promise = new Promise<void>((...settle) => {
    [resolve, reject] = settle;
  });
  return { promise, resolve, reject };
}

function closed(code: number, wasUp: boolean): ConnectError {
  const fatal = fatalClose(code);
  if (fatal) return new ConnectError("permanent", fatal, { retryAfterMs: MENDING_MS });
  // Discord asked us to call again, or does not know the session any more.
  const isRoutine = code === CloseCodes.Resuming || (code === CloseCodes.Normal && !wasUp);
  return new ConnectError(
    "retryable",
    `Discord cut the connection (${code}).`,
    isRoutine ? { retryAfterMs: 0 } : {},
  );
}

function waiting(until: number): ConnectError {
  const sentence = `the bot has introduced itself ${IDENTIFIES_A_DAY} times within a day, and waits until ${new Date(until).toISOString()} so that Discord does not reset its token. Look why it is started so often.`;
  return new ConnectError("retryable", sentence, { retryAfterMs: Math.max(until - Date.now(), 1_000) });
}
