import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { completed, fitting } from "./completion.js";
import { draftOf, type Edit, EMPTY_DRAFT, edit, type Motion } from "./editor.js";
import { InputHistory } from "./history.js";

/** A text with its cursor shown as `|`. */
function typed(text: string, ...steps: Edit[]): string {
  const cursor = text.indexOf("|");
  const start = { ...draftOf(text.replace("|", "")), cursor };
  const { text: result, cursor: at } = steps.reduce(edit, start);
  return `${result.slice(0, at)}|${result.slice(at)}`;
}

const move = (to: Motion): Edit => ({ kind: "move", to });
const remove = (to: Motion): Edit => ({ kind: "delete", to });

describe("the line", () => {
  it("moves by characters, words and lines", () => {
    expect(typed("a👩‍👩‍👧|b", move("left"))).toBe("a|👩‍👩‍👧b");
    expect(typed("a|👩‍👩‍👧b", move("right"))).toBe("a👩‍👩‍👧|b");
    expect(typed("one two, |three", move("word left"))).toBe("one |two, three");
    expect(typed("one| two, three", move("word right"))).toBe("one two|, three");
    expect(typed("one\ntw|o\nthree", move("line start"))).toBe("one\n|two\nthree");
    expect(typed("one\ntw|o\nthree", move("line end"))).toBe("one\ntwo|\nthree");
    expect(typed("one\ntwo\nthr|ee", move("line up"), move("line up"))).toBe("one|\ntwo\nthree");
    expect(typed("長い|\nab", move("line down"))).toBe("長い\nab|");
    expect(typed("|a\n", move("left"), move("line up"))).toBe("|a\n");
    expect(typed("\n|", move("line up"))).toBe("|\n");
    expect(typed("|\na", move("line down"), move("line end"))).toBe("\na|");
  });

  it("deletes what a motion passes, and pastes it back", () => {
    expect(typed("ab|c", remove("left"))).toBe("a|c");
    expect(typed("a|\nb", remove("right"))).toBe("a|b");
    expect(typed("one two|", remove("word left"), { kind: "paste cut" }, { kind: "paste cut" })).toBe(
      "one twotwo|",
    );
    expect(typed("one two| three", remove("line end"), move("line start"), { kind: "paste cut" })).toBe(
      " three|one two",
    );
  });

  it("keeps the cursor between characters whatever is done", () => {
    const motions = fc.constantFrom<Motion>(
      ...([
        "left",
        "right",
        "word left",
        "word right",
        "line start",
        "line end",
        "line up",
        "line down",
      ] as const),
    );
    const steps = fc.oneof(
      motions.map(move),
      motions.map(remove),
      fc.constantFrom("a", "é", "👩‍👩‍👧", "\n", " ", "日本").map((text): Edit => ({ kind: "insert", text })),
      fc.constant<Edit>({ kind: "paste cut" }),
    );
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 60 }), (all) => {
        const { text, cursor } = all.reduce(edit, EMPTY_DRAFT);
        expect(cursor).toBeGreaterThanOrEqual(0);
        expect(cursor).toBeLessThanOrEqual(text.length);
        expect(text.isWellFormed()).toBe(true);
        expect(text.slice(0, cursor).isWellFormed()).toBe(true);
      }),
    );
  });
});

describe("history", () => {
  it("goes back and forth and keeps what was being written", () => {
    const history = new InputHistory();
    history.add("one");
    history.add("two");
    expect(history.add("two")).toBe(false);
    history.prepend(["before"]);
    expect(history.move(-1, "draft")).toBe("two");
    expect(history.move(-1, "two changed")).toBe("one");
    expect(history.move(-1, "one")).toBe("before");
    expect(history.move(-1, "before")).toBeNull();
    expect(history.move(1, "before")).toBe("one");
    expect(history.move(1, "one")).toBe("two changed");
    expect(history.move(1, "two changed")).toBe("draft");
    expect(history.move(1, "draft")).toBeNull();
    history.add("three");
    expect([history.move(-1, ""), history.move(-1, "")]).toEqual(["three", "two"]);
  });
});

describe("completion", () => {
  const commands = ["new", "reset", "resume"].map((name) => ({ name, description: "" }));
  const tab = (line: string) =>
    completed(
      line,
      fitting(line, () => commands),
    );

  it("goes as far as the commands agree", () => {
    expect(tab("/")).toBe("/");
    expect(tab("/n")).toBe("/new ");
    expect(tab("/r")).toBe("/res");
    expect(tab("/resu")).toBe("/resume ");
    expect(tab("/x")).toBe("/x");
    expect(tab("/new ")).toBe("/new ");
    expect(tab("hello")).toBe("hello");
  });
});
