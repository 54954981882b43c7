/** `baton config schema`: the JSON Schema of a config file, for editors. */
import type { Cli } from "../cli.js";

export async function schema({ terminal }: Cli, options: { project?: boolean }): Promise<void> {
  const { jsonSchema } = await import("../../config/json-schema.js");
  terminal.json(jsonSchema(options.project ? "project" : "home"));
}
