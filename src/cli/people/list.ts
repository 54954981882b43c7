/** `baton people list`: who has access, with which role, and who asks for it. */
import { TERMINAL } from "../../gateway/authorize.js";
import type { People } from "../../gateway/people.js";
import type { PairingRequest } from "../../gateway/people-store.js";
import type { Role } from "../../gateway/permissions.js";
import { cleanLine } from "../../util/text.js";
import { relativeTime } from "../../util/words.js";
import type { Cli } from "../cli.js";
import type { Terminal } from "../terminal.js";
import { NOBODY, withPeople } from "./people.js";

export interface PeopleListRow {
  /** Null for people in config.yaml. */
  readonly id: string | null;
  readonly name: string | null;
  /** Null if they have no access. */
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
    const groups = people.groupLists();
    if (options.json)
      return terminal.json({ people: rows, groups, waiting: waiting.map(requestJson), denied });
    const { printTable } = await import("../table.js");
    if (rows.length === 0) {
      terminal.line(NOBODY);
    } else {
      await printTable(
        terminal,
        [
          {
            title: "ID",
            cell: ({ id }: PeopleListRow) => id ?? "config.yaml",
            paint: (text) => terminal.paint.cyan(text),
          },
          { title: "NAME", cell: ({ name }) => name ?? "", flexible: true },
          { title: "ROLE", cell: ({ role }) => role ?? "none" },
          { title: "ACCOUNTS", cell: ({ identities }) => identities.join(", ") },
        ],
        rows,
      );
    }
    for (const { chat, identities } of groups) {
      const who = identities.map(cleanLine).join(", ") || "nobody";
      terminal.line(`\nOnly these may talk to the agent in ${cleanLine(chat)}: ${who}`);
    }
    await printWaiting(terminal, waiting, now);
    if (denied.length > 0) terminal.line(`\nDenied: ${denied.map(cleanLine).join(", ")}`);
  });
}

/** The people in the store, then those who are only in config.yaml. */
export async function everybody(people: People): Promise<PeopleListRow[]> {
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
    "\nThese accounts ask for access. Anyone can choose any name: approve only a code that the person gave you.",
  );
  await printTable(
    terminal,
    [
      { title: "ACCOUNT", cell: ({ identity }: PairingRequest) => identity },
      { title: "NAME THEY USE", cell: ({ called }) => called ?? "", flexible: true },
      { title: "ASKED", cell: ({ askedAt }) => relativeTime(askedAt, now) },
      { title: "EXPIRES", cell: ({ expiresAt }) => relativeTime(expiresAt, now) },
    ],
    waiting,
  );
}
