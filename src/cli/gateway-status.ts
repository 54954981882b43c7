/**
 * `baton gateway status`: shows if a gateway is running for this home folder, and which process has each account. The
 * exit code shows the first, too.
 */
import type { KnownAccount } from "../gateway/served.js";
import { cleanLine } from "../util/text.js";
import type { Cli } from "./cli.js";
import { CliError } from "./failure.js";

export async function gatewayStatus(cli: Cli, options: { json?: boolean }): Promise<void> {
  const { terminal, home } = cli;
  const { homeHolder } = await import("../gateway/home-lock.js");
  const holder = homeHolder(home, Date.now());
  const { platforms, sharing } = holder
    ? await cli.platformStates(await cli.loadConfig())
    : { platforms: [], sharing: [] };
  const { isSameProcess } = await import("../util/holder.js");
  const isHere = (account: KnownAccount): boolean =>
    holder !== null && account.holder !== null && isSameProcess(holder.process, account.holder.holder);
  if (options.json) {
    const { pid = null, host = null, since = null } = holder ?? {};
    const shown = platforms.map((each) => ({
      ...each,
      holder: leaseJson(each.holder),
      isHere: isHere(each),
    }));
    terminal.json({ running: holder !== null, pid, host, since, home, platforms: shown, sharing });
  } else if (holder) {
    const { pid, host, since } = holder;
    const { stateText } = await import("../gateway/connection.js");
    terminal.line(cleanLine(`A gateway is running for ${home}: process ${pid} on ${host}, since ${since}.`));
    const { holderText } = await import("../gateway/holder-words.js");
    const now = Date.now();
    for (const each of platforms) {
      const { platform, account, state, lastError, address } = each;
      const who = holderText(each.holder, isHere(each), now);
      const at = address === null || state.kind !== "connected" ? "" : `; open ${address}`;
      terminal.line(cleanLine(`${platform} (${account}): ${stateText(state, lastError, now)}; ${who}${at}.`));
    }
    for (const text of sharing) terminal.line(cleanLine(`Warning: ${text}`));
  }
  if (!holder)
    throw new CliError("not_running", `No gateway is running for ${home}. Start one with \`baton gateway\`.`);
}

/** Scripts know the process by the name `owner`. */
function leaseJson(lease: KnownAccount["holder"]): object | null {
  if (!lease) return null;
  const { holder, ...rest } = lease;
  return { ...rest, owner: holder };
}
