/** What every store of notes must do, as a vitest suite over the same fixtures as the gateway store's. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { MemoryNote } from "../memory/notes.js";
import type { MemoryNotes, NoteSaved } from "../memory/store.js";
import { ownerOfChat, ownerOfPerson } from "../session/access.js";
import { platforms } from "../session/platform.js";
import type { GatewayStoreFixture } from "./gateway-store-contract.js";

const [, HERE = "", THERE = ""] = platforms();
const ann = ownerOfPerson(`${HERE}:ann`);
const away = ownerOfPerson(`${THERE}:ann`);
const bob = ownerOfPerson(`${HERE}:bob`);
const group = ownerOfChat(`${HERE}:ann`);
const MOST = 100;

export function memoryNotesContract(name: string, createFixture: () => Promise<GatewayStoreFixture>): void {
  describe(`memory notes: ${name}`, () => {
    let fixture: GatewayStoreFixture;
    let memory: MemoryNotes;
    let other: MemoryNotes;
    let store: Awaited<ReturnType<GatewayStoreFixture["open"]>>;
    beforeEach(async () => {
      fixture = await createFixture();
      store = await fixture.open();
      memory = store.memory;
      other = (await fixture.open()).memory;
    });
    afterEach(() => fixture.dispose());

    const add = (owner: string, text: string, most = MOST, now = 1) =>
      memory.add([owner], owner, text, "person", most, now);
    const textsOf = async (...owners: string[]) => (await other.of(owners)).map(({ text }) => text);
    const noteOf = (saved: NoteSaved): MemoryNote => {
      if (!("note" in saved)) throw new Error(saved.kind);
      return saved.note;
    };

    it("gives an owner's notes, oldest first, and nobody else's", async () => {
      const { id } = noteOf(await memory.add([ann], ann, "likes tea", "agent", MOST, 5));
      await add(bob, "likes coffee");
      await add(group, "meets on Mondays");
      await add(ann, "lives in Ulm");
      expect(await other.of([ann])).toEqual([
        { id, owner: ann, text: "likes tea", madeAt: 5, by: "agent" },
        { id: expect.any(Number), owner: ann, text: "lives in Ulm", madeAt: 1, by: "person" },
      ]);
      expect(await textsOf(bob)).toEqual(["likes coffee"]);
      expect(await textsOf(group)).toEqual(["meets on Mondays"]);
      expect(await textsOf(away)).toEqual([]);
      expect(await textsOf()).toEqual([]);
    });

    it("saves a text once for each owner", async () => {
      const first = noteOf(await add(ann, "likes tea"));
      expect(await memory.add([ann], ann, "likes tea", "agent", MOST, 9)).toEqual({
        kind: "same",
        note: first,
      });
      expect(await add(bob, "likes tea")).toMatchObject({ kind: "saved" });
      expect(await other.of([ann])).toEqual([first]);
    });

    it("has room for so many characters of all owners together, and changes nothing if that is not enough", async () => {
      await add(ann, "a".repeat(60));
      await add(away, "b".repeat(30));
      const both = [ann, away];
      expect(await memory.add(both, away, "c".repeat(11), "agent", MOST, 1)).toEqual({
        kind: "full",
        used: 90,
      });
      expect(await memory.add(both, away, "c".repeat(10), "agent", MOST, 1)).toMatchObject({ kind: "saved" });
      const [long] = await memory.of([ann]);
      const replaced = (text: string) => memory.replace(both, long?.id ?? 0, text, "person", MOST, 2);
      expect(await replaced("d".repeat(61))).toEqual({ kind: "full", used: 100 });
      expect(await replaced("d".repeat(60))).toMatchObject({ kind: "saved" });
      const less = await memory.replace(both, long?.id ?? 0, "e".repeat(59), "person", 10, 2);
      expect(less).toMatchObject({ kind: "saved" }); // The limit is lower now: what becomes less still fits.
      expect(await textsOf(...both)).toEqual(["e".repeat(59), "b".repeat(30), "c".repeat(10)]);
    });

    it("counts right if two processes take the last room at once, and saves a text once", async () => {
      const half = (letter: string) => letter.repeat(60);
      const outcomes = await Promise.all([
        memory.add([ann], ann, half("a"), "agent", MOST, 1),
        other.add([ann], ann, half("b"), "agent", MOST, 1),
      ]);
      expect(outcomes.map(({ kind }) => kind).sort()).toEqual(["full", "saved"]);
      const same = await Promise.all([
        memory.add([ann, away], away, "tea", "agent", MOST, 1),
        other.add([ann, away], away, "tea", "flush", MOST, 1),
      ]);
      expect(same.map(({ kind }) => kind).sort()).toEqual(["same", "saved"]);
    });

    it("replaces a note, which keeps its number, place and owner", async () => {
      const { id } = noteOf(await add(ann, "lives in Ulm"));
      await add(away, "likes tea");
      expect(await memory.replace([ann, away], id, "lives in Bonn", "agent", MOST, 7)).toEqual({
        kind: "saved",
        note: { id, owner: ann, text: "lives in Bonn", madeAt: 7, by: "agent" },
      });
      expect(await memory.replace([ann, away], id, "lives in Bonn", "person", MOST, 8)).toMatchObject({
        kind: "same",
        note: { madeAt: 7 },
      });
      expect(await textsOf(ann, away)).toEqual(["lives in Bonn", "likes tea"]);
      const { id: second } = noteOf(await add(ann, "lives in Ulm"));
      expect(await memory.replace([ann], second, "lives in Bonn", "agent", MOST, 9)).toMatchObject({
        note: { id },
      });
      expect(await textsOf(ann)).toEqual(["lives in Bonn"]);
    });

    it("edits several at once, all or nothing", async () => {
      const kept = noteOf(await add(ann, "likes tea"));
      const gone = noteOf(await add(ann, "lives in Ulm"));
      const foreign = noteOf(await add(bob, "likes coffee"));
      const edit = (remove: number[], texts: string[]) =>
        memory.edit([ann], ann, { remove, add: texts }, "person", MOST, 3);
      expect(await edit([gone.id], ["x".repeat(200)])).toEqual({ kind: "full", used: 21 });
      expect(await textsOf(ann)).toEqual(["likes tea", "lives in Ulm"]);
      const wanted = ["likes tea", "has a cat", "has a cat"];
      expect(await edit([gone.id, foreign.id], wanted)).toEqual({ kind: "edited", added: 1, removed: 1 });
      expect((await memory.of([ann])).map(({ id, text }) => ({ id, text }))).toEqual([
        { id: kept.id, text: "likes tea" },
        { id: expect.any(Number), text: "has a cat" },
      ]);
      expect(await textsOf(bob)).toEqual(["likes coffee"]);
      expect(await memory.edit([ann], bob, { remove: [], add: ["no"] }, "person", MOST, 3)).toEqual({
        kind: "none",
      });
    });

    it("removes notes by number, and forgets all", async () => {
      const first = noteOf(await add(ann, "likes tea"));
      const second = noteOf(await add(ann, "lives in Ulm"));
      await add(away, "has a cat");
      await add(bob, "likes coffee");
      expect(await memory.remove([ann], [first.id, 4_711])).toEqual([first]);
      expect(await memory.remove([ann], [first.id])).toEqual([]);
      expect(await memory.forget([])).toBe(0);
      expect(await memory.forget([ann, away])).toBe(2);
      expect(await textsOf(ann, away, bob)).toEqual(["likes coffee"]);
      const again = noteOf(await add(ann, "lives in Ulm"));
      expect(again.id).toBeGreaterThan(second.id); // A number never means another note.
    });

    it("reads the notes of linked accounts together, and by themselves after they are unlinked", async () => {
      await add(ann, "likes tea");
      await memory.add([ann, away], away, "has a cat", "agent", MOST, 2);
      expect(await textsOf(away, ann)).toEqual(["likes tea", "has a cat"]);
      expect(await textsOf(ann)).toEqual(["likes tea"]);
      expect(await textsOf(away)).toEqual(["has a cat"]);
    });

    it("says who has notes and how many, for the one who runs the gateway", async () => {
      expect(await store.memoryCounts.counts()).toEqual([]);
      await add(bob, "likes coffee", MOST, 4);
      await add(ann, "likes tea", MOST, 5);
      await add(bob, "lives in Ulm", MOST, 6);
      expect(await store.memoryCounts.counts()).toEqual([
        { owner: ann, notes: 1, lastAt: 5 },
        { owner: bob, notes: 2, lastAt: 6 },
      ]);
    });

    it("never shows or changes a note of others, whatever is called with one's own owners", async () => {
      const bobs = noteOf(await add(bob, "tea"));
      const groups = noteOf(await add(group, "cat"));
      const ids = [bobs.id, groups.id];
      for (const owners of [[ann, away], [], [""], ["%"], ["person:"]]) {
        const results: unknown[] = [await memory.of(owners), await memory.remove(owners, ids)];
        for (const id of ids) results.push(await memory.replace(owners, id, "mine", "agent", MOST, 2));
        for (const owner of [bob, group]) {
          results.push(await memory.add(owners, owner, "mine", "agent", MOST, 2));
          const edit = { remove: ids, add: ["mine"] };
          results.push(await memory.edit(owners, owner, edit, "agent", MOST, 2));
        }
        results.push(await memory.edit(owners, ann, { remove: ids, add: [] }, "agent", MOST, 2));
        results.push(await memory.forget(owners));
        for (const owner of [bob, group]) expect(JSON.stringify(results)).not.toContain(owner);
        expect(await other.of([bob, group])).toEqual([bobs, groups]);
      }
    });
  });
}
