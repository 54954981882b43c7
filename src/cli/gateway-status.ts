/** `baton gateway status`: whether a gateway runs for this home folder; the exit code says so too. */
import type { Command } from "commander";
import { cleanLine } from "../util/text.js";
import type { Cli } from "./cli.js";
import { CliError } from "./failure.js";
import { examples, jsonOption } from "./options.js";

export function addGatewayStatus(parent: Command, cli: Cli): void {
  const command = parent
    .command("status")
    .description("tell whether a gateway runs for this home folder; exit code 0 where it does, else 1")
    .addHelpText("after", examples("gateway status"));
  jsonOption(command).action((options: { json?: boolean }) => status(cli, options));
}

async function status(cli: Cli, options: { json?: boolean }): Promise<void> {
  const { terminal, home } = cli;
  const { homeHolder } = await import("../gateway/home-lock.js");
  const holder = homeHolder(home, Date.now());
  const platforms = holder ? await cli.platformStates(await cli.loadConfig()) : [];
  if (options.json) {
    const { pid = null, host = null, since = null } = holder ?? {};
    terminal.json({ running: holder !== null, pid, host, since, home, platforms });
  } else if (holder) {
    const { pid, host, since } = holder;
    const { stateText } = await import("../gateway/connection.js");
    terminal.line(cleanLine(`A gateway runs for ${home}: process ${pid} on ${host}, since ${since}.`));
    for (const { platform, account, state, lastError } of platforms) {
      terminal.line(cleanLine(`${platform} (${account}): ${stateText(state, lastError, Date.now())}`));
    }
  }
  if (!holder) throw new CliError("not_running", `No gateway runs for ${home}.`);
}
