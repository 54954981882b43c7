/** Whole runs of `baton config …`: what it prints, what it refuses, and what it leaves on disk. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { baton, makeHome, type RunOptions } from "./support/baton.js";

const PASSWORD = "hunter2";
const STORE_URL = `postgres://me:${PASSWORD}@127.0.0.1:1/db`;

function setUp({ own, project }: { own?: string; project?: string }): string {
  const home = makeHome();
  if (own !== undefined) writeFileSync(join(home, "config.yaml"), own);
  if (project !== undefined) writeFileSync(projectPath(home), project);
  return home;
}
const projectPath = (home: string) => join(home, "..", "work", "baton.yaml");
const config = (home: string, line: string | readonly string[], options?: RunOptions) =>
  baton(home, ["config", ...(typeof line === "string" ? line.split(" ") : line)], options);

interface Setting {
  readonly key: string;
  readonly value: unknown;
  readonly from: string;
}

describe.concurrent("help", () => {
  test.each(["show", "path", "check", "schema", "set"])("config %s --help has an example", async (verb) => {
    const run = await config(makeHome(), [verb, "--help"]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout).toMatch(new RegExp(`\\$ baton config ${verb}`));
    expect(run.stdout).toContain("--json");
  });

  test.each([
    ["shwo", "Unknown command 'shwo'. Did you mean show?"],
    ["show extra", "Too many arguments"],
    ["set", "Missing required argument 'key'. See `baton config set --help`."],
    ["set timezone", "Give a value, or --unset to remove the key."],
    ["set timezone UTC --unset", "Give a value or --unset, not both."],
  ])("config %s is wrong usage", async (line, message) => {
    const run = await config(makeHome(), line);
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toContain(message);
  });
});

describe.concurrent("show", () => {
  test("every value and where it came from", async () => {
    const home = setUp({
      project: "timezone: Asia/Tokyo\nbusy:\n  default: queue\n",
      own: "# mine\nbusy:\n  default: steer\npeople: { allow: { telegram: [7, 8] } }\n",
    });
    const run = await config(home, "show", { env: { BATON_AGENT_MAX_MESSAGES: "9" } });
    expect(run).toMatchObject({ code: 0, stderr: "" });
    const rows = run.stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ {2,}/));
    expect(rows).toEqual(
      expect.arrayContaining([
        ["timezone", "Asia/Tokyo", `${projectPath(home)}:1`],
        ["busy.default", "steer", `${join(home, "config.yaml")}:3`],
        ["people.allow.telegram", "7, 8", `${join(home, "config.yaml")}:4`],
        ["agent.maxMessages", "9", "BATON_AGENT_MAX_MESSAGES"],
        ["agent.turnDeadlineSeconds", "600", "default"],
        ["store", join(home, "baton.db"), "default"],
        ["mirror", "none", "default"],
        ["busy.byChat", "none", "default"],
      ]),
    );
  });

  test("as JSON, with values as they are", async () => {
    const home = setUp({ own: "people: { allow: { telegram: [7] } }\n" });
    const run = await config(home, "show --json");
    expect(run).toMatchObject({ code: 0, stderr: "" });
    const { settings } = JSON.parse(run.stdout) as { settings: Setting[] };
    expect(settings).toEqual(
      expect.arrayContaining([
        { key: "people.allow.telegram", value: ["7"], from: `${join(home, "config.yaml")}:1` },
        { key: "agent.maxMessages", value: 500, from: "default" },
        { key: "mirror", value: null, from: "default" },
        { key: "busy.byChat", value: {}, from: "default" },
      ]),
    );
  });

  test("is nothing where nothing holds: the mistakes are told", async () => {
    const home = setUp({ own: "timezone: Mars\n" });
    const run = await config(home, "show");
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(/^baton: .*config\.yaml:1: timezone: "Mars" is not a time zone/);
  });

  test("harmless to look at, whatever the file says", async () => {
    const home = setUp({ own: 'outputDir: "/out\\e]0;pwned\\a\\u202edir"\n' });
    const run = await config(home, "show");
    expect(run.stdout).toMatch(/outputDir +\/outdir /);
    expect(run.stdout).not.toMatch(/[\u001b\u202e]/);
  });
});

describe.concurrent("a store's password", () => {
  test("from the variable: never shown, whatever is asked", async () => {
    const home = makeHome();
    const env = { BATON_STORE: STORE_URL };
    const shown = await config(home, "show", { env });
    expect(shown.stdout).toMatch(/^store +postgres:\/\/me:\*\*\*@127\.0\.0\.1:1\/db +BATON_STORE$/m);
    const runs = [
      shown,
      await config(home, "show --json", { env }),
      await config(home, "check", { env }),
      await baton(home, ["sessions", "list"], { env }),
      await baton(home, ["doctor"], { env }),
    ];
    for (const run of runs) expect(run.stdout + run.stderr).not.toContain(PASSWORD);
  });

  test("from a file of its own: used, and never shown", async () => {
    const home = setUp({ own: "store: { file: store-url }\n" });
    const file = join(home, "store-url");
    writeFileSync(file, `${STORE_URL}\n`, { mode: 0o600 });
    expect((await config(home, "check")).stdout).toBe("The configuration is valid.\n");
    const shown = await config(home, "show");
    expect(shown.stdout).toContain(`{ file: ${file} }`);
    const list = await baton(home, ["sessions", "list"]);
    expect(list).toMatchObject({ code: 1, stderr: expect.stringContaining("No PostgreSQL server answers") });
    for (const run of [shown, list]) expect(run.stdout + run.stderr).not.toContain(PASSWORD);
  });

  test("a file that others can read is refused with the cure", async () => {
    const home = setUp({ own: "\nstore: { file: store-url }\n" });
    const file = join(home, "store-url");
    writeFileSync(file, STORE_URL);
    chmodSync(file, 0o644);
    const check = await config(home, "check");
    expect(check.code).toBe(1);
    expect(check.stdout).toContain(`config.yaml:2: store: The secret in ${file} cannot be used: `);
    expect(check.stdout).toContain(`chmod 600 '${file}'`);
    const list = await baton(home, ["sessions", "list"]);
    expect(list).toMatchObject({ code: 1, stderr: expect.stringContaining(`chmod 600 '${file}'`) });
    const doctor = await baton(home, ["doctor"]);
    expect(doctor.stdout).toMatch(/✗ store .*chmod 600/);
  });

  test("in config.yaml, or set there: refused, and not repeated", async () => {
    const home = setUp({ own: `store: ${STORE_URL}\n` });
    const written = await config(home, "check");
    expect(written).toMatchObject({ code: 1, stdout: expect.stringContaining("store: { file: <path> }") });
    const other = makeHome();
    const set = await config(other, ["set", "store", STORE_URL]);
    expect(set).toMatchObject({ code: 1, stderr: expect.stringContaining("store: { file: <path> }") });
    for (const run of [written, set]) expect(run.stdout + run.stderr).not.toContain(PASSWORD);
    expect(readdirSync(other)).toEqual([]);
  });
});

describe.concurrent("path", () => {
  test("the files, the strongest first, and whether they are there", async () => {
    const home = setUp({ project: "timezone: UTC\n" });
    const lines = (await config(home, "path")).stdout.trimEnd().split("\n");
    expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
      [join(home, "config.yaml"), "missing"],
      [projectPath(home), "exists"],
    ]);
    expect(JSON.parse((await config(home, "path --json")).stdout)).toEqual({
      files: [
        { kind: "home", path: join(home, "config.yaml"), exists: false },
        { kind: "project", path: projectPath(home), exists: true },
      ],
    });
  });

  test("also where a file is wrong", async () => {
    const home = setUp({ own: "{" });
    expect(await config(home, "path")).toMatchObject({ code: 0, stderr: "" });
  });
});

describe.concurrent("check", () => {
  test("the tools of guests and members are shown where nothing is set", async () => {
    const { stdout } = await config(setUp({ own: "tools: { members: [fetch_url] }\n" }), "show");
    expect(stdout).toMatch(/^tools\.guests +fetch_url, session_search, session_read +default$/m);
    expect(stdout).toMatch(/^tools\.members +fetch_url +\S+config\.yaml:1$/m);
  });

  test("people who share their direct messages: a warning, not a mistake", async () => {
    const home = setUp({
      own: "scopes: { dm: platform }\npeople:\n  allow: { telegram: [1, 2], whatsapp: ['3', '4'] }\n  owners: { telegram: [1], slack: [U1] }\n",
    });
    const run = await config(home, "check");
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout).toBe(
      `${join(home, "config.yaml")}:1: scopes.dm is "platform", so 2 people on Telegram share one conversation in their direct messages: the agent can tell each of them what the others wrote. To change it, set scopes.dm to chat, so that everybody has a conversation of their own.\nThe configuration is valid, with warnings.\n`,
    );
    const json = JSON.parse((await config(home, "check --json")).stdout);
    expect([json.ok, json.warnings.length]).toEqual([true, 1]);
    await config(home, "set scopes.dm chat");
    expect((await config(home, "check")).stdout).toBe("The configuration is valid.\n");
    writeFileSync(
      join(home, "config.yaml"),
      "scopes: { dm: platform }\npeople: { allow: { telegram: [1] } }\n",
    );
    expect((await config(home, "check")).stdout).toBe("The configuration is valid.\n");
  });

  test("ids that can match nobody: a warning with their place, not a mistake", async () => {
    const home = setUp({
      own: "people:\n  allow: { telegram: ['@alice', 7] }\nbusy:\n  byChat: { 'slack:#general': queue }\n",
    });
    const run = await config(home, "check");
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout).toContain(
      `${join(home, "config.yaml")}:2: people.allow.telegram: "@alice" matches nobody on Telegram`,
    );
    expect(run.stdout).toContain(
      `${join(home, "config.yaml")}:4: busy.byChat.slack:#general: "#general" is not a chat id on Slack.`,
    );
    expect(run.stdout).toMatch(/The configuration is valid, with warnings\.\n$/);
  });

  test("variables that set nothing: a warning with the nearest that is one, and no error anywhere", async () => {
    const home = makeHome();
    const env = {
      BATON_BUSY_DEFALT: "queue",
      BATON_BUSY_DEFAULT: "queue",
      BATON_XYLOPHONE: "1",
      BATON_EMPTY: "",
    };
    const run = await config(home, "check", { env });
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout.split("\n")).toEqual([
      'BATON_BUSY_DEFALT: no setting has this variable, so Baton ignores it. Did you mean "BATON_BUSY_DEFAULT"?',
      "BATON_XYLOPHONE: no setting has this variable, so Baton ignores it.",
      "The configuration is valid, with warnings.",
      "",
    ]);
    const json = JSON.parse((await config(home, "check --json", { env })).stdout);
    expect(json).toMatchObject({ ok: true, warnings: [{ place: { variable: "BATON_BUSY_DEFALT" } }, {}] });
    writeFileSync(join(home, "config.yaml"), "agnet: {}\n");
    const broken = await config(home, "check", { env });
    expect(broken).toMatchObject({ code: 1, stderr: "baton: Fix the 1 mistake above.\n" });
    expect(broken.stdout).toContain("BATON_BUSY_DEFALT: ");
    writeFileSync(join(home, "config.yaml"), "");
    expect(await config(home, "show", { env })).toMatchObject({ code: 0, stderr: "" });
  });

  test("all is well, and nothing is created", async () => {
    const home = makeHome();
    const missing = join(home, "not-yet");
    const run = await config(home, "check", { env: { BATON_HOME: missing } });
    expect(run).toEqual({ code: 0, stdout: "The configuration is valid.\n", stderr: "" });
    expect(JSON.parse((await config(home, "check --json")).stdout)).toEqual({
      ok: true,
      problems: [],
      warnings: [],
    });
    expect(existsSync(missing)).toBe(false);
  });

  test("every mistake of every source, with its place", async () => {
    const home = setUp({
      project: "timezone: UTC\npeople: { allow: { telegram: [666] } }\n",
      own: "reset:\n  default:\n    atHour: 24\nagnet: {}\n",
    });
    const file = join(home, "config.yaml");
    const env = { BATON_BUSY_DEFAULT: "wait" };
    const run = await config(home, "check", { env });
    expect(run).toMatchObject({ code: 1, stderr: "baton: Fix the 4 mistakes above.\n" });
    expect(run.stdout.split("\n")).toEqual([
      expect.stringMatching(/baton\.yaml:2: people: a project's file cannot set who gets in/),
      `${file}:3: reset.default.atHour: use a whole hour from 0 to 23.`,
      `${file}:4: agnet: unknown key. Did you mean "agent"?`,
      "BATON_BUSY_DEFAULT: use interrupt, queue or steer.",
      "",
    ]);
    const json = JSON.parse((await config(home, "check --json", { env })).stdout);
    expect(json.ok).toBe(false);
    expect(json.problems[1]).toEqual({
      place: { file, line: 3 },
      key: "reset.default.atHour",
      message: "reset.default.atHour: use a whole hour from 0 to 23.",
    });
    expect(json.problems[3].place).toEqual({ variable: "BATON_BUSY_DEFAULT" });
  });
});

describe.concurrent("schema", () => {
  test("JSON Schema of either file", async () => {
    const home = setUp({ own: "{" });
    const own = await config(home, "schema");
    expect(own).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(own.stdout)).toMatchObject({
      $schema: "http://json-schema.org/draft-07/schema#",
      properties: { people: { type: "object" }, timezone: { type: "string" } },
    });
    const project = JSON.parse((await config(home, "schema --project")).stdout);
    expect(project.properties).toHaveProperty("timezone");
    expect(project.properties).not.toHaveProperty("people");
  });
});

describe.concurrent("set", () => {
  test("makes a private file, which then holds", async () => {
    const home = makeHome();
    const env = { BATON_HOME: join(home, "new") };
    const file = join(home, "new", "config.yaml");
    const run = await config(home, "set timezone Asia/Tokyo", { env });
    expect(run).toEqual({ code: 0, stdout: `timezone is now "Asia/Tokyo" in ${file}.\n`, stderr: "" });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, "new")).mode & 0o777).toBe(0o700);
    expect((await config(home, "show", { env })).stdout).toMatch(
      /^timezone +Asia\/Tokyo +.*config\.yaml:1$/m,
    );
  });

  test("comments and order survive; --unset takes away; JSON says what happened", async () => {
    const home = setUp({ own: "# mine\nmirror: jsonl # readable\n# zone\ntimezone: UTC\n" });
    const file = join(home, "config.yaml");
    const set = await config(home, ["set", "reset.default", "{ mode: daily }", "--json"]);
    expect(JSON.parse(set.stdout)).toEqual({
      key: "reset.default",
      changed: true,
      file,
      value: { mode: "daily" },
    });
    expect((await config(home, "set timezone --unset")).stdout).toBe(
      `timezone is no longer set in ${file}.\n`,
    );
    expect(readFileSync(file, "utf8")).toBe(
      "# mine\nmirror: jsonl # readable\nreset:\n  default: { mode: daily }\n",
    );
    expect((await config(home, "set timezone --unset")).stdout).toBe("timezone was not set.\n");
    expect(JSON.parse((await config(home, "set timezone --unset --json")).stdout)).toMatchObject({
      changed: false,
    });
  });

  test.each([
    ["timezon UTC", 'timezon: unknown key. Did you mean "timezone"?'],
    ["agent.maxMessages 0", "agent.maxMessages: use a whole number of messages above 0."],
  ])("%s is refused, and nothing changes", async (line, message) => {
    const home = setUp({ own: "mirror:  jsonl\n" });
    expect(await config(home, `set ${line}`)).toEqual({ code: 1, stdout: "", stderr: `baton: ${message}\n` });
    const json = await config(home, `set ${line} --json`);
    expect(JSON.parse(json.stderr)).toEqual({ error: { code: "invalid_config", message } });
    expect(readFileSync(join(home, "config.yaml"), "utf8")).toBe("mirror:  jsonl\n");
    expect(readdirSync(home)).toEqual(["config.yaml"]);
  });

  test("says when a variable wins all the same", async () => {
    const home = makeHome();
    const run = await config(home, "set timezone UTC", { env: { BATON_TIMEZONE: "Asia/Tokyo" } });
    expect(run).toMatchObject({
      code: 0,
      stderr: "BATON_TIMEZONE is set in the environment and overrides the file.\n",
    });
  });

  test("processes at once: every change is there", async () => {
    const home = makeHome();
    const lines = [
      "timezone UTC",
      "mirror jsonl",
      "busy.default queue",
      "agent.maxMessages 5",
      "scopes.dm platform",
    ];
    const runs = await Promise.all(lines.map((line) => config(home, `set ${line}`)));
    for (const run of runs) expect(run).toMatchObject({ code: 0, stderr: "" });
    const { settings } = JSON.parse((await config(home, "show --json")).stdout) as { settings: Setting[] };
    const changed = settings.filter(({ from }) => from !== "default").map(({ key }) => key);
    expect(changed.toSorted()).toEqual(
      ["timezone", "mirror", "busy.default", "agent.maxMessages", "scopes.dm"].toSorted(),
    );
    expect(readdirSync(home)).toEqual(["config.yaml"]);
  });

  test("a place that cannot be written is said", async () => {
    const home = makeHome();
    mkdirSync(join(home, "config.yaml"));
    const run = await config(home, "set timezone UTC");
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(/^baton: .*config\.yaml can't be written: it is a folder, not a file\. /);
    expect(readdirSync(home)).toEqual(["config.yaml"]);
  });
});
