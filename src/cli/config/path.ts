/** `baton config path`: where settings come from, strongest first. */
import type { Command } from "commander";
import { configFiles } from "../../config/files.js";
import { cleanLine } from "../../util/text.js";
import type { Cli } from "../cli.js";
import { examples, jsonOption } from "../options.js";

export function addConfigPath(parent: Command, cli: Cli): void {
  const command = parent
    .command("path")
    .description("print the config files, the strongest first, and whether they are there")
    .addHelpText("after", examples("config path"));
  jsonOption(command).action((options: { json?: boolean }) => path(cli, options));
}

function path({ terminal, environment, workingFolder }: Cli, options: { json?: boolean }): void {
  const files = configFiles(environment, workingFolder).reverse();
  if (options.json) {
    terminal.json({ files });
    return;
  }
  const rows = files.map(({ path, exists }) => ({ path: cleanLine(path), exists }));
  const width = Math.max(...rows.map((row) => row.path.length));
  for (const { path, exists } of rows) {
    terminal.line(`${path.padEnd(width)}  ${exists ? "exists" : terminal.paint.dim("not there")}`);
  }
}
