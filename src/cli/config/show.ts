/** `baton config show`: every setting and where it comes from. Secrets stay hidden. */
import { cleanLine } from "../../util/text.js";
import type { Cli } from "../cli.js";

export async function showConfig(cli: Cli, options: { json?: boolean }): Promise<void> {
  const { settingsOf } = await import("../../config/settings.js");
  const config = await cli.loadConfig();
  const settings = settingsOf(config, await cli.chooseModel(config));
  const { terminal } = cli;
  if (options.json) return terminal.json({ settings });
  const rows = settings.map(({ key, value, from }) => ({
    key: cleanLine(key),
    value: valueText(value),
    from,
  }));
  const keyWidth = Math.max(...rows.map(({ key }) => key.length));
  const valueWidth = Math.max(...rows.map(({ value }) => value.length));
  for (const { key, value, from } of rows) {
    const source = from === "default" ? terminal.paint.dim(from) : terminal.paint.cyan(cleanLine(from));
    terminal.line(`${key.padEnd(keyWidth)}  ${value.padEnd(valueWidth)}  ${source}`);
  }
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "none" : cleanLine(value.join(", "));
  return typeof value === "object" ? "none" : cleanLine(String(value));
}
