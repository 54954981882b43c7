import { expect, it } from "vitest";
import { beginsCommand } from "./command-text.js";

it.each(["/new", "/new a title", "  /stauts", "/NEW", "/stop.", "/stop!", "/tmp is full", "/title a/b.ts"])(
  "takes %j for a command",
  (text) => {
    expect(beginsCommand(text)).toBe(true);
  },
);

it.each([
  ...["/etc/passwd is wrong", "/home/me/x.ts what is this?", "/etc/hosts", "/notes.md is old", "/usr/"],
  ...["// a comment", "/", "/ new", "/1", "a /new", "C:\\x", "/x\\y", ""],
])("takes %j for a message", (text) => {
  expect(beginsCommand(text)).toBe(false);
});
