/**
 * A connection to the process host of a home folder. It connects when something is asked for, starts the host if none
 * listens, and connects again after the connection was lost.
 */
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { BatonError } from "../session/errors.js";
import { timerMs } from "../util/timer-ms.js";
import { readJsonLines, writeJsonLine } from "./json-lines.js";
import { socketPath } from "./places.js";
import {
  type ClientHello,
  type HostAnswer,
  type HostEvent,
  type HostHello,
  type HostVerb,
  type HostVerbs,
  PROTOCOLS,
} from "./protocol.js";

export interface HostClientOptions {
  /** Where the host keeps its processes. */
  readonly folder: string;
  readonly version: string;
  readonly protocols?: readonly number[];
  /** Starts a host; it need not listen yet. If one runs, the new one ends at once. */
  readonly start: () => void | Promise<void>;
  readonly onEvent: (event: HostEvent) => void;
  /** There is a connection again: what happened before it was not heard. */
  readonly onConnected: () => void;
  /** The connection was lost: the host has ended. */
  readonly onLost: () => void;
}

/** How long a host may take until it listens. */
const START_MS = 30_000;
const LOOK_MS = 10;
/** How long it may take to answer: after that it hangs, and is left alone. A kill takes as long as its grace on top. */
const ANSWER_MS = 60_000;
/** How many hosts are asked. */
const MOST_ATTEMPTS = 3;

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
        // The host before may have done it: an error of this attempt does not prove otherwise.
        if (attempt > 1 && (code === null || code === "process_host_unavailable")) throw lost();
        if (!isLost || verb === "write" || attempt === MOST_ATTEMPTS || this.#isClosed) throw error;
      }
    }
  }

  async #ask<V extends HostVerb>(verb: V, takes: HostVerbs[V]["takes"]): Promise<HostVerbs[V]["gives"]> {
    const { socket } = await this.#connected(true);
    this.#last += 1;
    const n = this.#last;
    return new Promise((resolve, reject) => {
      const patienceMs = ANSWER_MS + ("graceMs" in takes ? takes.graceMs : 0);
      const timer = setTimeout(() => socket.destroy(), timerMs(patienceMs));
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
    this.#connection?.then(({ socket }) => socket.destroy()).catch(() => {});
  }

  #connected(mayStart: boolean): Promise<HostConnection> {
    if (this.#isClosed) return Promise.reject(lost());
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
    await this.#options.start();
    for (let waitedMs = 0; ; waitedMs += LOOK_MS) {
      try {
        return await this.#greet(await open(socketPath(folder)));
      } catch (error) {
        if (!(error instanceof NobodyListens)) throw error;
        if (waitedMs >= START_MS) throw notStarted(error);
      }
      await delay(LOOK_MS);
    }
  }

  #greet(socket: Socket): Promise<HostConnection> {
    const { version, protocols = PROTOCOLS } = this.#options;
    return new Promise((resolve, reject) => {
      let isGreeted = false;
      const timer = setTimeout(() => socket.destroy(), timerMs(ANSWER_MS));
      socket.on("error", () => socket.destroy());
      socket.on("close", () => {
        clearTimeout(timer);
        if (isGreeted) this.#lose();
        else reject(new NobodyListens("The process host hung up."));
      });
      readJsonLines(socket, (value) => {
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

function open(path: string | null): Promise<Socket> {
  if (path === null) return Promise.reject(new NobodyListens("no host listens"));
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once("connect", () => resolve(socket));
    socket.once("error", (error: NodeJS.ErrnoException) => {
      const isNobody = ["ENOENT", "ECONNREFUSED", "ECONNRESET", "EPIPE"].includes(error.code ?? "");
      reject(isNobody ? new NobodyListens(error.message) : error);
    });
  });
}

function lost(): BatonError {
  return new BatonError(
    "process_host_lost",
    "The connection to the process host was lost, so nobody knows if this was done.",
  );
}

function notStarted(cause: Error): BatonError {
  const message = `The process host does not start: ${cause.message}. Run \`baton doctor\` to check the setup.`;
  return new BatonError("process_host_unavailable", message, { cause });
}

function otherVersion({ version, protocols }: HostHello): BatonError {
  const message = `The process host is of Baton ${version} and speaks protocol ${protocols.join(", ")}, which this version does not know. It ends ten minutes after its last process; use Baton ${version} for those.`;
  return new BatonError("process_host_version", message);
}
