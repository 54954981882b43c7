/** The output of a process, piece by piece: what is kept, and what comes until the process ends or nobody listens. */
import type { OutputPart } from "../../process/process.js";
import type { Processes } from "../../process/processes.js";
import type { ProcessId } from "../../session/ids.js";

const PIECE_BYTES = 64 * 1024;

/** What is kept from a position on, up to `to` or up to now. */
export async function* keptOutput(
  processes: Processes,
  id: ProcessId,
  from: number,
  to = Number.POSITIVE_INFINITY,
): AsyncGenerator<OutputPart> {
  for (let at = from; at < to; ) {
    const part = await processes.read(id, at, Math.min(PIECE_BYTES, to - at));
    if (part.to <= at) return;
    yield part;
    at = part.to;
  }
}

/** The same, and then all that comes. It ends with the process, or when the signal aborts. */
export async function* followedOutput(
  processes: Processes,
  id: ProcessId,
  from: number,
  signal: AbortSignal,
): AsyncGenerator<OutputPart> {
  const bell = new Bell();
  const left = new AbortController();
  const unfollow = await processes.follow(id, bell.ring);
  let isOver = false;
  const over = processes
    .wait(id, { timeoutMs: Number.POSITIVE_INFINITY, signal: AbortSignal.any([signal, left.signal]) })
    .finally(() => {
      isOver = true;
      bell.ring();
    });
  over.catch(() => {}); // It is awaited below.
  try {
    for (let at = from; ; await bell.rung()) {
      const isLast = isOver; // What was said before the end is read after it.
      for await (const part of keptOutput(processes, id, at)) {
        yield part;
        at = part.to;
      }
      if (isLast) return void (await over);
    }
  } finally {
    left.abort();
    unfollow();
  }
}

/** Rung while nobody waits, it wakes the next one who does. */
class Bell {
  #wake = () => {};
  #next = this.#made();

  readonly ring = (): void => this.#wake();

  async rung(): Promise<void> {
    await this.#next;
    this.#next = this.#made();
  }

  #made(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
