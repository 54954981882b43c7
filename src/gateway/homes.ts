/**
 * The home channels: where handoffs to a platform go. A home channel in the configuration wins; otherwise it is the
 * chat in which the owner sent `/sethome`. It asks the store each time, because another process may have changed it.
 */
import type { HomeChannel } from "../session/context.js";
import type { Platform } from "../session/platform.js";
import type { Accounts } from "./store.js";

export class Homes {
  readonly #accounts: Accounts;
  readonly #configured: readonly HomeChannel[];

  constructor(accounts: Accounts, configured: readonly HomeChannel[]) {
    this.#accounts = accounts;
    this.#configured = configured;
  }

  /** One for each platform. */
  async all(): Promise<readonly HomeChannel[]> {
    const said = (await this.#accounts.homes()).filter(({ address }) => !this.isConfigured(address.platform));
    return [...this.#configured, ...said];
  }

  isConfigured(platform: Platform): boolean {
    return this.#configured.some(({ address }) => address.platform === platform);
  }

  set(home: HomeChannel): Promise<void> {
    return this.#accounts.setHome(home);
  }
}
