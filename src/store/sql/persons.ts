/** Persons and their identities: found, made, joined and parted, inside the transaction of whoever changes them. */

import type { NewPerson, Person } from "../../gateway/people-store.js";
import type { Role } from "../../gateway/permissions.js";
import { ROLES } from "../../gateway/permissions.js";
import type { Queries, Row } from "../db.js";
import { columnsOf } from "./columns.js";
import { maybe, number, oneOf, text } from "./values.js";

export async function findPerson(on: Queries, identity: string): Promise<Person | null> {
  const rows = await on.all(
    `SELECT ${columnsOf("persons")}, identities.identity, identities.role FROM identities AS own
     JOIN persons ON persons.id = own.person_id
     JOIN identities ON identities.person_id = own.person_id
     WHERE own.identity = ? ORDER BY identities.identity`,
    identity,
  );
  return personsOf(rows)[0] ?? null;
}

export async function readPerson(on: Queries, id: string): Promise<Person | null> {
  const rows = await on.all(
    `SELECT ${columnsOf("persons")}, identities.identity, identities.role FROM persons
     JOIN identities ON identities.person_id = persons.id
     WHERE persons.id = ? ORDER BY identities.identity`,
    id,
  );
  return personsOf(rows)[0] ?? null;
}

/** One row an identity, those of a person together. */
export function personsOf(rows: readonly Row[]): Person[] {
  const persons = new Map<string, Person>();
  for (const row of rows) {
    const id = text(row.id);
    const before = persons.get(id)?.identities ?? [];
    const role = maybe(row.role, (value) => oneOf(value, ROLES));
    persons.set(id, {
      id,
      name: maybe(row.name, text),
      createdAt: number(row.created_at),
      identities: [...before, { identity: text(row.identity), role }],
    });
  }
  return [...persons.values()];
}

export async function savePerson(
  tx: Queries,
  { id, name, role }: Omit<NewPerson, "role"> & { readonly role: Role | null },
  identity: string,
  now: number,
): Promise<Person> {
  await tx.run("INSERT INTO persons (id, name, created_at) VALUES (?, ?, ?)", id, name, now);
  await addIdentity(tx, identity, id, role);
  return { id, name, createdAt: now, identities: [{ identity, role }] };
}

/** The second one's person goes into the first one's, with all identities; each keeps the role it has. */
export async function joinPersons(
  tx: Queries,
  first: string,
  second: string,
  personId: string,
  now: number,
): Promise<Person> {
  const nobody = { id: personId, name: null, role: null };
  const into = (await findPerson(tx, first)) ?? (await savePerson(tx, nobody, first, now));
  const from = await findPerson(tx, second);
  if (!from) await addIdentity(tx, second, into.id, null);
  else if (from.id !== into.id) {
    await tx.run("UPDATE identities SET person_id = ? WHERE person_id = ?", into.id, from.id);
    await tx.run("DELETE FROM persons WHERE id = ?", from.id);
    if (into.name === null) await tx.run("UPDATE persons SET name = ? WHERE id = ?", from.name, into.id);
  }
  return (await findPerson(tx, first)) ?? into;
}

/** False where the identity is nobody's, or the only one of its person. */
export async function partIdentity(
  tx: Queries,
  identity: string,
  personId: string,
  now: number,
): Promise<boolean> {
  const person = await findPerson(tx, identity);
  if (!person || person.identities.length === 1) return false;
  const own = person.identities.find((each) => each.identity === identity);
  await tx.run("DELETE FROM identities WHERE identity = ?", identity);
  if (own?.role) await savePerson(tx, { id: personId, name: null, role: own.role }, identity, now);
  const [last, ...others] = person.identities.filter((each) => each.identity !== identity);
  // Nothing is known of one identity without a role that the configuration would not say alone.
  if (last?.role === null && others.length === 0) {
    await tx.run("DELETE FROM identities WHERE person_id = ?", person.id);
    await tx.run("DELETE FROM persons WHERE id = ?", person.id);
  }
  return true;
}

async function addIdentity(
  tx: Queries,
  identity: string,
  personId: string,
  role: Role | null,
): Promise<void> {
  await tx.run(
    "INSERT INTO identities (identity, person_id, role) VALUES (?, ?, ?)",
    identity,
    personId,
    role,
  );
}
