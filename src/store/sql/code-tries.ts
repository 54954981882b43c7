/** Codes that people try: wrong ones are counted by who tries, and who is locked out is not listened to. */
import { afterWrongTry, LOCK_MS, lockedUntil, type Tries, WRONG_TRIES } from "../../gateway/pairing.js";
import type { Tried } from "../../gateway/people-store.js";
import type { Queries } from "../db.js";
import { number } from "./values.js";

/** Looks at a code for somebody, unless they are locked out; null from the look says that it is wrong. */
export async function tried<Outcome extends { readonly kind: string }>(
  tx: Queries,
  who: string,
  now: number,
  look: () => Promise<Outcome | null>,
): Promise<Tried<Outcome>> {
  const tries = await triesOf(tx, who);
  const until = lockedUntil(tries, now);
  if (until !== null) return { kind: "locked", until };
  const outcome = await look();
  if (outcome) return outcome;
  const { wrong, lastAt } = afterWrongTry(tries, now);
  await tx.run("DELETE FROM tries WHERE who = ? OR last_at <= ?", who, now - LOCK_MS);
  await tx.run("INSERT INTO tries (who, wrong, last_at) VALUES (?, ?, ?)", who, wrong, lastAt);
  return { kind: "wrong", left: WRONG_TRIES - wrong };
}

export async function lockOf(on: Queries, who: string, now: number): Promise<number | null> {
  return lockedUntil(await triesOf(on, who), now);
}

async function triesOf(on: Queries, who: string): Promise<Tries | null> {
  const row = await on.get("SELECT wrong, last_at FROM tries WHERE who = ?", who);
  return row ? { wrong: number(row.wrong), lastAt: number(row.last_at) } : null;
}
