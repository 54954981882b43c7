/** The lives of one gateway: a store, a platform that outlives it, and one process after the other. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AtLeastOnce } from "../support/at-least-once.js";
import { GatewayProcess, type GatewayProcessOptions, type Point } from "../support/gateway-process.js";
import { checkSettled, type Settled } from "./journey-check.js";

/** Short, so that turns come to renew their lease. */
const LEASE_MS = 300;
const SLOW_MS = 130;

export class Lives {
  readonly platform = new AtLeastOnce();
  readonly #folder: string;
  readonly #chats: readonly string[];
  #process: GatewayProcess | undefined;

  private constructor(folder: string, chats: readonly string[]) {
    this.#folder = folder;
    this.#chats = chats;
  }

  /** The busy mode of a chat is what its name begins with; the others queue. */
  static async begin(chats: readonly string[]): Promise<Lives> {
    return new Lives(await mkdtemp(join(tmpdir(), "baton-journey-")), chats);
  }

  /** Removes the store, unless something is wrong with it: then it says where it is. */
  async live<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      const result = await work();
      await this.#process?.kill();
      await rm(this.#folder, { recursive: true, force: true });
      return result;
    } catch (error) {
      await this.#process?.kill();
      throw new Error(`${(error as Error).message} (kept in ${this.#folder})`, { cause: error });
    }
  }

  /** The next process; with a point, one that dies there, even while it starts. */
  start(
    point?: Point,
    more: Partial<Pick<GatewayProcessOptions, "streams" | "failing" | "leaseMs">> = {},
  ): GatewayProcess {
    const busy = Object.fromEntries(
      this.#chats.flatMap((chat) => {
        const mode = /^(interrupt|steer)/.exec(chat)?.[1] as "interrupt" | "steer" | undefined;
        return mode ? [[`telegram:${chat}`, mode]] : [];
      }),
    );
    const options = {
      url: this.#path,
      account: "bot",
      people: this.#chats,
      busy,
      leaseMs: LEASE_MS,
      slowMs: SLOW_MS,
      effects: this.#effects,
      ...more,
    };
    this.#process = new GatewayProcess({ ...options, ...(point ? { point } : {}) }, this.platform);
    return this.#process;
  }

  check(): Settled {
    return checkSettled(this.#path, this.platform, this.#effects);
  }

  get #effects(): string {
    return join(this.#folder, "effects");
  }

  get #path(): string {
    return join(this.#folder, "baton.db");
  }
}

/** Waits until it has killed itself. */
export async function death(process: GatewayProcess, where: string): Promise<void> {
  const alarm = setTimeout(() => process.signal("SIGTERM"), 15_000);
  const { how, complaint } = await process.ended;
  clearTimeout(alarm);
  if (how !== "SIGKILL") throw new Error(`It was to die ${where}, and ended with ${how}. ${complaint}`);
}
