/** `baton handoff list`, `show` and `cancel`. */
import type { Move } from "../../gateway/store.js";
import { LOCAL } from "../../session/platform.js";
import { cleanLine } from "../../util/text.js";
import { relativeTime } from "../../util/words.js";
import { type Cli, type OpenHandoffs, withHandoffs } from "../cli.js";
import { CliError } from "../failure.js";
import { printTable } from "../table.js";
import { handoffFacts, whereTo } from "./words.js";

interface JsonOptions {
  readonly json?: boolean;
}

export function listHandoffs(cli: Cli, { json }: JsonOptions): Promise<void> {
  const { terminal } = cli;
  return withHandoffs(cli, "look", async ({ moves }) => {
    const open = await moves.open(Date.now());
    if (json) return terminal.json(open.map(handoffFacts));
    if (open.length === 0) return terminal.line("No handoffs are in progress.");
    const now = Date.now();
    await printTable<Move>(
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
    const move = await find(open, which);
    if (json) return terminal.json(handoffFacts(move));
    const now = Date.now();
    const end = move.finishedAt === null ? [] : [`Finished: ${relativeTime(move.finishedAt, now)}`];
    const error = move.error === null ? [] : [`Reason: ${cleanLine(move.error)}`];
    const lines = [
      `${move.id}: ${move.state}`,
      `Session: ${move.sessionId}`,
      `To: ${whereTo(move)}`,
      `Requested: ${relativeTime(move.requestedAt, now)}`,
      ...(move.isBusy ? ["Waiting for the current answer."] : []),
      ...end,
      ...error,
    ];
    for (const line of lines) terminal.line(cleanLine(line));
  });
}

export function cancelHandoff(cli: Cli, which: string, { json }: JsonOptions): Promise<void> {
  return withHandoffs(cli, "write", async (open) => {
    const move = await find(open, which);
    await open.desk.cancel(move, { tell: true });
    if (json) cli.terminal.json(handoffFacts(await find(open, move.id)));
    else cli.terminal.line(`Cancelled ${move.id}. The conversation stays where it is.`);
  });
}

async function find({ moves }: OpenHandoffs, which: string): Promise<Move> {
  const known = (await moves.open(Date.now())).filter(({ id }) => id.startsWith(which));
  const found = known.length === 1 ? known[0] : await moves.find(which, Date.now());
  if (!found)
    throw new CliError(
      "handoff_not_found",
      `Handoff not found: ${JSON.stringify(which)}. Run \`baton handoff list\` to see those in progress.`,
    );
  return found;
}
