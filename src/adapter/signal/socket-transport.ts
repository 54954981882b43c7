/**
 * `signal-cli daemon --socket`: calls and events by one connection, which is opened when it is needed. Before that, the
 * socket must be one that only we or root can have put there (`socket-trust.ts`). Events that were read wait here until
 * they are taken, also those of a connection that is gone; when too many wait, the rest stays with the daemon.
 */
import { ConnectError } from "../adapter.js";
import { reasonOf, within } from "../http-call.js";
import { field, isThere } from "../untrusted.js";
import type { SignalSettings } from "./config.js";
import { SocketLine } from "./socket-line.js";
import { trustedSocket } from "./socket-trust.js";
import { isNotOurs, notRegistered, notThere, type StreamEvent, type Transport } from "./transport.js";

/** So many events wait here, unless a call waits for its answer, which comes behind them; and never more than the bytes. */
const MOST_WAITING = 100;
const MOST_WAITING_BYTES = 32 * 1024 * 1024;

interface WaitingEvent {
  readonly event: StreamEvent;
  readonly bytes: number;
}

export class SocketTransport implements Transport {
  readonly #path: string;
  readonly #settings: SignalSettings;
  readonly #timeoutMs: number;
  #line: Promise<SocketLine> | null = null;
  #open: SocketLine | null = null;
  #waiting: WaitingEvent[] = [];
  #waitingBytes = 0;
  #wake = (): void => {};

  constructor(path: string, settings: SignalSettings, timeoutMs: number) {
    this.#path = path;
    this.#settings = settings;
    this.#timeoutMs = timeoutMs;
  }

  async check(end: AbortSignal): Promise<void> {
    await within(this.#timeoutMs, end, (signal) => this.#connected(signal));
  }

  /** The daemon does not number its events here, so nothing is asked for again. */
  async events(_lastId: string | null, end: AbortSignal): Promise<AsyncGenerator<StreamEvent>> {
    return within(this.#timeoutMs, end, async (signal) => {
      const line = await this.#connected(signal);
      // With --receive-mode=manual nothing comes before this. Otherwise each message comes twice, and counts once.
      const { account } = this.#settings;
      const answer = await this.#askOf(line, "subscribeReceive", { account }, signal).catch((error) => {
        throw notThere(this.#settings, reasonOf(error), error);
      });
      const error = field(answer, "error");
      if (!isThere(error)) return this.#take(line, end);
      const said = String(field(error, "message") ?? "no reason given").slice(0, 300);
      if (isNotOurs(said)) throw notRegistered(this.#settings);
      throw notThere(this.#settings, `it does not hand over messages: ${said}`);
    });
  }

  ask(method: string, params: Readonly<Record<string, unknown>>, end: AbortSignal): Promise<unknown> {
    return within(this.#timeoutMs, end, async (signal) =>
      this.#askOf(await this.#connected(signal), method, params, signal),
    );
  }

  async close(): Promise<void> {
    const line = await this.#line?.catch(() => null); // One that could not be opened is closed.
    await line?.close();
  }

  async #askOf(
    line: SocketLine,
    method: string,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<unknown> {
    const answer = line.ask(method, params, signal);
    this.#regulate();
    try {
      return await answer;
    } finally {
      this.#regulate();
    }
  }

  #connected(end: AbortSignal): Promise<SocketLine> {
    this.#line ??= this.#connect(end).catch((error: unknown) => {
      this.#line = null;
      throw error instanceof ConnectError ? error : notThere(this.#settings, reasonOf(error), error);
    });
    return this.#line;
  }

  async #connect(end: AbortSignal): Promise<SocketLine> {
    const path = await trustedSocket(this.#path, process.getuid?.());
    const line = await SocketLine.open(path, (params, bytes) => this.#received(params, bytes), end);
    this.#open = line;
    void line.over.then(() => {
      this.#line = null;
      this.#open = null;
      this.#wake();
    });
    this.#regulate();
    return line;
  }

  #received(params: unknown, bytes: number): void {
    const data = field(params, "subscription") === undefined ? params : field(params, "result");
    this.#waiting.push({ event: { id: null, data }, bytes });
    this.#waitingBytes += bytes;
    this.#regulate();
    this.#wake();
  }

  /** Until the line is gone and all that it brought was taken, or until the end. */
  async *#take(line: SocketLine, end: AbortSignal): AsyncGenerator<StreamEvent> {
    const wake = (): void => this.#wake();
    end.addEventListener("abort", wake);
    try {
      while (!end.aborted) {
        const next = this.#waiting.shift();
        if (next) {
          this.#waitingBytes -= next.bytes;
          this.#regulate();
          yield next.event;
        } else if (line.isOver) return;
        else
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
      }
    } finally {
      end.removeEventListener("abort", wake);
    }
  }

  #regulate(): void {
    const line = this.#open;
    const isRoom = this.#waiting.length < MOST_WAITING || (line?.waiting ?? 0) > 0;
    line?.flow(isRoom && this.#waitingBytes < MOST_WAITING_BYTES);
  }
}
