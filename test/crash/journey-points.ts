/**
 * Kills around every named step of the journey: right before it is taken and right after. After each kill the next
 * process settles and everything is checked; then that one is killed at the next point.
 */
import type { GatewayProcess, Point } from "../support/gateway-process.js";
import { randomFrom } from "../support/random.mjs";
import { death, Lives } from "./journey-lives.js";

/** Steps on the way of a message. */
const STEPS = [
  "inbox.acceptFrom",
  "acknowledge",
  "turns.begin",
  "journal.planned",
  "journal.started",
  "tool",
  "journal.finished",
  "turns.step",
  "turns.renew",
  "turns.finish",
  "outbox.sending",
  "adapter.send",
  "outbox.retry",
  "outbox.sent",
  "inbox.beginCommand",
  "inbox.finishCommand",
];

/** Steps of a process that is told to end while it works. */
const LEAVING = ["turns.release", "inbox.release", "outbox.release"];

/** Steps of a process that goes on where another was killed. What two were killed in is not given up. */
const RECOVERING = [
  { first: "turns.begin", next: "turns.takeOver" },
  { first: "turns.begin", next: "turns.finish" },
  { first: "journal.started", next: "turns.step" },
  { first: "tool", next: "journal.open" },
  { first: "turns.step", next: "turns.finish" },
  { first: "inbox.acceptFrom", next: "turns.begin" },
  { first: "outbox.sending", next: "outbox.doubt" },
  { first: "inbox.beginCommand", next: "inbox.finishCommand" },
];

/** A turn of which one process after the other ends: the third is the last that it may have for itself. */
const POISON = { first: "turns.begin", next: "turns.finish", kills: 3 };

const CHATS = ["queue", "flaky", "interrupt", "steer"];
const SIDES = ["before", "after"] as const;

export interface Killed {
  readonly point: string;
  kills: number;
  /** Messages that came again because nobody had said that they arrived. */
  redelivered: number;
  unknown: number;
  parked: number;
}

/** Kills so many times at every point, in two lanes at once. Throws at the first thing that is not as it should be. */
export async function killAtPoints(times: number, seed: number): Promise<Killed[]> {
  const killed: Killed[] = [];
  const attempts = SIDES.flatMap((side) => [
    ...STEPS.map((step) => ({ name: `${side} ${step}`, kill: (lives: Kills) => lives.atStep(step, side) })),
    ...LEAVING.map((step) => ({
      name: `${side} ${step}, leaving`,
      kill: (lives: Kills) => lives.whileLeaving(step, side),
    })),
    ...RECOVERING.map(({ first, next }) => ({
      name: `${side} ${next}, after a kill at ${first}`,
      kill: (lives: Kills) => lives.whileRecovering(first, next, side, { kills: 2, parks: 0 }),
    })),
  ]);
  attempts.push({
    name: `before ${POISON.next}, each time`,
    kill: (lives) =>
      lives.whileRecovering(POISON.first, POISON.next, "before", { kills: POISON.kills, parks: 1 }),
  });
  const lane = async (number: number) => {
    const kills = new Kills(await Lives.begin(CHATS), randomFrom(seed + number));
    await kills.lives.live(async () => {
      for (const { name, kill } of attempts.filter((_, index) => index % 2 === number)) {
        const row: Killed = { point: name, kills: 0, redelivered: 0, unknown: 0, parked: 0 };
        for (let time = 0; time < times; time++) kills.count(row, await kill(kills));
        killed.push(row);
      }
    });
  };
  for (const lived of await Promise.allSettled([lane(0), lane(1)])) {
    if (lived.status === "rejected") throw lived.reason;
  }
  return killed;
}

class Kills {
  readonly lives: Lives;
  readonly #random: () => number;
  #gateway: GatewayProcess | undefined;
  #before = { redelivered: 0, unknown: 0, parked: 0 };

  constructor(lives: Lives, random: () => number) {
    this.lives = lives;
    this.#random = random;
  }

  async atStep(step: string, side: Point["side"]): Promise<number> {
    const times = 1 + Math.floor(this.#random() * 2);
    await this.#killAt({ step, side, times }, () => this.#writeAll());
    await this.#settle(0);
    return 1;
  }

  async whileLeaving(step: string, side: Point["side"]): Promise<number> {
    const gateway = await this.#running();
    gateway.arm({ step, side, times: 1 });
    const begun = gateway.begun();
    this.lives.platform.write("queue", "patient");
    this.lives.platform.write("queue", "and then");
    await begun;
    gateway.leave();
    await death(gateway, `${side} ${step}`);
    await this.#settle(0);
    return 1;
  }

  async whileRecovering(
    first: string,
    next: string,
    side: Point["side"],
    { kills, parks }: { readonly kills: number; readonly parks: number },
  ): Promise<number> {
    await this.#killAt({ step: first, side: "after", times: 1 }, () => {
      this.lives.platform.write("queue", "tool");
      this.lives.platform.write("queue", "/note");
    });
    for (let kill = 1; kill < kills; kill++)
      await death(this.lives.start({ step: next, side, times: 1 }), `${side} ${next}`);
    await this.#settle(parks);
    return kills;
  }

  /** Adds to the row what came of its kills. */
  count(row: Killed, kills: number): void {
    const { unknown, parked } = this.lives.check();
    const { redelivered } = this.lives.platform;
    row.kills += kills;
    row.redelivered += redelivered - this.#before.redelivered;
    row.unknown += unknown - this.#before.unknown;
    row.parked += parked - this.#before.parked;
    this.#before = { redelivered, unknown, parked };
  }

  async #killAt(point: Point, load: () => void): Promise<void> {
    const gateway = await this.#running();
    gateway.arm(point);
    load();
    await death(gateway, `${point.side} ${point.step}`);
  }

  /** Something of everything. */
  #writeAll(): void {
    const { platform } = this.lives;
    platform.write("queue", "tool");
    platform.write("queue", "and then");
    platform.write("queue", "tool again");
    platform.write("flaky", "hello");
    platform.write("flaky", "hello again");
    platform.write("interrupt", "slow");
    platform.write("interrupt", "rather this");
    platform.write("steer", "slow tool");
    platform.write("steer", "and that");
    platform.write("queue", "/note");
    platform.write("flaky", "/note");
  }

  /** So many turns are given up. */
  async #settle(parks: number): Promise<void> {
    const gateway = await this.#running();
    await gateway.settle();
    const { parked } = this.lives.check();
    const givenUp = parked - this.#before.parked;
    if (givenUp !== parks) throw new Error(`${givenUp} turns were given up, not ${parks}.`);
  }

  /** The process that has settled after the last kill, to be killed next; at first a new one. */
  async #running(): Promise<GatewayProcess> {
    if (this.#gateway?.isOver === false) return this.#gateway;
    this.#gateway = this.lives.start();
    await this.#gateway.ready();
    return this.#gateway;
  }
}
