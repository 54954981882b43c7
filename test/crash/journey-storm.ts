/**
 * A gateway under load, killed at random moments again and again: many chats of every busy mode, written to before and
 * while it lives, on a platform that can edit or not, and a store that can be written always or mostly. After some lives
 * one is left alone until it has settled, and everything is checked. A life is as long as what is heard of it, so that a
 * machine that is kept busy kills no more often than an idle one.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { randomFrom } from "../support/random.mjs";
import type { Settled } from "./journey-check.js";
import { death, Lives } from "./journey-lives.js";

const CHATS = Object.entries({ queue: 8, interrupt: 4, steer: 4, flaky: 2 }).flatMap(([mode, count]) =>
  Array.from({ length: count }, (_, number) => `${mode}${number}`),
);
/** The platform holds back while so many messages have not arrived. */
const MAX_OPEN = 16;
const LIVES_A_STORE = 15;
const WORDS = [
  "",
  "tool",
  "slow",
  "tool slow",
  "aloud",
  "aloud slow",
  "ünï ☃ 😀",
  "a longer story ".repeat(60),
];
/** Short, so that a machine that is kept busy also loses accounts, and takes them again. */
const LEASE_MS = 300;
/** How often a store that fails does, of 1. */
const FAILING = 0.03;
/** The most that is heard of a life. */
const LONG = 60;
const SHORT = 6;

export interface StormTally extends Settled {
  kills: number;
  /** Kills of processes that had not yet begun to receive. */
  whileStarting: number;
  /** Kills at which something was not acknowledged yet. */
  unacknowledged: number;
  redelivered: number;
}

/** Kills at least so many times, in two lanes at once. Throws at the first thing that is not as it should be. */
export async function stormJourney(
  kills: number,
  seed: number,
  onProgress: (kills: number) => void,
): Promise<StormTally> {
  const tallies: StormTally[] = [];
  let begun = 0;
  let failed = false;
  const lane = async () => {
    while (begun * LIVES_A_STORE < kills && !failed) {
      const storeSeed = seed + ++begun;
      try {
        tallies.push(await stormStore(storeSeed));
      } catch (error) {
        failed = true;
        throw new Error(`Seed ${storeSeed}: ${(error as Error).message}`, { cause: error });
      }
      onProgress(tallies.length * LIVES_A_STORE);
    }
  };
  for (const lived of await Promise.allSettled([lane(), lane()])) {
    if (lived.status === "rejected") throw lived.reason;
  }
  return tallies.reduce(sum);
}

async function stormStore(seed: number): Promise<StormTally> {
  const random = randomFrom(seed);
  const lives = await Lives.begin(CHATS);
  const streams = random() < 0.5;
  const failing = random() < 0.5 ? FAILING : 0;
  const { platform } = lives;
  let whileStarting = 0;
  let unacknowledged = 0;
  return lives.live(async () => {
    for (let life = 0; life < LIVES_A_STORE; life++) {
      const gateway = lives.start(undefined, { streams, failing, leaseMs: LEASE_MS });
      if (random() < 0.15) {
        await sleep(random() * 300); // Somewhere in its start.
        whileStarting += 1;
      } else {
        await gateway.ready();
        const until = platform.heard + random() * (random() < 0.2 ? SHORT : LONG);
        while (platform.heard < until) {
          for (let n = 0; n < 8 && platform.open < MAX_OPEN; n++) write(platform, random);
          await sleep(random() * 20);
        }
      }
      gateway.signal("SIGKILL");
      await death(gateway, "at a random moment");
      if (platform.open > 0) unacknowledged += 1;
    }
    const last = lives.start(undefined, { streams, failing: 0, leaseMs: LEASE_MS });
    await last.ready();
    await last.settle();
    const { redelivered } = platform;
    return { ...lives.check(), kills: LIVES_A_STORE, whileStarting, unacknowledged, redelivered };
  });
}

function write(platform: Lives["platform"], random: () => number): void {
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item;
  platform.write(pick(CHATS), random() < 0.1 ? "/note" : pick(WORDS));
}

function sum(one: StormTally, other: StormTally): StormTally {
  const names = Object.keys(one) as (keyof StormTally)[];
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as unknown as StormTally;
}
