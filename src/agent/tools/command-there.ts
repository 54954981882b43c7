/**
 * A command in the foreground that runs elsewhere, with the client here that speaks for it. Only the other side knows
 * how it ended: a client that ends says nothing about the command.
 */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { LaunchThere, RemoteControl } from "../../util/command-environment.js";
import { endGroup } from "../../util/process-group.js";
import { forgetThere, signalThere, statusThere } from "../../util/remote-control.js";
import { cleanLine, shorten } from "../../util/text.js";
import { timerMs } from "../../util/timer-ms.js";
import { howShellsTell } from "./exit-words.js";

const KILL_GRACE_MS = 1_000;
/** How long the client may take to notice that the command is gone. */
const NOTICE_MS = 5_000;
const LONGEST_COMPLAINT = 1_000;

export class CommandThere {
  readonly #client: ChildProcess;
  readonly #remote: RemoteControl;
  readonly #environment: LaunchThere["environment"];
  readonly #exited: Promise<unknown>;
  /** No sandbox has complained. */
  readonly complaint = "";
  #said = "";

  constructor(client: ChildProcess, remote: RemoteControl, environment: LaunchThere["environment"]) {
    this.#client = client;
    this.#remote = remote;
    this.#environment = environment;
    this.#exited = once(client, "exit");
    client.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#said = cleanLine(shorten(this.#said + text, LONGEST_COMPLAINT));
    });
  }

  /** Settles when the command is gone or was killed there, and the client is gone here. */
  async end(): Promise<void> {
    const { pid } = this.#client;
    if (pid === undefined) return;
    for (const [name, patienceMs] of [
      ["TERM", KILL_GRACE_MS],
      ["KILL", NOTICE_MS],
    ] as const) {
      if (this.#hasExited) return;
      await signalThere(this.#remote, name, this.#environment);
      await Promise.race([this.#exited, delay(timerMs(patienceMs), undefined, { ref: false })]);
    }
    if (!this.#hasExited) await endGroup(pid, 0);
  }

  async howItEnded(): Promise<string> {
    const status = await statusThere(this.#remote, this.#environment);
    if (status.kind === "exited") {
      await forgetThere(this.#remote, this.#environment);
      return howShellsTell(status.code);
    }
    const why = this.#said === "" ? "" : ` ${this.#client.spawnfile} said: ${this.#said}`;
    return status.kind === "running"
      ? `The connection was lost, and the command still runs there.${why}`
      : `Nobody knows how the command ended, or if it ran: the connection failed.${why}`;
  }

  get #hasExited(): boolean {
    return this.#client.exitCode !== null || this.#client.signalCode !== null;
  }

  forget(): void {
    this.#client.stderr?.destroy();
  }
}
