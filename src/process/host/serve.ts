/**
 * The process host as a program: one for each home folder. It listens on a Unix socket that only its user can open, and
 * ends when nothing has run and nobody has asked for anything for a while.
 */
import type { Socket } from "node:net";
import type { ProcessId } from "../../session/ids.js";
import { takeLock } from "../../util/file-lock.js";
import { timerMs } from "../../util/timer-ms.js";
import { readJsonLines, writeJsonLine } from "../json-lines.js";
import { homeName, lockFileOf } from "../places.js";
import type { ClientHello, HostAnswer, HostEvent, HostHello, HostRequest } from "../protocol.js";
import { Door } from "./door.js";
import { Host, HostError } from "./host.js";
import { loadPty } from "./pty.js";

/** A client that reads slowly hears of output later: so many bytes may wait for it. */
const MOST_UNREAD_EVENTS = 1024 * 1024;

export interface ServeOptions {
  readonly folder: string;
  readonly version: string;
  readonly protocols: readonly number[];
  readonly idleMs: number;
  readonly endsWithService: boolean;
}

/** Null if another host serves the folder. Settles when this one listens; `over` when it has ended. */
export async function serveProcesses(
  options: ServeOptions,
): Promise<{ readonly over: Promise<void> } | null> {
  const { folder, idleMs } = options;
  const home = homeName(folder);
  const lock = takeLock(lockFileOf(folder), Date.now());
  if (lock.kind === "held") return null;
  const pty = await loadPty();
  const clients = new Set<Client>();
  let activeAt = performance.now();
  const host = new Host({
    folder,
    pty,
    clock: Date.now,
    onOutput: (id, to) => {
      for (const client of clients) client.hearOutput(id, to);
    },
    onEnded: (status) => {
      activeAt = performance.now();
      for (const client of clients) client.send({ event: "ended", status });
    },
  });
  const onSocket = (socket: Socket): void => {
    const client = new Client(socket, host, { ...options, home, hasPty: pty !== null }, () => {
      activeAt = performance.now();
    });
    clients.add(client);
    socket.on("close", () => clients.delete(client));
  };
  const door = await Door.open(folder, onSocket).catch((error) => {
    host.close();
    lock.release();
    throw error;
  });
  const over = new Promise<void>((resolve) => {
    const end = (): void => {
      clearInterval(idle);
      for (const client of clients) client.hangUp(); // What it asks for from now on is for the next host.
      door.close(resolve);
      host.close();
      lock.release();
    };
    const idle = setInterval(
      () => {
        if (host.running > 0) activeAt = performance.now();
        else if (performance.now() - activeAt >= idleMs) end();
      },
      timerMs(Math.max(10, idleMs / 20)),
    );
    lock.keep(end); // Somebody removed the lock by hand, and another host has it now.
  });
  return { over };
}

type About = Pick<HostHello, "home" | "hasPty" | "endsWithService" | "version"> &
  Pick<ServeOptions, "protocols">;

/** One connection. */
class Client {
  readonly #socket: Socket;
  readonly #host: Host;
  readonly #onRequest: () => void;
  readonly #followed = new Set<ProcessId>();
  #isGreeted = false;
  #isGone = false;

  constructor(socket: Socket, host: Host, about: About, onRequest: () => void) {
    this.#socket = socket;
    this.#host = host;
    this.#onRequest = onRequest;
    socket.on("error", () => socket.destroy());
    readJsonLines(socket, (value) => {
      if (this.#isGone) return;
      if (!this.#isGreeted) this.#greet(value as ClientHello, about);
      else void this.#answer(value as HostRequest);
    });
  }

  #greet({ protocols }: ClientHello, about: About): void {
    const common = about.protocols.filter((one) => Array.isArray(protocols) && protocols.includes(one));
    const protocol = common.length === 0 ? null : Math.max(...common);
    const { home, hasPty, endsWithService, version } = about;
    this.#isGreeted = true;
    writeJsonLine(this.#socket, {
      baton: "process host",
      protocol,
      protocols: about.protocols,
      version,
      pid: process.pid,
      home,
      hasPty,
      endsWithService,
    } satisfies HostHello);
    if (protocol === null) this.#socket.end();
  }

  async #answer({ n, do: verb, with: takes }: HostRequest): Promise<void> {
    this.#onRequest();
    try {
      const ok = await this.#host.do(verb, takes);
      if (verb === "follow" && "id" in takes) this.#followed.add(takes.id);
      if (verb === "unfollow" && "id" in takes) this.#followed.delete(takes.id);
      writeJsonLine(this.#socket, { n, ok } satisfies HostAnswer);
    } catch (error) {
      const code = error instanceof HostError ? error.code : "process_host_failed";
      writeJsonLine(this.#socket, {
        n,
        error: { code, message: (error as Error).message },
      } satisfies HostAnswer);
    }
  }

  hearOutput(id: ProcessId, to: number): void {
    if (this.#followed.has(id) && this.#socket.writableLength < MOST_UNREAD_EVENTS)
      this.send({ event: "output", id, to });
  }

  send(event: HostEvent): void {
    if (this.#isGreeted) writeJsonLine(this.#socket, event);
  }

  hangUp(): void {
    this.#isGone = true;
    this.#socket.destroy();
  }
}
