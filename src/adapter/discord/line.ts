/**
 * The line to Discord's gateway, kept up: it is resumed where it can be, begun anew within the day's budget where not,
 * and called again after pauses that grow. The library (of discord.js) does the calling, and asks us for the session before each call:
 * there it is held back.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { CloseCodes, type SessionInfo, WebSocketManager, WebSocketShardEvents } from "@discordjs/ws";
import { type GatewayDispatchPayload, GatewayIntentBits, type REST } from "discord.js";
import { timerMs } from "../../util/timer-ms.js";
import { ConnectError } from "../adapter.js";
import { IDENTIFIES_A_DAY, type IdentifyBudget } from "./budget.js";
import { connectError, fatalClose } from "./failure.js";
import { type GatewaySession, isGatewayUrl } from "./progress.js";

const INTENTS =
  GatewayIntentBits.Guilds |
  GatewayIntentBits.GuildMessages |
  GatewayIntentBits.DirectMessages |
  GatewayIntentBits.MessageContent;
const OPEN_WITHIN_MS = 30_000;
const CLOSE_WITHIN_MS = 3_000;
const LONGEST_PAUSE_MS = 60_000;
/** Somebody has to mend something: looked after so seldom that a day's budget is not used up by it. */
const MENDING_MS = 30 * 60 * 1_000;

export interface LineOptions {
  readonly rest: REST;
  readonly token: string;
  readonly budget: IdentifyBudget;
  /** Where to go on, if anywhere. */
  readonly session: GatewaySession | null;
  readonly onEvent: (event: GatewayDispatchPayload) => void;
  /** A new session has begun: what is counted is counted from there. */
  readonly onBegun: (sequence: number) => void;
  readonly onUp: () => void;
  readonly onDown: (reason: string) => void;
  /** How far the events of the session were worked on. */
  readonly readUpTo: () => number;
}

export class Line {
  readonly #options: LineOptions;
  readonly #stop = new AbortController();
  #manager: WebSocketManager | undefined;
  #session: Omit<GatewaySession, "sequence"> | null;
  /** Between the beginning of a call and the gateway's first word. */
  #calling: { readonly answered: Promise<void>; readonly answer: () => void } | null = null;
  #greeted = false;
  #failures = 0;
  #fatal: string | null = null;
  #wasUp = false;
  #reopening: NodeJS.Timeout | undefined;

  constructor(options: LineOptions) {
    this.#options = options;
    this.#session = options.session;
    if (options.session) options.onBegun(options.session.sequence);
  }

  get session(): GatewaySession | null {
    return this.#session && { ...this.#session, sequence: this.#options.readUpTo() };
  }

  /** Settles when the gateway is there. Fails with a `ConnectError`. */
  async open(): Promise<void> {
    const { budget } = this.#options;
    const until = this.#session ? null : await budget.exhaustedUntil();
    if (until !== null) throw new ConnectError("retryable", waiting(until));
    await this.#call();
  }

  /** Leaves in a way that lets the next process resume. */
  async close(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#reopening);
    await this.#hangUp();
  }

  async #call(): Promise<void> {
    this.#greeted = false;
    this.#failures = 0;
    this.#fatal = null;
    const manager = this.#newManager();
    this.#manager = manager;
    try {
      const { url } = await manager.fetchGatewayInformation();
      if (!isGatewayUrl(url)) throw new Error("its gateway has no address");
      const { signal } = this.#stop;
      const tooLong = sleep(OPEN_WITHIN_MS, undefined, { ref: false, signal }).then(() => {
        throw new Error(`its gateway did not let us in within ${OPEN_WITHIN_MS / 1_000} seconds`);
      });
      await Promise.race([manager.connect(), tooLong]);
    } catch (error) {
      await this.#hangUp();
      throw this.#fatal ? new ConnectError("permanent", this.#fatal, { cause: error }) : connectError(error);
    }
  }

  #newManager(): WebSocketManager {
    const { rest, token } = this.#options;
    const manager = new WebSocketManager({
      rest,
      token,
      intents: INTENTS,
      shardCount: 1,
      shardIds: [0],
      handshakeTimeout: 10_000,
      helloTimeout: 15_000,
      retrieveSessionInfo: () => this.#sessionForLibrary(manager),
      updateSessionInfo: (_, info) => {
        if (this.#manager === manager) this.#keep(info);
      },
      buildIdentifyThrottler: () => ({ waitForIdentify: (_, signal) => this.#waitForIdentify(signal) }),
    });
    manager.on(WebSocketShardEvents.Hello, () => this.#answered(true));
    manager.on(WebSocketShardEvents.Closed, ({ code }) => this.#closed(code));
    manager.on(WebSocketShardEvents.Error, ({ error }) => this.#failed(error));
    manager.on(WebSocketShardEvents.Ready, () => this.#up());
    manager.on(WebSocketShardEvents.Resumed, () => this.#up());
    manager.on(WebSocketShardEvents.Dispatch, ({ data }) => {
      if (!this.#stop.signal.aborted) this.#options.onEvent(data);
    });
    return manager;
  }

  /** Asked before each call, where it is held back, and while the line is up. */
  async #sessionForLibrary(manager: WebSocketManager): Promise<SessionInfo | null> {
    if (!this.#greeted) {
      const ms = this.#failures < 2 ? 0 : Math.min(1_000 * 2 ** (this.#failures - 2), LONGEST_PAUSE_MS);
      const { signal } = this.#stop;
      if (ms > 0) await sleep(timerMs(ms), undefined, { ref: false, signal }).catch(() => {}); // Looked at right below.
      if (signal.aborted || this.#manager !== manager) await new Promise<never>(() => {}); // It calls no more.
      this.#calling = newCall();
    }
    const { session } = this;
    if (!session) return null;
    const { sessionId, resumeUrl, sequence } = session;
    return { sessionId, resumeURL: resumeUrl, sequence, shardId: 0, shardCount: 1 };
  }

  #keep(info: SessionInfo | null): void {
    if (this.#stop.signal.aborted) return;
    if (!info) {
      this.#session = null;
    } else if (info.sessionId !== this.#session?.sessionId) {
      const { sessionId, resumeURL: resumeUrl, sequence } = info;
      this.#session = isGatewayUrl(resumeUrl) ? { sessionId, resumeUrl } : null;
      this.#options.onBegun(sequence);
    }
  }

  async #waitForIdentify(signal: AbortSignal): Promise<void> {
    const { budget, onDown } = this.#options;
    await budget.spend(signal, (until) => onDown(waiting(until)));
    if (this.#stop.signal.aborted) await new Promise<never>(() => {}); // Nobody introduces themselves any more.
  }

  #answered(greeted: boolean): void {
    this.#greeted = greeted;
    this.#calling?.answer();
    this.#calling = null;
  }

  #up(): void {
    if (this.#stop.signal.aborted) return;
    this.#failures = 0;
    this.#wasUp = true;
    this.#options.onUp();
  }

  #closed(code: number): void {
    this.#answered(false);
    this.#failures += 1;
    this.#fatal ??= fatalClose(code);
    const isRoutine = code === CloseCodes.Resuming; // Discord asked us to call again.
    if (isRoutine || this.#stop.signal.aborted || !this.#wasUp) return;
    this.#options.onDown(this.#fatal ?? `the line was cut (${code}).`);
  }

  /** After it was up, somebody has to mend it; before, whoever opens it is told. */
  #failed(error: Error): void {
    if (!this.#wasUp || this.#stop.signal.aborted) return;
    this.#options.onDown(this.#fatal ?? error.message);
    if (this.#fatal) this.#reopenLater();
  }

  #reopenLater(): void {
    clearTimeout(this.#reopening);
    this.#reopening = setTimeout(() => {
      this.#call().catch((error: Error) => {
        if (this.#stop.signal.aborted) return;
        this.#options.onDown(error.message);
        this.#reopenLater();
      });
    }, MENDING_MS);
    this.#reopening.unref();
  }

  /** A call that was begun is let through first: the library lets go of a socket that is not open yet. */
  async #hangUp(): Promise<void> {
    const manager = this.#manager;
    this.#manager = undefined;
    if (!manager) return;
    const soon = (): Promise<void> => sleep(CLOSE_WITHIN_MS, undefined, { ref: false });
    if (this.#calling) await Promise.race([this.#calling.answered, soon()]);
    await Promise.race([manager.destroy({ code: CloseCodes.Resuming }), soon()]);
  }
}

function newCall(): { answered: Promise<void>; answer: () => void } {
  let answer: () => void = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  return { answered, answer };
}

function waiting(until: number): string {
  return `the bot has introduced itself ${IDENTIFIES_A_DAY} times within a day, and waits until ${new Date(until).toISOString()} so that Discord does not reset its token. Look why it is started so often.`;
}
