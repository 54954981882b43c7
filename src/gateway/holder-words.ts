/** Who has an account, in words, as the gateway of one home folder sees it. */
import { ownerWords } from "./owner.js";
import type { AccountHolder } from "./store.js";

/** `isHere`: the holder is that gateway. */
export function holderText(holder: AccountHolder | null, isHere: boolean, now: number): string {
  if (!holder) return "no gateway has the account";
  const { owner, since, until } = holder;
  if (until <= now)
    return `no gateway has the account: the lease of ${ownerWords(owner)} ran out ${iso(until)}`;
  const lease = `since ${iso(since)}, with a lease until ${iso(until)}`;
  return isHere
    ? `this gateway has the account ${lease}`
    : `this gateway stands by: ${ownerWords(owner)} has the account ${lease}`;
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
