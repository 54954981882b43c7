import { afterEach, expect, test } from "vitest";
import { openStore } from "../open-sessions.js";
import { DONE, RETENTION, RetentionKeeper, type RetentionKeeperSetting } from "./retention-keeper.js";

const DAY = 86_400_000;
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function world() {
  const { store, sessions } = await openStore({ url: ":memory:" });
  closing.push(() => sessions.close());
  const state = {
    now: Date.UTC(2026, 0, 1),
    runs: [] as string[],
    problems: [] as string[],
    told: [] as number[],
  };
  const keeper = (holder: string, more: Partial<RetentionKeeperSetting> = {}) => {
    const made = new RetentionKeeper({
      accounts: store.accounts,
      holder,
      clock: () => state.now,
      apply: async (rest) => {
        state.runs.push(holder);
        await rest();
        return { sessions: 1, messages: 2, bytes: 3, oldest: [] };
      },
      onDone: ({ messages }) => state.told.push(messages),
      onProblem: (problem) => state.problems.push(problem),
      ...more,
    });
    closing.unshift(() => made.stop());
    return made;
  };
  return { state, keeper, accounts: store.accounts };
}

test("works once a day, whichever process looks", async () => {
  const { state, keeper } = await world();
  const [one, other] = [keeper("one"), keeper("other")];
  await Promise.all([one.look(), other.look()]);
  expect(state.runs).toHaveLength(1);
  await other.look();
  state.now += DAY - 1;
  await one.look();
  expect(state.runs).toHaveLength(1);
  state.now += 1;
  await other.look();
  expect(state.runs).toHaveLength(2);
  expect(state.told).toEqual([2, 2]);
  expect(state.problems).toEqual([]);
});

test("goes on after a process that ended, when its lease has run out", async () => {
  const { state, keeper, accounts } = await world();
  await accounts.take(RETENTION, { holder: "dead", leaseMs: 1_000 }, null, state.now);
  await keeper("one").look();
  expect(state.runs).toEqual([]);
  state.now += 1_001;
  await keeper("one").look();
  expect(state.runs).toEqual(["one"]);
});

test("ends when another process has taken over, says so, and is due again", async () => {
  const { state, keeper, accounts } = await world();
  const robbed = keeper("one", {
    apply: async (rest) => {
      state.now += 10 * 60_000;
      await accounts.take(RETENTION, { holder: "two", leaseMs: 1 }, null, state.now);
      await rest();
      throw new Error("It went on.");
    },
  });
  await robbed.look();
  expect(state.problems).toEqual(["Can't remove ended sessions: Another process has taken over."]);
  expect(await accounts.read(RETENTION, DONE)).toBeNull();
});

test("a failure is reported, and tried again with the next look", async () => {
  const { state, keeper } = await world();
  await keeper("one", { apply: () => Promise.reject(new Error("The disk is full.")) }).look();
  expect(state.problems).toEqual(["Can't remove ended sessions: The disk is full."]);
  await keeper("one").look();
  expect(state.runs).toEqual(["one"]);
});

test("a time in the future, by a clock that was wrong, does not stop it", async () => {
  const { state, keeper, accounts } = await world();
  await accounts.write(RETENTION, DONE, String(state.now + 400 * DAY));
  await keeper("one").look();
  expect(state.runs).toEqual(["one"]);
});
