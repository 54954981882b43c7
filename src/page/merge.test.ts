import fc from "fast-check";
import { expect, it } from "vitest";
import type { WirePost } from "../adapter/web/wire.js";
import { joined, withPost } from "./merge.js";

const list = fc.uniqueArray(fc.record({ seq: fc.nat(20), text: fc.string() }), {
  selector: ({ seq }) => seq,
});

it("has each item once, in order, and of what both lists have the newer one", () => {
  fc.assert(
    fc.property(list, list, (older, newer) => {
      const all = joined(older, newer);
      const seqs = [...new Set([...older, ...newer].map(({ seq }) => seq))].sort((one, other) => one - other);
      expect(all.map(({ seq }) => seq)).toEqual(seqs);
      for (const item of newer) expect(all).toContain(item);
      expect(joined(all, newer)).toEqual(all);
    }),
  );
});

const post = (id: string, position: number): WirePost => ({
  ...{ id, position, thread: null, at: 0, purpose: "reply", text: `${position}` },
  ...{ buttons: [], files: [], transcript: null, isGone: false },
});

it("adds a post, changes it in its place, and forgets an older state of it", () => {
  const two = withPost(withPost([], post("1", 1)), post("2", 2));
  expect(withPost(two, post("1", 3)).map(({ text }) => text)).toEqual(["3", "2"]);
  expect(withPost(withPost(two, post("1", 3)), post("1", 1)).map(({ text }) => text)).toEqual(["3", "2"]);
});

it("has the last state of each post, in whatever order they come", () => {
  const events = fc.uniqueArray(fc.tuple(fc.constantFrom("a", "b", "c"), fc.nat(50)), {
    selector: ([, at]) => at,
  });
  fc.assert(
    fc.property(events, (all) => {
      const posts = all.reduce<readonly WirePost[]>((before, [id, at]) => withPost(before, post(id, at)), []);
      for (const { id, position } of posts)
        expect(position).toBe(Math.max(...all.filter(([each]) => each === id).map(([, at]) => at)));
      expect(posts).toHaveLength(new Set(all.map(([id]) => id)).size);
    }),
  );
});
