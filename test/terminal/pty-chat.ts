/** The echo chat in a real PTY, seen through a small terminal. What a test waits for, it waits for by the output. */
import { fileURLToPath } from "node:url";
import type { IPty } from "@lydell/node-pty";
import { Vt } from "./vt.js";

const PATIENCE_MS = 30_000;
const root = fileURLToPath(new URL("../..", import.meta.url));
const CHAT = `'${process.execPath}' --import tsx test/terminal/echo-chat.ts`;

/** Null where the prebuilt PTY does not load. */
export const pty = await import("@lydell/node-pty").catch(() => null);

const open: PtyChat[] = [];

export class PtyChat {
  readonly vt: Vt;
  /** Everything that came, byte for byte. */
  raw = "";
  readonly exited: Promise<number>;
  readonly #process: IPty;
  #hasExited = false;
  #check: (() => void) | null = null;

  /** `shell`: a line for sh in which `$CHAT` is the chat. */
  constructor({ columns = 60, rows = 20, shell = "exec $CHAT" } = {}) {
    if (!pty) throw new Error("No PTY here.");
    this.vt = new Vt(columns, rows);
    this.#process = pty.spawn("/bin/sh", ["-c", shell.replaceAll("$CHAT", CHAT)], {
      cols: columns,
      rows,
      cwd: root,
      env: { PATH: process.env.PATH ?? "", TERM: "xterm-256color" },
    });
    this.#process.onData((data) => {
      this.raw += data;
      this.vt.write(data);
      this.#check?.();
    });
    this.exited = new Promise((resolve) => {
      this.#process.onExit(({ exitCode, signal }) => {
        this.#hasExited = true;
        resolve(signal ? 128 + signal : exitCode);
      });
    });
    open.push(this);
  }

  static async start(options: { columns?: number; rows?: number; shell?: string } = {}): Promise<PtyChat> {
    const chat = new PtyChat(options);
    await chat.until(() => chat.vt.marksPaste && /^› *$/m.test(chat.vt.text()));
    return chat;
  }

  type(keys: string): void {
    this.#process.write(keys);
  }

  /** Types, and waits until this can be seen. */
  async see(keys: string, text: string): Promise<void> {
    this.type(keys);
    await this.until(() => this.vt.text().includes(text));
  }

  resize(columns: number, rows: number): void {
    this.vt.resize(columns, rows);
    this.#process.resize(columns, rows);
  }

  /** The whole group: the PTY's own kill reaches only the shell. */
  kill(): void {
    if (this.#hasExited) return;
    try {
      process.kill(-this.#process.pid, "SIGKILL");
    } catch (error) {
      // It went in this moment, and we have not heard of it yet.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }

  async until(holds: () => boolean): Promise<void> {
    if (holds()) return;
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#check = null;
        reject(new Error(`It never came. The screen:\n${this.vt.text()}`));
      }, PATIENCE_MS);
      this.#check = () => {
        if (!holds()) return;
        clearTimeout(timer);
        this.#check = null;
        resolve();
      };
    });
  }
}

export function killAll(): void {
  for (const chat of open.splice(0)) chat.kill();
}
