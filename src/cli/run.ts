/** The command line: the verbs, how they are put, and how a run ends. */
import { Command } from "commander";
import type { Cli } from "./cli.js";
import { reportFailure } from "./failure.js";
import { examples } from "./options.js";

type Add = (program: Command, cli: Cli) => void;

/** In the order of the help. Each is loaded only where it is asked for: who runs one does not wait for the others. */
const VERBS: Readonly<Record<string, () => Promise<Add>>> = {
  chat: async () => (await import("./chat.js")).addChat,
  gateway: async () => (await import("./gateway.js")).addGateway,
  handoff: async () => (await import("./handoff/handoff.js")).addHandoff,
  sessions: async () => (await import("./sessions.js")).addSessions,
  config: async () => (await import("./config/config.js")).addConfig,
  people: async () => (await import("./people/verbs.js")).addPeople,
  models: async () => (await import("./models.js")).addModels,
  setup: async () => (await import("./setup/setup.js")).addSetup,
  doctor: async () => (await import("./doctor.js")).addDoctor,
  logs: async () => (await import("./logs.js")).addLogs,
  backup: async () => (await import("./backup.js")).addBackup,
  restore: async () => (await import("./restore.js")).addRestore,
  service: async () => (await import("./service/service.js")).addService,
  completion: async () => (await import("./completion/completion.js")).addCompletion,
};

/** Runs one command line and gives the exit code: 0 done, 1 failed, 2 wrong usage. */
export async function run(words: readonly string[], cli: Cli): Promise<number> {
  const asked = words.length === 0 ? ["chat"] : words;
  const program = await programFor(cli, asked[0] ?? "");
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

/** With this verb; with all of them where it is none, or is about all. */
async function programFor(cli: Cli, verb: string): Promise<Command> {
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
  const one = Object.hasOwn(VERBS, verb) && verb !== "completion" ? VERBS[verb] : undefined;
  const loads = one ? [one] : Object.values(VERBS);
  for (const add of await Promise.all(loads.map((load) => load()))) add(program, cli);
  return program;
}
