/** What the verbs of `baton people` share: the people of the store, and how one is named on the command line. */
import { InvalidArgumentError } from "commander";
import { TERMINAL } from "../../gateway/authorize.js";
import type { People } from "../../gateway/people.js";
import type { Person } from "../../gateway/people-store.js";
import { isRole, ROLES, type Role } from "../../gateway/permissions.js";
import { identityNamed } from "../../session/access.js";
import { platforms, unmatchableId } from "../../session/platform.js";
import { unescapePart } from "../../util/escape.js";
import { cleanLine } from "../../util/text.js";
import type { Cli } from "../cli.js";
import { CliError } from "../failure.js";
import { examplePlatform, platform } from "../options.js";

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

/** `platform:id`, the id as it is or as `people list` shows it. */
export function identity(text: string): string {
  const [, name = "", id = ""] = /^([^:]*):(.+)$/s.exec(text) ?? [];
  if (id === "") throw new InvalidArgumentError(`Use <platform>:<user id>, such as ${EXAMPLE_IDENTITY}.`);
  const whose = unescapePart(id) ?? id;
  const mistake = unmatchableId(platform(name), whose);
  if (mistake !== null) throw new InvalidArgumentError(mistake);
  return identityNamed(platform(name), whose);
}

/** A person by id, or by one of their identities. */
export function whom(text: string): string {
  return /^p_[0-9a-f]+$/.test(text) ? text : identity(text);
}

export function role(text: string): Role {
  const name = text.toLowerCase();
  if (isRole(name)) return name;
  throw new InvalidArgumentError(`Use ${ROLES.join(", ")}.`);
}

export const EXAMPLE_IDENTITY = `${examplePlatform()}:123456789`;
export const OTHER_IDENTITY = `${platforms().at(2)}:987654321`;

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
