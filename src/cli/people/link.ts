/** `baton people link` and `unlink`: which identities are one person. Sessions stay where they are. */
import type { Command } from "commander";
import { cleanLine } from "../../util/text.js";
import type { Cli } from "../cli.js";
import { CliError, wrongUsage } from "../failure.js";
import { examples, jsonOption } from "../options.js";
import { EXAMPLE_IDENTITY, findPerson, identity, OTHER_IDENTITY, withPeople } from "./people.js";

export function addPeopleLink(parent: Command, cli: Cli): void {
  const command = parent
    .command("link")
    .description("make two identities one person, who is the most of what either was")
    .argument("<identity>", "of somebody who is let in", identity)
    .argument("<other>", "the identity that becomes theirs too", identity)
    .addHelpText("after", examples(`people link ${EXAMPLE_IDENTITY} ${OTHER_IDENTITY}`));
  jsonOption(command).action((first: string, second: string, options: { json?: boolean }) =>
    link(cli, [first, second], options),
  );
}

function link(cli: Cli, [first, second]: [string, string], options: { json?: boolean }): Promise<void> {
  if (first === second) throw wrongUsage("Give two different identities.");
  return withPeople(cli, "write", async (people) => {
    const before = (await people.store.find(first)) ?? { identities: [{ identity: first, role: null }] };
    if (people.roleOf(before) === null) {
      throw new CliError(
        "person_not_found",
        `${cleanLine(first)} is not let in. \`baton people list\` shows who is.`,
      );
    }
    const person = await people.store.join(first, second, people.newId(), Date.now());
    const identities = person.identities.map((each) => each.identity);
    const role = people.roleOf(person);
    if (options.json) return cli.terminal.json({ id: person.id, role, identities });
    cli.terminal.line(
      `${identities.map(cleanLine).join(" and ")} are one person now, ${role} (${person.id}).`,
    );
  });
}

export function addPeopleUnlink(parent: Command, cli: Cli): void {
  const command = parent
    .command("unlink")
    .description("make an identity somebody by itself again, as it was before it was linked")
    .argument("<identity>", "one of a person who has several", identity)
    .addHelpText("after", examples(`people unlink ${EXAMPLE_IDENTITY}`));
  jsonOption(command).action((which: string, options: { json?: boolean }) => unlink(cli, which, options));
}

function unlink(cli: Cli, which: string, options: { json?: boolean }): Promise<void> {
  return withPeople(cli, "look", async (people) => {
    await findPerson(people, which);
    if (!(await people.store.unlink(which, people.newId(), Date.now()))) {
      throw new CliError("not_linked", `${cleanLine(which)} is not linked to another identity.`);
    }
    const alone = (await people.store.find(which)) ?? { identities: [{ identity: which, role: null }] };
    const role = people.roleOf(alone);
    if (options.json) return cli.terminal.json({ identity: which, role });
    const now = role === null ? "is not let in any more" : `is ${role}`;
    cli.terminal.line(`${cleanLine(which)} is by itself again, and ${now}.`);
  });
}
