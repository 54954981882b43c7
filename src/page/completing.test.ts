import { expect, it } from "vitest";
import { completed, completionsOf } from "./completing.js";

const commands = ["new", "title", "handoff", "undo", "untitled"].map((name) => ({
  ...{ name, usage: name === "title" ? "<title>" : "", description: `does ${name}` },
}));
const names = (text: string) => completionsOf(text, commands).map(({ name }) => name);

it("offers what begins with the word, then what has it", () => {
  expect(names("/")).toEqual(["new", "title", "handoff", "undo", "untitled"]);
  expect(names("/TIT")).toEqual(["title", "untitled"]);
  expect(names("/n")).toEqual(["new"]);
  expect(names("/x")).toEqual([]);
});

it("offers only for the first word of a text, and only so many", () => {
  for (const text of ["", "new", " /new", "/new ", "/ti\n"]) expect(names(text)).toEqual([]);
  const many = Array.from({ length: 50 }, (_, n) => ({ name: `a${n}`, usage: "", description: "" }));
  expect(completionsOf("/a", many)).toHaveLength(8);
});

it("leaves room for what has to follow", () => {
  expect(commands.slice(0, 2).map(completed)).toEqual(["/new", "/title "]);
});
