import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readEnvironment } from "./environment.js";
import { loadConfig } from "./load.js";

let root: string;
let home: string;
let project: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "baton-config-"));
  home = join(root, "home");
  project = join(root, "project");
  mkdirSync(home);
  mkdirSync(project);
});

afterEach(() => rmSync(root, { recursive: true }));

const homeFile = (text: string) => writeFileSync(join(home, "config.yaml"), text);
const projectFile = (text: string) => writeFileSync(join(project, "baton.yaml"), text);
const load = (variables: Record<string, string> = {}) =>
  loadConfig(readEnvironment({ BATON_HOME: home, ...variables }), project);
const refusal = async () => {
  const error = await load().then(
    () => expect.unreachable("it was accepted"),
    (error: Error & { code: string }) => error,
  );
  expect(error.code).toBe("invalid_config");
  return error.message.replaceAll(root, "");
};

describe("defaults", () => {
  test("no files: a database in the home folder, and nothing is created", async () => {
    rmSync(home, { recursive: true });
    expect(await load()).toEqual({
      home,
      store: join(home, "baton.db"),
      sessions: {},
      mirror: null,
      files: [],
    });
    expect(existsSync(home)).toBe(false);
  });

  test("an empty variable counts as absent", () => {
    expect(readEnvironment({ BATON_HOME: "", BATON_STORE: "", NO_COLOR: "", FORCE_COLOR: "" })).toEqual({
      home: join(homedir(), ".baton"),
      store: undefined,
      color: undefined,
    });
  });

  test("an empty file and one of comments change nothing", async () => {
    homeFile("");
    projectFile("# later\n");
    expect((await load()).sessions).toEqual({});
  });
});

describe("colour", () => {
  test.each([
    [{ NO_COLOR: "1" }, false],
    [{ FORCE_COLOR: "1" }, true],
    [{ FORCE_COLOR: "0" }, false],
    [{ FORCE_COLOR: "3", NO_COLOR: "1" }, true],
    [{}, undefined],
  ])("%j gives %j", (variables, color) => {
    expect(readEnvironment(variables).color).toBe(color);
  });
});

describe("layers", () => {
  test("the home file wins over the project's, key by key", async () => {
    projectFile(
      "timezone: UTC\nscopes: { dm: platform, group: member }\nreset: { default: { mode: daily, atHour: 5 } }\n",
    );
    homeFile(
      "scopes: { dm: chat }\nreset: { default: { atHour: 3 }, byChatType: { group: { mode: idle } } }\n",
    );
    expect((await load()).sessions).toEqual({
      timezone: "UTC",
      scopes: { dm: "chat", group: "member" },
      reset: { default: { mode: "daily", atHour: 3 }, byChatType: { group: { mode: "idle" } } },
    });
    expect((await load()).files).toEqual([join(project, "baton.yaml"), join(home, "config.yaml")]);
  });

  test("the environment wins over all", async () => {
    homeFile("store: postgres://db/one\n");
    expect((await load()).store).toBe("postgres://db/one");
    expect((await load({ BATON_STORE: "postgres://db/two" })).store).toBe("postgres://db/two");
  });

  test("the mirror is a folder in the home folder", async () => {
    homeFile("mirror: jsonl\n");
    expect((await load()).mirror).toBe(join(home, "sessions"));
  });
});

describe("where a store's path counts from", () => {
  test.each([
    ["chats.db", () => join(home, "chats.db")],
    ["sqlite:chats.db", () => `sqlite:${join(home, "chats.db")}`],
    ["/data/chats.db", () => "/data/chats.db"],
    ["sqlite:///data/chats.db", () => "sqlite:/data/chats.db"],
    ["~/chats.db", () => join(homedir(), "chats.db")],
    ["sqlite::memory:", () => "sqlite::memory:"],
    ["postgres://u:p@host/db", () => "postgres://u:p@host/db"],
    ["mysql://host/db", () => "mysql://host/db"],
  ])("config.yaml: %s", async (written, expected) => {
    homeFile(`store: ${JSON.stringify(written)}\n`);
    expect((await load()).store).toBe(expected());
  });

  test("the variable: from the working folder", async () => {
    expect((await load({ BATON_STORE: "chats.db" })).store).toBe(join(project, "chats.db"));
  });
});

describe("refused, with file, line and key", () => {
  test.each([
    [
      "timezone: Mars/Olympus\n",
      '/home/config.yaml:1: timezone: "Mars/Olympus" is not a time zone; use an IANA name such as Europe/Berlin or UTC.',
    ],
    [
      "\nreset:\n  default:\n    atHour: 24\n",
      "/home/config.yaml:4: reset.default.atHour: use a whole hour from 0 to 23.",
    ],
    [
      "reset:\n  default:\n    idleMinutes: 0\n",
      "/home/config.yaml:3: reset.default.idleMinutes: use a number of minutes above 0.",
    ],
    ["reset:\n  defalt: {}\n", '/home/config.yaml:2: reset.defalt: unknown key. Did you mean "default"?'],
    [
      "reset:\n  byPlatform:\n    telegarm: {}\n",
      '/home/config.yaml:3: reset.byPlatform.telegarm: unknown key. Did you mean "telegram"?',
    ],
    ["a: 1\n", "/home/config.yaml:1: a: unknown key. Known here: timezone, scopes, reset, store, mirror."],
    [
      "__proto__: { polluted: true }\n",
      "/home/config.yaml:1: __proto__: unknown key. Known here: timezone, scopes, reset, store, mirror.",
    ],
    ["timezone: UTC\ntimezone: UTC\n", "/home/config.yaml:2: Map keys must be unique."],
    ["- a\n", "/home/config.yaml:1: a config file is a list of `key: value` lines."],
    ["mirror: sqlite\n", '/home/config.yaml:1: mirror: Invalid input: expected "jsonl".'],
    ["store: ''\n", "/home/config.yaml:1: store: give a path, sqlite:<path> or postgres://…"],
    [
      "scopes: { agent: 'a b' }\n",
      "/home/config.yaml:1: scopes.agent: use 1 to 64 letters, digits, - and _.",
    ],
  ])("%j", async (text, message) => {
    homeFile(text);
    expect(await refusal()).toBe(message);
  });

  test("every problem at once, each with its line", async () => {
    homeFile("timezone: 5\nscopes:\n  dm: room\n  gruop: chat\n");
    const lines = (await refusal()).split("\n");
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/^\/home\/config\.yaml:1: timezone: .*string/);
    expect(lines[1]).toMatch(/^\/home\/config\.yaml:3: scopes\.dm: .*"chat"\|"platform"/);
    expect(lines[2]).toBe('/home/config.yaml:4: scopes.gruop: unknown key. Did you mean "group"?');
  });

  test("YAML that cannot be read", async () => {
    homeFile("timezone: UTC\nreset: {\n");
    expect(await refusal()).toMatch(/^\/home\/config\.yaml:\d: .+/);
  });

  test("aliases that multiply beyond reason", async () => {
    const bomb = ["a: &a [x, x]"];
    for (let n = 0; n < 20; n++)
      bomb.push(`${"b".repeat(n + 1)}: &n${n} [*${n ? `n${n - 1}` : "a"}, *${n ? `n${n - 1}` : "a"}]`);
    homeFile(bomb.join("\n"));
    expect(await refusal()).toMatch(/alias/i);
  });

  test("a file that may not be read is an error, not an absent one", async () => {
    mkdirSync(join(home, "config.yaml"));
    expect(await refusal()).toMatch(/^\/home\/config\.yaml cannot be read: /);
  });

  test.each(["store: /tmp/elsewhere.db", "mirror: jsonl"])(
    "a project's file may not say %s",
    async (line) => {
      projectFile(`timezone: UTC\n${line}\n`);
      expect(await refusal()).toMatch(
        /^\/project\/baton\.yaml:2: (store|mirror): a project's file does not decide where conversations go/,
      );
    },
  );
});
