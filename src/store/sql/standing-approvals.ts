/** What owners allowed for good. */
import type { StandingApproval, StandingApprovals } from "../../gateway/store.js";
import type { SessionKey } from "../../session/session-key.js";
import type { Db } from "../db.js";
import { number, text } from "./values.js";

export class SqlStandingApprovals implements StandingApprovals {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  async add({ key, identity, digest, shown }: Omit<StandingApproval, "id">, now: number): Promise<void> {
    await this.#db.run(
      `INSERT INTO standing_approvals (lane, identity, digest, shown, created_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (lane, identity, digest) DO NOTHING`,
      key,
      identity,
      digest,
      shown,
      now,
    );
  }

  async has(key: SessionKey, identities: readonly string[], digest: string): Promise<boolean> {
    if (identities.length === 0) return false;
    const row = await this.#db.get(
      `SELECT id FROM standing_approvals
       WHERE lane = ? AND digest = ? AND identity IN (${identities.map(() => "?").join(", ")})`,
      key,
      digest,
      ...identities,
    );
    return row !== undefined && row !== null;
  }

  async in(key: SessionKey): Promise<StandingApproval[]> {
    const rows = await this.#db.all(
      "SELECT id, identity, digest, shown FROM standing_approvals WHERE lane = ? ORDER BY id",
      key,
    );
    return rows.map((row) => ({
      id: number(row.id),
      key,
      identity: text(row.identity),
      digest: text(row.digest),
      shown: text(row.shown),
    }));
  }

  async remove(key: SessionKey, id: number): Promise<boolean> {
    return (await this.#db.run("DELETE FROM standing_approvals WHERE lane = ? AND id = ?", key, id)) > 0;
  }
}
