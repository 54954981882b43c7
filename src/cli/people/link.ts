/** `baton people link` and `unlink`: which accounts are one person. Sessions stay where they are. */
import { cleanLine } from "../../util/text.js";
import type { Cli } from "../cli.js";
import { CliError, wrongUsage } from "../failure.js";
import { findPerson, SEE_LIST, withPeople } from "./people.js";

export function link(cli: Cli, first: string, second: string, options: { json?: boolean }): Promise<void> {
  if (first === second) throw wrongUsage("Give two different accounts.");
  return withPeople(cli, "write", async (people) => {
    const before = (await people.store.find(first)) ?? { identities: [{ identity: first, role: null }] };
    if (people.roleOf(before) === null) {
      throw new CliError("person_not_found", `${cleanLine(first)} has no access.${SEE_LIST}`);
    }
    const person = await people.store.join(first, second, people.newId(), Date.now());
    const identities = person.identities.map((each) => each.identity);
    const role = people.roleOf(person);
    if (options.json) return cli.terminal.json({ id: person.id, role, identities });
    cli.terminal.line(
      `${identities.map(cleanLine).join(" and ")} are now one person, with the role ${role} (${person.id}).`,
    );
  });
}

export function unlink(cli: Cli, which: string, options: { json?: boolean }): Promise<void> {
  return withPeople(cli, "change", async (people) => {
    await findPerson(people, which);
    if (!(await people.store.unlink(which, people.newId(), Date.now()))) {
      throw new CliError("not_linked", `${cleanLine(which)} is not linked to another account.`);
    }
    const alone = (await people.store.find(which)) ?? { identities: [{ identity: which, role: null }] };
    const role = people.roleOf(alone);
    if (options.json) return cli.terminal.json({ identity: which, role });
    const now = role === null ? "has no access" : `has the role ${role}`;
    cli.terminal.line(`${cleanLine(which)} is now a person of its own and ${now}.`);
  });
}
