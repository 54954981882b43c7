/**
 * A connection to the process host of a home folder. It connects when something is asked for, starts the host if none
 * listens, and connects again after the connection was lost.
 */
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { BatonError } from "../session/errors.js";
import { SILENT_MS } from "../util/life-sign.js";
import { timerMs } from "../util/timer-ms.js";
import { readJsonLines, writeJsonLine } from "./json-lines.js";
import { lockFileOf, socketPath } from "./places.js";
import {
  type ClientHello,
  type HostAnswer,
  type HostEvent,
  type HostHello,
  type HostVerb,
  type HostVerbs,
  PROTOCOLS,
} from "./protocol.js";
import type { StartedHost } from "./start-host.js";

export interface HostClientOptions {
  /** Where the host keeps its processes. */
  readonly folder: string;
  readonly version: string;
  readonly protocols?: readonly number[];
  /** Starts a host; it need not listen yet. If one runs, the new one ends at once. Null if nobody can see how it goes on. */
  readonly start: () => Promise<StartedHost | null>;
  readonly onEvent: (event: HostEvent) => void;
  /** There is a connection again: what happened before it was not heard. */
  readonly onConnected: () => void;
  /** The connection was lost: the host has ended. */
  readonly onLost: () => void;
}

/** How long a host may take until it listens, and how long until it says hello. */
const START_MS = 30_000;
const HELLO_MS = 30_000;
const LOOK_MS = 10;
/** If hosts give way and nobody listens: when the next one is started, and how long that goes on. */
const AGAIN_MS = 3_000;
const GIVING_WAY_MS = SILENT_MS + 15_000;
/** After one that could not start. */
const PAUSE_MS = 5_000;
/** How long it may take to answer. A kill takes as long as its grace on top. */
const ANSWER_MS = 60_000;
/** How many hosts are asked. */
const MOST_ATTEMPTS = 3;

/** Errors that are no answer of a host. */
const UNANSWERED: readonly string[] = [
  "process_host_lost",
  "process_host_slow",
  "process_host_unavailable",
  "process_host_version",
];

interface Waiting {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
}

interface HostConnection {
  readonly socket: Socket;
  readonly hello: HostHello;
}

export class HostClient {
  readonly #options: HostClientOptions;
  readonly #waiting = new Map<number, Waiting>();
  #connection: Promise<HostConnection> | null = null;
  #last = 0;
  /** How many lines of the host were heard. */
  #heard = 0;
  /** The one that is open, or about to be. */
  #socket: Socket | null = null;
  /** Why no host could be started, and until when none is tried again: many may ask for one. */
  #failed: { readonly error: BatonError; readonly until: number } | null = null;
  #isClosed = false;
  #isConnected = false;

  constructor(options: HostClientOptions) {
    this.#options = options;
  }

  /** True if events of the host are heard. */
  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** What the host says of itself; null if none runs. */
  async helloIfRunning(): Promise<HostHello | null> {
    return this.#connected(false).then(
      ({ hello }) => hello,
      (error) => {
        if (error instanceof NobodyListens) return null;
        throw error;
      },
    );
  }

  /**
   * If the host ends before it answers, the next one is asked, as that is the same: an id is started once, and what is
   * gone is not killed again. Only input may not be written twice: then `process_host_lost`.
   */
  async request<V extends HostVerb>(verb: V, takes: HostVerbs[V]["takes"]): Promise<HostVerbs[V]["gives"]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#ask(verb, takes);
      } catch (error) {
        const code = error instanceof BatonError ? error.code : null;
        const isLost = code === "process_host_lost";
        // The host before may have done it: that this attempt was not answered does not prove otherwise.
        if (attempt > 1 && !isLost && (code === null || UNANSWERED.includes(code)))
          throw lost(error as Error);
        if (!isLost || verb === "write" || attempt === MOST_ATTEMPTS || this.#isClosed) throw error;
      }
    }
  }

  async #ask<V extends HostVerb>(verb: V, takes: HostVerbs[V]["takes"]): Promise<HostVerbs[V]["gives"]> {
    const { socket } = await this.#connected(true);
    if (socket.closed) throw lost();
    this.#last += 1;
    const n = this.#last;
    const heardBefore = this.#heard;
    return new Promise((resolve, reject) => {
      const patienceMs = ANSWER_MS + ("graceMs" in takes ? takes.graceMs : 0);
      const timer = setTimeout(() => {
        if (this.#heard === heardBefore) return socket.destroy(); // It hangs: nobody gets an answer.
        this.#waiting.delete(n);
        reject(slow());
      }, timerMs(patienceMs));
      const over = <Value>(settle: (value: Value) => void) => {
        return (value: Value): void => {
          clearTimeout(timer);
          settle(value);
        };
      };
      this.#waiting.set(n, { resolve: over(resolve), reject: over(reject) });
      writeJsonLine(socket, { n, do: verb, with: takes });
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#socket?.destroy();
  }

  #connected(mayStart: boolean): Promise<HostConnection> {
    if (this.#isClosed) return Promise.reject(closed());
    if (!this.#connection) {
      const connection = this.#connect(mayStart);
      this.#connection = connection;
      connection.catch(() => {
        if (this.#connection === connection) this.#connection = null;
      });
    }
    return this.#connection.catch((error) => {
      // Somebody else only looked, and nobody listened.
      if (mayStart && error instanceof NobodyListens) return this.#connected(true);
      throw error;
    });
  }

  async #connect(mayStart: boolean): Promise<HostConnection> {
    const { folder } = this.#options;
    try {
      return await this.#greet(await open(socketPath(folder)));
    } catch (error) {
      if (!(error instanceof NobodyListens) || !mayStart) throw error;
    }
    if (this.#failed && performance.now() < this.#failed.until) throw this.#failed.error;
    return this.#startAndAwait();
  }

  async #start(): Promise<StartedHost | null> {
    try {
      return await this.#options.start();
    } catch (error) {
      throw this.#cannotStart((error as Error).message, error as Error);
    }
  }

  #cannotStart(why: string, cause: Error): BatonError {
    return this.#failedBy(cannotStart(why, this.#options.folder, cause));
  }

  #failedBy(error: BatonError): BatonError {
    this.#failed = { error, until: performance.now() + PAUSE_MS };
    return error;
  }

  /**
   * A new host gives way to one that has the lock. That one may have run in this container before a restart: then nobody can see
   * that it has ended until it was silent for a while. So another one is tried again and again.
   */
  async #startAndAwait(): Promise<HostConnection> {
    for (const until = performance.now() + GIVING_WAY_MS; ; ) {
      const started = await this.#start();
      try {
        const connection = await this.#awaitHost(started, until);
        if (connection) return connection;
      } finally {
        started?.leave();
      }
    }
  }

  /** Null if it gave way, and nobody listens. */
  async #awaitHost(started: StartedHost | null, giveUpAt: number): Promise<HostConnection | null> {
    const startedAt = performance.now();
    for (; ; await delay(LOOK_MS)) {
      if (this.#isClosed) throw closed();
      const { failure = null, gaveWay = false } = started ?? {}; // From before the next look: meanwhile another host may listen.
      try {
        return await this.#greet(await open(socketPath(this.#options.folder)));
      } catch (error) {
        if (!(error instanceof NobodyListens)) throw error;
        if (failure !== null) throw this.#cannotStart(failure, error);
        const now = performance.now();
        if (now >= (gaveWay ? giveUpAt : startedAt + START_MS))
          throw gaveWay
            ? this.#failedBy(deaf(this.#options.folder))
            : this.#cannotStart(error.message, error);
        if (gaveWay && now >= startedAt + AGAIN_MS) return null;
      }
    }
  }

  #greet(socket: Socket): Promise<HostConnection> {
    const { version, protocols = PROTOCOLS } = this.#options;
    this.#socket = socket;
    return new Promise((resolve, reject) => {
      let isGreeted = false;
      const timer = setTimeout(() => {
        reject(deaf(this.#options.folder));
        socket.destroy();
      }, timerMs(HELLO_MS));
      socket.on("error", () => socket.destroy());
      socket.on("close", () => {
        clearTimeout(timer);
        if (isGreeted) this.#lose();
        else reject(this.#isClosed ? closed() : new NobodyListens("it hung up"));
      });
      if (this.#isClosed) return socket.destroy();
      readJsonLines(socket, (value) => {
        this.#heard += 1;
        if (isGreeted) return this.#hear(value as HostAnswer | HostEvent);
        const hello = value as HostHello;
        if (hello.protocol === null) return reject(otherVersion(hello));
        isGreeted = true;
        clearTimeout(timer);
        this.#isConnected = true;
        resolve({ socket, hello });
        this.#options.onConnected();
      });
      writeJsonLine(socket, { baton: "client", protocols, version } satisfies ClientHello);
    });
  }

  #hear(value: HostAnswer | HostEvent): void {
    if ("event" in value) {
      this.#options.onEvent(value);
      return;
    }
    const waiting = this.#waiting.get(value.n);
    this.#waiting.delete(value.n);
    if ("ok" in value) waiting?.resolve(value.ok as never);
    else waiting?.reject(new BatonError(value.error.code, value.error.message));
  }

  #lose(): void {
    this.#connection = null;
    this.#isConnected = false;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(lost());
    if (!this.#isClosed) this.#options.onLost();
  }
}

class NobodyListens extends Error {}

const LOOK_FIRST = "Look at the list of processes before you try again.";

function open(path: string | null): Promise<Socket> {
  if (path === null) return Promise.reject(new NobodyListens("it does not listen"));
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once("connect", () => resolve(socket));
    socket.once("error", (error: NodeJS.ErrnoException) => {
      const isNobody = ["ENOENT", "ECONNREFUSED", "ECONNRESET", "EPIPE"].includes(error.code ?? "");
      reject(isNobody ? new NobodyListens(error.message) : notReached(error));
    });
  });
}

function lost(cause?: Error): BatonError {
  const message =
    "The connection to the process host was lost before it answered, so Baton can't tell if this was done.";
  return new BatonError("process_host_lost", `${message} ${cause?.message ?? LOOK_FIRST}`, { cause });
}

function slow(): BatonError {
  const message = `The process host has not answered for ${ANSWER_MS / 1_000} seconds, so Baton can't tell if this was done.`;
  return new BatonError("process_host_slow", `${message} ${LOOK_FIRST}`);
}

function closed(): BatonError {
  return new BatonError(
    "process_host_unavailable",
    "Baton is stopping, so it does not ask the process host.",
  );
}

function deaf(folder: string): BatonError {
  const message = `The process host runs but does not answer. Kill it: its pid is in ${lockFileOf(folder)}. Baton then starts another one, which takes over what still runs.`;
  return new BatonError("process_host_unavailable", message);
}

function notReached(cause: Error): BatonError {
  const message = `Baton can't reach its process host: ${cause.message}. Run Baton as the user that started it.`;
  return new BatonError("process_host_unavailable", message, { cause });
}

function cannotStart(why: string, folder: string, cause: Error): BatonError {
  const message = `The process host can't start: ${why}. Fix that and try again, or install Baton again if a part of it is missing. ${folder}/host.log may say more.`;
  return new BatonError("process_host_unavailable", message, { cause });
}

function otherVersion({ version, protocols }: HostHello): BatonError {
  const message = `The process host was started by Baton ${version}, and this version can't talk to it: it speaks protocol ${protocols.join(", ")}. Use Baton ${version} until its processes have ended. It stops ten minutes after the last one.`;
  return new BatonError("process_host_version", message);
}
