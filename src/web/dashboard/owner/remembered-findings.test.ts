/** A check-up is done seldom, once at a time, and nobody waits long for it. */
import { beforeEach, expect, it } from "vitest";
import type { Finding } from "../../../util/finding.js";
import { rememberedFindings } from "./remembered-findings.js";

const VALID_MS = 10 * 60_000;
const found = (finding: string): Finding[] => [{ check: "store", finding, status: "ok" }];

let now: number;
let checks: { resolve(findings: readonly Finding[]): void; reject(error: unknown): void }[];
let problems: string[];
let causes: unknown[];
beforeEach(() => {
  now = Date.UTC(2026, 0, 10, 12);
  [checks, problems, causes] = [[], [], []];
});

const remembered = (patienceMs = 60_000) =>
  rememberedFindings({
    findings: () => new Promise((resolve, reject) => checks.push({ resolve, reject })),
    clock: () => now,
    onProblem: (problem, details) => {
      problems.push(problem);
      causes.push(details?.cause);
    },
    patienceMs,
  });

it("checks when somebody asks first, and again after ten minutes", async () => {
  const findings = remembered();
  expect(checks).toHaveLength(0);
  const first = findings();
  checks[0]?.resolve(found("one"));
  expect(await first).toEqual(found("one"));
  now += VALID_MS - 1;
  expect(await findings()).toEqual(found("one"));
  expect(checks).toHaveLength(1);
  now += 1;
  const second = findings();
  checks[1]?.resolve(found("two"));
  expect(await second).toEqual(found("two"));
  expect(await findings()).toEqual(found("two"));
  expect(checks).toHaveLength(2);
});

it("checks again if the clock was set back", async () => {
  const findings = remembered();
  const first = findings();
  checks[0]?.resolve(found("one"));
  await first;
  now -= VALID_MS;
  const second = findings();
  checks[1]?.resolve(found("two"));
  expect(await second).toEqual(found("two"));
});

it("checks once for all who ask at the same time", async () => {
  const findings = remembered();
  const all = [findings(), findings(), findings()];
  expect(checks).toHaveLength(1);
  checks[0]?.resolve(found("one"));
  expect(await Promise.all(all)).toEqual([found("one"), found("one"), found("one")]);
});

it("gives what is known if a check-up takes longer than anybody waits", async () => {
  const findings = remembered(1);
  expect(await findings()).toEqual([]);
  now += VALID_MS;
  expect(await findings()).toEqual([]);
  expect(checks).toHaveLength(1); // The first one is still at it.
  checks[0]?.resolve(found("late"));
  await new Promise(setImmediate);
  now -= VALID_MS;
  expect(await findings()).toEqual(found("late"));
  now += VALID_MS;
  expect(await findings()).toEqual(found("late"));
  expect(checks).toHaveLength(2);
});

it("says that a check-up failed, keeps what was found before, and tries again after its time", async () => {
  const findings = remembered();
  const first = findings();
  checks[0]?.resolve(found("one"));
  await first;
  now += VALID_MS;
  const second = findings();
  const error = new Error("no such program");
  checks[1]?.reject(error);
  expect(await second).toEqual(found("one"));
  expect(problems).toEqual(["The page could not check the setup. Run `baton doctor` to check it."]);
  expect(causes).toEqual([error]);
  await findings();
  expect(checks).toHaveLength(2);
  now += VALID_MS;
  const third = findings();
  checks[2]?.resolve(found("two"));
  expect(await third).toEqual(found("two"));
});
