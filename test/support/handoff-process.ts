/** Two platforms that outlive their gateways, and the gateways, each in a process of its own, on the compiled code. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const CHILD = fileURLToPath(new URL("./handoff-child.mjs", import.meta.url));

export interface HandoffPoint {
  readonly step: string;
  readonly side: "before" | "after";
}

interface Written {
  readonly messageId: string;
  readonly chat: string;
  readonly threadId?: string;
  readonly text: string;
}

type Heard =
  | { readonly kind: "ready" }
  | { readonly kind: "problem"; readonly problem: string }
  | { readonly kind: "received"; readonly messageId: string }
  | {
      readonly kind: "send";
      readonly number: number;
      readonly deliveryId: string;
      readonly place: string;
      readonly text: string;
    }
  | { readonly kind: "thread"; readonly number: number; readonly once: string };

/** It keeps what is written until somebody says that it arrived, and is out of order now and then. */
export class HandoffPlatform {
  readonly written: Written[] = [];
  /** What was sent, by delivery id, as often as it was. */
  readonly seen: { readonly deliveryId: string; readonly place: string; readonly text: string }[] = [];
  /** Threads, by the handoff they were made for. */
  readonly threads = new Map<string, string[]>();
  readonly #name: string;
  readonly #isOnce: boolean;
  readonly #random: () => number;
  readonly #open = new Map<string, Written>();
  #tell: ((message: object) => void) | undefined;

  constructor(name: string, isOnce: boolean, random: () => number) {
    this.#name = name;
    this.#isOnce = isOnce;
    this.#random = random;
  }

  get isHeard(): boolean {
    return this.#open.size === 0;
  }

  write(chat: string, words: string, threadId?: string): void {
    const messageId = `m${this.written.length + 1}`;
    const text = words.startsWith("/") ? words : `${this.#name} ${messageId} ${words}`;
    const message = { messageId, chat, text, ...(threadId ? { threadId } : {}) };
    this.written.push(message);
    this.#open.set(messageId, message);
    this.#tell?.({ kind: "message", ...message });
  }

  connect(tell: (message: object) => void): void {
    this.#tell = tell;
    for (const message of this.#open.values()) tell({ kind: "message", ...message });
  }

  disconnect(): void {
    this.#tell = undefined;
  }

  hear(heard: Heard): void {
    if (heard.kind === "received") this.#open.delete(heard.messageId);
    if (heard.kind === "send") {
      const { number, deliveryId, place, text } = heard;
      const isDown = this.#random() < 0.1;
      if (!isDown) this.seen.push({ deliveryId, place, text });
      this.#tell?.({ kind: "answer", number, messageId: isDown ? null : `p${this.seen.length}` });
    }
    if (heard.kind === "thread") {
      const made = this.threads.get(heard.once) ?? [];
      const there = this.#isOnce ? made[0] : undefined;
      const threadId = there ?? `${heard.once}-${made.length + 1}`;
      if (!there) this.threads.set(heard.once, [...made, threadId]);
      this.#tell?.({ kind: "answer", number: heard.number, threadId });
    }
  }
}

export class HandoffProcess {
  readonly ready: Promise<void>;
  readonly ended: Promise<{ readonly how: string | number; readonly complaint: string }>;
  readonly #child: ChildProcess;

  constructor(options: object, platform: HandoffPlatform) {
    this.#child = spawn(process.execPath, [CHILD, JSON.stringify(options)], {
      stdio: ["ignore", "inherit", "pipe", "ipc"],
    });
    let complaint = "";
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      complaint += text;
    });
    let beReady: () => void = () => {};
    const isReady = new Promise<void>((resolve) => {
      beReady = resolve;
    });
    this.#child.on("message", (heard: Heard) => {
      if (heard.kind !== "ready") return platform.hear(heard);
      platform.connect((message) => this.#tell(message));
      beReady();
    });
    this.ended = once(this.#child, "close").then(([code, signal]) => {
      platform.disconnect();
      return { how: signal ?? code, complaint };
    });
    this.ready = Promise.race([isReady, this.ended.then(() => {})]);
  }

  get isOver(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  arm(point: HandoffPoint): void {
    this.#tell({ kind: "arm", point });
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }

  #tell(message: object): void {
    // A process that is just dying cannot be told; what it did not hear, the next one will.
    if (this.#child.connected) this.#child.send(message, () => {});
  }
}
