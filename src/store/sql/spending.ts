/**
 * What people have spent of a day's limits. The identities of one person count together. There is a row for each identity
 * and day, so that everybody's sum reads as many rows as people were there that day.
 */
import type { DaySpending, Spending, Spent } from "../../gateway/store.js";
import type { Spend } from "../../gateway/usage-store.js";
import type { Db, Queries } from "../db.js";
import { number, text } from "./values.js";

const COLUMNS: Readonly<Record<Spent, string>> = { modelCalls: "model_calls", mediaBytes: "media_bytes" };

export class SqlSpending implements Spending {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  grant(
    identities: readonly string[],
    what: Spent,
    most: number,
    limit: number,
    day: string,
  ): Promise<number> {
    return this.#db.transaction(async (tx) => {
      const [first = ""] = identities;
      // Its row is there and held before the rest is added up: two grants at once do not count past each other.
      const isNew = await tx.run(
        "INSERT INTO spending (day, identity) VALUES (?, ?) ON CONFLICT (day, identity) DO NOTHING",
        day,
        first,
      );
      if (isNew) await tx.run("DELETE FROM spending WHERE day < ?", monthBefore(day));
      await tx.get(
        `SELECT identity FROM spending WHERE day = ? AND identity = ? ${this.#db.dialect.forUpdate("spending")}`,
        day,
        first,
      );
      const spent = await spentBy(tx, identities, what, day);
      const granted = Math.max(0, Math.min(most, limit - spent));
      if (granted > 0) await add(tx, first, what, granted, day);
      return granted;
    });
  }

  async giveBack(identities: readonly string[], what: Spent, amount: number, day: string): Promise<void> {
    if (amount > 0) await add(this.#db, identities[0] ?? "", what, -amount, day);
  }

  async of(day: string): Promise<DaySpending[]> {
    const rows = await this.#db.all(
      "SELECT identity, model_calls, media_bytes, tokens, cost FROM spending WHERE day = ? ORDER BY identity",
      day,
    );
    return rows.map((row) => ({
      identity: text(row.identity),
      modelCalls: number(row.model_calls),
      mediaBytes: number(row.media_bytes),
      tokens: number(row.tokens),
      cost: number(row.cost),
    }));
  }
}

/** What a call used, within the transaction that keeps it. */
export async function addSpending(
  tx: Queries,
  identity: string,
  { tokens, cost }: Spend,
  day: string,
): Promise<void> {
  const added = "UPDATE spending SET tokens = tokens + ?, cost = cost + ? WHERE day = ? AND identity = ?";
  if ((await tx.run(added, tokens, cost, day, identity)) > 0) return;
  await tx.run(
    `INSERT INTO spending (day, identity, tokens, cost) VALUES (?, ?, ?, ?) ON CONFLICT (day, identity) DO UPDATE SET
       tokens = spending.tokens + excluded.tokens, cost = spending.cost + excluded.cost`,
    day,
    identity,
    tokens,
    cost,
  );
  await tx.run("DELETE FROM spending WHERE day < ?", monthBefore(day));
}

async function add(on: Queries, identity: string, what: Spent, amount: number, day: string): Promise<void> {
  const column = COLUMNS[what];
  await on.run(
    `UPDATE spending SET ${column} = ${column} + ? WHERE day = ? AND identity = ?`,
    amount,
    day,
    identity,
  );
}

async function spentBy(
  on: Queries,
  identities: readonly string[],
  what: Spent,
  day: string,
): Promise<number> {
  const row = await on.get(
    `SELECT coalesce(sum(${COLUMNS[what]}), 0) AS spent FROM spending
     WHERE day = ? AND identity IN (${identities.map(() => "?").join(", ")})`,
    day,
    ...identities,
  );
  return number(row?.spent);
}

/** Days are kept for a month, for whoever asks how much was used. */
export function monthBefore(day: string): string {
  return new Date(Date.parse(day) - 31 * 24 * 60 * 60 * 1_000).toISOString().slice(0, 10);
}
