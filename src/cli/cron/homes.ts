/** The home channels that a job can deliver to, for `baton cron add --help`. */
import { LOCAL } from "../../session/platform.js";
import { formatAddress } from "../../session/source.js";
import { cleanLine } from "../../util/text.js";
import { type Cli, withJobs } from "../cli.js";

export function homeNotes(cli: Cli): Promise<string> {
  return withJobs(cli, "look", async ({ homes }) => {
    const all = (await homes.all()).filter(({ address }) => address.platform !== LOCAL);
    if (all.length === 0)
      return "There are no home channels yet. Send /sethome in the chat that should be one.";
    const lines = all.map(({ address, name }) =>
      cleanLine(`${address.platform}: ${name} (${formatAddress(address)})`),
    );
    return ["Home channels:", ...lines.map((line) => `  ${line}`)].join("\n");
  });
}
