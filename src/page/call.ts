/**
 * Calls to the server. What fails is a `CallFailure` with a sentence for people: with the server's own status and code, or
 * status 0 if it was not our server that answered. A 401 tells everybody that nobody is signed in here any more.
 */
import type { WireError } from "../adapter/web/wire.js";

/** As `OUR_HEADER` and its value say. */
export const OURS = { "x-baton": "page" } as const;

export class CallFailure extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }

  /** The server said no: the same call would fail again. */
  get isFinal(): boolean {
    return this.status >= 400 && this.status < 500 && this.status !== 429 && this.status !== 408;
  }
}

const UNREACHABLE = "Baton can't be reached. Check your connection and that Baton runs.";
const signedOut = new Set<() => void>();

/** Called when a call finds that nobody is signed in. */
export function onSignedOut(listener: () => void): void {
  signedOut.add(listener);
}

export function get<Answer>(path: string, end?: AbortSignal): Promise<Answer> {
  return call<Answer>(path, { headers: OURS, ...(end ? { signal: end } : {}) });
}

export function post<Answer>(path: string, body: unknown): Promise<Answer> {
  const headers = { ...OURS, "content-type": "application/json" };
  return call<Answer>(path, { method: "POST", headers, body: JSON.stringify(body) });
}

async function call<Answer>(path: string, init: RequestInit): Promise<Answer> {
  let answer: Response;
  try {
    answer = await fetch(path, init);
  } catch (error) {
    if ((error as Error).name === "AbortError") throw error;
    throw new CallFailure(0, "unreachable", UNREACHABLE);
  }
  const body = await answer.json().catch(() => undefined);
  if (answer.ok && body !== undefined) return body as Answer;
  throw failureOf(answer.status, body);
}

/** Only our own JSON counts as an answer of Baton: a proxy's page is as good as none. */
export function failureOf(status: number, body: unknown): CallFailure {
  const error = (body as WireError | undefined)?.error;
  if (typeof error?.code !== "string" || typeof error.message !== "string")
    return new CallFailure(0, "unreachable", UNREACHABLE);
  if (status === 401) for (const listener of signedOut) listener();
  return new CallFailure(status, error.code, error.message);
}

/** What to show of anything that was thrown. */
export function sentenceOf(error: unknown): string {
  return error instanceof CallFailure ? error.message : "Something went wrong in the page. Load it again.";
}
