/**
 * Codes that let somebody in or join two identities: how they are made, for how long they count, and what wrong tries
 * cost. Pure: time and randomness are passed in. A code has 40 bits and counts for ten minutes; who has tried five wrong
 * ones is not listened to for an hour, so guessing comes to nothing.
 */
import type { Asked, Standing } from "./people-store.js";

export const CODE_MS = 10 * 60_000;
export const LOCK_MS = 60 * 60_000;
export const WRONG_TRIES = 5;
/** How many may wait on one platform. */
export const MOST_WAITING = 40;
/** Who asked before and was not let in waits only among so many: a few who ask for ever keep nobody else out. */
export const MOST_AGAIN = 20;
/** For how long it is remembered that somebody asked. */
export const ASKED_MS = 24 * 60 * 60_000;
/** How often somebody who waits is answered: with the code, and when they ask what became of it. */
export const MOST_ANSWERS = 3;

const LENGTH = 8;
/** Without 0, 1, I and O. Its 32 characters take five bits each, so none is likelier than another. */
const ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";

export function makeCode(randomBytes: (count: number) => Uint8Array): string {
  return Array.from(randomBytes(LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join("");
}

/** The code that was meant, in any case and with spaces and hyphens; null where it cannot be one. */
export function readCode(text: string): string | null {
  const code = text.slice(0, 64).replace(/[\s-]/g, "").toUpperCase();
  return code.length === LENGTH && [...code].every((letter) => ALPHABET.includes(letter)) ? code : null;
}

/** Wrong tries of one who gives codes. */
export interface Tries {
  readonly wrong: number;
  readonly lastAt: number;
}

/** Until when no code of theirs is looked at; null where they may try. */
export function lockedUntil(tries: Tries | null, now: number): number | null {
  if (!tries || tries.wrong < WRONG_TRIES) return null;
  const until = tries.lastAt + LOCK_MS;
  return now < until ? until : null;
}

/** After one more wrong try. An hour without one is a fresh beginning; a right one in between is not. */
export function afterWrongTry(tries: Tries | null, now: number): Tries {
  const before = tries && now < tries.lastAt + LOCK_MS ? tries.wrong : 0;
  return { wrong: before + 1, lastAt: Math.max(now, tries?.lastAt ?? now) };
}

/** What comes of it when somebody unknown writes. */
export function askingBy({ request, othersWaiting }: Standing, now: number): Asked {
  if (request?.denied) return "denied";
  if (request && now < request.expiresAt) return "waiting";
  return othersWaiting < (request ? MOST_AGAIN : MOST_WAITING) ? "asked" : "full";
}
