/** `baton config`: its verbs. */
import type { Command } from "commander";
import type { Cli } from "../cli.js";
import { examples } from "../options.js";
import { addConfigCheck } from "./check.js";
import { addConfigPath } from "./path.js";
import { addConfigSchema } from "./schema.js";
import { addConfigSet } from "./set.js";
import { addConfigShow } from "./show.js";

export function addConfig(program: Command, cli: Cli): void {
  const config = program
    .command("config")
    .description("look at, check and change the settings")
    .addHelpText("after", examples("config show"));
  for (const add of [addConfigShow, addConfigPath, addConfigCheck, addConfigSchema, addConfigSet]) {
    add(config, cli);
  }
}
