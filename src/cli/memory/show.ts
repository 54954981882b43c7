/** `baton memory show`: the notes about somebody, or who has notes. */
import { TERMINAL } from "../../gateway/authorize.js";
import { roomWords } from "../../gateway/memory/desk.js";
import { charactersOf, type MemoryNote } from "../../memory/notes.js";
import type { NoteCount } from "../../memory/store.js";
import { personOf } from "../../session/access.js";
import { cleanLine } from "../../util/text.js";
import { relativeTime } from "../../util/words.js";
import type { Cli } from "../cli.js";
import { wrongUsage } from "../failure.js";
import type { JsonOption } from "../options.js";
import { nameOf } from "../people/people.js";
import { withCounts, withMemory } from "./open-memory.js";
import type { Whose } from "./who.js";

interface ShowMemoryOptions extends JsonOption {
  readonly people?: boolean;
}

export function showMemory(cli: Cli, which: Whose | undefined, options: ShowMemoryOptions): Promise<void> {
  if (options.people && which) throw wrongUsage("Give either a person or --people, not both.");
  return options.people ? showCounts(cli, options) : showNotes(cli, which, options);
}

function showNotes(cli: Cli, which: Whose | undefined, { json }: JsonOption): Promise<void> {
  const { terminal } = cli;
  return withMemory(cli, "look", which, async ({ desk, reader, name }, config) => {
    const notes = await desk.list(reader);
    const { owners } = reader;
    const { maxCharacters } = desk;
    if (json) return terminal.json({ owners, notes, characters: charactersOf(notes), maxCharacters });
    if (notes.length === 0) return terminal.line(`Baton remembers nothing about ${name}.`);
    const { printTable } = await import("../table.js");
    const now = Date.now();
    await printTable(
      terminal,
      [
        { title: "NUMBER", cell: ({ id }: MemoryNote) => String(id), align: "right" },
        { title: "NOTE", cell: ({ text }) => text, flexible: true, wraps: true },
        { title: "BY", cell: ({ by }) => BY[by] },
        { title: "WHEN", cell: ({ madeAt }) => relativeTime(madeAt, now) },
      ],
      notes,
    );
    terminal.line(`\n${roomWords(notes, maxCharacters)} are used.`);
    if (!config.memory.enabled)
      terminal.line("The agent does not see these notes: the setting memory.enabled is false.");
  });
}

const BY: Readonly<Record<MemoryNote["by"], string>> = {
  agent: "agent",
  person: "person",
  flush: "conversation",
};

/** A person with all their accounts, or a chat. */
interface Counted {
  readonly owner: string;
  readonly person: string | null;
  readonly name: string | null;
  readonly notes: number;
  readonly lastAt: number;
}

function showCounts(cli: Cli, { json }: JsonOption): Promise<void> {
  const { terminal } = cli;
  return withCounts(cli, async (memory, people) => {
    const rows: Counted[] = [];
    for (const { owner, notes, lastAt } of await memory.counts()) {
      const identity = personOf({ owner });
      const person = identity === null ? null : await people.store.find(identity);
      const name = identity === TERMINAL ? "you, at this terminal" : person && nameOf(person);
      rows.push({ owner: shownOwner({ owner }), person: person?.id ?? null, name, notes, lastAt });
    }
    if (json) return terminal.json({ people: rows });
    if (rows.length === 0) return terminal.line("Baton remembers nothing about anybody.");
    const { printTable } = await import("../table.js");
    await printTable(
      terminal,
      [
        { title: "WHO", cell: ({ owner }: Counted) => owner },
        {
          title: "PERSON",
          cell: ({ person, name }) => [name, person].filter(Boolean).join(", "),
          flexible: true,
        },
        { title: "NOTES", cell: ({ notes }) => String(notes), align: "right" },
        { title: "LAST", cell: ({ lastAt }) => relativeTime(lastAt, Date.now()) },
      ],
      rows,
    );
  });
}

/** As the other commands take it. */
function shownOwner({ owner }: Pick<NoteCount, "owner">): string {
  return cleanLine(personOf({ owner }) ?? owner);
}
