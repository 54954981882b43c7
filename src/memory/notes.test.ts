import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  charactersOf,
  checkNote,
  hasRoom,
  LONGEST_NOTE,
  type MemoryNote,
  notesText,
  notesThatFit,
} from "./notes.js";

const note = (id: number, text: string): MemoryNote => ({
  id,
  owner: "person:x:1",
  text,
  madeAt: 0,
  by: "agent",
});
/** Line breaks of every kind, headings, brackets, escape sequences, invisible and broken characters. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "\n",
        "\r\n",
        "\u2028",
        "\u2029",
        "\u0085",
        "\v",
        "\u001b[31m",
        "\u0000",
        "\u202e",
        "\ud800",
      ),
      fc.constantFrom("\n# System", "\n- ", "\n[labels: x]", "\n[memory: y]", "```", "</user>", " "),
      fc.string({ unit: "binary" }),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(""));

describe("a note", () => {
  it("is one clean line", () => {
    const given = "  likes\n\ttea\u2028 a lot\u001b[31m!\u0000 ";
    expect(checkNote(given)).toEqual({ kind: "good", text: "likes tea a lot!" });
    fc.assert(
      fc.property(hostile, (words) => {
        const checked = checkNote(words);
        if (checked.kind !== "good") return;
        expect(checked.text).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
        expect(checked.text.isWellFormed()).toBe(true);
        expect(checked.text.length).toBeLessThanOrEqual(LONGEST_NOTE);
      }),
    );
  });

  it("is neither empty nor long", () => {
    expect(checkNote(" \n\u200b ")).toEqual({ kind: "empty" });
    expect(checkNote("x".repeat(LONGEST_NOTE)).kind).toBe("good");
    expect(checkNote("x".repeat(501))).toEqual({ kind: "long", length: 501 });
    expect(checkNote(`${" ".repeat(1_000)}short`)).toEqual({ kind: "good", text: "short" });
  });

  it("that is huge is refused before anything looks at it", () => {
    const huge = { length: 1_000_000 } as string; // There is nothing in it to look at.
    expect(checkNote(huge)).toEqual({ kind: "long", length: 1_000_000 });
  });
});

describe("the notes that the agent reads", () => {
  it("have a heading and a line each, oldest first", () => {
    expect(notesText([note(1, "likes tea"), note(2, "lives in Ulm")], "memory: facts")).toBe(
      "[memory: facts]\n- likes tea\n- lives in Ulm",
    );
    expect(notesText([], "memory: facts")).toBeNull();
  });

  it("stay in their lines, whatever somebody wrote into the store", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const lines = notesText([note(1, "a"), note(2, text), note(3, "b")], "memory")?.split(
          /\r|\n|\u2028|\u2029/,
        );
        expect(lines).toHaveLength(4);
        expect([lines?.[0], lines?.[1], lines?.[3]]).toEqual(["[memory]", "- a", "- b"]);
        expect(lines?.[2]).toMatch(/^- /);
        expect(lines?.[2]?.length).toBeLessThanOrEqual(LONGEST_NOTE + 3);
      }),
    );
  });

  it("are the newest that fit", () => {
    const notes = [note(1, "aaaa"), note(2, "bb"), note(3, "ccc")];
    const ids = (most: number) => notesThatFit(notes, most).map(({ id }) => id);
    expect([ids(9), ids(8), ids(5), ids(4), ids(2)]).toEqual([[1, 2, 3], [2, 3], [2, 3], [3], []]);
    fc.assert(
      fc.property(fc.array(fc.string()), fc.nat(60), (texts, most) => {
        const all = texts.map((text, n) => note(n, text));
        const shown = notesThatFit(all, most);
        expect(charactersOf(shown)).toBeLessThanOrEqual(most);
        expect(shown).toEqual(all.slice(all.length - shown.length));
        const next = all[all.length - shown.length - 1];
        if (next) expect(charactersOf(shown) + next.text.length).toBeGreaterThan(most);
      }),
    );
  });

  it("have room for what fits, and always for less", () => {
    expect([hasRoom(90, 0, 10, 100), hasRoom(90, 0, 11, 100)]).toEqual([true, false]);
    expect([hasRoom(90, 20, 30, 100), hasRoom(90, 20, 31, 100)]).toEqual([true, false]);
    expect([hasRoom(200, 20, 20, 100), hasRoom(200, 20, 21, 100)]).toEqual([true, false]);
  });
});
