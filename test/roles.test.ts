/** Every command and tool as every role, through the real gateway, against the table in docs/people.md. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TOOLS } from "../scripts/people-page.js";
import { checkText } from "../src/config/read-file.js";
import { homeFile } from "../src/config/schema.js";
import { commandTable } from "../src/gateway/commands/table.js";
import { ROLES, type Role } from "../src/gateway/permissions.js";
import { World } from "./support/gateway-world.js";

const page = readFileSync(new URL("../docs/people.md", import.meta.url), "utf8");

/** By name, a command with its slash: who may, as the page says. */
const table = new Map(
  [...page.matchAll(/^\| `(\/?[\w<>]+)[^`]*` \| (yes|no) \| (yes|no) \| (yes|no) \|$/gm)].map(
    ([, name = "", ...may]) => [name, ROLES.filter((_, index) => may[index] === "yes")],
  ),
);

let world: World;
let given: readonly string[] = [];
beforeAll(async () => {
  const tools = TOOLS.map((name) => ({ name, description: "", parameters: {}, run: async () => "" }));
  const platform = "telegram";
  world = await World.open({
    platform,
    people: {
      owners: { [platform]: ["owner"] },
      allow: { [platform]: ["member"] },
      guests: { [platform]: ["guest"] },
    },
    gateway: { tools: () => tools, limits: { guests: { messagesPerMinute: "none" } } },
  });
  const run = world.agent.run.bind(world.agent);
  world.agent.run = (turn) => {
    given = turn.tools.map(({ name }) => name);
    return run(turn);
  };
});
afterAll(() => world.close());

const commands = commandTable({ agent: "", clock: () => 0 }).map(({ name }) => name);

it("the page has a row for every command and every tool, and no other", () => {
  expect([...table.keys()]).toEqual([...commands.map((name) => `/${name}`), ...TOOLS]);
});

it("the page's configuration would be accepted", () => {
  const [, yaml = ""] = /^```yaml\n([\s\S]*?)^```/m.exec(page) ?? [];
  expect(yaml).toContain("guests");
  expect(checkText(yaml, "people.md", homeFile).problems).toEqual([]);
});

describe.each(ROLES)("a %s", (role: Role) => {
  it.each(commands)("/%s", async (name) => {
    const chat = world.chat(role);
    await chat.ask("hello"); // There is something to undo, retry and branch.
    const told = await chat.ask(`/${name}`);
    const refused = told === `A ${role} can't use /${name}. Send /help to list your commands.`;
    expect(refused).toBe(!table.get(`/${name}`)?.includes(role));
    await world.gateway.lane(chat.key).idle();
    await world.gateway.delivered(); // Else a late answer would be taken for the next one's.
  });

  it("has the tools of the page", async () => {
    await world.chat(role).ask("what do I have?");
    const theirs = TOOLS.filter((name) => table.get(name)?.includes(role));
    expect([...new Set(given)].sort()).toEqual(theirs.sort());
  });
});

it("the page's table says what was decided", () => {
  const rows = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, table.get(name)?.length]));
  expect(
    rows(["/pair", "/platforms", "/link", "terminal", "read_file", "send_message", "fetch_url"]),
  ).toEqual({
    "/pair": 1,
    "/platforms": 2,
    "/link": 3,
    terminal: 1,
    read_file: 1,
    send_message: 2,
    fetch_url: 3,
  });
});
