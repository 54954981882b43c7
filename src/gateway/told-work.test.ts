import { expect, test } from "vitest";
import { toldWork, UNTOLD, whileTold } from "./told-work.js";
import type { WorkStore } from "./work.js";

const BACKUP = { what: "Backup", unit: "percent", total: 100 };

function world({ fails = false } = {}) {
  const said: string[] = [];
  const write = async (word: string): Promise<void> => {
    if (fails) throw new Error("The store is busy.");
    said.push(word);
  };
  const work: WorkStore = {
    begin: async ({ what }) => {
      await write(`begin ${what}`);
      return 1;
    },
    tell: (id, { done, total }) => write(`${id}: ${done} of ${total}`),
    end: (id, outcome) => write(`${id}: ${outcome}`),
    list: async () => [],
  };
  let now = 0;
  return { said, setting: { work, holder: "h", clock: () => now }, pass: (ms: number) => (now += ms) };
}

test("says how far it is, not too often, and how it ended", async () => {
  const { said, setting, pass } = world();
  const made = await whileTold(
    toldWork(setting, BACKUP),
    async (told) => {
      told.tell(1);
      pass(500);
      told.tell(50);
      told.tell(51);
      await Promise.resolve();
      pass(499);
      told.tell(99);
      return "baton.db";
    },
    (file) => `saved in\n${file}`,
  );
  expect(made).toBe("baton.db");
  expect(said).toEqual(["begin Backup", "1: 50 of 100", "1: saved in baton.db"]);
});

test("one word at a time: what comes meanwhile is left out", async () => {
  const { said, setting, pass } = world();
  let sent = (): void => {};
  const tell: WorkStore["tell"] = (...given) =>
    new Promise((resolve) => {
      sent = () => resolve(setting.work.tell(...given));
    });
  const told = await toldWork({ ...setting, work: { ...setting.work, tell } }, BACKUP);
  for (const done of [10, 20, 30]) {
    pass(1_000);
    told.tell(done, 200);
  }
  sent();
  await told.end("done");
  expect(said).toEqual(["begin Backup", "1: 10 of 200", "1: done"]);
});

test("a store that fails changes nothing for the work", async () => {
  const { setting, pass } = world({ fails: true });
  expect(await toldWork(setting, BACKUP)).toBe(UNTOLD);
  const work = { ...setting.work, begin: async () => 1 };
  const told = await toldWork({ ...setting, work }, BACKUP);
  pass(1_000);
  told.tell(1);
  await told.end("done");
});

test("work that fails says why", async () => {
  const { said, setting } = world();
  const work = whileTold(
    toldWork(setting, BACKUP),
    () => Promise.reject(new Error("The disk is full.")),
    () => "",
  );
  await expect(work).rejects.toThrow("The disk is full.");
  expect(said.at(-1)).toBe("1: failed: The disk is full.");
});
