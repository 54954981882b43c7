/**
 * Long reads of a SQLite file in a thread with a connection of its own. The driver is synchronous: here such a read would
 * hold up every chat of the process. The thread starts with the first read, and ends when there was none for a while.
 */
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import type { Row, SqlValue } from "../db.js";

const IDLE_MS = 60_000;

/** The code of the thread. It is text, because our modules have other names before they are compiled. */
const OTHER_THREAD = `
const { parentPort, workerData } = require("node:worker_threads");
const { DatabaseSync } = require(workerData.driver);
const database = new DatabaseSync(workerData.path, { readOnly: true, timeout: 1000 });
const statements = new Map();
parentPort.on("message", ({ id, sql, params }) => {
  let rows = null;
  try {
    if (!statements.has(sql)) statements.set(sql, database.prepare(sql));
    rows = statements.get(sql).all(...params);
  } catch {}
  parentPort.postMessage({ id, rows });
});`;

export class ReadingThread {
  readonly #path: string;
  readonly #waiting = new Map<number, (rows: Row[] | null) => void>();
  #thread: { readonly worker: Worker; readonly ended: Promise<void> } | undefined;
  #idle: NodeJS.Timeout | undefined;
  #count = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Null if the thread could not do it. */
  all(sql: string, params: readonly SqlValue[]): Promise<Row[] | null> {
    clearTimeout(this.#idle);
    this.#thread ??= this.#start();
    const { worker } = this.#thread;
    worker.ref();
    return new Promise((resolve) => {
      const id = ++this.#count;
      this.#waiting.set(id, resolve);
      worker.postMessage({ id, sql, params });
    });
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.worker.terminate();
    await thread?.ended;
  }

  #start() {
    const worker = new Worker(OTHER_THREAD, {
      eval: true,
      env: {},
      workerData: {
        driver: createRequire(import.meta.url).resolve("@photostructure/sqlite"),
        path: this.#path,
      },
    });
    worker.on("message", ({ id, rows }: { id: number; rows: Row[] | null }) => {
      this.#waiting.get(id)?.(rows);
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) this.#rest(worker);
    });
    worker.on("error", () => {}); // It exits then.
    const ended = new Promise<void>((resolve) => {
      worker.once("exit", () => {
        if (this.#thread?.worker === worker) this.#thread = undefined;
        for (const answer of this.#waiting.values()) answer(null);
        this.#waiting.clear();
        resolve();
      });
    });
    return { worker, ended };
  }

  #rest(worker: Worker): void {
    worker.unref();
    this.#idle = setTimeout(() => void this.close(), IDLE_MS);
    this.#idle.unref();
  }
}
