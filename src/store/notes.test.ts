/** Notes over a real SQLite: whose they are, whatever is called; and those that come with another transaction. */
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { MemoryNote } from "../memory/notes.js";
import type { MemoryNotes, NoteSaved } from "../memory/store.js";
import { Redactor } from "../util/redact.js";
import type { Db } from "./db.js";
import { hidingDb } from "./hiding-db.js";
import { addNotesIn } from "./sql/notes.js";
import { openSqlStore } from "./sql-store.js";
import { openSqlite } from "./sqlite/db.js";

const [ann, away, bob, group] = ["person:x:ann", "person:y:ann", "person:x:bob", "chat:x:1"] as const;
const MOST = 100;

let db: Db;
let store: Awaited<ReturnType<typeof openSqlStore>>;
let memory: MemoryNotes;
const redactor = new Redactor();
beforeEach(async () => {
  db = hidingDb(await openSqlite(":memory:"), redactor.hide);
  store = await openSqlStore(db, 0);
  memory = store.memory;
});
afterEach(() => store.close());

const add = (owner: string, text: string) => memory.add([owner], owner, text, "person", MOST, 1);
const textsOf = async (...owners: string[]) => (await memory.of(owners)).map(({ text }) => text);
const noteOf = (saved: NoteSaved): MemoryNote => {
  if (!("note" in saved)) throw new Error(saved.kind);
  return saved.note;
};

it("never shows or changes a note of others, whatever is called with one's own owners", async () => {
  const mine = [ann, away];
  const bobs = noteOf(await add(bob, "tea"));
  const groups = noteOf(await add(group, "cat"));
  const theirs = [bobs, groups];
  const id = fc.oneof(fc.constantFrom(bobs.id, groups.id), fc.integer({ min: -1, max: 40 }));
  const text = fc.constantFrom("tea", "cat", "a note", "x".repeat(90));
  const owner = fc.constantFrom(ann, away, bob, group, "", "%");
  const owners = fc.constantFrom<readonly string[]>(mine, [ann], [away], [], [""], ["%"], ["person:"]);
  const call = fc.oneof(
    fc.tuple(fc.constant("add" as const), owners, owner, text),
    fc.tuple(fc.constant("replace" as const), owners, id, text),
    fc.tuple(fc.constant("edit" as const), owners, owner, fc.array(id, { maxLength: 3 }), text),
    fc.tuple(fc.constant("remove" as const), owners, fc.array(id, { maxLength: 3 })),
    fc.tuple(fc.constant("forget" as const), owners),
    fc.tuple(fc.constant("of" as const), owners),
  );
  type Call = typeof call extends fc.Arbitrary<infer C> ? C : never;
  const run = (called: Call): Promise<unknown> => {
    switch (called[0]) {
      case "add":
        return memory.add(called[1], called[2], called[3], "agent", MOST, 2);
      case "replace":
        return memory.replace(called[1], called[2], called[3], "agent", MOST, 2);
      case "edit":
        return memory.edit(called[1], called[2], { remove: called[3], add: [called[4]] }, "agent", MOST, 2);
      case "remove":
        return memory.remove(called[1], called[2]);
      case "forget":
        return memory.forget(called[1]);
      default:
        return memory.of(called[1]);
    }
  };
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 8 }), async (calls) => {
      for (const each of calls) {
        const result = JSON.stringify(await run(each));
        for (const { owner: whose } of theirs) expect(result).not.toContain(JSON.stringify(whose));
      }
      expect(await memory.of([bob, group])).toEqual(theirs);
    }),
    { numRuns: 300 },
  );
});

describe("notes inside the transaction of somebody else", () => {
  const flush = (owner: string, texts: readonly string[], most = MOST) =>
    db.transaction((tx) => addNotesIn(tx, owner, texts, "flush", most, 7));

  it("are added if they can be notes, are new and fit", async () => {
    await add(ann, "likes tea");
    const texts = [
      "likes tea",
      " has\na cat ",
      "has a cat",
      "",
      "\u0000",
      "x".repeat(600),
      "y".repeat(90),
      "ok",
    ];
    expect(await flush(ann, texts)).toBe(2);
    expect(await textsOf(ann)).toEqual(["likes tea", "has a cat", "ok"]);
    expect(await flush(ann, texts)).toBe(0);
    expect((await memory.of([ann])).map(({ by, madeAt }) => [by, madeAt]).at(-1)).toEqual(["flush", 7]);
    expect(await textsOf(bob)).toEqual([]);
  });

  it("count what the other accounts of the person have", async () => {
    await add(away, "z".repeat(80));
    expect(await flush(ann, ["a".repeat(30)])).toBe(1);
    await store.people.join("x:bob", "y:bob", "p_1", 0);
    await add("person:y:bob", "z".repeat(80));
    expect(await flush(bob, ["a".repeat(30), "b".repeat(20)])).toBe(1);
    expect(await textsOf(bob)).toEqual(["b".repeat(20)]);
  });

  it("are gone if it fails", async () => {
    const failing = db.transaction(async (tx) => {
      await addNotesIn(tx, group, ["meets on Mondays"], "flush", MOST, 1);
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(await textsOf(group)).toEqual([]);
  });
});

it("saves no known secret, and knows such a note again", async () => {
  redactor.know(() => ["canary-4711-secret"]);
  expect(await add(ann, "the key is canary-4711-secret")).toMatchObject({
    kind: "saved",
    note: { text: "the key is ***" },
  });
  expect(await add(ann, "the key is canary-4711-secret")).toMatchObject({ kind: "same" });
});
