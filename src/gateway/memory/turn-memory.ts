/** What a turn has of a memory: whose it is, and the notes in the user role, right behind the labels of the place. */
import type { MemoryDesk } from "./desk.js";
import { type MemoryReader, memoryOfTurn, type TurnOfMemory } from "./whose.js";

export interface TurnMemory {
  readonly reader: MemoryReader | null;
  /** The bytes change only if a label or a note does. */
  readonly labels: string | null;
}

/** `desk`: undefined if nothing is remembered about people. */
export async function turnMemory(
  desk: MemoryDesk | undefined,
  labels: string | null,
  turn: TurnOfMemory,
): Promise<TurnMemory> {
  const reader = memoryOfTurn(turn);
  const notes = desk && reader ? await desk.forAgent(reader) : null;
  if (notes === null) return { reader, labels };
  return { reader, labels: labels === null ? notes : `${labels}\n\n${notes}` };
}
