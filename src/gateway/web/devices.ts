/**
 * Who is signed in to the page, and the links with which people sign in. The store knows only hashes, of what is random
 * and long: so a fast hash is enough. Each method is one atomic step.
 */

/** For whom a link is. */
export type LinkOwner = Pick<Device, "identity" | "alias" | "called">;

/** A browser in which somebody is signed in. */
export interface Device {
  readonly id: string;
  /** Who they are: `telegram:123`, or the person at the terminal. */
  readonly identity: string;
  /** A second name that the settings may use for them, as where somebody has an id beside their phone number. */
  readonly alias: string | null;
  /** What they were called where they asked for the link; null if nobody knows. */
  readonly called: string | null;
  /** What the browser calls itself, in a few words: never believed. */
  readonly name: string;
  readonly createdAt: number;
  readonly seenAt: number;
}

export interface WebDevices {
  /** A link that somebody may use once, until then. */
  offer(linkHash: string, whose: LinkOwner, expiresAt: number, now: number): Promise<void>;
  /** Uses a link up: the device that it makes; null if there is none, it was used, or its time is over. */
  enter(
    linkHash: string,
    device: Pick<Device, "id" | "name"> & { readonly tokenHash: string },
    now: number,
  ): Promise<Device | null>;
  /** The device with this token. It notes that it was seen, at most once an hour. */
  known(tokenHash: string, now: number): Promise<Device | null>;
  /** The newest first; only those of these identities if they are given. */
  list(identities: readonly string[] | null): Promise<Device[]>;
  /** Signs a device out; false if there is none. `identities`: only one of theirs. */
  revoke(id: string, identities: readonly string[] | null): Promise<boolean>;
  /** Signs these people out everywhere, and their links that nobody has used are over. The devices that are gone. */
  revokeAll(identities: readonly string[]): Promise<Device[]>;
}
