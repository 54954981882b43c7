/** A gateway in a process of its own, on the compiled code, which can be killed, stopped and told where to die. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { BusyMode } from "../../src/gateway/busy.js";
import type { AtLeastOnce, Heard } from "./at-least-once.js";

const CHILD = fileURLToPath(new URL("./gateway-child.mjs", import.meta.url));

/** A step of the journey, and which side of it; reached so many times before it is deadly. */
export interface Point {
  readonly step: string;
  readonly side: "before" | "after";
  readonly times: number;
}

export interface GatewayProcessOptions {
  readonly url: string;
  readonly account: string;
  readonly people: readonly string[];
  /** By `platform:chat`; the others queue. */
  readonly busy: Readonly<Record<string, BusyMode>>;
  readonly leaseMs: number;
  readonly slowMs: number;
  readonly point?: Point;
  /** A file for the beginnings and ends of turns. */
  readonly log?: string;
  /** The platform can edit: replies are shown as they are made. */
  readonly streams?: boolean;
  /** How often the store cannot be written, of 1; where that is told, messages come one after the other. */
  readonly failing?: number;
  /** A file for what the tool did. */
  readonly effects?: string;
}

type Said =
  | Heard
  | { readonly kind: "connected" | "ready" | "begun" | "settled" }
  | { readonly kind: "problem"; readonly problem: string }
  | { readonly kind: "refused"; readonly step: string };

export class GatewayProcess {
  /** The signal or the code that it ended with, and what it complained of. */
  readonly ended: Promise<{ readonly how: string | number; readonly complaint: string }>;
  readonly problems: string[] = [];
  /** Steps that the store did not let it take. */
  readonly refused: string[] = [];
  readonly #child: ChildProcess;
  readonly #answer = (message: object): void => this.#tell(message);
  readonly #waiting: { kind: string; resolve(): void; reject(error: Error): void }[] = [];
  readonly #platform: AtLeastOnce;

  constructor(options: GatewayProcessOptions, platform: AtLeastOnce) {
    this.#platform = platform;
    this.#child = spawn(process.execPath, [CHILD, JSON.stringify(options)], {
      stdio: ["ignore", "inherit", "pipe", "ipc"],
    });
    let complaint = "";
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      complaint += text;
    });
    this.#child.on("message", (said: Said) => {
      if (isHeard(said)) return platform.hear(said, this.#answer);
      if (said.kind === "problem") return this.problems.push(said.problem);
      if (said.kind === "refused") return this.refused.push(said.step);
      if (said.kind === "connected") platform.connect(this.#answer);
      for (const waiting of this.#waiting.splice(0)) {
        if (waiting.kind === said.kind) waiting.resolve();
        else this.#waiting.push(waiting);
      }
    });
    this.ended = once(this.#child, "close").then(([code, signal]) => {
      platform.disconnect(this.#answer);
      for (const { reject } of this.#waiting) reject(new Error(`It ended: ${signal ?? code}. ${complaint}`));
      return { how: signal ?? code, complaint };
    });
  }

  get isOver(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  ready(): Promise<void> {
    return this.#until("ready");
  }

  /** Waits for the next turn to begin. */
  begun(): Promise<void> {
    return this.#until("begun");
  }

  /** Waits until nothing waits, runs or is on its way in it, nor on its way to it. */
  async settle(): Promise<void> {
    do {
      this.#tell({ kind: "settle" });
      await this.#until("settled");
    } while (this.#platform.open > 0); // Refused for now, it comes again a moment later.
  }

  arm(point: Point): void {
    this.#tell({ kind: "arm", point });
  }

  /** Asks it to end; turns that are running are left to the next process. */
  leave(): void {
    this.#tell({ kind: "stop" });
  }

  /** It stands still, between two steps of the store. */
  freeze(): void {
    this.#tell({ kind: "freeze" });
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.ended;
  }

  #tell(message: object): void {
    // A process that is just dying cannot be told; what it did not hear, the next one will.
    if (this.#child.connected) this.#child.send(message, () => {});
  }

  async #until(kind: string): Promise<void> {
    let alarm: NodeJS.Timeout | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        this.#waiting.push({ kind, resolve, reject });
        // It hangs: on a machine that is kept busy the rest may take its time.
        alarm = setTimeout(() => reject(new Error(`It is not ${kind} after five minutes.`)), 300_000);
      });
    } finally {
      clearTimeout(alarm);
    }
  }
}

/** It is for the platform. */
function isHeard(said: Said): said is Heard {
  return ["received", "not received", "send", "edit"].includes(said.kind);
}
