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
  readonly #waiters = new Set<{ readonly id: ProcessId; readonly wake: () => void }>();

  next(id: ProcessId, ms: number, signal: AbortSignal): News {
    let wake = (): void => {};
    const come = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const waiter = { id, wake };
    this.#waiters.add(waiter);
    const timer = setTimeout(wake, timerMs(Math.max(0, ms)));
    if (signal.aborted) wake();
    else signal.addEventListener("abort", wake);
    const forget = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", wake);
      this.#waiters.delete(waiter);
    };
    return { come, forget };
  }

  tell(which: ProcessId): void {
    for (const { id, wake } of this.#waiters) if (id === which) wake();
  }

  tellAll(): void {
    for (const { wake } of this.#waiters) wake();
  }
}
