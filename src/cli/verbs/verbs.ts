/** Every verb of `baton`, in the order of the help. */
import type { Cli } from "../cli.js";
import type { Shell } from "../completion/completion.js";
import type { Verb } from "../verb.js";
import { chat, gateway, handoff } from "./conversations.js";
import { cron } from "./cron.js";
import { memory } from "./memory.js";
import { people } from "./people.js";
import { processes } from "./processes.js";
import { sessions } from "./sessions.js";
import { config, models, setup } from "./settings.js";
import { backup, doctor, logs, restore, service } from "./upkeep.js";
import { usage } from "./usage.js";
import { web } from "./web.js";

const SHELLS: readonly Shell[] = ["bash", "zsh", "fish"];

const completion: Verb = {
  name: "completion",
  description: "print a script that makes Tab complete baton commands in your shell",
  args: [{ name: "<shell>", description: "your shell", choices: SHELLS }],
  notes: `bash, in ~/.bashrc:   eval "$(baton completion bash)"
zsh, in ~/.zshrc:     eval "$(baton completion zsh)"      after compinit
fish:                 baton completion fish > ~/.config/fish/completions/baton.fish`,
  run: async () => {
    const { completionScript } = await import("../completion/completion.js");
    return async ({ terminal }: Cli, shell: Shell) => terminal.write(await completionScript(baton, shell));
  },
};

export const baton: Verb = {
  name: "baton",
  description: "Carries one agent conversation across every chat platform.",
  usage: ['"your question"', "<command> [options]"],
  notes: "With no command, `baton` starts a chat. Words that are no command are a message to the agent.",
  examples: [
    '"why is the sky blue?"',
    'git diff | baton "review this"',
    '"what is in it?" --attach report.pdf',
    "sessions search garden",
    "doctor",
  ],
  verbs: [
    chat,
    gateway,
    web,
    handoff,
    sessions,
    processes,
    cron,
    memory,
    config,
    people,
    usage,
    models,
    setup,
    doctor,
    logs,
    backup,
    restore,
    service,
    completion,
  ],
};
