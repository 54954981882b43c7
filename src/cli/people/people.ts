/** What the verbs of `baton people` share. */
import { TERMINAL } from "../../gateway/authorize.js";
import type { People } from "../../gateway/people.js";
import type { Person } from "../../gateway/people-store.js";
import { cleanLine } from "../../util/text.js";
import type { Cli, StoreUse } from "../cli.js";
import { CliError } from "../failure.js";

/** Nobody has access yet. */
export const NOBODY = "Only the person at this machine has access.";
export const SEE_LIST = " Run `baton people list` to see who has access.";

/** Opens the store for one command and always closes it. */
export async function withPeople<Result>(
  cli: Cli,
  purpose: StoreUse,
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
  const listed = people.listed.has(which) ? " config.yaml gives them access: change it there." : "";
  throw new CliError("person_not_found", `Person not found: ${cleanLine(which)}.${listed || SEE_LIST}`);
}

/** Their name, or their first account. */
export function nameOf({ name, identities, id }: Person): string {
  return cleanLine(name ?? "") || cleanLine(identities[0]?.identity ?? id);
}

/** What config.yaml gives these accounts, in sentences: roles, and groups that list them. Empty if it gives nothing. */
export function listedNote(people: People, identities: readonly string[]): string {
  const listed = identities.filter((each) => each !== TERMINAL && people.listed.has(each));
  const words = listed.map((each) => `${cleanLine(each)} the role ${people.listed.get(each)}`);
  const role = words.length === 0 ? "" : ` config.yaml still gives ${words.join(" and ")}.`;
  const lists = people
    .groupLists()
    .filter((list) => list.identities.some((each) => identities.includes(each)));
  const groups = lists.map(({ chat }) => cleanLine(chat));
  return role + (groups.length === 0 ? "" : ` config.yaml still lets them into ${groups.join(" and ")}.`);
}
