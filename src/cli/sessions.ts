/** `baton sessions`: its verbs. */
import type { Command } from "commander";
import type { Cli } from "./cli.js";
import { addExplain } from "./explain.js";
import { addExport } from "./export.js";
import { addImport } from "./import.js";
import { addList } from "./list.js";
import { examples } from "./options.js";
import { addPrune } from "./prune.js";
import { addSearch } from "./search.js";
import { addShow } from "./show.js";
import { addTitle } from "./title.js";

export function addSessions(program: Command, cli: Cli): void {
  const sessions = program
    .command("sessions")
    .description("look at, name, search, move in and out, and prune conversations")
    .addHelpText("after", examples("sessions list --active 7d"));
  for (const add of [addList, addShow, addSearch, addTitle, addExport, addImport, addExplain, addPrune]) {
    add(sessions, cli);
  }
}
