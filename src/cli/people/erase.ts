/** `baton people forget --erase`: shows what would go, asks, erases, and says what a scan found afterwards. */

import { TERMINAL } from "../../gateway/authorize.js";
import type { ErasedAmounts } from "../../gateway/eraser.js";
import type { ErasedPerson, Holdings } from "../../gateway/erasure.js";
import type { People } from "../../gateway/people.js";
import { cleanLine, printableText } from "../../util/text.js";
import { counted } from "../../util/words.js";
import type { Cli } from "../cli.js";
import { CliError, wrongUsage } from "../failure.js";
import { findPerson, listedNote, withPeople } from "./people.js";

export interface EraseOptions {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export async function erase(cli: Cli, who: string, options: EraseOptions): Promise<void> {
  const { terminal } = cli;
  const mayAsk = terminal.canAsk && !options.json;
  if (!options.yes && !options.dryRun && !mayAsk) {
    throw wrongUsage(
      "This erases what a person said, for good. Add --yes to confirm, or --dry-run to see what would be erased.",
    );
  }
  const { whose, listed } = await withPeople(cli, "look", (people) => find(people, who));
  const names = whose.identities.map(cleanLine).join(", ");
  const erasure = await cli.openErasure(await cli.loadConfig());
  const found = await erasure.survey(whose);
  if (options.dryRun) {
    if (options.json) return terminal.json({ identities: whose.identities, ...found, erased: false });
    terminal.line(`Would erase ${names}: ${holdings(found)}.`);
    return refuseListed(whose, listed); // As it will then.
  }
  refuseListed(whose, listed);
  if (!options.yes && !(await terminal.confirm(`Erase ${names} for good: ${holdings(found)}?`)))
    return terminal.line("Nothing was erased.");
  const erased = await erasure
    .erase(whose, (text) => terminal.progress(text))
    .finally(() => terminal.progress(""));
  const isClean = erased.left.length === 0;
  if (options.json) terminal.json({ identities: whose.identities, ...erased, erased: isClean });
  else {
    terminal.line(`Erased ${names}: ${amounts(erased)}.`);
    const { scanned, byHand, repeated, left } = erased;
    if (scanned === null)
      terminal.line(
        "The tables were searched. Baton can't look into the files, the log (WAL) and the backups of the database server. Ask the person who runs it.",
      );
    else {
      const what = `Scanned ${megabytes(scanned.bytes)} in ${counted(scanned.files, "file")}`;
      terminal.line(isClean ? `${what}: nothing of theirs is left.` : `${what}.`);
    }
    for (const sentence of left) terminal.line(printableText(sentence));
    const passages = Object.values(repeated).reduce((sum, count) => sum + count, 0);
    if (passages > 0)
      terminal.line(
        `Answers, summaries and messages of others repeat ${counted(passages, "passage")} of theirs (${Object.keys(repeated).join(", ")}). Baton does not change what others said.`,
      );
    if (byHand.length > 0) {
      terminal.line(
        "These files still have something of theirs, and Baton does not change them. Delete them yourself:",
      );
      for (const file of byHand) terminal.line(`  ${printableText(file)}`);
    }
  }
  if (!isClean)
    throw new CliError(
      "not_erased",
      "Something of theirs is left. Do what the lines above say, then run this command again.",
    );
}

async function find(people: People, who: string): Promise<{ whose: ErasedPerson; listed: string }> {
  // Somebody without access may have left something, and an erase that was cut off must be finished.
  const person = who.startsWith("p_") ? await findPerson(people, who) : await people.store.find(who);
  const identities = person?.identities.map(({ identity }) => identity) ?? [who];
  return { whose: { id: person?.id ?? null, identities }, listed: listedNote(people, identities) };
}

/** With access by config.yaml they could write again at once. */
function refuseListed({ identities }: ErasedPerson, listed: string): void {
  if (identities.includes(TERMINAL))
    throw new CliError("person_listed", "The person at this machine runs Baton and can't be erased.");
  if (listed !== "")
    throw new CliError(
      "person_listed",
      `${listed.trim()} Remove them there, restart the gateway, and run this command again. Nothing was erased.`,
    );
}

function holdings({ usage, notes, ...counts }: Holdings): string {
  return [...parts(counts), counted(notes, "note"), `${counted(usage, "day")} of usage`].join(", ");
}

function parts({
  sessions,
  messages,
  shared,
  files,
  jobs,
  processes,
}: Omit<Holdings, "usage" | "notes">): string[] {
  return [
    `${counted(sessions, "session")} with ${counted(messages, "message")}`,
    `${counted(shared, "message")} in conversations of others`,
    counted(files, "file"),
    counted(jobs, "job"),
    `${processes} ${processes === 1 ? "process" : "processes"}`,
  ];
}

function amounts({ sessions, messages, shared, files, jobs, processes }: ErasedAmounts): string {
  return parts({ sessions, messages, shared, files, jobs, processes }).join(", ");
}

function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`;
}
