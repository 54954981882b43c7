import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checkConfig } from "./check.js";
import { readEnvironment } from "./environment.js";
import { loadConfig } from "./load.js";
import type { SettingPlace } from "./problem.js";

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
const refusal = async (variables: Record<string, string> = {}) => {
  const error = await load(variables).then(
    () => expect.unreachable("it was accepted"),
    (error: Error & { code: string }) => error,
  );
  expect(error.code).toBe("invalid_config");
  return error.message.replaceAll(root, "");
};

describe("defaults", () => {
  test("no files: a database in the home folder, and nothing is created", async () => {
    rmSync(home, { recursive: true });
    const { store, ...rest } = await load();
    expect(store.reveal()).toBe(join(home, "baton.db"));
    expect(rest).toMatchObject({
      home,
      sessions: {},
      mirror: null,
      agent: { turnDeadlineSeconds: 600, maxMessages: 500, workdir: project },
      busy: { default: "interrupt", byPlatform: {}, byChat: {}, momentSeconds: 0.5 },
      handoff: { waitSeconds: 60 },
      delivery: { giveUpAfterDays: 3, progress: true },
      people: { allow: {}, owners: {}, guests: {}, pairing: "on" },
      tools: {
        folders: [project],
        fetch: { allowHosts: [] },
        terminal: {
          ...{ environment: "local", maxTimeoutSeconds: 600, allow: null, sandbox: "auto", network: "on" },
        },
        byPlatform: {},
        byPerson: {},
      },
      mcp: { servers: {} },
      environments: {},
      processes: {
        max: 64,
        maxPerSession: 16,
        keepMinutes: 30,
        graceSeconds: 5,
        maxWaitSeconds: 180,
        outputCharacters: 200_000,
      },
      outputDir: join(home, "cron", "output"),
      files: [],
      places: new Map(),
    });
    expect(existsSync(home)).toBe(false);
  });

  test("an empty variable counts as absent", () => {
    expect(readEnvironment({ BATON_HOME: "", BATON_STORE: "", NO_COLOR: "", FORCE_COLOR: "" })).toMatchObject(
      {
        home: join(homedir(), ".baton"),
        variables: {},
        color: undefined,
      },
    );
    expect(readEnvironment({ BATON_STORE: "x.db", BATON_HOME: "/h", PATH: "/bin" }).variables).toEqual({
      BATON_STORE: "x.db",
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
    [{ TERM: "dumb" }, false],
    [{ TERM: "dumb", FORCE_COLOR: "1" }, true],
    [{ TERM: "xterm-256color" }, undefined],
    [{}, undefined],
  ])("%j gives %j", (variables, color) => {
    expect(readEnvironment(variables).color).toBe(color);
  });
});

describe("links", () => {
  test.each([
    [{}, false],
    [{ TERM: "xterm-256color" }, false],
    [{ TERM: "linux" }, false],
    [{ TERM: "xterm-kitty" }, true],
    [{ TERM: "foot" }, true],
    [{ TERM_PROGRAM: "WezTerm" }, true],
    [{ TERM_PROGRAM: "Apple_Terminal" }, false],
    [{ VTE_VERSION: "7600" }, true],
    [{ VTE_VERSION: "4200" }, false],
    [{ WT_SESSION: "1", TERM: "dumb" }, false],
    [{ TERM_PROGRAM: "tmux", TERM: "tmux-256color", TMUX: "/tmp/tmux" }, true],
    [{ TERM: "screen", STY: "1", VTE_VERSION: "7600" }, false],
  ])("%j: %j", (variables, links) => {
    expect(readEnvironment(variables).links).toBe(links);
  });
});

describe("pictures", () => {
  test.each([
    [{ TERM: "xterm-kitty" }, "kitty"],
    [{ TERM: "xterm-ghostty", TERM_PROGRAM: "ghostty" }, "kitty"],
    [{ TERM: "xterm-256color", TERM_PROGRAM: "iTerm.app" }, "iterm2"],
    [{ TERM_PROGRAM: "WezTerm" }, "iterm2"],
    [{ TERM: "xterm-kitty", TMUX: "/tmp/tmux" }, undefined],
    [{ TERM: "xterm-256color" }, undefined],
  ])("%j gives %j", (variables, pictures) => {
    expect(readEnvironment(variables).pictures).toBe(pictures);
  });
});

describe("layers", () => {
  test("the home file wins over the project's, key by key", async () => {
    projectFile("timezone: UTC\nreset: { default: { mode: daily, atHour: 5 } }\n");
    homeFile(
      "scopes: { dm: chat }\nreset: { default: { atHour: 3 }, byChatType: { group: { mode: idle } } }\n",
    );
    expect((await load()).sessions).toEqual({
      timezone: "UTC",
      scopes: { dm: "chat" },
      reset: { default: { mode: "daily", atHour: 3 }, byChatType: { group: { mode: "idle" } } },
    });
    expect((await load()).files).toEqual([join(project, "baton.yaml"), join(home, "config.yaml")]);
  });

  test("the environment wins over all", async () => {
    homeFile("store: postgres://db/one\n");
    expect((await load()).store.reveal()).toBe("postgres://db/one");
    expect((await load({ BATON_STORE: "postgres://db/two" })).store.reveal()).toBe("postgres://db/two");
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
    ["postgres://u@host/db", () => "postgres://u@host/db"],
    ["mysql://host/db", () => "mysql://host/db"],
  ])("config.yaml: %s", async (written, expected) => {
    homeFile(`store: ${JSON.stringify(written)}\n`);
    expect((await load()).store.reveal()).toBe(expected());
  });

  test("the variable: from the working folder", async () => {
    expect((await load({ BATON_STORE: "chats.db" })).store.reveal()).toBe(join(project, "chats.db"));
  });
});

test("reactions mean what is set, and nothing by default", async () => {
  expect((await load()).reactions).toEqual({});
  homeFile('reactions:\n  👎: /retry\n  ":shipit:": Go on, please.\n');
  expect((await load()).reactions).toEqual({ "👎": "/retry", ":shipit:": "Go on, please." });
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
    [
      "telegram:\n  answer: all\n",
      '/home/config.yaml:1: telegram: unknown key. Write it below "platforms:", as platforms.telegram.',
    ],
    ["reset:\n  defalt: {}\n", '/home/config.yaml:2: reset.defalt: unknown key. Did you mean "default"?'],
    [
      "reset:\n  byPlatform:\n    telegarm: {}\n",
      '/home/config.yaml:3: reset.byPlatform.telegarm: unknown key. Did you mean "telegram"?',
    ],
    [
      "a: 1\n",
      "/home/config.yaml:1: a: unknown key. Known here: timezone, reset, busy, agent, handoff, scopes, people, groups, reactions, limits, tools, mcp, processes, jobs, delivery, memory, voice, ui, web, retention, environments, platforms, proxy, store, mirror, outputDir.",
    ],
    [
      "__proto__: { polluted: true }\n",
      "/home/config.yaml:1: __proto__: unknown key. Known here: timezone, reset, busy, agent, handoff, scopes, people, groups, reactions, limits, tools, mcp, processes, jobs, delivery, memory, voice, ui, web, retention, environments, platforms, proxy, store, mirror, outputDir.",
    ],
    [
      'reactions:\n  "🏽": /retry\n',
      "/home/config.yaml:2: reactions.🏽: name an emoji, such as 👎, or :name:.",
    ],
    [
      "reactions: { thumbsdown: /retry }\n",
      "/home/config.yaml:1: reactions.thumbsdown: name an emoji, such as 👎, or :name:.",
    ],
    [
      "reactions: { 👎: '' }\n",
      "/home/config.yaml:1: reactions.👎: give a command or a text of 1 to 1,000 characters.",
    ],
    ["timezone: UTC\ntimezone: UTC\n", "/home/config.yaml:2: Map keys must be unique."],
    ["? {timezone: UTC}\n: UTC\n", "/home/config.yaml:1: Map keys must be plain text."],
    ["- a\n", "/home/config.yaml:1: a config file is a list of `key: value` lines."],
    ["mirror: sqlite\n", "/home/config.yaml:1: mirror: use jsonl."],
    [
      "store: ''\n",
      "/home/config.yaml:1: store: give a path, sqlite:<path>, postgres://… or { file: <path> }.",
    ],
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
    expect(lines[0]).toMatch(/^\/home\/config\.yaml:1: timezone: give a text\./);
    expect(lines[1]).toBe("/home/config.yaml:3: scopes.dm: use chat or platform.");
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
    expect(await refusal()).toMatch(
      /^\/home\/config\.yaml: it can't be read: it is a folder, not a file\. Move it away/,
    );
  });

  test.each([
    ["store: /tmp/elsewhere.db", "store"],
    ["mirror: jsonl", "mirror"],
    ["outputDir: /tmp", "outputDir"],
    ["agent: { workdir: /tmp }", "agent.workdir"],
    ["people: { allow: { telegram: [1] } }", "people"],
    ["tools: { folders: [/] }", "tools"],
  ])("a project's file may not say %s", async (line, key) => {
    projectFile(`timezone: UTC\n${line}\n`);
    expect(await refusal()).toBe(
      `/project/baton.yaml:2: ${key}: a project's file cannot set who gets in or where data is stored. Set this in config.yaml in Baton's home folder.`,
    );
  });

  test("the mistakes of every file and variable together, in the order of the layers", async () => {
    projectFile("timezone: Mars\n");
    homeFile("scopes:\n  dm: room\n");
    const lines = (await refusal({ BATON_AGENT_MAX_MESSAGES: "many" })).split("\n");
    expect(lines.map((line) => line.replace(/: .*/, ""))).toEqual([
      "/project/baton.yaml:1",
      "/home/config.yaml:2",
      "BATON_AGENT_MAX_MESSAGES",
    ]);
  });
});

describe("turns, busy modes and folders", () => {
  test("a gateway works in the workspace, and a terminal where it was started, unless a setting says so", async () => {
    const forGateway = () => loadConfig(readEnvironment({ BATON_HOME: home }), project, "gateway");
    expect((await load()).agent.workdir).toBe(project);
    expect(await forGateway()).toMatchObject({
      agent: { workdir: join(homedir(), "baton-workspace") },
      tools: { folders: [join(homedir(), "baton-workspace")] },
    });
    homeFile("agent: { workdir: /work }\n");
    expect((await forGateway()).agent.workdir).toBe("/work");
  });

  test("from both files and the environment, each with its place", async () => {
    projectFile("busy: { default: queue }\nagent:\n  maxMessages: 20\n  turnDeadlineSeconds: 5\n");
    homeFile(
      "agent:\n  maxMessages: 30\n  workdir: work\nbusy:\n  byPlatform: { slack: steer }\n  byChat:\n    matrix:!r:ex.org: queue\noutputDir: ~/out\n",
    );
    const config = await load({ BATON_AGENT_TURN_DEADLINE_SECONDS: "7.5" });
    expect(config.agent).toMatchObject({
      turnDeadlineSeconds: 7.5,
      maxMessages: 30,
      workdir: join(home, "work"),
    });
    expect(config.busy).toEqual({
      default: "queue",
      byPlatform: { slack: "steer" },
      byChat: { "matrix:!r:ex.org": "queue" },
      momentSeconds: 0.5,
    });
    expect(config.outputDir).toBe(join(homedir(), "out"));
    const file = join(home, "config.yaml");
    expect(config.places).toEqual(
      new Map<string, SettingPlace>([
        ["busy.default", { file: join(project, "baton.yaml"), line: 1 }],
        ["agent.maxMessages", { file, line: 2 }],
        ["agent.turnDeadlineSeconds", { variable: "BATON_AGENT_TURN_DEADLINE_SECONDS" }],
        ["agent.workdir", { file, line: 3 }],
        ["busy.byPlatform.slack", { file, line: 5 }],
        ["busy.byChat.matrix:!r:ex.org", { file, line: 7 }],
        ["outputDir", { file, line: 8 }],
      ]),
    );
  });

  test("what tools may reach", async () => {
    homeFile(
      "agent: { workdir: /work }\ntools:\n  folders: [notes, ~/docs, /data]\n  fetch: { allowHosts: ['NAS.local:080', '[FD00::1]:8080', '0x7f.1:80'] }\n  terminal: { maxTimeoutSeconds: 60 }\n",
    );
    expect((await load()).tools).toEqual({
      folders: [join(home, "notes"), join(homedir(), "docs"), "/data"],
      fetch: { allowHosts: ["nas.local:80", "[fd00::1]:8080", "127.0.0.1:80"] },
      terminal: {
        ...{ environment: "local", maxTimeoutSeconds: 60, allow: null, sandbox: "auto", network: "on" },
      },
      ask: [],
      byPlatform: {},
      byPerson: {},
    });
    homeFile("agent: { workdir: /work }\n");
    expect((await load()).tools.folders).toEqual(["/work"]);
    for (const wrong of [
      "nas.local",
      "http://nas.local:80",
      "nas.local:0",
      "nas.local:99999",
      "a b:80",
      "*:80",
      ":80",
    ]) {
      homeFile(`tools: { fetch: { allowHosts: ["${wrong}"] } }\n`);
      expect(await refusal()).toContain("tools.fetch.allowHosts");
    }
  });

  test("the tools of one person, by an exact identity", async () => {
    homeFile(
      "mcp: { servers: { files: { command: x } } }\ntools:\n  byPerson:\n    telegram:123: [terminal, files_read]\n    matrix:@ann:ex.org: []\n",
    );
    const config = await load();
    expect(config.tools.byPerson).toEqual({
      "telegram:123": ["terminal", "files_read"],
      "matrix:@ann:ex.org": [],
    });
    for (const wrong of ["telegram:*", "telegram:", "ann", "telegrm:1"]) {
      homeFile(`tools: { byPerson: { "${wrong}": [] } }\n`);
      expect(await refusal()).toContain("name a person as <platform>:<user id>");
    }
    expect(await refusal()).toContain('Did you mean "telegram"?');
  });

  test("tools that are asked about, and commands that are not", async () => {
    homeFile(
      "mcp: { servers: { files: { command: x } } }\ntools:\n  ask: [fetch_url, files_*]\n  terminal: { allow: [git status, ls] }\n",
    );
    const { tools } = await load();
    expect(tools.ask).toEqual(["fetch_url", "files_*"]);
    expect(tools.terminal).toMatchObject({ maxTimeoutSeconds: 600, allow: ["git status", "ls"] });
    for (const wrong of ["ls; rm x", "$x", "", "a  b"]) {
      homeFile(`tools: { terminal: { allow: ["${wrong}"] } }\n`);
      expect(await refusal()).toContain("give a program and the words after it");
    }
  });

  test.each([
    ["guests: [fetch_ulr]", 'guests.0: unknown tool "fetch_ulr". Did you mean "fetch_url"?'],
    [
      "byPlatform: { discord: [fetch_url, shell] }",
      'byPlatform.discord.1: unknown tool "shell". Known here: terminal, ',
    ],
    [
      "byPerson: { telegram:1: [terminl] }",
      'byPerson.telegram:1.0: unknown tool "terminl". Did you mean "terminal"?',
    ],
    ["members: [files_]", 'members.0: unknown tool "files_". Known here: '],
    ["members: [filesread]", "members.0: unknown tool"],
    ["ask: [fetch_url, fiels_x]", 'ask.1: unknown tool "fiels_x"'],
    ["ask: [fetch*]", 'ask.0: unknown tool "fetch*"'],
  ])("a tool that nobody has: %s", async (lists, message) => {
    homeFile(`mcp: { servers: { files: { command: x } } }\ntools: { ${lists} }\n`);
    expect(await refusal()).toContain(`/home/config.yaml:2: tools.${message}`);
  });

  test.each([
    "byPerson: { telegram:1: [terminal] }",
    "guests: [terminal]",
    "byPlatform: { slack: [terminal] }",
  ])("a project's file gives nobody a tool: %s", async (lists) => {
    homeFile("tools: { byPerson: { telegram:1: [] } }\n");
    projectFile(`tools: { ${lists} }\n`);
    expect(await refusal()).toContain(
      "/project/baton.yaml:1: tools: a project's file cannot set who gets in",
    );
  });

  test("the paths of variables count from the working folder", async () => {
    const config = await load({ BATON_AGENT_WORKDIR: "here", BATON_OUTPUT_DIR: "there" });
    expect(config.agent.workdir).toBe(join(project, "here"));
    expect(config.outputDir).toBe(join(project, "there"));
  });

  test.each([
    [
      "agent: { turnDeadlineSeconds: 0 }",
      "agent.turnDeadlineSeconds: use a number of seconds above 0, at most 86400.",
    ],
    [
      "agent: { turnDeadlineSeconds: 5m }",
      "agent.turnDeadlineSeconds: use a number of seconds above 0, at most 86400.",
    ],
    ["agent: { maxMessages: 2.5 }", "agent.maxMessages: use a whole number of messages above 0."],
    ["busy: { default: wait }", "busy.default: use interrupt, queue or steer."],
    [
      "busy: { byPlatform: { telegarm: queue } }",
      'busy.byPlatform.telegarm: unknown key. Did you mean "telegram"?',
    ],
    [
      "busy: { byChat: { 'telegarm:9': queue } }",
      'busy.byChat.telegarm:9: name a chat as <platform>:<chat id>. Did you mean "telegram"?',
    ],
    [
      "busy: { byChat: { 'telegram:': queue } }",
      "busy.byChat.telegram:: name a chat as <platform>:<chat id>.",
    ],
    ["maxMessages: 5", 'maxMessages: unknown key. Did you mean "agent.maxMessages"?'],
  ])("refused: %s", async (line, message) => {
    homeFile(`${line}\n`);
    expect(await refusal()).toBe(`/home/config.yaml:1: ${message}`);
  });
});

describe("variables", () => {
  test.each([
    ["BATON_TIMEZONE", "Asia/Tokyo", { timezone: "Asia/Tokyo" }],
    ["BATON_SCOPES_AGENT", "007", { scopes: { agent: "007" } }],
    ["BATON_RESET_DEFAULT_IDLE_MINUTES", "2.5", { reset: { default: { idleMinutes: 2.5 } } }],
    ["BATON_RESET_DEFAULT_NOTIFY", "false", { reset: { default: { notify: false } } }],
  ])("%s=%s", async (name, value, sessions) => {
    homeFile(
      "timezone: UTC\nscopes: { agent: main }\nreset: { default: { idleMinutes: 1, notify: true } }\n",
    );
    const config = await load({ [name]: value });
    expect(config.sessions).toMatchObject(sessions);
    expect([...config.places.values()]).toContainEqual({ variable: name });
  });

  test.each([
    ["BATON_TIMEZONE", "Mars", '"Mars" is not a time zone; use an IANA name such as Europe/Berlin or UTC.'],
    ["BATON_RESET_DEFAULT_NOTIFY", "yes", "use true or false."],
    ["BATON_RESET_DEFAULT_AT_HOUR", "0x4", "use a whole hour from 0 to 23."],
    ["BATON_AGENT_MAX_MESSAGES", "1e3", "use a whole number of messages above 0."],
    ["BATON_BUSY_DEFAULT", "wait", "use interrupt, queue or steer."],
  ])("%s=%s is refused by name", async (name, value, message) => {
    expect(await refusal({ [name]: value })).toBe(`${name}: ${message}`);
  });

  test.each(["unix:/run/user/1000/signal/socket", "http://127.0.0.1:8080"])(
    "signal-cli is at %s",
    async (url) => {
      const { platforms } = await load({ SIGNAL_HTTP_URL: url });
      expect(platforms.signal?.url).toBe(url);
    },
  );

  test.each(["unix:", "unix:/", "unix:socket", "/run/socket", "ftp://127.0.0.1"])(
    "signal-cli is not at %s",
    async (url) => {
      const message = "give unix: and the whole path of a socket, or an http or https address.";
      expect(await refusal({ SIGNAL_HTTP_URL: url })).toBe(`SIGNAL_HTTP_URL: ${message}`);
    },
  );

  test("a limit is a number, or none", async () => {
    const { limits } = await load({
      BATON_LIMITS_GUESTS_MESSAGES_PER_MINUTE: "30",
      BATON_LIMITS_GUESTS_TURNS_AT_ONCE: "none",
    });
    expect(limits.guests).toMatchObject({
      messagesPerMinute: 30,
      turnsAtOnce: "none",
      modelCallsPerDay: 200,
    });
    expect(await refusal({ BATON_LIMITS_GUESTS_TURNS_AT_ONCE: "0" })).toBe(
      "BATON_LIMITS_GUESTS_TURNS_AT_ONCE: use a whole number above 0, or none.",
    );
    const { everyone } = (await load({ BATON_LIMITS_EVERYONE_COST_PER_DAY: "2.5" })).limits;
    expect(everyone).toEqual({ tokensPerDay: "none", costPerDay: 2.5 });
    expect(await refusal({ BATON_LIMITS_EVERYONE_COST_PER_DAY: "0" })).toBe(
      "BATON_LIMITS_EVERYONE_COST_PER_DAY: use a number above 0, or none.",
    );
  });

  test("nobody is let in by a variable", async () => {
    const config = await load({
      BATON_PEOPLE_ALLOW_TELEGRAM: "5",
      BATON_PEOPLE_ALLOW: "5",
      BATON_PEOPLE: "5",
    });
    expect(config.people).toEqual({ allow: {}, owners: {}, guests: {}, pairing: "on" });
  });
});

describe("people", () => {
  test("ids are kept exactly as they are written", async () => {
    homeFile(
      'people:\n  allow:\n    telegram: [123, -1001, "0045", 0046, 1e3, 0x1F, 1.0, +15, 9007199254740991]\n    matrix: ["@a:ex.org"]\n    slack: []\n',
    );
    expect((await load()).people.allow).toEqual({
      telegram: ["123", "-1001", "0045", "0046", "1e3", "0x1F", "1.0", "+15", "9007199254740991"],
      matrix: ["@a:ex.org"],
      slack: [],
    });
  });

  test.each([
    ["9007199254740993", "give the user's id, in quotes unless it is a plain number."],
    ["12345678901234567890", "give the user's id, in quotes unless it is a plain number."],
    ["1.5", "give the user's id, in quotes unless it is a plain number."],
    ["null", "give the user's id, in quotes unless it is a plain number."],
    ['""', "give the user's id, in quotes unless it is a plain number."],
    ['"*"', "name each person by id; you cannot let everybody in."],
  ])("%s is no id; the line is that of the id", async (id, message) => {
    homeFile(`people:\n  allow:\n    telegram:\n      - 1\n      - ${id}\n`);
    expect(await refusal()).toBe(`/home/config.yaml:5: people.allow.telegram.1: ${message}`);
  });

  test("one id without a list is refused", async () => {
    homeFile("people: { allow: { telegram: 5 } }\n");
    expect(await refusal()).toMatch(/people\.allow\.telegram: write a list, such as/);
  });
});

describe("a store's password", () => {
  const URL = "postgres://me:hunter2@db/baton";
  const secret = (text: string, mode = 0o600) => {
    writeFileSync(join(home, "store-url"), text);
    chmodSync(join(home, "store-url"), mode);
    homeFile("timezone: UTC\nstore: { file: store-url }\n");
  };

  test("is taken from a file, which is read only when it is needed", async () => {
    secret(`${URL}\n`);
    const { store } = await load();
    writeFileSync(join(home, "store-url"), "postgres://later:pw@db/baton\n");
    expect(store.reveal()).toBe("postgres://later:pw@db/baton");
    expect(store.shown).toBe(`{ file: ${join(home, "store-url")} }`);
  });

  test("a file's content may be a path, too: it counts from the home folder", async () => {
    secret("chats.db");
    expect((await load()).store.reveal()).toBe(join(home, "chats.db"));
  });

  test("is taken from the variable, and shows nowhere", async () => {
    const config = await load({ BATON_STORE: URL });
    expect(config.store.reveal()).toBe(URL);
    for (const shown of [
      JSON.stringify(config),
      inspect(config, { depth: 9, showHidden: true }),
      `${config.store}`,
    ]) {
      expect(shown).not.toContain("hunter2");
      expect(shown).toContain("postgres://me:***@db/baton");
    }
  });

  test("is refused in the file itself, with what to write instead", async () => {
    homeFile(`timezone: UTC\nstore: ${URL}\n`);
    expect(await refusal()).toBe(
      "/home/config.yaml:2: store: do not write a password into this file. Put the URL into a file of its own (chmod 600) and write `store: { file: <path> }`, or set BATON_STORE.",
    );
  });

  test("a file that others can get at is a mistake with a cure", async () => {
    secret(URL, 0o640);
    const message = `The secret in ${join(home, "store-url")} cannot be used: other users can get at the file. Make it private: chmod 600 '${join(home, "store-url")}'.`;
    const { store } = await load();
    expect(() => store.reveal()).toThrow(message);
    expect((await checkConfig(readEnvironment({ BATON_HOME: home }), project)).problems).toEqual([
      { place: { file: join(home, "config.yaml"), line: 2 }, key: "store", message: `store: ${message}` },
    ]);
  });

  test.each(["", "\n"])("a file that holds %j, or is not there, is a mistake", async (text) => {
    secret(text);
    const { store } = await load();
    expect(() => store.reveal()).toThrow(/cannot be used: the file is empty\.$/);
    rmSync(join(home, "store-url"));
    expect(() => store.reveal()).toThrow(/cannot be used: there is no such file\.$/);
  });
});
