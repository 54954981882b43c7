/** `baton setup`: whose model answers. What it does is loaded when it is asked for. */
import type { Command } from "commander";
import type { Cli } from "../cli.js";
import { examples, jsonOption } from "../options.js";
import type { SetupOptions } from "./run.js";

export function addSetup(parent: Command, cli: Cli): void {
  const command = parent
    .command("setup")
    .description("choose whose model answers, and write it into config.yaml; can be run again")
    .option("--yes", "ask nothing: take what is found")
    .addHelpText("after", examples("setup", "setup --yes"));
  jsonOption(command).action(async (options: SetupOptions) => (await import("./run.js")).setup(cli, options));
}
