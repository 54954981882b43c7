/**
 * The home channels: where handoffs to a platform go. A home channel in the configuration wins; otherwise it is the
 * chat in which the owner sent `/sethome`. It asks the store each time, because another process may have changed it.
 */
import type { ContextConfig } from "../session/context.js";
import type { Platform } from "../session/platform.js";
import type { Accounts, HomeChannel } from "./store.js";

export class Homes {
  readonly #accounts: Accounts;
  readonly #configured: ContextConfig["homeChannels"];

  constructor(accounts: Accounts, configured: ContextConfig["homeChannels"]) {
    this.#accounts = accounts;
    this.#configured = configured;
  }

  /** One for each platform. */
  async all(): Promise<readonly HomeChannel[]> {
    const configured = Object.entries(this.#configured).map(([platform, { chatId, threadId, name }]) => ({
      address: threadId === undefined ? { platform, chatId } : { platform, chatId, threadId },
      name,
    }));
    const said = (await this.#accounts.homes()).filter(({ address }) => !this.isConfigured(address.platform));
    return [...configured, ...said];
  }

  /** In the form that the agent's context needs. */
  async forContext(): Promise<ContextConfig["homeChannels"]> {
    const homes = await this.all();
    return Object.fromEntries(
      homes.map(({ address: { platform, ...chat }, name }) => [platform, { ...chat, name }]),
    );
  }

  isConfigured(platform: Platform): boolean {
    return Object.hasOwn(this.#configured, platform);
  }

  set(home: HomeChannel): Promise<void> {
    return this.#accounts.setHome(home);
  }
}
