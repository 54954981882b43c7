/**
 * Which platforms Baton serves now, in this process or in another one over the same store. The prompt, `/platforms`,
 * handoffs and the tools that send all ask here, so they agree: connected means connected now.
 */
import { isPlatform, type Platform, platformTraits } from "../session/platform.js";
import type { Clock } from "../util/clock.js";
import { mayBeAlive } from "../util/holder.js";
import { type ConnectionState, STATE } from "./connection.js";
import type { Account, AccountLease, Accounts } from "./store.js";
import type { PlatformState, Surfaces } from "./surfaces.js";
import { addressIn, PAGE_ADDRESS } from "./web/address.js";

export interface ServedSetting {
  readonly accounts: Pick<Accounts, "all" | "held">;
  /** The accounts of this process. Absent for a command that serves none. */
  readonly here?: Pick<Surfaces, "connected" | "states">;
  readonly clock: Clock;
}

/** An account as the store knows it. */
export interface KnownAccount extends Account, PlatformState {
  /** Where people open it in a browser; null if they do not. */
  readonly address: string | null;
  /** The process that has it, or had it when it ended; null if none does. */
  readonly holder: AccountLease | null;
}

/** A platform as people are shown it. */
export interface ServedPlatform extends PlatformState {
  /** `gone`: the process that had it has ended, and nobody serves it now. */
  readonly by: "here" | "elsewhere" | "gone";
  /** Where people open it in a browser; null if they do not. */
  readonly address: string | null;
}

export class Served {
  readonly #setting: ServedSetting;

  constructor(setting: ServedSetting) {
    this.#setting = setting;
  }

  /** The accounts that are connected now, those of this process first. */
  async accounts(): Promise<Account[]> {
    const { here, clock } = this.#setting;
    const elsewhere = (await this.#known()).filter(
      (known) => known.state.kind === "connected" && isHeld(known, clock()),
    );
    return [...(here?.connected() ?? []), ...elsewhere];
  }

  /** The account through which a platform is reached; null if nobody serves it now. */
  async accountOn(platform: Platform): Promise<Account | null> {
    return (await this.accounts()).find((each) => each.platform === platform) ?? null;
  }

  /** The same, else the one through which it was reached last: what waits for it is sent when it is there again. */
  async lastAccountOn(platform: Platform): Promise<Account | null> {
    const isThere = (each: Account): boolean => each.platform === platform;
    return (await this.accountOn(platform)) ?? (await this.#known()).find(isThere) ?? null;
  }

  async platforms(): Promise<ReadonlySet<Platform>> {
    return new Set((await this.accounts()).map(({ platform }) => platform));
  }

  /** Every platform that a process has or had, those of this process first. */
  async states(): Promise<ServedPlatform[]> {
    const { here, clock } = this.#setting;
    const own = here?.states() ?? [];
    const known = await this.#known();
    const addressOf = (platform: Platform) => known.find((each) => each.platform === platform)?.address;
    const states: ServedPlatform[] = own.map((state) => ({
      ...{ ...state, by: "here" },
      address: addressOf(state.platform) ?? null,
    }));
    const others = known.filter(({ platform }) => !own.some((each) => each.platform === platform));
    const held = others.filter((known) => isHeld(known, clock()));
    states.push(...held.map((known) => shown(known, "elsewhere")));
    for (const known of others)
      if (!states.some(({ platform }) => platform === known.platform)) states.push(shown(known, "gone"));
    return states;
  }

  async #known(): Promise<KnownAccount[]> {
    const known = await knownAccounts(this.#setting.accounts, this.#setting.clock());
    return known.filter(({ platform }) => !isPlatform(platform) || !platformTraits(platform).isInternal);
  }
}

/** The last state of each account that the store knows of, and which process has it. */
export async function knownAccounts(
  accounts: ServedSetting["accounts"],
  now: number,
): Promise<KnownAccount[]> {
  const told = await accounts.all(STATE);
  const held = await accounts.held(now);
  const addresses = await accounts.all(PAGE_ADDRESS);
  return told.map(({ platform, account, value }) => {
    const { state, lastError } = JSON.parse(value) as {
      readonly state: ConnectionState;
      readonly lastError: string | null;
    };
    const isIt = (each: Account): boolean => each.platform === platform && each.account === account;
    const holder = held.find(isIt) ?? null;
    const address = addressIn(addresses.find(isIt)?.value)?.url ?? null;
    return { platform, account, state, lastError, holder, address };
  });
}

/** True if the process that has the account may still be alive. */
function isHeld({ holder }: KnownAccount, now: number): boolean {
  return holder !== null && holder.until > now && mayBeAlive(holder.holder);
}

function shown(
  { platform, state, lastError, address }: KnownAccount,
  by: ServedPlatform["by"],
): ServedPlatform {
  return { platform, state, lastError, address, by };
}
