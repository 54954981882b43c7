/**
 * What is kept of people: persons and their identities, who asked to be let in, the codes that are out, and wrong tries.
 * Each method is one atomic step, also across processes. Codes are known here by their hashes only. A step that takes a
 * code counts the wrong ones by who tries, and while somebody is locked out no code of theirs is looked at.
 */
import type { Platform } from "../session/platform.js";
import type { Role } from "./permissions.js";

interface PersonIdentity {
  /** `platform:id`, as `identityOf` makes it. */
  readonly identity: string;
  /** The role it was let in with; null where it has none of its own, and another of the person's counts. */
  readonly role: Role | null;
}

/** A human with one or more identities. Each keeps its own role, so that parting them gives back what was. */
export interface Person {
  readonly id: string;
  /** What the owner calls them. */
  readonly name: string | null;
  readonly createdAt: number;
  readonly identities: readonly PersonIdentity[];
}

/** Somebody unknown who asked to be let in. */
export interface PairingRequest {
  readonly identity: string;
  /** What they call themselves: to be shown, never to be believed. */
  readonly called: string | null;
  readonly askedAt: number;
  readonly expiresAt: number;
  /** The owner said no: they are not answered any more. */
  readonly denied: boolean;
}

export interface NewPairingRequest extends Omit<PairingRequest, "askedAt" | "denied"> {
  readonly platform: Platform;
  readonly codeHash: string;
}

/** `full`: as many are waiting on that platform as may, or as leave room for those who have not asked before. */
export type Asked = "asked" | "waiting" | "denied" | "full";

/** What is known of an identity that is not let in. */
export interface Standing {
  readonly request: PairingRequest | null;
  /** How often it was answered. */
  readonly answers: number;
  /** How many others wait on its platform. */
  readonly othersWaiting: number;
}

/** What became of a code that somebody gave. */
export type Tried<Outcome> =
  | { readonly kind: "locked"; readonly until: number }
  /** Not looked at: too many codes are being looked at, or another one of theirs is. */
  | { readonly kind: "busy" }
  /** No such code, or it is over; so many tries are left. */
  | { readonly kind: "wrong"; readonly left: number }
  | Outcome;

export interface NewPerson {
  readonly id: string;
  readonly role: Role;
  readonly name: string | null;
}

/** The person on each side of a link; one without a person yet has one identity. */
export type MayJoin = (shown: Pick<Person, "identities">, typed: Pick<Person, "identities">) => boolean;

/** Who has an identity, as of a version of all persons: true for as long as that is the newest. */
export interface Known {
  readonly person: Person | null;
  readonly version: number;
}

export interface PeopleStore {
  /** The person that has this identity. */
  find(identity: string): Promise<Person | null>;
  /** The same, with the version of all persons. */
  known(identity: string): Promise<Known>;
  /** Everybody, in the order in which they came. */
  list(): Promise<Person[]>;
  /** The salt of all codes of this store: the given one where it has none yet. */
  salt(fresh: string): Promise<string>;

  // Asking to be let in.
  standing(identity: string, platform: Platform, now: number): Promise<Standing>;
  /** Keeps the request, unless one of theirs is open, was denied, or too many wait. An old one is remembered for a day. */
  ask(request: NewPairingRequest, now: number): Promise<Asked>;
  /** The request could not be answered, as if it had not been made. */
  withdraw(identity: string, codeHash: string): Promise<void>;
  /** Counts one more answer to an open request; false where there were enough. */
  answerAgain(identity: string, now: number): Promise<boolean>;
  /** Those who wait, and those who were denied. */
  requests(now: number): Promise<PairingRequest[]>;
  /** Lets in exactly who asked with this code. */
  approve(
    by: string,
    codeHash: string,
    as: NewPerson,
    now: number,
  ): Promise<Tried<{ readonly kind: "approved"; readonly person: Person; readonly identity: string }>>;
  /** Refuses who asked with this code. */
  denyCode(
    by: string,
    codeHash: string,
    now: number,
  ): Promise<Tried<{ readonly kind: "denied"; readonly identity: string }>>;
  /** Refuses this identity, which waits; false where it does not. */
  deny(identity: string, now: number): Promise<boolean>;

  // One person, several identities.
  /** Keeps a link code, in place of the one this identity had. */
  showLink(identity: string, codeHash: string, expiresAt: number): Promise<void>;
  /** The code is spent, whatever comes of it. Without `mayJoin` it is only made worthless. */
  link(
    typed: string,
    codeHash: string,
    mayJoin: MayJoin | null,
    personId: string,
    now: number,
  ): Promise<
    Tried<
      | { readonly kind: "linked"; readonly person: Person; readonly with: string }
      | { readonly kind: "same" }
      | { readonly kind: "refused" }
    >
  >;
  /** Joins the second one's person into the first one's. */
  join(first: string, second: string, personId: string, now: number): Promise<Person>;
  /** Makes the identity a person of its own, or unknown where it has no role of its own; false where it is alone. */
  unlink(identity: string, personId: string, now: number): Promise<boolean>;

  // The owner decides.
  /** Gives every identity of a person this role; false where there is no such person. */
  setRole(personId: string, role: Role): Promise<boolean>;
  /** Takes away a person with all identities and codes, or what an identity asked for. How many identities it were. */
  forget(which: { readonly personId: string } | { readonly identity: string }): Promise<number>;

  /** Until when this one's codes are not looked at; null where they are. */
  lockedUntil(who: string, now: number): Promise<number | null>;
}
