/**
 * One connection to `signal-cli daemon --socket`: JSON-RPC, one object a line. Answers find their calls by id; what is not
 * a line of that kind is passed over.
 */
import { connect, type Socket } from "node:net";
import { ConnectError } from "../adapter.js";
import { field, isThere, jsonOf } from "../untrusted.js";
import { LineSplitter } from "./line-splitter.js";

/** A file of 20 MB, which is the most that is asked for, is 28 MB as the daemon gives it. */
const LONGEST_LINE = 32 * 1024 * 1024;

/** What the daemon hands over without being asked: the `params` of a `receive`. */
export type OnReceived = (params: unknown, bytes: number) => void;

interface Call {
  readonly answer: (answer: unknown) => void;
  readonly fail: (error: Error) => void;
}

export class SocketLine {
  readonly #socket: Socket;
  readonly #received: OnReceived;
  readonly #lines = new LineSplitter(LONGEST_LINE);
  readonly #calls = new Map<number, Call>();
  #lastId = 0;
  #isOver = false;
  /** Settles when nothing of it is left. */
  readonly over: Promise<void>;

  static open(path: string, received: OnReceived, end: AbortSignal): Promise<SocketLine> {
    return new Promise((resolve, reject) => {
      const socket = connect(path);
      const stop = (): void => void socket.destroy(new Error("it was given up"));
      end.addEventListener("abort", stop);
      if (end.aborted) stop();
      socket.once("error", reject);
      socket.once("close", () => end.removeEventListener("abort", stop));
      socket.once("connect", () => {
        end.removeEventListener("abort", stop);
        resolve(new SocketLine(socket, received));
      });
    });
  }

  private constructor(socket: Socket, received: OnReceived) {
    this.#socket = socket;
    this.#received = received;
    let reason = "the connection was closed";
    socket.on("error", (error) => {
      reason = error.message;
    });
    socket.on("data", (piece: Uint8Array) => {
      for (const line of this.#lines.push(piece)) this.#take(line);
    });
    this.over = new Promise((resolve) => {
      socket.once("close", () => {
        this.#isOver = true;
        for (const { fail } of this.#calls.values()) fail(new Error(reason));
        resolve();
      });
    });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** How many calls wait for an answer. */
  get waiting(): number {
    return this.#calls.size;
  }

  /** The whole answer. Fails if the signal says so, or the line is cut. */
  async ask(
    method: string,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<unknown> {
    signal.throwIfAborted();
    if (this.#isOver) throw new ConnectError("retryable", "the connection to signal-cli was closed.");
    this.#lastId += 1;
    const id = this.#lastId;
    let stop = (): void => {};
    try {
      return await new Promise<unknown>((answer, fail) => {
        stop = () => fail(signal.reason as Error);
        signal.addEventListener("abort", stop);
        this.#calls.set(id, { answer, fail });
        this.#socket.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
      });
    } finally {
      signal.removeEventListener("abort", stop);
      this.#calls.delete(id);
    }
  }

  /** Reads on, or leaves what comes with the daemon. */
  flow(isOpen: boolean): void {
    if (isOpen) this.#socket.resume();
    else this.#socket.pause();
  }

  async close(): Promise<void> {
    this.#socket.destroy();
    await this.over;
  }

  #take(line: string): void {
    const said = jsonOf(line);
    const id = field(said, "id");
    if (field(said, "method") === "receive") this.#received(field(said, "params"), line.length);
    else if (typeof id === "number" && !isThere(field(said, "method"))) this.#calls.get(id)?.answer(said);
  }
}
