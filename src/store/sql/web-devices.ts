/** Who is signed in to the page, and the links to sign in with, by the hashes of what is random. */
import type { Device, LinkOwner, WebDevices } from "../../gateway/web/devices.js";
import { storableText } from "../../util/text.js";
import type { Db, Queries, Row } from "../db.js";
import { columnsOf } from "./columns.js";
import { marks } from "./of-person.js";
import { maybe, number, text } from "./values.js";

/** A device is noted as seen that often at most. */
const SEEN_MS = 3_600_000;

export class SqlWebDevices implements WebDevices {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  offer(
    linkHash: string,
    { identity, alias, called }: LinkOwner,
    expiresAt: number,
    now: number,
  ): Promise<void> {
    return this.#db.transaction(async (tx) => {
      await tx.run("DELETE FROM web_links WHERE expires_at <= ?", now);
      await tx.run(
        "INSERT INTO web_links (code_hash, identity, alias, called, expires_at) VALUES (?, ?, ?, ?, ?)",
        linkHash,
        identity,
        alias,
        called === null ? null : storableText(called),
        expiresAt,
      );
    });
  }

  enter(
    linkHash: string,
    { id, name, tokenHash }: Pick<Device, "id" | "name"> & { readonly tokenHash: string },
    now: number,
  ): Promise<Device | null> {
    return this.#db.transaction(async (tx) => {
      const spent =
        "DELETE FROM web_links WHERE code_hash = ? AND expires_at > ? RETURNING identity, alias, called";
      const link = await tx.write(spent, linkHash, now);
      if (!link) return null;
      const row = await tx.write(
        `INSERT INTO web_devices (id, identity, alias, called, token_hash, name, created_at, seen_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)
         RETURNING ${columnsOf("web_devices")}`,
        id,
        text(link.identity),
        link.alias ?? null,
        link.called ?? null,
        tokenHash,
        storableText(name),
        now,
        now,
      );
      return row ? deviceOf(row) : null;
    });
  }

  async known(tokenHash: string, now: number): Promise<Device | null> {
    const sql = `SELECT ${columnsOf("web_devices")} FROM web_devices WHERE token_hash = ?`;
    const row = await this.#db.get(sql, tokenHash);
    if (!row) return null;
    const device = deviceOf(row);
    if (now - device.seenAt < SEEN_MS) return device;
    const seen = "UPDATE web_devices SET seen_at = ? WHERE id = ? AND seen_at < ?";
    await this.#db.run(seen, now, device.id, now);
    return { ...device, seenAt: now };
  }

  async list(identities: readonly string[] | null): Promise<Device[]> {
    if (identities?.length === 0) return [];
    const theirs = identities === null ? "" : `WHERE identity IN (${marks(identities)})`;
    return listIn(this.#db, theirs, identities ?? []);
  }

  async revoke(id: string, identities: readonly string[] | null): Promise<boolean> {
    if (identities?.length === 0) return false;
    const theirs = identities === null ? "" : `AND identity IN (${marks(identities)})`;
    const sql = `DELETE FROM web_devices WHERE id = ? ${theirs}`;
    const isGone = (await this.#db.run(sql, id, ...(identities ?? []))) > 0;
    if (isGone) this.#db.record({ kind: "devices" });
    return isGone;
  }

  async revokeAll(identities: readonly string[]): Promise<Device[]> {
    if (identities.length === 0) return [];
    const theirs = `WHERE identity IN (${marks(identities)})`;
    return this.#db.transaction(async (tx) => {
      // First, so that none of them is used meanwhile.
      await tx.run(`DELETE FROM web_links ${theirs}`, ...identities);
      const devices = await listIn(tx, theirs, identities);
      await tx.run(`DELETE FROM web_devices ${theirs}`, ...identities);
      if (devices.length > 0) tx.record({ kind: "devices" });
      return devices;
    });
  }
}

async function listIn(db: Queries, which: string, identities: readonly string[]): Promise<Device[]> {
  const rows = await db.all(
    `SELECT ${columnsOf("web_devices")} FROM web_devices ${which} ORDER BY seen_at DESC, created_at DESC, id`,
    ...identities,
  );
  return rows.map(deviceOf);
}

function deviceOf(row: Row): Device {
  return {
    id: text(row.id),
    identity: text(row.identity),
    alias: maybe(row.alias ?? null, text),
    called: maybe(row.called ?? null, text),
    name: text(row.name),
    createdAt: number(row.created_at),
    seenAt: number(row.seen_at),
  };
}
