/**
 * Through which account a process is spoken of, and for which process the message is. Only a gateway of a process's home can
 * read its output. So if its conversation is in a chat of another home's gateway, that one gets the message through the store.
 */
import type { Clock } from "../../util/clock.js";
import { mayBeAlive } from "../../util/holder.js";
import type { ReportPlace } from "../process-reports.js";
import type { Account, Accounts } from "../store.js";
import type { Surface } from "../surface.js";

/** The name under which an account stores the home folder whose gateway had it last. */
const HOME = "home";

export interface ReachSetting {
  readonly accounts: Accounts;
  readonly home: string;
  /** The accounts that this process has, with somebody behind it. */
  readonly attended: () => readonly Account[];
  readonly holder: string;
  readonly clock: Clock;
}

/** `holder`: this process, or "" for the one that has the account. */
export interface Way extends Account {
  readonly holder: string;
}

export class ReportReach {
  readonly #setting: ReachSetting;

  constructor(setting: ReachSetting) {
    this.#setting = setting;
  }

  /** This process has the account: it reports about processes of its home there, and those of other homes leave it theirs. */
  async taken({ platform, account, capabilities }: Surface): Promise<void> {
    if (capabilities.isUnattended || capabilities.shared) return;
    const { accounts, home } = this.#setting;
    const one = { platform, account };
    if ((await accounts.read(one, HOME)) !== home) await accounts.write(one, HOME, home);
  }

  /** Null if nobody could pass it on now, or if another gateway of this home does it. */
  async to({ source: { platform }, account }: ReportPlace): Promise<Way | null> {
    const { attended, holder } = this.#setting;
    const isIt = (one: Account): boolean =>
      one.platform === platform && (account === null || one.account === account);
    const here = attended().find(isIt);
    if (here) return { platform, account: here.account, holder };
    if (account === null || !(await this.#isElsewhere({ platform, account }))) return null;
    return { platform, account, holder: "" };
  }

  /** True if a gateway of another home has it now. */
  async #isElsewhere(account: Account): Promise<boolean> {
    const { accounts, home, clock } = this.#setting;
    const theirs = await accounts.read(account, HOME);
    if (theirs === null || theirs === home) return false;
    const now = clock();
    const lease = await accounts.lease(account, now);
    return lease !== null && lease.until > now && mayBeAlive(lease.holder);
  }
}
