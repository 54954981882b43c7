/** Those who wait for news of a process. */
import type { ProcessId } from "../session/ids.js";
import { timerMs } from "../util/timer-ms.js";

export interface News {
  /** Settles when there is news, when the time is up or when the signal aborts. */
  readonly come: Promise<void>;
  /** Nobody waits any longer. */
  readonly forget: () => void;
}

export class Waiters {
  readonly #waiters = new Map<ProcessId, Set<() => void>>();

  next(id: ProcessId, ms: number, signal: AbortSignal): News {
    let wake = (): void => {};
    const come = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const waiters = this.#waiters.get(id) ?? new Set();
    this.#waiters.set(id, waiters.add(wake));
    const timer = setTimeout(wake, timerMs(Math.max(0, ms)));
    if (signal.aborted) wake();
    else signal.addEventListener("abort", wake);
    const forget = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", wake);
      waiters.delete(wake);
      if (waiters.size === 0) this.#waiters.delete(id);
    };
    return { come, forget };
  }

  tell(id: ProcessId): void {
    for (const wake of this.#waiters.get(id) ?? []) wake();
  }

  tellAll(): void {
    for (const id of this.#waiters.keys()) this.tell(id);
  }
}
