/** What adapters that speak plain HTTP have in common: answers of bounded size, and what a failed call may have done. */

/** Fails where there is more. */
export async function readBounded(response: Response, maxBytes: number): Promise<Uint8Array> {
  const tooLarge = () => new Error(`larger than ${Math.floor(maxBytes / 1024)} kB`);
  if (Number(response.headers.get("content-length") ?? 0) > maxBytes) {
    await response.body?.cancel();
    throw tooLarge();
  }
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop cancels the rest.
  for await (const piece of response.body ?? []) {
    bytes += piece.byteLength;
    if (bytes > maxBytes) throw tooLarge();
    pieces.push(piece);
  }
  return Buffer.concat(pieces, bytes);
}

/** No connection came about, so nothing was asked of anybody. */
const NEVER_SENT = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

export function wasNeverSent(error: unknown): boolean {
  return NEVER_SENT.has(codeOf(error));
}

function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "";
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  if ("code" in error && typeof error.code === "string") return error.code;
  return "cause" in error ? codeOf(error.cause) : "";
}

/** In words, and never more than is known. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error);
  if (error instanceof Error && error.name === "TimeoutError") return "it took too long to answer";
  return code || (error instanceof Error ? error.message : String(error));
}

/** Waits, but not past the end; keeps no process alive. */
export function pause(ms: number, end: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (end.aborted) return resolve();
    const finish = (): void => {
      clearTimeout(timer);
      end.removeEventListener("abort", finish);
      resolve();
    };
    const timer = setTimeout(finish, ms).unref();
    end.addEventListener("abort", finish);
  });
}
