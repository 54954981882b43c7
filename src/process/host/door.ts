/**
 * Where the clients of a host come in: a Unix socket that only its user can open, and the file that says where it is. If
 * somebody removes one of them, as systems do with a user's runtime folder at logout, it listens anew elsewhere. What
 * holds: it writes down where it listens only while the host has the lock.
 */
import { once } from "node:events";
import { chmodSync, existsSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { lockHolder } from "../../util/file-lock.js";
import { isSameProcess, processHolder } from "../../util/holder.js";
import { timerMs } from "../../util/timer-ms.js";
import { lockFileOf, newSocketPath, removeSocket, socketPath, writeSocket } from "../places.js";

/** How often it looks whether clients can find it. */
const LOOK_MS = 2_000;

interface Listening {
  readonly server: Server;
  readonly path: string;
}

export class Door {
  readonly #folder: string;
  readonly #onSocket: (socket: Socket) => void;
  readonly #looking: NodeJS.Timeout;
  #now: Listening;
  #isOpening = false;
  #isClosed = false;

  private constructor(folder: string, onSocket: (socket: Socket) => void, now: Listening) {
    this.#folder = folder;
    this.#onSocket = onSocket;
    this.#now = now;
    this.#looking = setInterval(() => void this.#look(), timerMs(LOOK_MS));
  }

  /** The lock must be ours: what another host wrote down is of one that has ended. */
  static async open(folder: string, onSocket: (socket: Socket) => void): Promise<Door> {
    removeSocket(folder, socketPath(folder));
    const now = await listen(newSocketPath(folder), onSocket);
    try {
      writeSocket(folder, now.path);
    } catch (error) {
      now.server.close();
      throw error;
    }
    return new Door(folder, onSocket, now);
  }

  async #look(): Promise<void> {
    if (this.#isOpening) return;
    this.#isOpening = true;
    try {
      if (!this.#isFound && this.#hasLock) await this.#openAnew();
    } catch {
      // A full disk, or too many open files: it looks again.
    } finally {
      this.#isOpening = false;
    }
  }

  get #isFound(): boolean {
    return existsSync(this.#now.path) && socketPath(this.#folder) === this.#now.path;
  }

  /** False if somebody removed the lock by hand: another host may be about to listen. */
  get #hasLock(): boolean {
    const holder = lockHolder(lockFileOf(this.#folder), Date.now());
    return holder !== null && isSameProcess(holder.process, processHolder());
  }

  async #openAnew(): Promise<void> {
    let unused = await listen(newSocketPath(this.#folder), this.#onSocket);
    try {
      if (this.#isClosed || !this.#hasLock) return;
      writeSocket(this.#folder, unused.path);
      [this.#now, unused] = [unused, this.#now];
    } finally {
      unused.server.close(); // Who is connected stays connected.
    }
  }

  /** Nobody comes in any more; calls back when everybody has left. */
  close(onLeft: () => void): void {
    this.#isClosed = true;
    clearInterval(this.#looking);
    this.#now.server.close(onLeft);
    removeSocket(this.#folder, this.#now.path);
  }
}

/** Nobody but this user can open the socket, not even in between. */
async function listen(path: string, onSocket: (socket: Socket) => void): Promise<Listening> {
  const server = createServer(onSocket);
  const listening = once(server, "listening");
  const mask = process.umask(0o177);
  try {
    server.listen(path); // Makes the socket at once, so no process is started with this mask.
  } finally {
    process.umask(mask);
  }
  await listening;
  chmodSync(path, 0o600);
  return { server, path };
}
