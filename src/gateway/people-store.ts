/**
 * What is stored about people: persons and their identities, requests to be let in, open codes, and wrong tries. Each
 * method is one atomic step, also across processes. The store knows only the hashes of codes. A step that takes a code
 * counts wrong ones for each person who tries, and while somebody is locked out their codes are ignored.
 */
import type { Platform } from "../session/platform.js";
import type { Role } from "./permissions.js";

interface PersonIdentity {
  /** `platform:id`, as `identityOf` makes it. */
  readonly identity: string;
  /** Its own role; null if it has none, and the role of another identity of the person counts. */
  readonly role: Role | null;
}

/** A human with one or more identities. Each has its own role, so that unlinking them restores what was before. */
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
  /** The name that they use: show it, but do not trust it. */
  readonly called: string | null;
  readonly askedAt: number;
  readonly expiresAt: number;
  /** The owner said no: they get no more answers. */
  readonly denied: boolean;
}

export interface NewPairingRequest extends Omit<PairingRequest, "askedAt" | "denied"> {
  readonly platform: Platform;
  readonly codeHash: string;
}

/** `full`: as many wait on that platform as may, or as leave room for people who have not asked before. */
export type PairingOutcome = "asked" | "waiting" | "denied" | "full";

/** What is known about an identity that has no access. */
export interface PairingStanding {
  readonly request: PairingRequest | null;
  /** How often it was answered. */
  readonly answers: number;
  /** How many others wait on its platform. */
  readonly othersWaiting: number;
}

/** The outcome of a code that somebody gave. */
export type Tried<Outcome> =
  | { readonly kind: "locked"; readonly until: number }
  /** Not checked: too many codes are being checked, or another one of theirs is. */
  | { readonly kind: "busy" }
  /** There is no such code, or it has expired; this many tries are left. */
  | { readonly kind: "wrong"; readonly left: number }
  | Outcome;

export interface NewPerson {
  readonly id: string;
  readonly role: Role;
  readonly name: string | null;
}

/** The person on each side of a link; an identity without a person counts as one alone. */
export type MayJoin = (shown: Pick<Person, "identities">, typed: Pick<Person, "identities">) => boolean;

/** Who has an identity, at a version of all persons: valid as long as that version is the newest. */
export interface KnownPerson {
  readonly person: Person | null;
  readonly version: number;
}

export interface PeopleStore {
  /** The person that has this identity. */
  find(identity: string): Promise<Person | null>;
  /** The same, with the version of all persons. */
  known(identity: string): Promise<KnownPerson>;
  /** Everybody, in the order in which they came. */
  list(): Promise<Person[]>;
  /** The salt of all codes of this store: the given one if it has none yet. */
  salt(fresh: string): Promise<string>;

  // Asking to be let in.
  standing(identity: string, platform: Platform, now: number): Promise<PairingStanding>;
  /**
   * Stores the request, unless one of theirs is open, was denied, or too many wait. An old one is remembered for a day.
   */
  ask(request: NewPairingRequest, now: number): Promise<PairingOutcome>;
  /** The request could not be answered: removes it, as if it had never been made. */
  withdraw(identity: string, codeHash: string): Promise<void>;
  /** Counts one more answer to an open request; false if there were enough. */
  answerAgain(identity: string, now: number): Promise<boolean>;
  /** Those who wait, and those who were denied. */
  requests(now: number): Promise<PairingRequest[]>;
  /** Lets in exactly the person who asked with this code. */
  approve(
    by: string,
    codeHash: string,
    as: NewPerson,
    now: number,
  ): Promise<Tried<{ readonly kind: "approved"; readonly person: Person; readonly identity: string }>>;
  /** Denies the person who asked with this code. */
  denyCode(
    by: string,
    codeHash: string,
    now: number,
  ): Promise<Tried<{ readonly kind: "denied"; readonly identity: string }>>;
  /** Denies this identity, which waits; false if it does not. */
  deny(identity: string, now: number): Promise<boolean>;

  // One person, several identities.
  /** Stores a link code, and replaces the one that this identity had. */
  showLink(identity: string, codeHash: string, expiresAt: number): Promise<void>;
  /** The code is used up, whatever the outcome. Without `mayJoin` it is only made invalid. */
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
  /** Merges the second one's person into the first one's. */
  join(first: string, second: string, personId: string, now: number): Promise<Person>;
  /** Makes the identity a person of its own, or unknown if it has no role of its own; false if it is alone. */
  unlink(identity: string, personId: string, now: number): Promise<boolean>;

  // The owner decides.
  /** Gives every identity of a person this role; false if there is no such person. */
  setRole(personId: string, role: Role): Promise<boolean>;
  /**
   * Removes a person with all identities and codes, or the request of an identity. Returns how many identities it
   * removed.
   */
  forget(which: { readonly personId: string } | { readonly identity: string }): Promise<number>;

  /** Until when this one's codes are ignored; null if they are not. */
  lockedUntil(who: string, now: number): Promise<number | null>;
}
