/** Somebody who asks for something in the page: who they are now, and what they may see. Every call has a fresh one. */
import type { SignedIn } from "../adapter/web/signed-in.js";
import type { Who } from "../gateway/authorize.js";
import type { SessionsView } from "../session/view.js";

export interface WebAsking {
  readonly signedIn: SignedIn;
  readonly who: Who;
  /** Their sessions: nothing else is there for them. */
  readonly view: SessionsView;
  readonly isOwner: boolean;
  readonly now: number;
  readonly request: Request;
  /** A part of the path by its name; empty if it is not there. */
  part(name: string): string;
  /** A field of the query; null if it is not there, or empty. */
  query(name: string): string | null;
}

/** Something is wrong with what was asked. The sentence is for the person. */
export class RefusedCall extends Error {
  constructor(
    readonly status: 400 | 401 | 403 | 404 | 409 | 429,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** What is not theirs looks like what is not there. */
export function notFound(): RefusedCall {
  return new RefusedCall(404, "not_found", "There is nothing here, or it is not yours.");
}

/** How many things a page of a list has. */
export function limitIn(asking: Pick<WebAsking, "query">, usual: number, most: number): number {
  const written = asking.query("limit");
  if (written === null) return usual;
  if (!/^[1-9][0-9]{0,4}$/.test(written))
    throw new RefusedCall(400, "bad_request", "`limit` is a whole number.");
  return Math.min(most, Number(written));
}

/** A whole number in the query; null if it is not there. */
export function numberIn(asking: Pick<WebAsking, "query">, name: string): number | null {
  const written = asking.query(name);
  if (written === null) return null;
  if (!/^[0-9]{1,15}$/.test(written))
    throw new RefusedCall(400, "bad_request", `\`${name}\` is a whole number.`);
  return Number(written);
}

/** One of some words in the query; null if it is not there. */
export function wordIn<Word extends string>(
  asking: Pick<WebAsking, "query">,
  name: string,
  words: readonly Word[],
): Word | null {
  const written = asking.query(name);
  if (written === null) return null;
  const word = words.find((each) => each === written);
  if (word === undefined)
    throw new RefusedCall(400, "bad_request", `\`${name}\` is one of: ${words.join(", ")}.`);
  return word;
}

export function cursorIn(asking: Pick<WebAsking, "query">): { readonly cursor?: string } {
  const cursor = asking.query("cursor");
  return cursor === null ? {} : { cursor };
}
