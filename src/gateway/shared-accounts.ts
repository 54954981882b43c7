/**
 * Which accounts a store serves now, and which of them share conversations by mistake: a session's key contains the
 * agent, the platform and the chat, and a person has the same chat id with two bots.
 */
import { platformTraits } from "../session/platform.js";
import { mayBeAlive } from "../util/holder.js";
import type { Account, AccountLease, Accounts } from "./store.js";

/** The name under which an account stores its agent. */
export const AGENT = "agent";

export interface ServedAccount extends Account, AccountLease {
  /** The agent's name in the keys of its sessions. */
  readonly agent: string;
}

export async function servedAccounts(accounts: Accounts, now: number): Promise<ServedAccount[]> {
  const agents = await accounts.all(AGENT);
  const held = await accounts.held(now);
  return held
    .filter(({ holder, until }) => until > now && mayBeAlive(holder))
    .flatMap((each) => {
      const named = agents.find(({ platform, account }) => isSame(each, { platform, account }));
      return named ? [{ ...each, agent: named.value }] : [];
    });
}

/** One sentence for each agent and platform that has more than one account. */
export function sharingTexts(served: readonly ServedAccount[]): string[] {
  const groups = new Map<string, ServedAccount[]>();
  for (const each of served) {
    const name = `${each.platform} ${each.agent}`;
    groups.set(name, [...(groups.get(name) ?? []), each]);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first || group.length < 2) return [];
    const names = group.map(({ account }) => account).sort();
    return [
      `${group.length} ${platformTraits(first.platform).title} accounts (${names.join(", ")}) use this store for the agent "${first.agent}", so somebody who writes to both has one conversation with both. To keep them apart, run \`baton config set scopes.agent <name>\` for one of them and restart its gateway.`,
    ];
  });
}

function isSame(one: Account, other: Account): boolean {
  return one.platform === other.platform && one.account === other.account;
}
