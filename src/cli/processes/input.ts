/** Types into a process, as fast as it reads. */
import { setTimeout as delay } from "node:timers/promises";
import type { Processes, SeenProcess } from "../../process/processes.js";
import { BatonError } from "../../session/errors.js";
import type { ProcessId } from "../../session/ids.js";

const AGAIN_MS = 50;
/** In characters. The host takes a piece only if there is room for all of it. */
const PIECE = 64 * 1024;

/** Everything in order; it waits while the program does not read. Fails at once if not even the beginning is taken. */
export async function typeAll(processes: Processes, id: ProcessId, text: string): Promise<SeenProcess> {
  const [first = "", ...rest] = piecesOf(text);
  let seen = await processes.write(id, first);
  for (const piece of rest) seen = await typeWhenRead(processes, id, piece);
  return seen;
}

/** Waits until there is room for it, or fails if there is none when the signal has aborted. */
export async function typeWhenRead(
  processes: Processes,
  id: ProcessId,
  text: string,
  signal?: AbortSignal,
): Promise<SeenProcess> {
  for (;;) {
    try {
      return await processes.write(id, text);
    } catch (error) {
      const isFull = error instanceof BatonError && error.code === "process_input_full";
      if (!isFull || signal?.aborted) throw error;
    }
    await delay(AGAIN_MS);
  }
}

/** Cut between characters. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    const end = from + PIECE;
    const isInside = /[\udc00-\udfff]/.test(text[end] ?? "");
    const to = isInside ? end - 1 : end;
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}
