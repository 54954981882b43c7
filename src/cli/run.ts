/** The command line: the verbs, how they are put, and how a run ends. */
import { Command } from "commander";
import { addBackup } from "./backup.js";
import { addChat } from "./chat.js";
import type { Cli } from "./cli.js";
import { addCompletion } from "./completion/completion.js";
import { addConfigCheck } from "./config/check.js";
import { addConfigPath } from "./config/path.js";
import { addConfigSchema } from "./config/schema.js";
import { addConfigSet } from "./config/set.js";
import { addConfigShow } from "./config/show.js";
import { addDoctor } from "./doctor.js";
import { addExplain } from "./explain.js";
import { addExport } from "./export.js";
import { reportFailure } from "./failure.js";
import { addGateway } from "./gateway.js";
import { addHandoff } from "./handoff/handoff.js";
import { addImport } from "./import.js";
import { addList } from "./list.js";
import { addLogs } from "./logs.js";
import { addModels } from "./models.js";
import { examples } from "./options.js";
import { addPeopleApprove, addPeopleDeny } from "./people/decide.js";
import { addPeopleForget, addPeopleRole } from "./people/keep.js";
import { addPeopleLink, addPeopleUnlink } from "./people/link.js";
import { addPeopleList } from "./people/list.js";
import { addPrune } from "./prune.js";
import { addRestore } from "./restore.js";
import { addSearch } from "./search.js";
import { addService } from "./service/service.js";
import { addSetup } from "./setup/setup.js";
import { addShow } from "./show.js";
import { addTitle } from "./title.js";

/** Runs one command line and gives the exit code: 0 done, 1 failed, 2 wrong usage. */
export async function run(words: readonly string[], cli: Cli): Promise<number> {
  const asked = words.length === 0 ? ["chat"] : words;
  const program = programFor(cli);
  try {
    await program.parseAsync(asked, { from: "user" });
    return 0;
  } catch (error) {
    const options = asked.slice(0, asked.includes("--") ? asked.indexOf("--") : asked.length);
    const help = `${meantCommand(program, asked)} --help`;
    return reportFailure(error, cli.terminal, { json: options.includes("--json"), help });
  }
}

/** The command that the words lead to, as far as they do. */
function meantCommand(program: Command, words: readonly string[]): string {
  const [word, ...rest] = words;
  const found = program.commands.find((command) => command.name() === word);
  return found ? `${program.name()} ${meantCommand(found, rest)}` : program.name();
}

function programFor(cli: Cli): Command {
  const program = new Command("baton")
    .description("Carries one agent conversation across every chat platform.")
    .version(cli.version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .exitOverride()
    .configureOutput({ outputError: () => {} }) // reportFailure says it, once.
    .addHelpText(
      "after",
      `${examples("chat", "sessions search garden", "doctor")}\n\nWithout a command, baton is a chat.`,
    );
  addChat(program, cli);
  addGateway(program, cli);
  addHandoff(program, cli);
  const sessions = program
    .command("sessions")
    .description("look at, name, search, move in and out, and prune conversations")
    .addHelpText("after", examples("sessions list --active 7d"));
  for (const add of [addList, addShow, addSearch, addTitle, addExport, addImport, addExplain, addPrune]) {
    add(sessions, cli);
  }
  const config = program
    .command("config")
    .description("look at, check and change the settings")
    .addHelpText("after", examples("config show"));
  for (const add of [addConfigShow, addConfigPath, addConfigCheck, addConfigSchema, addConfigSet]) {
    add(config, cli);
  }
  const people = program
    .command("people")
    .description("decide who is let in, as what, and which identities are one person")
    .addHelpText("after", examples("people list", "people approve K7QX9M2P --role member"));
  for (const add of [
    addPeopleList,
    addPeopleApprove,
    addPeopleDeny,
    addPeopleLink,
    addPeopleUnlink,
    addPeopleRole,
    addPeopleForget,
  ]) {
    add(people, cli);
  }
  addModels(program, cli);
  addSetup(program, cli);
  addDoctor(program, cli);
  addLogs(program, cli);
  addBackup(program, cli);
  addRestore(program, cli);
  addService(program, cli);
  addCompletion(program, cli);
  return program;
}
