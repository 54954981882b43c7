/** `baton handoff`: moves a conversation, with the rights of the owner, and waits for the result. */

import { setTimeout as sleep } from "node:timers/promises";
import { nameOf } from "../../gateway/session-names.js";
import { OWNER } from "../../session/access.js";
import { type Handoff, overdueAt } from "../../session/handoff.js";
import type { HandoffId } from "../../session/ids.js";
import { LOCAL } from "../../session/platform.js";
import type { SessionEntry } from "../../session/session.js";
import { addressOf, formatAddress } from "../../session/source.js";
import { cleanLine } from "../../util/text.js";
import { type Cli, withHandoffs } from "../cli.js";
import { CliError, wrongUsage } from "../failure.js";
import type { OpenHandoffs } from "../opened.js";
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
    const found = await desk.places.all(null);
    if (json)
      return terminal.json(
        found.map(({ word, name, address }) => ({ where: word, name, address: formatAddress(address) })),
      );
    await printTable(
      terminal,
      [
        { title: "WHERE", cell: ({ word }) => word },
        { title: "WHAT", cell: ({ name }) => name, flexible: true },
      ],
      found,
    );
    if (found.length === 1)
      terminal.line("No platform is connected. Run `baton gateway` to serve those that are set up.");
  });
}

function ask(cli: Cli, which: string, where: string | undefined, options: AskOptions): Promise<void> {
  if (where === undefined) throw wrongUsage("Say where to move it. Run `baton handoff` to list the places.");
  return withHandoffs(cli, "write", async (open) => {
    const entry = await open.sessions.find(which, OWNER);
    const place = await open.desk.placeNamed(where, null);
    const asked = await open.desk.ask(entry, place, null);
    const isOffer = asked.target === LOCAL;
    const waits = options.wait && !isOffer;
    const handoff = waits
      ? await outcome(cli, open, asked.id)
      : await open.handoffs.find(asked.id, Date.now());
    if (options.json) cli.terminal.json(handoff && handoffFacts(handoff));
    else if (handoff && handoff.state !== "failed") cli.terminal.line(said(entry, handoff));
    if (handoff?.state === "failed")
      throw new CliError(
        "handoff_failed",
        `The conversation was not moved: ${cleanLine(handoff.error ?? "")}`,
      );
  });
}

/** Waits and shows the seconds; when the time is up, cancels a handoff that has not started. */
async function outcome(
  { terminal }: Cli,
  { desk, handoffs }: OpenHandoffs,
  id: HandoffId,
): Promise<Handoff | null> {
  try {
    for (;;) {
      const handoff = await handoffs.find(id, Date.now());
      if (!handoff || handoff.finishedAt !== null) return handoff;
      if (handoff.state === "pending" && !handoff.isBusy && Date.now() > overdueAt(handoff))
        await desk.giveUp(handoff).catch(() => {}); // It started just now.
      const seconds = Math.max(0, Math.round((Date.now() - handoff.readySince) / 1_000));
      terminal.progress(
        handoff.isBusy
          ? "Waiting for the current answer …"
          : `Moving, ${seconds} s of ${Math.round(handoff.waitMs / 1_000)} …`,
      );
      await sleep(LOOK_MS);
    }
  } finally {
    terminal.progress("");
  }
}

function said(entry: SessionEntry, { id, target, state, destination }: Handoff): string {
  const name = nameOf(entry);
  if (target === LOCAL)
    return `${name} is offered to the terminal. Start \`baton\` and type /resume to continue it there.`;
  const to = destination ? formatAddress(addressOf(destination)) : target;
  if (state === "completed") return cleanLine(`${name} is at ${to} now.`);
  return cleanLine(`${name} is moving to ${to}. Run \`baton handoff show ${id}\` to see the result.`);
}
