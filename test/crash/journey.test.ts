import { expect, test } from "vitest";
import { killAtPoints } from "./journey-points.js";
import { stormJourney } from "./journey-storm.js";

const KILLS = 120;

function seedFor(what: string): number {
  const seed = Math.floor(Math.random() * 2 ** 31);
  console.log(`${what}: seed ${seed}`);
  return seed;
}

test("killed around every step of the journey, a gateway loses nothing and says nothing twice", async () => {
  const killed = await killAtPoints(3, seedFor("points"));
  for (const { kills } of killed) expect(kills).toBeGreaterThanOrEqual(3);
  // A send that a kill fell into is all that may be in doubt.
  const doubtful = killed.filter(({ unknown }) => unknown > 0).map(({ point }) => point);
  expect(doubtful).toEqual(expect.arrayContaining(["after outbox.sending", "after adapter.send"]));
}, 1_200_000);

test("nor does it when it is killed under load, 120 times at random, nor when its store fails now and then", async () => {
  const tally = await stormJourney(KILLS, seedFor("storm"), () => {});
  console.log(tally);
  expect(tally.kills).toBeGreaterThanOrEqual(KILLS);
  // Kills that hit nothing would prove nothing.
  expect(tally.unacknowledged / tally.kills).toBeGreaterThan(0.1);
  expect(tally.redelivered).toBeGreaterThan(KILLS / 2);
  expect(tally.unknown).toBeGreaterThan(0); // Few where the machine is so busy that little is sent in a life.
  expect(tally.answered).toBeGreaterThan(tally.messages / 2);
  // What people would feel: in doubt is what was on its way at a kill, in few of the chats; given up is almost nothing.
  expect(tally.unknown).toBeLessThan(tally.kills * 3);
  expect(tally.parked / tally.messages).toBeLessThan(0.1);
}, 1_200_000);
