/** `baton handoff`: moves a conversation from a script, as whoever runs the gateway, and waits for what comes of it. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Move } from "../../gateway/store.js";
import { OWNER } from "../../session/access.js";
import { LOCAL } from "../../session/platform.js";
import type { SessionEntry } from "../../session/session.js";
import { addressOf, formatAddress } from "../../session/source.js";
import { cleanLine } from "../../util/text.js";
import { type Cli, type OpenHandoffs, withHandoffs } from "../cli.js";
import { nameOf } from "../describe.js";
import { CliError, wrongUsage } from "../failure.js";
import { printTable } from "../table.js";
import { handoffFacts } from "./words.js";

interface AskOptions {
  readonly wait: boolean;
  readonly json?: boolean;
}

const LOOK_MS = 50;

export function handoff(
  cli: Cli,
  which: string | undefined,
  where: string | undefined,
  options: AskOptions,
): Promise<void> {
  return which === undefined ? places(cli, options) : ask(cli, which, where, options);
}

function places(cli: Cli, { json }: AskOptions): Promise<void> {
  const { terminal } = cli;
  return withHandoffs(cli, "look", async ({ desk }) => {
    const found = await desk.places(null);
    if (json)
      return terminal.json(
        found.map(({ word, name, address }) => ({ where: word, name, address: formatAddress(address) })),
      );
    printTable(
      terminal,
      [
        { title: "WHERE", cell: ({ word }) => word },
        { title: "WHAT", cell: ({ name }) => name, flexible: true },
      ],
      found,
    );
    if (found.length === 1)
      terminal.line("No platform is connected: `baton gateway` serves those that are set up.");
  });
}

function ask(cli: Cli, which: string, where: string | undefined, options: AskOptions): Promise<void> {
  if (where === undefined) throw wrongUsage("Say where to, as well. `baton handoff` lists the places.");
  return withHandoffs(cli, "write", async (open) => {
    const entry = await open.sessions.find(which, OWNER);
    const place = await open.desk.placeNamed(where, null);
    const asked = await open.desk.ask(entry, place, null);
    const isOffer = asked.target === LOCAL;
    const waits = options.wait && !isOffer;
    const move = waits ? await outcome(cli, open, asked.id) : await open.moves.find(asked.id, Date.now());
    if (options.json) cli.terminal.json(move && handoffFacts(move));
    else if (move && move.state !== "failed") cli.terminal.line(said(entry, move));
    if (move?.state === "failed")
      throw new CliError("handoff_failed", `It stays where it is: ${cleanLine(move.error ?? "")}`);
  });
}

/** Waits, counting; who gives up waiting takes it back, if nobody has begun. */
async function outcome({ terminal }: Cli, { desk, moves }: OpenHandoffs, id: string): Promise<Move | null> {
  try {
    for (;;) {
      const move = await moves.find(id, Date.now());
      if (!move || move.finishedAt !== null) return move;
      const waited = Date.now() - move.readySince;
      if (move.state === "pending" && !move.isBusy && waited > move.waitMs)
        await desk.giveUp(move).catch(() => {}); // It was begun in this moment.
      const seconds = Math.max(0, Math.round(waited / 1_000));
      terminal.progress(
        move.isBusy
          ? "Waiting for the answer that is being made …"
          : `Moving, ${seconds} s of ${Math.round(move.waitMs / 1_000)} …`,
      );
      await sleep(LOOK_MS);
    }
  } finally {
    terminal.progress("");
  }
}

function said(entry: SessionEntry, { id, target, state, destination }: Move): string {
  const name = nameOf(entry);
  if (target === LOCAL)
    return `${name} is offered to the terminal: \`baton\` says so, and /resume there takes it.`;
  const to = destination ? formatAddress(addressOf(destination)) : target;
  if (state === "completed") return cleanLine(`${name} is at ${to} now.`);
  return cleanLine(`${name} is on its way to ${to}: \`baton handoff show ${id}\` says what comes of it.`);
}
