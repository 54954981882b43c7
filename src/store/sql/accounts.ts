/** Accounts of platforms: who has them at the moment, what they remember, and the home channels. */
import type { Account, Accounts, HomeChannel, Lease } from "../../gateway/store.js";
import { formatAddress, parseAddress } from "../../session/source.js";
import { storableText } from "../../util/text.js";
import type { Db } from "../db.js";

export class SqlAccounts implements Accounts {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  async holder({ platform, account }: Account): Promise<Lease | null> {
    const row = await this.#db.get(
      "SELECT owner, lease_until FROM accounts WHERE platform = ? AND account = ?",
      platform,
      account,
    );
    return row ? { owner: row.owner as string, until: Number(row.lease_until) } : null;
  }

  async take({ platform, account }: Account, lease: Lease, from: Lease | null): Promise<boolean> {
    if (from === null) {
      const added = await this.#db.run(
        `INSERT INTO accounts (platform, account, owner, lease_until) VALUES (?, ?, ?, ?)
         ON CONFLICT (platform, account) DO NOTHING`,
        platform,
        account,
        lease.owner,
        lease.until,
      );
      return added === 1;
    }
    const taken = await this.#db.run(
      `UPDATE accounts SET owner = ?, lease_until = ?
       WHERE platform = ? AND account = ? AND owner = ? AND lease_until = ?`,
      lease.owner,
      lease.until,
      platform,
      account,
      from.owner,
      from.until,
    );
    return taken === 1;
  }

  async renew({ platform, account }: Account, lease: Lease): Promise<boolean> {
    const renewed = await this.#db.run(
      "UPDATE accounts SET lease_until = ? WHERE platform = ? AND account = ? AND owner = ?",
      lease.until,
      platform,
      account,
      lease.owner,
    );
    return renewed === 1;
  }

  async release({ platform, account }: Account, owner: string): Promise<void> {
    await this.#db.run(
      "DELETE FROM accounts WHERE platform = ? AND account = ? AND owner = ?",
      platform,
      account,
      owner,
    );
  }

  async read({ platform, account }: Account, name: string): Promise<string | null> {
    const row = await this.#db.get(
      "SELECT value FROM account_memory WHERE platform = ? AND account = ? AND name = ?",
      platform,
      account,
      name,
    );
    return row ? (row.value as string) : null;
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
    return rows.map(({ platform, account, value }) => ({
      platform: platform as string,
      account: account as string,
      value: value as string,
    }));
  }

  async homes(): Promise<HomeChannel[]> {
    const rows = await this.#db.all("SELECT address, name FROM home_channels ORDER BY platform");
    return rows.map((row) => ({ address: parseAddress(row.address as string), name: row.name as string }));
  }

  async setHome({ address, name }: HomeChannel): Promise<void> {
    await this.#db.run(
      `INSERT INTO home_channels (platform, address, name) VALUES (?, ?, ?)
       ON CONFLICT (platform) DO UPDATE SET address = excluded.address, name = excluded.name`,
      address.platform,
      formatAddress(address),
      storableText(name),
    );
  }
}
