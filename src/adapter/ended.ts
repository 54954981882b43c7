/** Settles when the signal says so. */
export function ended(end: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (end.aborted) resolve();
    else end.addEventListener("abort", () => resolve(), { once: true });
  });
}
