/** `baton completion`: a script for the shell, so that Tab knows the verbs and options. */
import { Argument, type Command } from "commander";
import type { Cli } from "../cli.js";

const SHELLS = ["bash", "zsh", "fish"] as const;

export function addCompletion(program: Command, cli: Cli): void {
  program
    .command("completion")
    .description("print a script that teaches Tab to your shell")
    .addArgument(new Argument("<shell>", "your shell").choices(SHELLS))
    .addHelpText(
      "after",
      `
bash, in ~/.bashrc:   eval "$(baton completion bash)"
zsh, in ~/.zshrc:     eval "$(baton completion zsh)"      after compinit
fish:                 baton completion fish > ~/.config/fish/completions/baton.fish`,
    )
    .action((shell: (typeof SHELLS)[number]) => completion(program, cli, shell));
}

async function completion(
  program: Command,
  { terminal }: Cli,
  shell: (typeof SHELLS)[number],
): Promise<void> {
  const { verbsOf } = await import("./verbs.js");
  const write = {
    bash: async () => (await import("./bash.js")).bashCompletion,
    zsh: async () => (await import("./zsh.js")).zshCompletion,
    fish: async () => (await import("./fish.js")).fishCompletion,
  }[shell];
  await terminal.write((await write())(verbsOf(program)));
}
