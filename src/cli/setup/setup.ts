/** `baton setup`: whose model answers, or how a platform is reached. What it does is loaded when it is asked for. */
import { Argument, type Command } from "commander";
import { LOCAL, type Platform, platforms } from "../../session/platform.js";
import type { Cli } from "../cli.js";
import { examplePlatform, examples, jsonOption } from "../options.js";
import type { SetupOptions } from "./run.js";

export function addSetup(parent: Command, cli: Cli): void {
  const names = platforms().filter((name) => name !== LOCAL);
  const command = parent
    .command("setup")
    .description("choose whose model answers, or set up a chat platform, in config.yaml; can be run again")
    .addArgument(new Argument("[platform]", "the platform; without one, the model").choices(names))
    .option("--yes", "ask nothing: take what is found; for a platform, ask it whether that is right")
    .addHelpText("after", examples("setup", "setup --yes", `setup ${examplePlatform()}`));
  jsonOption(command).action(async (platform: Platform | undefined, options: SetupOptions) => {
    if (platform === undefined) return (await import("./run.js")).setup(cli, options);
    return (await import("./platform/run.js")).setupPlatform(cli, platform, options);
  });
}
