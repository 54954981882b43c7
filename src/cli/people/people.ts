import { TERMINAL } from "../../gateway/authorize.js";
import type { People } from "../../gateway/people.js";
import type { Person } from "../../gateway/people-store.js";
import { cleanLine } from "../../util/text.js";
import type { Cli } from "../cli.js";
import { CliError } from "../failure.js";

/** Opens the store for one command and closes it whatever happens. */
export async function withPeople<Result>(
  cli: Cli,
  purpose: "look" | "write",
  work: (people: People) => Promise<Result>,
): Promise<Result> {
  const { people, close } = await cli.openPeople(await cli.loadConfig(), purpose);
  try {
    return await work(people);
  } finally {
    await close();
  }
}

export async function findPerson(people: People, which: string): Promise<Person> {
  const found = which.startsWith("p_")
    ? (await people.store.list()).find(({ id }) => id === which)
    : await people.store.find(which);
  if (found) return found;
  const listed = people.listed.has(which) ? " It is let in by config.yaml: change it there." : "";
  throw new CliError(
    "person_not_found",
    `Nobody is known as ${cleanLine(which)}.${listed || " `baton people list` shows who is."}`,
  );
}

/** What they are called: a name, else their first identity. */
export function nameOf({ name, identities, id }: Person): string {
  return cleanLine(name ?? "") || cleanLine(identities[0]?.identity ?? id);
}

/** The roles that the configuration gives somebody, as a sentence; empty where it gives none. */
export function listedNote(people: People, identities: readonly string[]): string {
  const listed = identities.filter((each) => each !== TERMINAL && people.listed.has(each));
  const words = listed.map((each) => `${cleanLine(each)} as ${people.listed.get(each)}`);
  return words.length === 0 ? "" : ` config.yaml still lets in ${words.join(" and ")}.`;
}
