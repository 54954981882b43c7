/** Who has an account, in words, as the gateway of one home folder sees it. */
import { holderWords } from "../util/holder.js";
import type { AccountLease } from "./store.js";

/** `isHere`: the holder is that gateway. */
export function holderText(lease: AccountLease | null, isHere: boolean, now: number): string {
  if (!lease) return "no gateway has the account";
  const { holder, since, until } = lease;
  if (until <= now)
    return `no gateway has the account: the lease of ${holderWords(holder)} ran out ${iso(until)}`;
  const time = `since ${iso(since)}, with a lease until ${iso(until)}`;
  return isHere
    ? `this gateway has the account ${time}`
    : `this gateway stands by: ${holderWords(holder)} has the account ${time}`;
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
