/**
 * What only one tab of a browser may do at a time. Browsers have locks only for https and this machine: elsewhere it holds
 * for this tab.
 */

const held = new Set<string>();

/** Waits until no other tab holds it; without the browser's locks it waits for nothing. */
export async function whileHeld<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  return navigator.locks ? await navigator.locks.request(name, work) : hold(name, work);
}

/** Null if it is held now. */
export async function ifFree<Result>(name: string, work: () => Promise<Result>): Promise<Result | null> {
  if (navigator.locks)
    return await navigator.locks.request(name, { ifAvailable: true }, (lock) => (lock ? work() : null));
  return held.has(name) ? null : hold(name, work);
}

async function hold<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  held.add(name);
  try {
    return await work();
  } finally {
    held.delete(name);
  }
}
