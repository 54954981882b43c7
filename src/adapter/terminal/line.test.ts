import { describe, expect, it } from "vitest";
import { agreed, type Completion, fitting } from "./completion.js";
import { commandOf } from "./keys.js";
import { InputLine, type LineKey, type LineOptions } from "./line.js";
import { menuRows, searchRow } from "./menu-rows.js";
import { ownCommand } from "./own-commands.js";
import { painter } from "./style.js";

const item = (text: string, more: Partial<Completion> = {}): Completion => ({
  text,
  description: "",
  ...more,
});

const COMMANDS = [item("/new"), item("/reset", { ends: true }), item("/resume")];
const SESSIONS = [
  item("Garden plans", { ends: true }),
  item("20260101_a", { label: "The shed", ends: true }),
  item("Roof garden", { ends: true }),
];

const sources = {
  complete: (line: string) => (line.startsWith("/resume ") ? SESSIONS : /\s/.test(line) ? [] : COMMANDS),
  files: (begun: string) =>
    ["notes.txt", "src/"]
      .filter((path) => path.startsWith(begun))
      .map((path) => item(`@${path}`, { goesOn: path.endsWith("/") })),
};

const KEYS: Readonly<Record<string, LineKey>> = {
  tab: { kind: "complete" },
  "shift-tab": { kind: "complete before" },
  enter: { kind: "submit" },
  esc: { kind: "escape" },
  up: { kind: "up" },
  down: { kind: "down" },
  left: { kind: "move", to: "left" },
  backspace: { kind: "delete", to: "left" },
  "ctrl-w": { kind: "delete", to: "word left" },
  "ctrl-r": { kind: "search older" },
  "ctrl-s": { kind: "search newer" },
  "ctrl-g": { kind: "edit elsewhere" },
  "ctrl-d": { kind: "end of input" },
  undo: { kind: "undo" },
};

function lineOf(options: Partial<LineOptions> = {}) {
  const line = new InputLine({ ...sources, onProblem: (text) => expect.unreachable(text), ...options });
  /** Keys by their names in `<>`, else characters. Returns what the last one asked for. */
  const type = (keys: string) => {
    let wish: ReturnType<InputLine["press"]> = null;
    for (const [key] of keys.matchAll(/<[a-z-]+>|[\s\S]/g))
      wish = line.press(KEYS[key.slice(1, -1)] ?? { kind: "insert", text: key });
    return wish;
  };
  const shown = () =>
    line.hints.map(({ text, label = text }, index) => `${index === line.chosen ? ">" : ""}${label}`);
  return { line, type, shown };
}

describe("the menu", () => {
  it("goes as far as the commands agree, then chooses, then takes", () => {
    const { line, type } = lineOf();
    type("/r<tab>");
    expect(line.draft.text).toBe("/res");
    type("<tab>");
    expect([line.draft.text, line.chosen]).toEqual(["/res", 0]);
    type("<tab>");
    expect(line.draft).toMatchObject({ text: "/reset ", cursor: 7 });
    type("<ctrl-w><ctrl-w>/n<tab>");
    expect(line.draft.text).toBe("/new ");
    expect(lineOf().type("/x<tab>")).toBeNull();
  });

  it("is walked with the arrows, round its ends", () => {
    const { type, shown } = lineOf();
    type("/");
    expect(shown()).toEqual(["/new", "/reset", "/resume"]);
    type("<down>");
    expect(shown()).toEqual([">/new", "/reset", "/resume"]);
    type("<up>");
    expect(shown()).toEqual(["/new", "/reset", ">/resume"]);
    type("<down><shift-tab><shift-tab>");
    expect(shown()).toEqual(["/new", ">/reset", "/resume"]);
    type("r");
    expect(shown()).toEqual(["/reset", "/resume"]);
  });

  it("sends at Enter what needs nothing more, and else waits for more", () => {
    expect(lineOf().type("/re<down><enter>")).toEqual({ kind: "say", text: "/reset" });
    const { line, type, shown } = lineOf();
    expect(type("/re<down><down><enter>")).toBeNull();
    expect(line.draft.text).toBe("/resume ");
    expect(shown()).toEqual(["Garden plans", "The shed", "Roof garden"]);
    expect(type("<down><down><enter>")).toEqual({ kind: "say", text: "/resume 20260101_a" });
    expect(lineOf().type("/re<enter>")).toEqual({ kind: "say", text: "/re" });
  });

  it("finds arguments by their beginning, then by a part, in any case", () => {
    const { line, type, shown } = lineOf();
    type("/resume GARD");
    expect(shown()).toEqual(["Garden plans", "Roof garden"]);
    type("<backspace><backspace><backspace>");
    expect(shown()).toEqual(["Garden plans"]);
    type("<tab>");
    expect(line.draft.text).toBe("/resume Garden plans ");
    expect(shown()).toEqual([]);
  });

  it("closes at Esc until the text changes, and only then Esc means the answer", () => {
    const { type, shown } = lineOf();
    expect(type("/re<esc>")).toBeNull();
    expect(shown()).toEqual([]);
    expect(type("<esc>")).toEqual({ kind: "stop" });
    type("s");
    expect(shown()).toEqual(["/reset", "/resume"]);
    expect(type("<esc><enter>")).toEqual({ kind: "say", text: "/res" });
  });

  it("does not open for a line that is brought back: the arrows go on", () => {
    const { line, type, shown } = lineOf();
    type("first<enter>/new<enter><up>");
    expect([line.draft.text, shown()]).toEqual(["/new", []]);
    type("<up>");
    expect(line.draft.text).toBe("first");
  });

  it("makes a Tab good when there is something to complete, unless the line has changed", () => {
    let words: readonly Completion[] = [];
    const { line, type } = lineOf({ complete: () => words });
    type("/handoff t<tab>");
    expect(line.draft.text).toBe("/handoff t");
    words = [item("telegram", { ends: true }), item("local")];
    line.arrived();
    expect(line.draft.text).toBe("/handoff telegram ");
    line.arrived();
    type("<ctrl-w>lo");
    line.arrived();
    expect(line.draft.text).toBe("/handoff lo");
  });

  it("completes files after an @ that begins a word, also in the middle", () => {
    const { line, type } = lineOf();
    type("look at @no<tab>");
    expect(line.draft.text).toBe("look at @notes.txt ");
    type("and @s<tab>");
    expect(line.draft.text).toBe("look at @notes.txt and @src/");
    expect(lineOf().type("a<enter>")).toEqual({ kind: "say", text: "a" });
    for (const text of ["me@no", "@ no", "a@b@no", "@notes.txt x"])
      expect(fitting(text, text.length, sources).items, text).toEqual([]);
    expect(fitting("see @n, please", 6, sources)).toMatchObject({ from: 4, items: [{ text: "@notes.txt" }] });
  });

  it("agrees on nothing that is not written so", () => {
    expect(agreed("gar", SESSIONS)).toBeNull();
    expect(agreed("", [])).toBeNull();
    expect(agreed("R", [item("reset"), item("resume")])).toBe("res");
  });

  it.each([39, 79, 199])("fits %i columns, and scrolls to what is chosen", (width) => {
    const many = Array.from({ length: 30 }, (_, index) =>
      item(`Session with a rather long title, number ${index}`, { description: "12 messages, 3 days ago" }),
    );
    const paint = painter(false);
    for (const chosen of [null, 0, 15, 29]) {
      const rows = menuRows(many, chosen, width, 9).map(paint);
      expect(rows).toHaveLength(8);
      expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(width);
      expect(rows.at(-1)).toBe("  … 23 more");
      expect(rows.filter((row) => row.startsWith("> "))).toHaveLength(chosen === null ? 0 : 1);
    }
    expect(menuRows(many, 29, width, 3)).toHaveLength(3);
    expect(menuRows(many, 29, width, 1)).toHaveLength(1);
  });
});

describe("the search", () => {
  function searched() {
    const all = lineOf();
    for (const said of ["plant roses", "call Ann", "plant tulips\nin rows"]) {
      all.line.replace(said);
      all.type("<enter>");
    }
    return all;
  }

  it("narrows with each key, goes to older lines, and sends", () => {
    const { line, type } = searched();
    type("draft<ctrl-r>pl");
    expect(line.draft).toMatchObject({ text: "plant tulips\nin rows", cursor: 0 });
    type("<ctrl-r>");
    expect(line.draft.text).toBe("plant roses");
    type("<ctrl-r>");
    expect([line.draft.text, line.search?.isOver]).toEqual(["plant roses", true]);
    type("<ctrl-s>");
    expect(line.draft.text).toBe("plant tulips\nin rows");
    type("<backspace><backspace>ANN");
    expect(line.draft).toMatchObject({ text: "call Ann", cursor: 5 });
    expect(type("<enter>")).toEqual({ kind: "say", text: "call Ann" });
    expect(line.search).toBeNull();
  });

  it.each(["<esc>", "<ctrl-g>"])("goes back to the draft at %s", (key) => {
    const { line, type } = searched();
    expect(type(`draft<left><ctrl-r>rose${key}`)).toBeNull();
    expect([line.draft.text, line.draft.cursor, line.search]).toEqual(["draft", 4, null]);
  });

  it("takes the line for editing at any other key", () => {
    const { line, type } = searched();
    type("<ctrl-r>rose<tab>!");
    expect(line.draft.text).toBe("plant !roses");
    type("<undo><undo>");
    expect(line.draft.text).toBe("");
  });

  it("is no empty line: its first letter answers no question", () => {
    const { line, type } = searched();
    expect(line.isEmpty).toBe(true);
    type("<ctrl-r>");
    expect(line.isEmpty).toBe(false);
    type("<esc>");
    expect(line.isEmpty).toBe(true);
  });

  it("says that nothing was found, and keeps the draft", () => {
    const { line, type } = searched();
    type("draft<ctrl-r>nope");
    expect([line.draft.text, line.search]).toEqual(["draft", { query: "nope", at: null, isOver: true }]);
    const row = (width: number) => line.search && painter(false)(searchRow(line.search, width));
    expect(row(79)).toBe("search: nope · nothing found");
    expect(row(10)).toBe("search: n…");
    expect(type("<enter>")).toBeNull();
    expect([line.draft.text, line.search]).toEqual(["draft", null]);
    type("<ctrl-r>");
    expect(line.endSearch()).toBe(true);
    expect(line.endSearch()).toBe(false);
  });
});

describe("undo", () => {
  it("takes back a word that was typed, a deletion and an emptied line", () => {
    const { line, type } = lineOf();
    type("one two");
    type("<ctrl-w>");
    line.clear();
    const back = () => {
      type("<undo>");
      return line.draft.text;
    };
    expect([back(), back(), back(), back(), back(), back()]).toEqual([
      "one ",
      "one two",
      "one ",
      "one",
      "",
      "",
    ]);
  });

  it("does not reach back before what was sent", () => {
    const { line, type } = lineOf();
    type("sent<enter>new<undo><undo>");
    expect(line.draft.text).toBe("");
  });
});

it.each(["/exit", "/QUIT ", "exit", "quit", ":q", ":q!"])("leaves with %j", (text) => {
  expect(ownCommand(text)).toBe("leave");
});

it.each(["exit the program", "/exits", "q", "/keys now", "say exit"])("takes %j for a message", (text) => {
  expect(ownCommand(text)).toBeNull();
});

it("asks for the editor with the text as it is", () => {
  expect(lineOf().type("some text<ctrl-g>")).toEqual({ kind: "edit elsewhere", text: "some text" });
});

it("knows the keys of other programs", () => {
  const ctrl = (name: string) => ({ name, ctrl: true });
  expect(commandOf("\u001f", { sequence: "\u001f" })).toEqual({ kind: "undo" });
  expect(commandOf(undefined, { name: "tab", shift: true })).toEqual({ kind: "complete before" });
  expect(commandOf(undefined, { name: "escape", meta: true })).toEqual({ kind: "escape" });
  expect(commandOf("\u0005", ctrl("e"), true)).toEqual({ kind: "edit elsewhere" });
  expect(commandOf("\u0015", ctrl("u"), true)).toEqual({ kind: "undo" });
  expect(commandOf("e", { name: "e" }, true)).toEqual({ kind: "insert", text: "e" });
});
