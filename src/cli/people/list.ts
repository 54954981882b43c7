/** `baton people list`: who is let in and as what, and who asks to be. */
import { TERMINAL } from "../../gateway/authorize.js";
import type { People } from "../../gateway/people.js";
import type { PairingRequest } from "../../gateway/people-store.js";
import type { Role } from "../../gateway/permissions.js";
import { cleanLine } from "../../util/text.js";
import { relativeTime } from "../../util/words.js";
import type { Cli } from "../cli.js";
import type { Terminal } from "../terminal.js";
import { withPeople } from "./people.js";

export interface Row {
  /** Null for those of the configuration. */
  readonly id: string | null;
  readonly name: string | null;
  /** Null where nothing lets them in. */
  readonly role: Role | null;
  readonly identities: readonly string[];
}

export function listPeople(cli: Cli, options: { json?: boolean }): Promise<void> {
  return withPeople(cli, "look", async (people) => {
    const now = Date.now();
    const rows = await everybody(people);
    const requests = await people.store.requests(now);
    const waiting = requests.filter(({ denied }) => !denied);
    const denied = requests.filter((request) => request.denied).map(({ identity }) => identity);
    const { terminal } = cli;
    if (options.json) return terminal.json({ people: rows, waiting: waiting.map(requestJson), denied });
    const { printTable } = await import("../table.js");
    if (rows.length === 0) {
      terminal.line("Nobody is let in but whoever sits at this machine.");
    } else {
      printTable(
        terminal,
        [
          {
            title: "ID",
            cell: ({ id }: Row) => id ?? "config.yaml",
            paint: (text) => terminal.paint.cyan(text),
          },
          { title: "NAME", cell: ({ name }) => name ?? "", flexible: true },
          { title: "ROLE", cell: ({ role }) => role ?? "none" },
          { title: "IDENTITIES", cell: ({ identities }) => identities.join(", ") },
        ],
        rows,
      );
    }
    await printWaiting(terminal, waiting, now);
    if (denied.length > 0) terminal.line(`\nDenied: ${denied.map(cleanLine).join(", ")}`);
  });
}

/** Those of the store, then those whom only the configuration knows. */
export async function everybody(people: People): Promise<Row[]> {
  const known = (await people.store.list()).map((person) => ({
    id: person.id,
    name: person.name,
    role: people.roleOf(person),
    identities: person.identities.map(({ identity }) => identity),
  }));
  const kept = new Set(known.flatMap(({ identities }) => identities));
  const listed = [...people.listed]
    .filter(([identity]) => identity !== TERMINAL && !kept.has(identity))
    .map(([identity, role]) => ({ id: null, name: null, role, identities: [identity] }));
  return [...known, ...listed];
}

function requestJson({ identity, called, askedAt, expiresAt }: PairingRequest) {
  return { identity, called, askedAt, expiresAt };
}

async function printWaiting(
  terminal: Terminal,
  waiting: readonly PairingRequest[],
  now: number,
): Promise<void> {
  if (waiting.length === 0) return;
  const { printTable } = await import("../table.js");
  terminal.line(
    "\nThese ask to be let in. Names can be anybody's: approve only the code that somebody gives you.",
  );
  printTable(
    terminal,
    [
      { title: "IDENTITY", cell: ({ identity }: PairingRequest) => identity },
      { title: "CALLS ITSELF", cell: ({ called }) => called ?? "", flexible: true },
      { title: "ASKED", cell: ({ askedAt }) => relativeTime(askedAt, now) },
      { title: "ENDS", cell: ({ expiresAt }) => relativeTime(expiresAt, now) },
    ],
    waiting,
  );
}
