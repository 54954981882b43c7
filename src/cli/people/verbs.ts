/** `baton people`: its verbs. */
import type { Command } from "commander";
import type { Cli } from "../cli.js";
import { examples } from "../options.js";
import { addPeopleApprove, addPeopleDeny } from "./decide.js";
import { addPeopleForget, addPeopleRole } from "./keep.js";
import { addPeopleLink, addPeopleUnlink } from "./link.js";
import { addPeopleList } from "./list.js";
import { addPeopleUsage } from "./usage.js";

export function addPeople(program: Command, cli: Cli): void {
  const people = program
    .command("people")
    .description("decide who is let in, as what, and which identities are one person")
    .addHelpText("after", examples("people list", "people approve K7QX9M2P --role member"));
  for (const add of [
    addPeopleList,
    addPeopleUsage,
    addPeopleApprove,
    addPeopleDeny,
    addPeopleLink,
    addPeopleUnlink,
    addPeopleRole,
    addPeopleForget,
  ]) {
    add(people, cli);
  }
}
