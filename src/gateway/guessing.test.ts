/**
 * Guessing comes to nothing: guesses by the thousand at the real door, over a real store, with a clock that is moved. How
 * many are looked at is counted by the hashes that are made for them, and is the number that the arithmetic goes by.
 */
import { createHash, randomBytes } from "node:crypto";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openDb } from "../open-sessions.js";
import { identityNamed } from "../session/access.js";
import { parseSource } from "../session/source.js";
import type { Db } from "../store/db.js";
import { openSqlStore } from "../store/sql-store.js";
import { ScriptedAdapter } from "../testing/scripted-adapter.js";
import { Doorstep } from "./doorstep.js";
import {
  afterWrongTry,
  CODE_MS,
  LOCK_MS,
  lockedUntil,
  MOST_ANSWERS,
  MOST_WAITING,
  makeCode,
  type Tries,
  WRONG_TRIES,
} from "./pairing.js";
import { People } from "./people.js";

/** As many as a few seconds allow; all that were ever asked for with BATON_TEST_FULL=1, in some minutes. */
const isFull = process.env.BATON_TEST_FULL === "1";
const GUESSES = isFull ? 1_000_000 : 20_000;
if (isFull) vi.setConfig({ testTimeout: 900_000 });
const CODES = 32 ** 8;
const MEMBERS = ["1", "2", "3"];
const guess = () => makeCode(randomBytes);

let db: Db;
let store: Awaited<ReturnType<typeof openSqlStore>>;
let adapter: ScriptedAdapter;
let people: People;
let doorstep: Doorstep;
let now: number;
/** Hashes that were made: of codes that were shown, and of guesses that were looked at. */
let hashes: number;
let problems: string[];
beforeEach(async () => {
  db = await openDb("sqlite::memory:");
  store = await openSqlStore(db, 0);
  now = Date.UTC(2026, 0, 1);
  hashes = 0;
  problems = [];
  const hash = async (code: string, salt: string) => {
    hashes += 1;
    return createHash("sha256").update(salt).update(code).digest("hex"); // Fast: it is counted, not broken.
  };
  const clock = () => now;
  people = new People(store.people, { allow: { telegram: MEMBERS } }, { clock, hash });
  doorstep = new Doorstep({ people, clock, onProblem: (problem) => problems.push(problem) });
  adapter = new ScriptedAdapter({ platform: "discord" });
  await adapter.connect((message) => doorstep.receive(adapter, message).then(() => "refused"));
});
afterEach(() => store.close());

const type = (userId: string, text: string) => adapter.write({ userId }, text);
const showCodes = async () => {
  for (const member of MEMBERS) await people.showLink(identityNamed("telegram", member));
};
const openLinkCodes = async () => Number((await db.get("SELECT count(*) AS n FROM link_codes"))?.n);

async function nobodyGotIn(guessers: readonly string[]): Promise<void> {
  await doorstep.idle();
  expect(problems).toEqual([]);
  expect(await store.people.list()).toEqual([]);
  for (const id of guessers) {
    const source = parseSource({ platform: "discord", chat_id: id, user_id: id });
    expect((await people.access(source)).allowed).toBe(false);
  }
}

/** What the arithmetic says of somebody who guesses at these times. */
function lookedAt(times: readonly number[]): number {
  let [looked, tries]: [number, Tries | null] = [0, null];
  for (const at of times) {
    if (lockedUntil(tries, at) !== null) continue;
    looked += 1;
    tries = afterWrongTry(tries, at);
  }
  return looked;
}

it("of one who guesses link codes all day five an hour are looked at, as the arithmetic has it", async () => {
  const begun = now;
  const times = Array.from({ length: GUESSES }, (_, n) => begun + Math.floor((n * 24 * LOCK_MS) / GUESSES));
  let [shown, shownAt] = [0, Number.NEGATIVE_INFINITY];
  for (const at of times) {
    now = at;
    if (now >= shownAt + CODE_MS) {
      await showCodes(); // There is always something to find.
      shown += MEMBERS.length;
      shownAt = now;
    }
    await type("eve", `/link ${guess()}`);
  }
  await nobodyGotIn(["eve"]);
  const looked = hashes - shown;
  expect(looked).toBe(lookedAt(times));
  expect(looked).toBeLessThanOrEqual(24 * WRONG_TRIES);
  expect(adapter.sent).toHaveLength(looked);
  expect(await openLinkCodes()).toBe(MEMBERS.length);
});

it("of very many who guess link codes together, five each are looked at: one in a million for a million of them", async () => {
  await showCodes();
  await showCodes(); // One each, however often they ask.
  expect(await openLinkCodes()).toBe(MEMBERS.length);
  hashes = 0;
  const guessers = Array.from({ length: GUESSES / 10 }, (_, n) => `eve${n}`);
  for (let round = 0; round < 10; round++) {
    now += 1_000;
    for (const id of guessers) await type(id, `/link ${guess()}`);
  }
  await nobodyGotIn(guessers);
  expect(hashes).toBe(guessers.length * WRONG_TRIES);
  expect(adapter.sent).toHaveLength(hashes);
  // Were they 200,000, a million guesses would be looked at while a code counts.
  const chance = (200_000 * (hashes / guessers.length)) / CODES;
  expect(chance).toBeLessThan(1e-6);
});

it("of strangers who guess pairing codes none is looked at, be they one or many", async () => {
  for (const id of ["a", "b", "c"]) await type(id, "hello");
  expect(hashes).toBe(3);
  const guessers = Array.from({ length: GUESSES / 10 }, (_, n) => `eve${n}`);
  for (let n = 0; n < GUESSES / 2; n++) await type("eve", `/pair approve ${guess()}`);
  for (let n = 0; n < GUESSES / 2; n++) {
    await type(guessers[n % guessers.length] ?? "", `/pair approve ${guess()}`);
  }
  await nobodyGotIn(["a", "b", "c", "eve", ...guessers]);
  // The guessers ask to be let in as well, and as many as may wait get a code of their own.
  expect(hashes).toBe(MOST_WAITING);
  expect(adapter.sent.length).toBeLessThanOrEqual(MOST_WAITING * MOST_ANSWERS);
});

it("of one who may approve, five pairing codes an hour are looked at", async () => {
  const asked = ["a", "b", "c"];
  const as = { role: "guest", name: null } as const;
  const begun = now;
  const times = Array.from({ length: GUESSES }, (_, n) => begun + Math.floor((n * 6 * LOCK_MS) / GUESSES));
  let [shown, shownAt] = [0, Number.NEGATIVE_INFINITY];
  const kinds = new Map<string, number>();
  for (const at of times) {
    now = at;
    if (now >= shownAt + CODE_MS) {
      for (const id of asked) await type(id, "hello");
      shown += asked.length;
      shownAt = now;
    }
    const { kind } = await people.approve("discord:boss", guess(), as);
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  await nobodyGotIn(asked);
  const looked = lookedAt(times);
  expect(hashes - shown).toBe(looked);
  expect(looked).toBeLessThanOrEqual(6 * WRONG_TRIES);
  expect(Object.fromEntries(kinds)).toEqual({ wrong: looked, locked: GUESSES - looked });
});
