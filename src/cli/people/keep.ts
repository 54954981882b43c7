/** `baton people role` and `forget`: changes a person's role, or removes their access. Sessions stay, without `--erase`. */
import type { Role } from "../../gateway/permissions.js";
import { cleanLine } from "../../util/text.js";
import type { Cli } from "../cli.js";
import { CliError, wrongUsage } from "../failure.js";
import { type EraseOptions, erase } from "./erase.js";
import { findPerson, listedNote, nameOf, SEE_LIST, withPeople } from "./people.js";

export function setRole(cli: Cli, who: string, as: Role, options: { json?: boolean }): Promise<void> {
  return withPeople(cli, "change", async (people) => {
    const { id } = await findPerson(people, who);
    await people.store.setRole(id, as);
    const person = await findPerson(people, id);
    const now = people.roleOf(person) ?? as;
    if (options.json) return cli.terminal.json({ id, role: now });
    const identities = person.identities.map(({ identity }) => identity);
    cli.terminal.line(
      `${nameOf(person)} now has the role ${now}.${now === as ? "" : listedNote(people, identities)}`,
    );
  });
}

interface ForgetOptions extends EraseOptions {
  readonly erase?: boolean;
}

export function forget(cli: Cli, who: string, options: ForgetOptions): Promise<void> {
  if (options.erase) return erase(cli, who, options);
  if (options.dryRun || options.yes)
    throw wrongUsage("--dry-run and --yes belong to --erase. Add --erase, or leave them out.");
  return withPeople(cli, "change", async (people) => {
    const person = who.startsWith("p_") ? await findPerson(people, who) : await people.store.find(who);
    const identities = person?.identities.map(({ identity }) => identity) ?? [who];
    const gone = await people.store.forget(person ? { personId: person.id } : { identity: who });
    const listed = listedNote(people, identities);
    if (gone === 0 && listed !== "") {
      throw new CliError(
        "person_listed",
        `${cleanLine(who)} has access by config.yaml only. Remove it there, and restart the gateway.`,
      );
    }
    if (gone === 0) throw new CliError("person_not_found", `Person not found: ${cleanLine(who)}.${SEE_LIST}`);
    if (options.json) return cli.terminal.json({ forgotten: identities });
    cli.terminal.line(`Removed ${identities.map(cleanLine).join(", ")}.${listed}`);
  });
}
