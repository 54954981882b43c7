/** Opens the memory that a command is about. */
import type { Config } from "../../config/config.js";
import { TERMINAL } from "../../gateway/authorize.js";
import { MemoryDesk } from "../../gateway/memory/desk.js";
import type { MemoryReader } from "../../gateway/memory/whose.js";
import type { People } from "../../gateway/people.js";
import type { MemoryCounts } from "../../memory/store.js";
import { ownerOfChat, ownerOfPerson } from "../../session/access.js";
import { cleanLine } from "../../util/text.js";
import type { Cli, StoreUse } from "../cli.js";
import { CliError } from "../failure.js";
import { findPerson, nameOf, SEE_LIST } from "../people/people.js";
import type { Whose } from "./who.js";

/** A memory, and what people call whose it is. */
export interface OpenMemory {
  readonly desk: MemoryDesk;
  readonly reader: MemoryReader;
  readonly name: string;
}

/** Opens the store for one command, and always closes it. Nobody named means the person at this terminal. */
export async function withMemory<Result>(
  cli: Cli,
  purpose: StoreUse,
  which: Whose | undefined,
  work: (memory: OpenMemory, config: Config) => Promise<Result>,
): Promise<Result> {
  const config = await cli.loadConfig();
  const { people, memory, close } = await cli.openPeople(config, purpose);
  try {
    const { maxCharacters } = config.memory;
    const desk = new MemoryDesk({ notes: memory, maxCharacters, clock: Date.now });
    const found = await readerOf(people, which ?? { kind: "person", who: TERMINAL });
    if (!found.isKnown && (await desk.list(found.reader)).length === 0)
      throw new CliError("person_not_found", `Person not found: ${found.name}.${SEE_LIST}`);
    return await work({ desk, ...found }, config);
  } finally {
    await close();
  }
}

/** The same for all of them: only how many notes each has. */
export async function withCounts<Result>(
  cli: Cli,
  work: (counts: MemoryCounts, people: People) => Promise<Result>,
): Promise<Result> {
  const { people, memoryCounts, close } = await cli.openPeople(await cli.loadConfig(), "look");
  try {
    return await work(memoryCounts, people);
  } finally {
    await close();
  }
}

async function readerOf(
  people: People,
  which: Whose,
): Promise<Omit<OpenMemory, "desk"> & { readonly isKnown: boolean }> {
  if (which.kind === "chat") {
    const owner = ownerOfChat(which.chat);
    const reader = { kind: "chat", owners: [owner], owner, mayChange: true } as const;
    return { reader, name: cleanLine(owner), isKnown: true };
  }
  const { who } = which;
  const person = who.startsWith("p_") ? await findPerson(people, who) : await people.store.find(who);
  const identities = person?.identities.map(({ identity }) => identity) ?? [who];
  const owner = ownerOfPerson(identities.includes(who) ? who : (identities[0] ?? who));
  const reader = { kind: "person", owners: identities.map(ownerOfPerson), owner, mayChange: true } as const;
  const isHere = identities.includes(TERMINAL);
  const name = isHere ? "you" : person ? nameOf(person) : cleanLine(who);
  return { reader, name, isKnown: person !== null || people.listed.has(who) };
}
