/** `baton config path`: the files that settings come from, strongest first. */
import { configFiles } from "../../config/files.js";
import { cleanLine } from "../../util/text.js";
import type { Cli } from "../cli.js";

export function configPath({ terminal, environment, workingFolder }: Cli, options: { json?: boolean }): void {
  const files = configFiles(environment, workingFolder).reverse();
  if (options.json) {
    terminal.json({ files });
    return;
  }
  const rows = files.map(({ path, exists }) => ({ path: cleanLine(path), exists }));
  const width = Math.max(...rows.map((row) => row.path.length));
  for (const { path, exists } of rows) {
    terminal.line(`${path.padEnd(width)}  ${exists ? "exists" : terminal.paint.dim("missing")}`);
  }
}
