/** `baton config schema`: the JSON Schema of a config file, for editors. */
import type { Command } from "commander";
import type { Cli } from "../cli.js";
import { examples, jsonOption } from "../options.js";

export function addConfigSchema(parent: Command, cli: Cli): void {
  const command = parent
    .command("schema")
    .description("print the JSON Schema of config.yaml, for editors")
    .option("--project", "that of baton.yaml, which a project may have")
    .addHelpText(
      "after",
      `${examples("config schema > ~/.baton/config.schema.json", "config schema --project")}

Many editors take it from the first line of the file:
  # yaml-language-server: $schema=config.schema.json`,
    );
  jsonOption(command).action((options: { project?: boolean }) => schema(cli, options));
}

async function schema({ terminal }: Cli, options: { project?: boolean }): Promise<void> {
  const { jsonSchema } = await import("../../config/json-schema.js");
  terminal.json(jsonSchema(options.project ? "project" : "home"));
}
