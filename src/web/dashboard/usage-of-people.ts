/** What models used, by person: the accounts of one person are one row. Pure. */
import { TERMINAL } from "../../gateway/authorize.js";
import type { Person } from "../../gateway/people-store.js";
import type { UsageSum } from "../../gateway/usage-store.js";
import { together } from "../../gateway/usage-words.js";

/** A sum, with what it is called for people. */
export interface NamedUsage extends UsageSum {
  readonly name: string;
}

export function byPerson(sums: readonly UsageSum[], persons: readonly Person[]): NamedUsage[] {
  const known = new Map(
    persons.flatMap((person) => person.identities.map(({ identity }) => [identity, person] as const)),
  );
  const rows = new Map<string, { readonly name: string; readonly sums: UsageSum[] }>();
  for (const sum of sums) {
    const person = known.get(sum.key);
    const key = person?.id ?? sum.key;
    const row = rows.get(key) ?? { name: person?.name ?? accountName(sum.key), sums: [] };
    row.sums.push(sum);
    rows.set(key, row);
  }
  return [...rows]
    .map(([key, row]) => ({ ...together(row.sums, key), name: row.name }))
    .sort((one, other) => other.totalTokens - one.totalTokens);
}

function accountName(identity: string): string {
  return identity === TERMINAL ? "this machine's terminal" : identity || "nobody known";
}
