/** A gateway with one platform's adapter in a process of its own (http-platform-child.mjs), which can be killed. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { vi } from "vitest";

const CHILD = fileURLToPath(new URL("./http-platform-child.mjs", import.meta.url));

export interface PlatformProcessOptions {
  readonly url: string;
  readonly platform: string;
  /** Which of the platform's adapters, where it has several. */
  readonly adapter?: string;
  readonly settings: object;
  readonly secrets: Readonly<Record<string, string>>;
  readonly people: readonly string[];
  /** The file of a certificate that it trusts. */
  readonly authority?: string;
  /** Its agent never finishes with the patient. */
  readonly isPatient?: boolean;
  /** What it receives it keeps, and never says that it arrived. */
  readonly holdsReceipts?: boolean;
}

interface Said {
  readonly kind: "ready" | "begun" | "kept" | "problem";
  readonly asked?: string;
  readonly problem?: string;
  readonly port?: number;
}

export class PlatformProcess {
  readonly said: Said[] = [];
  readonly #child: ChildProcess;

  static async start(options: PlatformProcessOptions): Promise<PlatformProcess> {
    const started = new PlatformProcess(options);
    await started.until(({ kind }) => kind === "ready");
    return started;
  }

  private constructor(options: PlatformProcessOptions) {
    this.#child = spawn(process.execPath, [CHILD, JSON.stringify(options)], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
      env: { ...process.env, ...(options.authority && { NODE_EXTRA_CA_CERTS: options.authority }) },
    });
    this.#child.on("message", (said: Said) => this.said.push(said));
  }

  /** Of its webhook. */
  get port(): number {
    return this.said.find(({ kind }) => kind === "ready")?.port ?? 0;
  }

  get problems(): string[] {
    return this.said.flatMap(({ problem }) => problem ?? []);
  }

  async until(holds: (said: Said) => boolean): Promise<void> {
    await vi.waitUntil(() => this.said.some(holds), { interval: 5, timeout: 30_000 });
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill("SIGKILL");
    await once(this.#child, "exit");
  }
}
