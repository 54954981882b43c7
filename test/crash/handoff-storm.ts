/**
 * Two gateways, one for each platform, between which people take their conversations, killed again and again: around the
 * steps of a handoff and at random moments, one of them or both. In the end the two that live settle, and everything is
 * checked.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { HandoffPlatform, type HandoffPoint, HandoffProcess } from "../support/handoff-process.js";
import { randomFrom } from "../support/random.mjs";
import { checkHandoffs, type HandoffTally, isSettled } from "./handoff-check.js";

const [HERE, THERE] = ["telegram", "discord"] as const;
const PLATFORMS = [HERE, THERE] as const;
type Name = (typeof PLATFORMS)[number];

const CHATS = Array.from({ length: 8 }, (_, n) => (n % 2 ? `thread${n}` : `chat${n}`));
const KILLS_A_STORE = 12;
const LEASE_MS = 600;
const LONGEST_MS = 60_000;

const STEPS: readonly { readonly at: Name; readonly step: string }[] = [
  { at: HERE, step: "handoffs.request" },
  { at: HERE, step: "inbox.finishCommand" },
  { at: THERE, step: "handoffs.step claim" },
  { at: THERE, step: "handoffs.step begin thread" },
  { at: THERE, step: "adapter.createThread" },
  { at: THERE, step: "handoffs.step aim" },
  { at: THERE, step: "handoffs.step announce" },
  { at: THERE, step: "outbox.sending" },
  { at: THERE, step: "adapter.send" },
  { at: THERE, step: "handoffs.step complete" },
  { at: THERE, step: "turns.begin" },
  { at: THERE, step: "turns.finish" },
];
const POINTS = STEPS.flatMap((step) =>
  (["before", "after"] as const).map((side): HandoffPoint & { at: Name } => ({ ...step, side })),
);

/** Kills at least so many processes. Throws at the first thing that is not as it should be. */
export async function stormHandoffs(
  kills: number,
  seed: number,
  onProgress: (kills: number) => void,
): Promise<HandoffTally> {
  const tallies: HandoffTally[] = [];
  for (let done = 0; done < kills; done += KILLS_A_STORE) {
    const count = Math.min(KILLS_A_STORE, kills - done);
    const storeSeed = seed + done;
    try {
      tallies.push(await stormStore(storeSeed, done, count));
    } catch (error) {
      throw new Error(`Seed ${storeSeed}: ${(error as Error).message}`, { cause: error });
    }
    onProgress(done + count);
  }
  return tallies.reduce(sum);
}

async function stormStore(seed: number, done: number, kills: number): Promise<HandoffTally> {
  const random = randomFrom(seed);
  const folder = await mkdtemp(join(tmpdir(), "baton-handoffs-"));
  const storm = new Storm(join(folder, "baton.db"), random, done % (2 * KILLS_A_STORE) === 0);
  try {
    const atPoints = await storm.rage(kills, done);
    await storm.settle();
    const tally = checkHandoffs(storm.path, storm.platforms);
    await rm(folder, { recursive: true, force: true });
    return { ...tally, kills, atPoints };
  } catch (error) {
    throw new Error(`${(error as Error).message} (kept in ${folder})`, { cause: error });
  } finally {
    await storm.end();
  }
}

class Storm {
  readonly path: string;
  readonly platforms: Readonly<Record<Name, HandoffPlatform>>;
  readonly #random: () => number;
  readonly #isOnce: boolean;
  readonly #processes = new Map<Name, HandoffProcess>();

  constructor(path: string, random: () => number, isOnce: boolean) {
    this.path = path;
    this.#random = random;
    this.#isOnce = isOnce;
    this.platforms = {
      [HERE]: new HandoffPlatform("here", isOnce, random),
      [THERE]: new HandoffPlatform("there", isOnce, random),
    };
  }

  /** Returns how many of the kills fell where they were to. */
  async rage(kills: number, done: number): Promise<number> {
    let atPoints = 0;
    for (let kill = 0; kill < kills; kill++) {
      await this.#startAll();
      const point = this.#random() < 0.7 ? POINTS[(done + kill) % POINTS.length] : undefined;
      if (point) this.#processes.get(point.at)?.arm(point);
      this.#load();
      const victim = this.#processes.get(point?.at ?? this.#pick(PLATFORMS));
      const patience = sleep(point ? 2_000 : this.#random() * 120).then(() => null);
      const own = await Promise.race([victim?.ended, patience]);
      if (own && own.how !== "SIGKILL") throw new Error(`It ended with ${own.how}. ${own.complaint}`);
      if (own) atPoints += 1;
      victim?.kill();
      const both = this.#random() < 0.3;
      if (both) for (const each of this.#processes.values()) each.kill();
      await (both ? Promise.all([...this.#processes.values()].map(({ ended }) => ended)) : victim?.ended);
    }
    return atPoints;
  }

  async settle(): Promise<void> {
    await this.#startAll();
    const deadline = Date.now() + LONGEST_MS;
    for (let calm = 0; calm < 3; await sleep(20)) {
      const open = isSettled(this.path);
      const isHeard = Object.values(this.platforms).every((platform) => platform.isHeard);
      calm = open.length === 0 && isHeard ? calm + 1 : 0;
      if (Date.now() > deadline) throw new Error(`It does not come to an end: ${JSON.stringify(open)}`);
    }
  }

  async end(): Promise<void> {
    for (const process of this.#processes.values()) process.kill();
    for (const { ended } of this.#processes.values()) await ended;
  }

  /** Those that were killed are there again. */
  async #startAll(): Promise<void> {
    const people = Object.fromEntries(PLATFORMS.map((platform) => [platform, CHATS]));
    for (const platform of PLATFORMS) {
      const present = this.#processes.get(platform);
      if (present && !present.isOver) continue;
      const options = { url: this.path, platform, people, leaseMs: LEASE_MS, isOnce: this.#isOnce };
      this.#processes.set(platform, new HandoffProcess(options, this.platforms[platform]));
    }
    await Promise.all([...this.#processes.values()].map(({ ready }) => ready));
  }

  /** People talk at both ends, and some take their conversations along. */
  #load(): void {
    for (let n = 0; n < 3; n++) {
      const chat = this.#pick(CHATS);
      this.platforms[HERE].write(chat, "before");
      this.platforms[HERE].write(chat, `/handoff ${THERE}:${chat}`);
      this.platforms[HERE].write(chat, "and on");
    }
    this.platforms[HERE].write("thread1", `/handoff ${THERE}:thread1`);
    this.platforms[THERE].write(this.#pick(CHATS), "meanwhile");
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.#random() * items.length)] as Item;
  }
}

function sum(one: HandoffTally, other: HandoffTally): HandoffTally {
  const names = Object.keys(one) as (keyof HandoffTally)[];
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as unknown as HandoffTally;
}
