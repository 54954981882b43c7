/**
 * People over SQL. Every change holds the one row of `people_state`, so changes come one after the other in all processes;
 * who is asked for on the way of a message is found by one indexed query, and holds nothing.
 */

import { ASKED_MS, askingBy, MOST_ANSWERS } from "../../gateway/pairing.js";
import type {
  KnownPerson,
  MayJoin,
  NewPairingRequest,
  NewPerson,
  PairingOutcome,
  PairingRequest,
  PairingStanding,
  PeopleStore,
  Person,
} from "../../gateway/people-store.js";
import type { Role } from "../../gateway/permissions.js";
import type { JobId } from "../../session/ids.js";
import type { Platform } from "../../session/platform.js";
import { storableText } from "../../util/text.js";
import type { Db, Queries, Row } from "../db.js";
import { lockOf, tried } from "./code-tries.js";
import { columnsOf } from "./columns.js";
import { removeJob } from "./jobs.js";
import { findPerson, joinPersons, partIdentity, personsOf, readPerson, savePerson } from "./persons.js";
import { flag, maybe, number, text } from "./values.js";

export class SqlPeople implements PeopleStore {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  find(identity: string): Promise<Person | null> {
    return findPerson(this.#db, identity);
  }

  /** One query: every message of somebody who did not write lately asks this. */
  async known(identity: string): Promise<KnownPerson> {
    const rows = await this.#db.all(
      `SELECT people_state.version, ${columnsOf("persons")}, identities.identity, identities.role FROM people_state
       LEFT JOIN identities AS own ON own.identity = ?
       LEFT JOIN persons ON persons.id = own.person_id
       LEFT JOIN identities ON identities.person_id = own.person_id
       WHERE people_state.one = 1 ORDER BY identities.identity`,
      identity,
    );
    const [person = null] = personsOf(rows.filter((row) => row.id !== null));
    return { person, version: number(rows[0]?.version) };
  }

  async list(): Promise<Person[]> {
    const rows = await this.#db.all(
      `SELECT ${columnsOf("persons")}, identities.identity, identities.role FROM persons
       JOIN identities ON identities.person_id = persons.id
       ORDER BY persons.number, identities.identity`,
    );
    return personsOf(rows);
  }

  salt(fresh: string): Promise<string> {
    return this.#change(async (tx) => {
      await tx.run("UPDATE people_state SET salt = ? WHERE salt IS NULL", fresh);
      return text((await tx.get("SELECT salt FROM people_state"))?.salt);
    });
  }

  standing(identity: string, platform: Platform, now: number): Promise<PairingStanding> {
    return standing(this.#db, identity, platform, now);
  }

  ask(request: NewPairingRequest, now: number): Promise<PairingOutcome> {
    return this.#change(async (tx) => {
      const { identity, platform, called, codeHash, expiresAt } = request;
      const asked = askingBy(await standing(tx, identity, platform, now), now);
      if (asked !== "asked") return asked;
      await tx.run(
        "DELETE FROM pairings WHERE denied = 0 AND (identity = ? OR expires_at <= ?)",
        identity,
        now - ASKED_MS,
      );
      await tx.run(
        `INSERT INTO pairings (identity, platform, called, code_hash, asked_at, expires_at, answers, denied)
         VALUES (?, ?, ?, ?, ?, ?, 1, 0)`,
        identity,
        platform,
        called === null ? null : storableText(called),
        codeHash,
        now,
        expiresAt,
      );
      return asked;
    });
  }

  async withdraw(identity: string, codeHash: string): Promise<void> {
    const ours = "DELETE FROM pairings WHERE identity = ? AND code_hash = ? AND denied = 0";
    await this.#change((tx) => tx.run(ours, identity, codeHash));
  }

  async answerAgain(identity: string, now: number): Promise<boolean> {
    const again = `UPDATE pairings SET answers = answers + 1
      WHERE identity = ? AND denied = 0 AND expires_at > ? AND answers < ?`;
    return (await this.#change((tx) => tx.run(again, identity, now, MOST_ANSWERS))) === 1;
  }

  async requests(now: number): Promise<PairingRequest[]> {
    const sql = `SELECT ${columnsOf("pairings")} FROM pairings WHERE denied = 1 OR expires_at > ? ORDER BY denied, asked_at, identity`;
    return (await this.#db.all(sql, now)).map(requestOf);
  }

  approve(by: string, codeHash: string, as: NewPerson, now: number) {
    return this.#changePersons((tx) =>
      tried(tx, by, now, async () => {
        const asker = await spendPairing(tx, codeHash, now);
        if (asker === null) return null;
        return { kind: "approved" as const, person: await letIn(tx, asker, as, now), identity: asker };
      }),
    );
  }

  denyCode(by: string, codeHash: string, now: number) {
    return this.#change((tx) =>
      tried(tx, by, now, async () => {
        const open = "SELECT identity FROM pairings WHERE code_hash = ? AND denied = 0 AND expires_at > ?";
        const row = await tx.get(open, codeHash, now);
        if (!row) return null;
        await deny(tx, text(row.identity), now);
        return { kind: "denied" as const, identity: text(row.identity) };
      }),
    );
  }

  deny(identity: string, now: number): Promise<boolean> {
    return this.#change((tx) => deny(tx, identity, now));
  }

  showLink(identity: string, codeHash: string, expiresAt: number): Promise<void> {
    return this.#change(async (tx) => {
      await tx.run("DELETE FROM link_codes WHERE identity = ?", identity);
      await tx.run(
        "INSERT INTO link_codes (identity, code_hash, expires_at) VALUES (?, ?, ?)",
        identity,
        codeHash,
        expiresAt,
      );
    });
  }

  link(typed: string, codeHash: string, mayJoin: MayJoin | null, personId: string, now: number) {
    return this.#changePersons((tx) =>
      tried(tx, typed, now, async () => {
        const spent = "DELETE FROM link_codes WHERE code_hash = ? AND expires_at > ? RETURNING identity";
        const row = await tx.get(spent, codeHash, now);
        if (!row) return null;
        const shown = text(row.identity);
        const [first, second] = [await findPerson(tx, shown), await findPerson(tx, typed)];
        if (shown === typed || (first && first.id === second?.id)) return { kind: "same" as const };
        const alone = (identity: string) => ({ identities: [{ identity, role: null }] });
        if (!mayJoin?.(first ?? alone(shown), second ?? alone(typed))) return { kind: "refused" as const };
        await tx.run("DELETE FROM pairings WHERE identity = ?", typed);
        const person = await joinPersons(tx, shown, typed, personId, now);
        return { kind: "linked" as const, person, with: shown };
      }),
    );
  }

  join(first: string, second: string, personId: string, now: number): Promise<Person> {
    return this.#changePersons(async (tx) => {
      await tx.run("DELETE FROM pairings WHERE identity IN (?, ?)", first, second);
      return joinPersons(tx, first, second, personId, now);
    });
  }

  unlink(identity: string, personId: string, now: number): Promise<boolean> {
    return this.#changePersons((tx) => partIdentity(tx, identity, personId, now));
  }

  async setRole(personId: string, role: Role): Promise<boolean> {
    const set = "UPDATE identities SET role = ? WHERE person_id = ?";
    return (await this.#changePersons((tx) => tx.run(set, role, personId))) > 0;
  }

  forget(which: { readonly personId: string } | { readonly identity: string }): Promise<number> {
    return this.#changePersons(async (tx) => {
      const person =
        "personId" in which ? await readPerson(tx, which.personId) : await findPerson(tx, which.identity);
      const alone = "identity" in which ? [which.identity] : [];
      const theirs = person?.identities.map(({ identity }) => identity) ?? alone;
      let gone = person ? theirs.length : 0;
      for (const identity of theirs) {
        gone += await tx.run("DELETE FROM pairings WHERE identity = ?", identity);
        await tx.run("DELETE FROM link_codes WHERE identity = ?", identity);
        await tx.run("DELETE FROM standing_approvals WHERE identity = ?", identity);
        await tx.run("DELETE FROM web_links WHERE identity = ?", identity);
        const devices = await tx.run("DELETE FROM web_devices WHERE identity = ?", identity);
        if (devices > 0) tx.record({ kind: "devices" });
        const jobs = await tx.all("SELECT id FROM jobs WHERE owner = ?", identity);
        for (const { id } of jobs) await removeJob(tx, text<JobId>(id));
        if (jobs.length > 0) tx.record({ kind: "jobs" });
      }
      if (person) {
        await tx.run("DELETE FROM identities WHERE person_id = ?", person.id);
        await tx.run("DELETE FROM persons WHERE id = ?", person.id);
      }
      return gone;
    });
  }

  lockedUntil(who: string, now: number): Promise<number | null> {
    return lockOf(this.#db, who, now);
  }

  /** Who was looked up before is looked up again. */
  #changePersons<Result>(work: (tx: Queries) => Promise<Result>): Promise<Result> {
    return this.#db.transaction(async (tx) => {
      await tx.run("UPDATE people_state SET version = version + 1 WHERE one = 1");
      return work(tx);
    });
  }

  #change<Result>(work: (tx: Queries) => Promise<Result>): Promise<Result> {
    return this.#db.transaction(async (tx) => {
      await tx.get(
        `SELECT one FROM people_state WHERE one = 1 ${this.#db.dialect.forUpdate("people_state")}`,
      );
      return work(tx);
    });
  }
}

async function standing(
  on: Queries,
  identity: string,
  platform: Platform,
  now: number,
): Promise<PairingStanding> {
  const row = await on.get(`SELECT ${columnsOf("pairings")} FROM pairings WHERE identity = ?`, identity);
  const others = await on.get(
    "SELECT count(*) AS n FROM pairings WHERE denied = 0 AND platform = ? AND expires_at > ? AND identity <> ?",
    platform,
    now,
    identity,
  );
  return {
    request: row ? requestOf(row) : null,
    answers: row ? number(row.answers) : 0,
    othersWaiting: number(others?.n),
  };
}

/** The one who asked with this code, which is spent now; null where it does not count. */
async function spendPairing(tx: Queries, codeHash: string, now: number): Promise<string | null> {
  const spent =
    "DELETE FROM pairings WHERE code_hash = ? AND denied = 0 AND expires_at > ? RETURNING identity";
  const row = await tx.get(spent, codeHash, now);
  return row ? text(row.identity) : null;
}

async function letIn(tx: Queries, identity: string, as: NewPerson, now: number): Promise<Person> {
  const known = await findPerson(tx, identity);
  if (!known) return savePerson(tx, as, identity, now);
  await tx.run("UPDATE identities SET role = ? WHERE identity = ?", as.role, identity);
  if (as.name !== null) await tx.run("UPDATE persons SET name = ? WHERE id = ?", as.name, known.id);
  return (await findPerson(tx, identity)) ?? known;
}

async function deny(tx: Queries, identity: string, now: number): Promise<boolean> {
  const refuse = "UPDATE pairings SET denied = 1 WHERE identity = ? AND denied = 0 AND expires_at > ?";
  return (await tx.run(refuse, identity, now)) === 1;
}

function requestOf(row: Row): PairingRequest {
  return {
    identity: text(row.identity),
    called: maybe(row.called, text),
    askedAt: number(row.asked_at),
    expiresAt: number(row.expires_at),
    denied: flag(row.denied),
  };
}
