/** Accounts of platforms: who has them at the moment, what they remember, and the home channels. */

import type { Account, AccountLease, Accounts, Hold } from "../../gateway/store.js";
import type { HomeChannel } from "../../session/context.js";
import { formatAddress } from "../../session/source.js";
import { storableText } from "../../util/text.js";
import type { Db } from "../db.js";
import { address, number, text } from "./values.js";

export class SqlAccounts implements Accounts {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  async lease({ platform, account }: Account, now: number): Promise<AccountLease | null> {
    const held = await this.held(now);
    return held.find((each) => each.platform === platform && each.account === account) ?? null;
  }

  async held(now: number): Promise<(Account & AccountLease)[]> {
    const shift = this.#db.dialect.clockShift(now);
    const rows = await this.#db.all(
      `SELECT platform, account, owner, lease_until - ${shift.sql} AS lease_until, since - ${shift.sql} AS since
       FROM accounts ORDER BY platform, account`,
      ...shift.values,
      ...shift.values,
    );
    return rows.map((row) => ({
      platform: text(row.platform),
      account: text(row.account),
      holder: text(row.owner),
      until: number(row.lease_until),
      since: number(row.since),
    }));
  }

  async take(
    { platform, account }: Account,
    { holder, leaseMs }: Hold,
    ended: string | null,
    now: number,
  ): Promise<boolean> {
    const shift = this.#db.dialect.clockShift(now);
    const taken = await this.#db.run(
      `INSERT INTO accounts (platform, account, owner, lease_until, since)
       VALUES (?, ?, ?, ? + ${shift.sql}, ? + ${shift.sql})
       ON CONFLICT (platform, account) DO UPDATE SET owner = excluded.owner, lease_until = excluded.lease_until,
         since = CASE WHEN accounts.owner = excluded.owner THEN accounts.since ELSE excluded.since END
       WHERE accounts.owner IN (?, ?) OR accounts.lease_until <= ? + ${shift.sql}`,
      platform,
      account,
      holder,
      now + leaseMs,
      ...shift.values,
      now,
      ...shift.values,
      holder,
      ended ?? holder,
      now,
      ...shift.values,
    );
    return taken === 1;
  }

  async renew({ platform, account }: Account, { holder, leaseMs }: Hold, now: number): Promise<boolean> {
    const shift = this.#db.dialect.clockShift(now);
    const renewed = await this.#db.run(
      `UPDATE accounts SET lease_until = ? + ${shift.sql} WHERE platform = ? AND account = ? AND owner = ?`,
      now + leaseMs,
      ...shift.values,
      platform,
      account,
      holder,
    );
    return renewed === 1;
  }

  async release({ platform, account }: Account, holder: string): Promise<void> {
    await this.#db.run(
      "DELETE FROM accounts WHERE platform = ? AND account = ? AND owner = ?",
      platform,
      account,
      holder,
    );
  }

  async read({ platform, account }: Account, name: string): Promise<string | null> {
    const row = await this.#db.get(
      "SELECT value FROM account_memory WHERE platform = ? AND account = ? AND name = ?",
      platform,
      account,
      name,
    );
    return row ? text(row.value) : null;
  }

  async write({ platform, account }: Account, name: string, value: string): Promise<void> {
    await this.#db.run(
      `INSERT INTO account_memory (platform, account, name, value) VALUES (?, ?, ?, ?)
       ON CONFLICT (platform, account, name) DO UPDATE SET value = excluded.value`,
      platform,
      account,
      name,
      storableText(value),
    );
  }

  async all(name: string): Promise<(Account & { value: string })[]> {
    const rows = await this.#db.all(
      "SELECT platform, account, value FROM account_memory WHERE name = ? ORDER BY platform, account",
      name,
    );
    return rows.map((row) => ({
      platform: text(row.platform),
      account: text(row.account),
      value: text(row.value),
    }));
  }

  async homes(): Promise<HomeChannel[]> {
    const rows = await this.#db.all(
      `SELECT platform, '' AS word, address, name FROM home_channels
       UNION ALL SELECT platform, word, address, name FROM named_homes ORDER BY platform, word`,
    );
    return rows.map((row) => ({
      address: address(row.address),
      name: text(row.name),
      ...(row.word === "" ? {} : { word: text(row.word) }),
    }));
  }

  async setHome({ address, name, word }: HomeChannel): Promise<boolean> {
    const values = [address.platform, formatAddress(address), storableText(name)];
    if (word === undefined) {
      await this.#db.run(
        `INSERT INTO home_channels (platform, address, name) VALUES (?, ?, ?)
         ON CONFLICT (platform) DO UPDATE SET address = excluded.address, name = excluded.name`,
        ...values,
      );
      return true;
    }
    const set = await this.#db.run(
      `INSERT INTO named_homes (platform, address, name, word) VALUES (?, ?, ?, ?)
       ON CONFLICT (word) DO UPDATE SET address = excluded.address, name = excluded.name
       WHERE named_homes.platform = excluded.platform`,
      ...values,
      word,
    );
    return set === 1;
  }

  async removeHome({ address, word }: HomeChannel): Promise<void> {
    if (word === undefined)
      await this.#db.run("DELETE FROM home_channels WHERE platform = ?", address.platform);
    else await this.#db.run("DELETE FROM named_homes WHERE word = ?", word);
  }
}
