/** `baton handoff list`, `show` and `cancel`. */

import type { Handoff } from "../../session/handoff.js";
import { asHandoffId } from "../../session/ids.js";
import { LOCAL } from "../../session/platform.js";
import { cleanLine } from "../../util/text.js";
import { relativeTime } from "../../util/words.js";
import { type Cli, withHandoffs } from "../cli.js";
import { CliError } from "../failure.js";
import type { OpenHandoffs } from "../opened.js";
import { printTable } from "../table.js";
import { handoffFacts, whereTo } from "./words.js";

interface JsonOptions {
  readonly json?: boolean;
}

export function listHandoffs(cli: Cli, { json }: JsonOptions): Promise<void> {
  const { terminal } = cli;
  return withHandoffs(cli, "look", async ({ handoffs }) => {
    const open = await handoffs.open(Date.now());
    if (json) return terminal.json(open.map(handoffFacts));
    if (open.length === 0) return terminal.line("No handoffs are in progress.");
    const now = Date.now();
    await printTable<Handoff>(
      terminal,
      [
        { title: "HANDOFF", cell: ({ id }) => id },
        { title: "STATE", cell: ({ state, target }) => (target === LOCAL ? "offered" : state) },
        { title: "TO", cell: whereTo, flexible: true },
        { title: "REQUESTED", cell: ({ requestedAt }) => relativeTime(requestedAt, now) },
        { title: "SESSION", cell: ({ sessionId }) => sessionId },
      ],
      open,
    );
  });
}

export function showHandoff(cli: Cli, which: string, { json }: JsonOptions): Promise<void> {
  const { terminal } = cli;
  return withHandoffs(cli, "look", async (open) => {
    const handoff = await find(open, which);
    if (json) return terminal.json(handoffFacts(handoff));
    const now = Date.now();
    const end = handoff.finishedAt === null ? [] : [`Finished: ${relativeTime(handoff.finishedAt, now)}`];
    const error = handoff.error === null ? [] : [`Reason: ${cleanLine(handoff.error)}`];
    const lines = [
      `${handoff.id}: ${handoff.state}`,
      `Session: ${handoff.sessionId}`,
      `To: ${whereTo(handoff)}`,
      `Requested: ${relativeTime(handoff.requestedAt, now)}`,
      ...(handoff.isBusy ? ["Waiting for the current answer."] : []),
      ...end,
      ...error,
    ];
    for (const line of lines) terminal.line(cleanLine(line));
  });
}

export function cancelHandoff(cli: Cli, which: string, { json }: JsonOptions): Promise<void> {
  return withHandoffs(cli, "write", async (open) => {
    const handoff = await find(open, which);
    await open.desk.cancel(handoff, { tell: true });
    if (json) cli.terminal.json(handoffFacts(await find(open, handoff.id)));
    else cli.terminal.line(`Cancelled ${handoff.id}. The conversation stays where it is.`);
  });
}

async function find({ handoffs }: OpenHandoffs, which: string): Promise<Handoff> {
  const known = (await handoffs.open(Date.now())).filter(({ id }) => id.startsWith(which));
  const found = known.length === 1 ? known[0] : await handoffs.find(asHandoffId(which), Date.now());
  if (!found)
    throw new CliError(
      "handoff_not_found",
      `Handoff not found: ${JSON.stringify(which)}. Run \`baton handoff list\` to see those in progress.`,
    );
  return found;
}
