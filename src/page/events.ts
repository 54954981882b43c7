/** What the server tells, for whoever shows it. `resync` says that something may have been missed: ask again. */
import type { WireEvent } from "../adapter/web/wire.js";

export type PageEvent = WireEvent | { readonly kind: "resync" };

const listeners = new Set<(event: PageEvent) => void>();

/** Returns how to stop listening. */
export function onEvent(listener: (event: PageEvent) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function tellPage(event: PageEvent): void {
  for (const listener of [...listeners]) listener(event);
}
