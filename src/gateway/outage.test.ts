import { expect, it } from "vitest";
import { Outage } from "./outage.js";

it("is none while only one chat fails, however often", () => {
  const outage = new Outage();
  for (let now = 0; now < 10; now++) outage.failed("ann", now);
  expect([outage.isDown, outage.waitMs(10)]).toEqual([false, 0]);
});

it("begins when a second chat fails, and pauses grow up to a minute; what failed together counts once", () => {
  const outage = new Outage();
  for (const chat of ["ann", "bob", "cid", "dan"]) outage.failed(chat, 0);
  const pauses: number[] = [];
  let now = 0;
  for (let probe = 0; probe < 8; probe++) {
    pauses.push(outage.waitMs(now));
    now += outage.waitMs(now);
    expect(outage.waitMs(now)).toBe(0);
    outage.failed("ann", now);
  }
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
});

it("is over with the first answer, and the next one begins anew", () => {
  const outage = new Outage();
  const fail = () => {
    for (const chat of ["ann", "bob"]) outage.failed(chat, 0);
  };
  fail();
  outage.answered();
  expect([outage.isDown, outage.waitMs(0)]).toEqual([false, 0]);
  fail();
  expect(outage.waitMs(0)).toBe(1_000);
});
