/**
 * Codes that let somebody in or link two accounts: how they are made, how long they are valid, and what wrong tries
 * cost. Pure: time and randomness are passed in. A code has 40 bits and is valid for ten minutes; after five wrong
 * tries, somebody's codes are ignored for an hour, so guessing does not work.
 */
import type { PairingOutcome, PairingStanding } from "./people-store.js";

export const CODE_MS = 10 * 60_000;
export const LOCK_MS = 60 * 60_000;
export const WRONG_TRIES = 5;
/** How many people may wait on one platform. */
export const MOST_WAITING = 40;
/** How many of them may be people who asked before and were not let in: they leave room for others. */
export const MOST_AGAIN = 20;
/** How long Baton remembers that somebody asked. */
export const ASKED_MS = 24 * 60 * 60_000;
/** How often somebody who waits gets a reply: with the code, and when they ask about it. */
export const MOST_ANSWERS = 3;

const LENGTH = 8;
/** Without 0, 1, I and O. Its 32 characters take five bits each, so all are equally likely. */
const ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";

export function makeCode(randomBytes: (count: number) => Uint8Array): string {
  return Array.from(randomBytes(LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join("");
}

/** The code that was meant, in any case and with spaces and hyphens; null if it cannot be one. */
export function readCode(text: string): string | null {
  const code = text.slice(0, 64).replace(/[\s-]/g, "").toUpperCase();
  return code.length === LENGTH && [...code].every((letter) => ALPHABET.includes(letter)) ? code : null;
}

/** The wrong tries of one person. */
export interface Tries {
  readonly wrong: number;
  readonly lastAt: number;
}

/** Until when their codes are ignored; null if they may try. */
export function lockedUntil(tries: Tries | null, now: number): number | null {
  if (!tries || tries.wrong < WRONG_TRIES) return null;
  const until = tries.lastAt + LOCK_MS;
  return now < until ? until : null;
}

/** The state after one more wrong try. An hour without one starts again at zero; a right code in between does not. */
export function afterWrongTry(tries: Tries | null, now: number): Tries {
  const before = tries && now < tries.lastAt + LOCK_MS ? tries.wrong : 0;
  return { wrong: before + 1, lastAt: Math.max(now, tries?.lastAt ?? now) };
}

/** What happens when a stranger writes. */
export function askingBy({ request, othersWaiting }: PairingStanding, now: number): PairingOutcome {
  if (request?.denied) return "denied";
  if (request && now < request.expiresAt) return "waiting";
  return othersWaiting < (request ? MOST_AGAIN : MOST_WAITING) ? "asked" : "full";
}
