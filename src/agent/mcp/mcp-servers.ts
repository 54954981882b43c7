/**
 * The tools of servers that speak the Model Context Protocol. The servers do not affect each other: a slow, dead or
 * hostile server loses only its own tools, and a turn waits for servers only once, for a moment.
 */

import { timerMs } from "../../util/timer-ms.js";
import type { Tool } from "../agent.js";
import { McpServer, type McpState, type McpSurroundings, type ServerOptions } from "./server.js";

export type { McpState, ServerOptions } from "./server.js";

export interface McpOptions extends Omit<McpSurroundings, "reserved" | "retryMs"> {
  /** The names of all other tools. */
  readonly reserved: readonly string[];
  readonly retryMs?: McpSurroundings["retryMs"];
  /** How long turns wait for servers that are still starting. */
  readonly patienceMs?: number;
}

const PATIENCE_MS = 3_000;
const LONGEST_PAUSE_MS = 60_000;

export class McpServers {
  readonly #servers: readonly McpServer[];
  readonly #patienceMs: number;
  #begun: Promise<unknown> = Promise.resolve();
  readonly #patience = new Set<NodeJS.Timeout>();

  constructor(servers: readonly ServerOptions[], options: McpOptions) {
    const { reserved, retryMs = pauseAfter, patienceMs = PATIENCE_MS, ...rest } = options;
    const around = { ...rest, retryMs, reserved: new Set(reserved) };
    this.#servers = servers.map((server) => new McpServer(server, around));
    this.#patienceMs = patienceMs;
  }

  /** Starts to connect to all of them, and waits for none. */
  start(): void {
    this.#begun = Promise.all(this.#servers.map((server) => this.#begin(server)));
  }

  /** Settles when it is connected, or failed, or enough time has passed for the first turn. */
  async #begin(server: McpServer): Promise<void> {
    const timers: NodeJS.Timeout[] = [];
    const after = (ms: number, act: () => void): void => {
      const timer = setTimeout(act, timerMs(ms));
      timers.push(timer);
      this.#patience.add(timer);
    };
    const { patienceMs = this.#patienceMs } = server;
    const enough = new Promise<void>((resolve) => after(patienceMs, resolve));
    if (patienceMs > this.#patienceMs) after(this.#patienceMs, () => server.tellWaiting());
    await Promise.race([server.start(), enough]);
    for (const timer of timers) clearTimeout(timer);
  }

  /**
   * The tools that are ready now. Soon after the start it waits a moment for servers that are still starting, and says
   * which ones a turn has to do without.
   */
  async tools(): Promise<readonly Tool[]> {
    await this.#begun;
    const tools = new Map<string, Tool>();
    for (const server of this.#servers) server.tellIfMissing();
    for (const tool of this.#servers.flatMap((server) => server.tools)) {
      if (!tools.has(tool.name)) tools.set(tool.name, tool);
    }
    return [...tools.values()];
  }

  states(): readonly McpState[] {
    return this.#servers.map((server) => server.state);
  }

  /** Ends all servers that are our processes. Calls in flight end with an error. */
  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()));
    for (const timer of this.#patience) clearTimeout(timer);
  }
}

/** 1 s, 2 s, 4 s … a minute. */
export function pauseAfter(failures: number): number {
  return Math.min(1_000 * 2 ** (failures - 1), LONGEST_PAUSE_MS);
}
