/** `baton usage` over a store in which a model was used by two people, a job and the person at the machine. */

import { join } from "node:path";
import { PassThrough } from "node:stream";
import type { ReadStream, WriteStream } from "node:tty";
import stringWidth from "string-width";
import { beforeAll, expect, test } from "vitest";
import type { Cli } from "../src/cli/cli.js";
import { Terminal } from "../src/cli/terminal.js";
import { showUsage } from "../src/cli/usage.js";
import { People } from "../src/gateway/people.js";
import { openDb, openStore } from "../src/open-sessions.js";
import { asSessionId } from "../src/session/ids.js";
import { forgetSessionOfUsage, noteUsageIn } from "../src/store/sql/usage.js";
import { baton, makeHome } from "./support/baton.js";

const DAY_MS = 24 * 60 * 60 * 1_000;
const now = Date.now();
const day = (before: number) => new Date(now - before * DAY_MS).toISOString().slice(0, 10);
let home = "";

const USES = [
  { identity: "telegram:1", model: "big", usage: { inputTokens: 6_000, outputTokens: 2_000, cost: 0.5 } },
  { identity: "discord:1", model: "big", usage: { inputTokens: 1_000, cost: 0.25 }, jobId: "j_00000001" },
  { identity: "telegram:2", model: "small\u001b[31m", usage: { inputTokens: 500, cacheReadTokens: 500 } },
  { identity: "local:terminal", model: "big", usage: { outputTokens: 10, cost: 0.01 }, daysAgo: 2 },
  { identity: "telegram:2", model: "big", usage: { outputTokens: 77_777, cost: 9 }, daysAgo: 40 },
];

beforeAll(async () => {
  home = makeHome();
  const url = join(home, "baton.db");
  const { store } = await openStore({ url });
  await store.people.join("telegram:1", "discord:1", "p_00000000aa", now);
  await store.close();
  const db = await openDb(url);
  await db.transaction(async (tx) => {
    for (const { daysAgo = 0, ...use } of USES)
      await noteUsageIn(tx, { ...use, sessionId: asSessionId("s1"), at: now - daysAgo * DAY_MS });
  });
  await db.close();
});

const run = (...words: string[]) => baton(home, ["usage", ...words]);
const json = async (...words: string[]) => JSON.parse((await run(...words, "--json")).stdout);
const lines = async (...words: string[]) => (await run(...words)).stdout.trimEnd().split("\n");

test("shows each day from the first one on, with a bar, a total, and the cost where it is known", async () => {
  const said = await lines();
  expect(said[0]).toMatch(/^DAY +CALLS +INPUT +OUTPUT +CACHE +TOKENS +COST$/);
  expect(said[1]).toMatch(new RegExp(`^${day(2)} +1 +0 +10 +0 +10 +\\$0\\.01  #$`));
  expect(said[2]).toMatch(new RegExp(`^${day(1)} +0 +0 +0 +0 +0$`));
  expect(said[3]).toMatch(
    new RegExp(`^${day(0)} +3 +7,500 +2,000 +500 +10,000 +\\$0\\.75 \\+ unknown  #{8,}$`),
  );
  expect(said[4]).toMatch(/^total +4 +7,500 +2,010 +500 +10,010 +\$0\.76 \+ unknown$/);
  expect(said.slice(5)).toEqual(["", "Cost unknown for small. Set a price in agent.prices in config.yaml."]);
  expect(Math.max(...said.map((line) => line.length))).toBeLessThanOrEqual(100);
});

test("adds up the accounts of a person, and names jobs, models and sessions", async () => {
  const keys = async (by: string) =>
    (await json("--by", by)).rows.map((row: { key: string; totalTokens: number }) => [
      row.key,
      row.totalTokens,
    ]);
  expect(await keys("person")).toEqual([
    ["p_00000000aa", 9_000],
    ["telegram:2", 1_000],
    ["local:terminal", 10],
  ]);
  expect(await keys("job")).toEqual([
    ["", 9_010],
    ["j_00000001", 1_000],
  ]);
  expect(await keys("model")).toEqual([
    ["big", 9_010],
    ["small", 1_000],
  ]);
  expect(await keys("session")).toEqual([["s1", 10_010]]);
  expect((await lines("--by", "person"))[3]).toMatch(/^this machine's terminal +1/);
});

test("shows only one person if asked, by the id or by an account, and only so many days", async () => {
  for (const who of ["p_00000000aa", "discord:1"])
    expect((await json("--person", who)).total).toMatchObject({ totalTokens: 9_000, cost: 0.75 });
  expect(await json("--person", "telegram:2", "--days", "41", "--by", "model")).toMatchObject({
    by: "model",
    from: day(40),
    through: day(0),
    total: { totalTokens: 78_777, modelCalls: 2, unpricedCalls: 1 },
    costUnknownFor: ["small"],
  });
  expect((await run("--person", "telegram:9", "--days", "1")).stdout).toBe(
    "Nothing was used in the last 1 day.\n",
  );
});

test.each([
  [["--by", "moon"], "Allowed choices are day, person, session, job, model"],
  [["--days", "0"], "Use a whole number from 1 to"],
  [["--person", "Ann"], "Use <platform>:<user id>"],
])("%j is refused", async (words, problem) => {
  const { code, stderr } = await run(...words);
  expect(code).toBe(2);
  expect(stderr).toContain(problem);
});

test("fits a terminal of any width, with blocks if the terminal has them", async () => {
  const drawn = async (columns: number, unicode: boolean, by: "model" | "day" = "model"): Promise<string> => {
    const stdout = Object.assign(new PassThrough(), { isTTY: true, columns });
    const streams = { stdin: new PassThrough(), stdout, stderr: new PassThrough() };
    const same = (text: string) => text;
    const terminal = new Terminal(
      streams as unknown as { stdin: ReadStream; stdout: WriteStream; stderr: WriteStream },
      false,
      { hide: same, redact: same },
    );
    const { store, sessions } = await openStore({ url: join(home, "baton.db") });
    const people = new People(store.people, {}, { clock: () => now });
    const { spending, usage, jobs } = store;
    const close = () => sessions.close();
    const cli = {
      terminal,
      environment: { unicode },
      loadConfig: async () => ({}),
      openPeople: async () => ({ people, spending, usage, jobs, sessions, close }),
    } as unknown as Cli;
    await showUsage(cli, { by, days: 30 });
    const table = String(stdout.read()).split("\n\n")[0] ?? "";
    for (const line of table.split("\n")) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
    return table;
  };
  for (let columns = 20; columns <= 200; columns += 7) await drawn(columns, true);
  expect(await drawn(120, true)).toMatch(/big .* █{40}\nsmall .* █{4}▌\n/);
  expect(await drawn(120, false)).toMatch(/big .* #{40}\nsmall .* #{4}\n/);
  expect(await drawn(60, true)).not.toContain("█");
  for (const columns of [20, 30, 40]) expect(await drawn(columns, true, "day")).toMatch(/^\d{4}-\d\d-\d\d /m);
});

test("says of a session that was erased what others used in it", async () => {
  const db = await openDb(join(home, "baton.db"));
  await db.transaction((tx) => forgetSessionOfUsage(tx, asSessionId("s1")));
  await db.close();
  expect((await json("--by", "session")).rows).toMatchObject([
    { key: "", name: "erased", totalTokens: 10_010 },
  ]);
});
