/**
 * `baton gateway link`: links this machine to an account as one of its devices. The code to type on the phone is only
 * shown, never saved.
 */
import { platformTraits } from "../session/platform.js";
import { cleanLine } from "../util/text.js";
import type { Cli } from "./cli.js";
import { CliError } from "./failure.js";

export async function gatewayLink(cli: Cli, name: string): Promise<void> {
  const { terminal, home } = cli;
  const platform = name.toLowerCase();
  const { title } = platformTraits(platform);
  const config = await cli.loadConfig();
  const { takeHome } = await import("../gateway/home-lock.js");
  const lock = takeHome(home, Date.now());
  // A device has one connection: a running gateway would lose it.
  if (lock.kind === "held")
    throw new CliError("gateway_running", `A gateway is running for ${home}. Stop it first, then link.`);
  const end = new AbortController();
  lock.keep(() => end.abort());
  const stop = (): void => end.abort();
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  try {
    const columns = terminal.isSeen && cli.environment.unicode ? terminal.columns : 0;
    await cli.linkPlatform(config, platform, (line) => terminal.line(line), end.signal, columns);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError("not_linked", cleanLine(`${title}: ${reason}`));
  } finally {
    process.off("SIGINT", stop);
    process.off("SIGTERM", stop);
    lock.release();
  }
}
