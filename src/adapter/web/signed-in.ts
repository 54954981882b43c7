/** Who is signed in on the device that sends a request. The answer comes from outside: the platform itself trusts nothing in it. */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";

export interface SignedIn {
  readonly device: string;
  /** `telegram:123`: they are this person, with all their rights. */
  readonly identity: string;
  /** A second name that the settings may use for them; null if there is none. */
  readonly alias?: string | null;
  readonly name: string | null;
}

/** What somebody can be known by. */
export interface SignInRequest {
  readonly cookie: string | null;
  readonly headers: IncomingHttpHeaders;
  readonly remoteAddress: string | null;
}

/** Null if nobody is signed in there, or has no access any more. It fails if that can't be read now. */
export type WhoIsSignedIn = (request: SignInRequest) => Promise<SignedIn | null>;

export function signInRequest({ headers, socket }: IncomingMessage): SignInRequest {
  return { cookie: headers.cookie ?? null, headers, remoteAddress: socket.remoteAddress ?? null };
}
