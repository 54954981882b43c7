/** A gateway that runs jobs in a process of its own, on the compiled code, which can be killed and told where to die. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const CHILD = fileURLToPath(new URL("./jobs-child.mjs", import.meta.url));

export interface KillPoint {
  readonly step: string;
  readonly side: "before" | "after";
}

export interface Death extends KillPoint {
  /** Who makes this file dies; nobody else does. */
  readonly once: string;
}

export interface JobsProcessOptions {
  readonly url: string;
  /** Where commands run, and where results are kept. */
  readonly folder: string;
  /** A file for what tools and commands did. */
  readonly effects: string;
  readonly people: readonly string[];
  readonly leaseMs: number;
  readonly mostRunning: number;
  /** The agent answers at once. */
  readonly isBrief?: boolean;
  /** Where it dies, even while it starts. */
  readonly death?: Death;
}

/** What was measured since that began. */
export interface Figures {
  /** True if it has the scheduler's account. */
  readonly isScheduler: boolean;
  readonly seconds: number;
  readonly cpuMs: number;
  readonly loopP99Ms: number;
  readonly loopMaxMs: number;
  readonly rss: number;
  readonly heapUsed: number;
  /** How often each method of the store was called. */
  readonly calls: Readonly<Record<string, number>>;
}

type Said =
  | { readonly kind: "ready" }
  | { readonly kind: "armed" }
  | { readonly kind: "problem"; readonly problem: string }
  | { readonly kind: "figures"; readonly figures: Figures }
  | { readonly kind: "send"; readonly deliveryId: string; readonly chat: string; readonly text: string };

/** The platform, which outlives each process: what people see. */
export class SeenTexts {
  readonly #counts = new Map<string, number>();
  readonly #doubts = new Map<string, number>();
  all = 0;

  see(text: string): void {
    const number = numberIn(text);
    this.all += 1;
    const counts = text.includes("may be missing here") ? this.#doubts : this.#counts;
    counts.set(number, (counts.get(number) ?? 0) + 1);
  }

  /** How many texts with this number people have seen. */
  of(number: string): number {
    return this.#counts.get(number) ?? 0;
  }

  /** How often they were told that it may be missing. */
  doubtsOf(number: string): number {
    return this.#doubts.get(number) ?? 0;
  }

  get most(): number {
    return Math.max(0, ...this.#counts.values());
  }
}

function numberIn(text: string): string {
  return /#\d+#/.exec(text)?.[0] ?? text;
}

export class JobsProcess {
  /** The signal or the code that it ended with, and what it complained of. */
  readonly ended: Promise<{ readonly how: string | number; readonly complaint: string }>;
  readonly problems: string[] = [];
  /** Somebody else killed it. */
  wasKilled = false;
  readonly #child: ChildProcess;
  readonly #waiting: { kind: string; resolve(said: Said): void; reject(error: Error): void }[] = [];

  constructor(options: JobsProcessOptions, seen: SeenTexts) {
    this.#child = fork(CHILD, [JSON.stringify(options)], {
      execArgv: ["--expose-gc"],
      stdio: ["ignore", "inherit", "pipe", "ipc"],
    });
    let complaint = "";
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      complaint += text;
    });
    this.#child.on("message", (said: Said) => {
      if (said.kind === "problem") return this.problems.push(said.problem);
      if (said.kind === "send") {
        seen.see(said.text);
        return this.#tell({ kind: "sent", deliveryId: said.deliveryId, messageId: `p${seen.all}` });
      }
      for (const waiting of this.#waiting.splice(0)) {
        if (waiting.kind === said.kind) waiting.resolve(said);
        else this.#waiting.push(waiting);
      }
    });
    this.ended = once(this.#child, "close").then(([code, signal]) => {
      for (const { reject } of this.#waiting) reject(new Error(`It ended: ${signal ?? code}. ${complaint}`));
      return { how: signal ?? code, complaint };
    });
  }

  get isOver(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  async ready(): Promise<void> {
    await this.#until("ready");
  }

  async figures(isAnew = true): Promise<Figures> {
    const figures = this.#until("figures");
    this.#tell({ kind: "figures", isAnew });
    return (await figures).figures;
  }

  async arm(death: Death): Promise<void> {
    const armed = this.#until("armed");
    this.#tell({ kind: "arm", death });
    await armed;
  }

  async kill(): Promise<void> {
    this.wasKilled = true;
    this.#child.kill("SIGKILL");
    await this.ended;
  }

  #tell(message: object): void {
    if (this.#child.connected) this.#child.send(message, () => {}); // It may be dying.
  }

  #until<Kind extends Said["kind"]>(kind: Kind): Promise<Extract<Said, { kind: Kind }>> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ kind, reject, resolve: (said) => resolve(said as Extract<Said, { kind: Kind }>) });
    });
  }
}
