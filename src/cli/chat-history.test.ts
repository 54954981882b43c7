import { appendFileSync, mkdtempSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { chatHistory } from "./chat-history.js";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "baton-history-"));
});
afterEach(() => rmSync(home, { recursive: true }));

const plain = (text: string) => text;

it("keeps what two terminals write, with its line breaks, and reads around damage", async () => {
  const [one, two] = [chatHistory(home, plain), chatHistory(home, plain)];
  expect(await one.load()).toEqual([]);
  await Promise.all([one.add("first\nwith lines"), two.add("of another terminal")]);
  appendFileSync(join(home, "history"), '{"torn\n17\n');
  await two.add("last");
  const read = await chatHistory(home, plain).load();
  expect([...read].sort()).toEqual(["first\nwith lines", "last", "of another terminal"]);
  expect(read.at(-1)).toBe("last");
  expect(statSync(join(home, "history")).mode & 0o777).toBe(0o600);
});

it("is empty if somebody keeps none, by a link to /dev/null", async () => {
  symlinkSync("/dev/null", join(home, "history"));
  const history = chatHistory(home, plain);
  await history.add("a line");
  expect(await history.load()).toEqual([]);
});

it("hides secrets", async () => {
  const history = chatHistory(home, (text) => text.replace("sk-secret", "•••"));
  await history.add("my key is sk-secret");
  expect(await history.load()).toEqual(["my key is •••"]);
});
