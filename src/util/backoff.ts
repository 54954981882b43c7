/** Pauses between tries that double from the first to the longest. `failures`: how many tries failed before this pause. */
export interface Pauses {
  readonly firstMs: number;
  readonly longestMs: number;
}

export function backoff(failures: number, { firstMs, longestMs }: Pauses): number {
  return Math.min(firstMs * 2 ** Math.max(0, failures - 1), longestMs);
}
