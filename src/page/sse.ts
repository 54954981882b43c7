/** The event stream as text, taken apart. Comments are no events, but tell the reader that the line is alive. */

export interface SentEvent {
  /** Null if it has none. */
  readonly id: string | null;
  readonly data: string;
}

/** One that is longer than this is not ours. */
const LONGEST = 16_000_000;

export class EventReader {
  #rest = "";

  /** The events that are complete with this piece. */
  push(piece: string): SentEvent[] {
    this.#rest += piece;
    if (this.#rest.length > LONGEST) throw new Error("an event without an end");
    const blocks = this.#rest.split("\n\n");
    this.#rest = blocks.pop() ?? "";
    return blocks.flatMap((block) => eventOf(block) ?? []);
  }
}

function eventOf(block: string): SentEvent | null {
  let id: string | null = null;
  const data: string[] = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("id: ")) id = line.slice(4);
    if (line.startsWith("data: ")) data.push(line.slice(6));
  }
  return data.length > 0 ? { id, data: data.join("\n") } : null;
}
