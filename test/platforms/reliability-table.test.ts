/** The table in docs/reliability.md is true: its tests are there, and each platform's fixture plays what it says. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { WORLDS } from "../support/file-worlds.js";
import { ROOMS } from "../support/renderers.js";

/** Where each platform meets the contract, and where it is killed when a file was taken, if that is a test of its own. */
const FIXTURES: Readonly<Record<string, readonly [fixture: string, own?: string]>> = {
  Telegram: ["test/support/telegram-fixture.ts", "test/platforms/telegram.test.ts"],
  Discord: ["src/adapter/discord/adapter.test.ts", "test/platforms/discord.test.ts"],
  Slack: ["test/support/slack-fixture.ts", "test/platforms/slack.test.ts"],
  "WhatsApp, by the Cloud API": ["src/adapter/whatsapp/adapter.test.ts", "test/platforms/whatsapp.test.ts"],
  "WhatsApp, by Baileys": ["src/adapter/whatsapp/baileys/adapter.test.ts"],
  Signal: ["src/adapter/signal/adapter.test.ts"],
  "Signal, by a socket": ["src/adapter/signal/adapter.test.ts"],
  Matrix: ["test/support/matrix-room.ts", "test/support/matrix-journey.ts"],
  Mattermost: ["src/adapter/mattermost/adapter.test.ts", "test/platforms/mattermost.test.ts"],
  Feishu: ["src/adapter/feishu/adapter.test.ts", "test/platforms/feishu.test.ts"],
};

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const [, section = ""] =
  /## The same on every platform\n([\s\S]*?)\n## /.exec(read("docs/reliability.md")) ?? [];
const [head = [], , ...rows] = section
  .split("\n")
  .filter((line) => line.startsWith("|"))
  .map((line) => line.split("|").slice(1, -1))
  .map((cells) => cells.map((cell) => cell.trim()));
const columns = head.slice(1, -1);

it("has every platform, and each has files and pieces", () => {
  expect(columns).toEqual(Object.keys(FIXTURES));
  expect(Object.keys(WORLDS)).toEqual(columns);
  expect(Object.keys(ROOMS)).toEqual(expect.arrayContaining(columns.map((name) => name.split(",")[0])));
});

it.each(rows.map((cells) => [cells[0], cells] as const))("%s", (_, cells) => {
  const [, file = "", title = ""] = /^`(.*)`: (.*)$/.exec(cells.at(-1) ?? "") ?? [];
  expect(read(file)).toContain(title);
  for (const [index, column] of columns.entries()) {
    const [path = "", own] = FIXTURES[column] ?? [];
    const [cell, fixture] = [cells[index + 1], read(path)];
    if (cell === "its own") expect(read(own ?? "")).toMatch(/kill|swallowFile/);
    else expect([column, cell]).toEqual([column, expect.stringMatching(/^(?:yes|—|yes, but no page)$/)]);
    if (cell === "—") expect(fixture).toMatch(/\bpages: /);
    if (cell === "yes, but no page") expect(fixture).toContain("pages at the door");
    if (!file.startsWith("src/testing/")) continue;
    for (const member of ["files:", "trouble:", "way:", "door:"]) expect(fixture).toContain(member);
    for (const spared of ["rate limited", "server error", "swallowed"])
      expect(fixture).not.toMatch(new RegExp(`lacks: \\{[^}]*"?${spared}"?:`));
  }
});
