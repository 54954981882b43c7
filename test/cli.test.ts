/** Whole runs of `dist/main.js`: what it prints, what it refuses, and how it exits. */

import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { DatabaseSync } from "@photostructure/sqlite";
import { describe, expect, test } from "vitest";
import { openSessions, type SessionSource } from "../src/index.js";
import { openStore } from "../src/open-sessions.js";
import type { SessionId } from "../src/session/ids.js";
import { SCHEMA_VERSION } from "../src/store/migrations/index.js";
import { baton, makeHome, type Run } from "./support/baton.js";

const DAY = 86_400_000;
const NOBODY = 65_534;
const ESC = "\u001b";

const alice: SessionSource = {
  platform: "telegram",
  chatId: "99",
  chatType: "dm",
  userId: "99",
  userName: "Alice",
};

function team(chatId: string, chatName = `Team ${chatId}`): SessionSource {
  return { platform: "discord", chatId, chatName, chatType: "group", userId: "u1", userName: "Bob" };
}

/** A store in this home, filled with a clock that the filling may set. */
async function fill(
  home: string,
  work: (
    sessions: Awaited<ReturnType<typeof openSessions>>,
    at: (time: number) => void,
  ) => Promise<void> = async () => {},
): Promise<void> {
  let now = Date.now();
  const sessions = await openSessions({ url: join(home, "baton.db"), clock: () => now });
  try {
    await work(sessions, (time) => {
      now = time;
    });
  } finally {
    await sessions.close();
  }
}

/** Alice's conversation about her garden, three hours ago, with tools, costs and a title. */
async function garden(home: string): Promise<SessionId> {
  let id = "" as SessionId;
  await fill(home, async (sessions, at) => {
    at(Date.now() - 3 * 3_600_000);
    const { entry } = await sessions.receive(alice, { role: "user", content: "Plan my garden party" });
    id = entry.sessionId;
    await sessions.record(
      id,
      [
        {
          role: "assistant",
          content: "Let me look.",
          toolCalls: [{ id: "c1", name: "weather", arguments: '{"city":"Berlin"}' }],
        },
        { role: "tool", toolCallId: "c1", name: "weather", content: "sunny" },
        { role: "assistant", content: "It will be sunny." },
      ],
      { inputTokens: 12_000, outputTokens: 345, cost: 0.0321 },
    );
    await sessions.setTitle(id, "Garden plans");
  });
  return id;
}

function edit(home: string, work: (database: InstanceType<typeof DatabaseSync>) => void): void {
  const database = new DatabaseSync(join(home, "baton.db"));
  work(database);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
}

/** What a command says under --json, which must be all that it prints. */
function json(run: Run): Record<string, unknown> & { error?: { code: string; message: string } } {
  const [said, silent] = run.code === 0 ? [run.stdout, run.stderr] : [run.stderr, run.stdout];
  expect(silent).toBe("");
  return JSON.parse(said);
}

describe.concurrent("a newcomer", () => {
  test("without sessions, baton says how to begin and creates nothing", async () => {
    const home = makeHome();
    const missing = join(home, "not-yet");
    for (const words of [["sessions", "list"], ["sessions", "search", "x"], ["doctor"]]) {
      const run = await baton(home, words, { env: { BATON_HOME: missing } });
      expect(run).toMatchObject({ code: 0, stderr: "" });
      if (words.length !== 3 && words[0] !== "doctor") {
        expect(run.stdout).toContain("no sessions yet");
        expect(run.stdout).toContain("baton sessions import");
      }
    }
    expect(existsSync(missing)).toBe(false);
  });

  test("the version and the help", async () => {
    const home = makeHome();
    const { version } = JSON.parse(readFileSync("package.json", "utf8"));
    for (const flag of ["--version", "-V"]) {
      expect(await baton(home, [flag])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
    }
    const help = await baton(home, ["--help"]);
    expect(help).toMatchObject({ code: 0, stderr: "" });
    expect(help.stdout).toContain("sessions");
    expect(help.stdout).toContain("doctor");
  });

  test("--version loads neither parsers nor databases nor commands", async () => {
    const home = makeHome();
    const run = await baton(home, [], {
      shell: `NODE_DEBUG=esm baton --version 2>&1 | grep -cE 'node_modules/(commander|yaml|zod|pg|@photostructure)'`,
    });
    expect(run.stdout).toBe("0\n");
  });

  test.each(["list", "show", "search", "title", "export", "import", "explain", "prune"])(
    "sessions %s --help has an example",
    async (verb) => {
      const run = await baton(makeHome(), ["sessions", verb, "--help"]);
      expect(run).toMatchObject({ code: 0, stderr: "" });
      expect(run.stdout).toMatch(new RegExp(`\\$ baton sessions ${verb}`));
      expect(run.stdout).toContain("--json");
    },
  );
});

describe.concurrent("wrong usage", () => {
  test.each([
    ["sesions list", "Unknown command 'sesions'. Did you mean sessions?"],
    ["sessions lst", "Unknown command 'lst'. Did you mean list?"],
    ["sessions list --lmit 3", "Unknown option '--lmit'. Did you mean --limit?"],
    ["sessions list --limit 0", "Use a whole number from 1 to 200."],
    ["sessions list --limit 2.5", "Use a whole number from 1 to 200."],
    ["sessions list --active 2x", "Use a number and a unit: 30m, 2h, 7d or 4w."],
    ["sessions list --platform telegarm", 'Did you mean "telegram"?'],
    ["sessions list --cursor zz", "This cursor is not one that list() gave out"],
    ["sessions list extra", "Too many arguments"],
    ["sessions show", "Missing required argument 'session'. See `baton sessions show --help`."],
    ["sessions prune", "Say what to delete: --older-than 90d"],
    ["sessions prune --max-size much", "Use a number of megabytes"],
    ["sessions prune --older-than 90d", "Add --yes to confirm"],
    ["sessions export", "Say which session to export"],
    ["sessions export --all", "Add --output <folder>."],
    ["sessions export x --format yaml", "Allowed choices are jsonl, markdown, json."],
    ["sessions title x words --clear", "Give a title or --clear, not both."],
  ])("baton %s", async (line, message) => {
    const home = makeHome();
    const run = await baton(home, line.split(" "));
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toMatch(/^baton: .*\n$/);
    expect(run.stderr).toContain(message);
  });

  test.each([
    ["sessions list --lmit 3 --json", "usage", "Did you mean --limit?"],
    ["sessions list --json --cursor zz", "invalid_cursor", "start without it"],
    ["sessions export x --format markdown --json", "usage", "--json prints JSON to stdout."],
  ])("baton %s: as JSON, on stderr", async (line, code, message) => {
    const run = await baton(makeHome(), line.split(" "));
    expect(run.code).toBe(2);
    expect(json(run).error).toEqual({ code, message: expect.stringContaining(message) });
  });

  test("a bare `baton sessions` gets the help of its commands", async () => {
    const run = await baton(makeHome(), ["sessions"]);
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toContain("Usage: baton sessions");
  });

  test("--json after -- is text, not an option", async () => {
    const home = makeHome();
    await garden(home);
    const run = await baton(home, ["sessions", "title", "--", "Garden plans", "--json"]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout).toMatch(/is now called "--json"\.\n$/);
  });
});

describe.concurrent("list", () => {
  test("a table for people", async () => {
    const home = makeHome();
    const id = await garden(home);
    const run = await baton(home, ["sessions", "list"]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout.split("\n")).toEqual([
      expect.stringMatching(/^ID +TITLE +WHERE +MSGS +TOKENS +ACTIVE$/),
      expect.stringMatching(/^\S+ +Garden plans +Telegram, DM with Alice +4 +12\.3k +3 h ago$/),
      "",
    ]);
    const shown = run.stdout.split("\n")[1]?.split(" ")[0] ?? "";
    expect(id.startsWith(`${shown}_`)).toBe(true);
    expect(
      JSON.parse((await baton(home, ["sessions", "show", shown, "--json"])).stdout).session.sessionId,
    ).toBe(id);
  });

  test("sessions begun in one second are shown with their whole ids", async () => {
    const home = makeHome();
    await fill(home, async (sessions) => {
      for (const chat of ["1", "2"]) await sessions.getOrCreate(team(chat));
    });
    const { sessions } = json(await baton(home, ["sessions", "list", "--json"])) as {
      sessions: { sessionId: string }[];
    };
    const { stdout } = await baton(home, ["sessions", "list"]);
    for (const { sessionId } of sessions) expect(stdout).toContain(sessionId);
  });

  test("filters by platform and activity, and marks what has ended", async () => {
    const home = makeHome();
    await garden(home);
    await fill(home, async (sessions, at) => {
      at(Date.now() - 10 * DAY);
      const { sessionId } = await sessions.getOrCreate(team("old"));
      await sessions.end(sessionId, "idle");
    });
    const names = async (...words: string[]) => {
      const { sessions } = json(await baton(home, ["sessions", "list", "--json", ...words])) as {
        sessions: { displayName: string }[];
      };
      return sessions.map((entry) => entry.displayName);
    };
    expect(await names()).toEqual(["Alice", "Team old"]);
    expect(await names("--platform", "Discord")).toEqual(["Team old"]);
    expect(await names("--active", "4h")).toEqual(["Alice"]);
    expect(await names("--active", "2h")).toEqual([]);
    expect((await baton(home, ["sessions", "list"])).stdout).toMatch(/10 days ago +ended: idle\n$/);
    expect((await baton(home, ["sessions", "list", "--active", "2h"])).stdout).toMatch(/^No sessions match/);
  });

  test("the printed commands lead through every page, each session once", async () => {
    const home = makeHome();
    await fill(home, async (sessions, at) => {
      for (let n = 0; n < 7; n++) {
        at(Date.now() - n * DAY);
        await sessions.getOrCreate(team(String(n)));
      }
    });
    const seen: string[] = [];
    let line = "baton sessions list --platform discord --active 30d --limit 3";
    for (let pages = 1; ; pages++) {
      const run = await baton(home, [], { shell: line });
      expect(run).toMatchObject({ code: 0, stderr: "" });
      seen.push(...[...run.stdout.matchAll(/^\S+ +Team (\d)/gm)].map(([, n = ""]) => n));
      const [, next] = /^More: (.+)$/m.exec(run.stdout) ?? [];
      if (!next) {
        expect(pages).toBe(3);
        break;
      }
      expect(next).toMatch(/--platform discord --active 30d --limit 3 --cursor \S+$/);
      line = next;
    }
    expect(seen).toEqual(["0", "1", "2", "3", "4", "5", "6"]);
  });

  test("what does not go to a terminal is whole, so that other programs find everything in it", async () => {
    const home = makeHome();
    await fill(home, async (sessions) => {
      await sessions.getOrCreate(team("1", `${"A very long name ".repeat(6)}to find`));
    });
    const { stdout } = await baton(home, ["sessions", "list"]);
    expect(stdout).toContain("to find");
  });
});

describe.concurrent("show", () => {
  test("what a session is, and what was said", async () => {
    const home = makeHome();
    const id = await garden(home);
    const run = await baton(home, ["sessions", "show", "Garden plans"]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    const shown = run.stdout.replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, "TIME");
    expect(shown).toBe(`Garden plans
  id             ${id}
  key            agent:main:telegram:dm:99
  from           Telegram, DM with Alice
  created        TIME (3 h ago)
  last activity  TIME (3 h ago)
  messages       4
  tokens         12,345 (12,000 in, 345 out)
  cost           $0.0321
  state          open

user  TIME
  Plan my garden party

assistant  TIME
  Let me look.
  → weather({"city":"Berlin"})

tool weather  TIME
  sunny

assistant  TIME
  It will be sunny.
`);
  });

  test("the files that came with a message", async () => {
    const home = makeHome();
    let id = "" as SessionId;
    await fill(home, async (sessions) => {
      const attachments = [
        { file: "0a".repeat(16), mediaType: "image/jpeg", name: `photo${ESC}[2J\n.jpg` },
        { file: "1b".repeat(16), mediaType: "application/pdf" },
      ];
      const { entry } = await sessions.receive(alice, { role: "user", content: "", attachments });
      id = entry.sessionId;
    });
    const { stdout } = await baton(home, ["sessions", "show", id]);
    expect(stdout).toMatch(
      /\nuser .*\n {2}\[attached: photo \.jpg \(image\/jpeg\)\]\n {2}\[attached: file \(application\/pdf\)\]\n$/,
    );
  });

  test("the last messages, all of them, and those that a rewrite took out", async () => {
    const home = makeHome();
    const id = await garden(home);
    await fill(home, async (sessions) => {
      const messages = await sessions.load(id);
      await sessions.rewrite(id, [...messages.slice(0, 3), { role: "assistant", content: "Rain, sorry." }]);
    });
    const contents = async (...words: string[]) => {
      const { messages } = json(await baton(home, ["sessions", "show", id, "--json", ...words])) as {
        messages: { content: string }[];
      };
      return messages.map((message) => message.content);
    };
    expect(await contents("--limit", "2")).toEqual(["sunny", "Rain, sorry."]);
    expect(await contents("--limit", "1", "--superseded")).toEqual(["Rain, sorry."]);
    expect(await contents("--all")).toHaveLength(4);
    expect(await contents("--all", "--superseded")).toEqual([
      "Plan my garden party",
      "Let me look.",
      "sunny",
      "It will be sunny.",
      "Rain, sorry.",
    ]);
    const { stdout } = await baton(home, ["sessions", "show", id, "--limit", "2", "--superseded"]);
    expect(stdout).toContain(`Earlier: baton sessions show ${id} --cursor 4`);
    expect(stdout).toMatch(/\(superseded\)\n {2}It will be sunny\./);
  });

  test("pages back through a session to its beginning", async () => {
    const home = makeHome();
    const id = await garden(home);
    const seen: string[] = [];
    let cursor: string[] = [];
    for (;;) {
      const page = json(
        await baton(home, ["sessions", "show", id, "--json", "--limit", "3", "--superseded", ...cursor]),
      ) as {
        messages: { content: string }[];
        nextCursor: number | null;
      };
      seen.unshift(...page.messages.map((message) => message.content));
      if (page.nextCursor === null) break;
      cursor = ["--cursor", String(page.nextCursor)];
    }
    expect(seen).toEqual(["Plan my garden party", "Let me look.", "sunny", "It will be sunny."]);
  });

  test("an ended session says why, and what it followed", async () => {
    const home = makeHome();
    await garden(home);
    await fill(home, async (sessions) => {
      await sessions.reset("agent:main:telegram:dm:99" as Parameters<typeof sessions.reset>[0]);
    });
    expect((await baton(home, ["sessions", "show", "Garden plans"])).stdout).toMatch(
      /state +ended \(reset\) /,
    );
    const [, parent] =
      /id +(\S+)/.exec((await baton(home, ["sessions", "show", "Garden plans"])).stdout) ?? [];
    const { sessions } = json(await baton(home, ["sessions", "list", "--json"])) as {
      sessions: { sessionId: string; parentId: string | null }[];
    };
    const fresh = sessions.find((entry) => entry.parentId !== null)?.sessionId ?? "";
    expect((await baton(home, ["sessions", "show", fresh])).stdout).toContain(`follows        ${parent}`);
  });

  test("no such session, and a beginning that several ids have", async () => {
    const home = makeHome();
    await fill(home, async (sessions) => {
      for (const chat of ["1", "2"]) await sessions.getOrCreate(team(chat));
    });
    const missing = await baton(home, ["sessions", "show", "nope"]);
    expect(missing).toEqual({
      code: 1,
      stdout: "",
      stderr: 'baton: There is no session "nope" here. Run `baton sessions list` to see which there are.\n',
    });
    expect(json(await baton(home, ["sessions", "show", "nope", "--json"])).error?.code).toBe(
      "session_not_found",
    );
    const several = await baton(home, ["sessions", "show", "20"]);
    expect(several).toMatchObject({ code: 1, stdout: "" });
    expect(several.stderr).toMatch(/^baton: "20" matches several sessions: \S+, \S+\. Give one id\.\n$/);
  });
});

describe.concurrent("search", () => {
  test("hits newest first, paged to the end", async () => {
    const home = makeHome();
    const id = await garden(home);
    await fill(home, async (sessions) => {
      for (let n = 0; n < 4; n++) await sessions.receive(team("1"), { role: "user", content: `garden ${n}` });
    });
    const seen: string[] = [];
    let line = "baton sessions search --limit 2 garden";
    for (let next: string | undefined = line; next; line = next ?? "") {
      const run = await baton(home, [], { shell: line });
      expect(run).toMatchObject({ code: 0, stderr: "" });
      seen.push(...[...run.stdout.matchAll(/^ {2}(\S.*)$/gm)].map(([, snippet = ""]) => snippet));
      [, next] = /^More: (.+)$/m.exec(run.stdout) ?? [];
    }
    expect(seen).toEqual(["garden 3", "garden 2", "garden 1", "garden 0", "Plan my garden party"]);

    const only = json(
      await baton(home, ["sessions", "search", "garden", "--session", "Garden plans", "--json"]),
    );
    expect(only).toEqual({
      hits: [
        expect.objectContaining({ sessionId: id, seq: 1, role: "user", snippet: "Plan my garden party" }),
      ],
      nextCursor: null,
    });
    const hit = await baton(home, ["sessions", "search", "sunny"]);
    expect(hit.stdout).toMatch(new RegExp(`^Garden plans {2}assistant, 3 h ago {2}${id} #4\\n`));
  });

  test("filters, the messages beside a hit, and how to open it", async () => {
    const home = makeHome();
    const id = await garden(home);
    const search = (...words: string[]) => baton(home, ["sessions", "search", ...words]);
    const hits = async (...words: string[]) => json(await search(...words, "--json")).hits as unknown[];
    const beside = await search("sunny", "--context", "1", "--role", "assistant,system", "--after", "1d");
    expect(beside.stdout).toMatch(
      new RegExp(
        `#4\\n {4}tool: .+\\n {2}.*unny.*\\n(?: {4}.+\\n)?\\nTo open one: baton chat --session ${id}\\n$`,
      ),
    );
    expect(await hits("garden", "--platform", "local", "--session", id)).toEqual([]);
    expect(await hits("garden", "--before", "2020-01-01T10:00")).toEqual([]);
    expect(await hits("garden", "--context", "0")).toMatchObject([{ before: [], after: [] }]);
    expect((await search("garden", "--role", "system", "--before", "7d")).stdout).toBe(
      "No message contains these words with --role, --before. Search again without a filter to find more.\n",
    );
    for (const [wrong, cure] of [
      [["--after", "noon"], "Use 2026-01-31, 2026-01-31T10:00, or how long ago: 30m, 2h, 7d, 4w."],
      [["--before", "2026-02-30"], "Use 2026-01-31"],
      [["--role", "robot"], "Use user, assistant, tool, system, or several with commas."],
      [["--context", "4"], "Use a whole number from 0 to 3."],
      [["--platform", "nowhere"], "Use one of "],
    ] as const) {
      const refused = await search("garden", ...wrong);
      expect(refused).toMatchObject({ code: 2, stdout: "" });
      expect(refused.stderr).toContain(cure);
    }
  });

  test("a page command keeps quotes and words that look like options", async () => {
    const home = makeHome();
    await fill(home, async (sessions) => {
      for (let n = 0; n < 2; n++)
        await sessions.receive(team("1"), { role: "user", content: "it's --dry and wet" });
    });
    const first = await baton(home, ["sessions", "search", "--limit", "1", "--", "--dry", '"and wet"']);
    const [, next = ""] = /^More: (.+)$/m.exec(first.stdout) ?? [];
    const second = await baton(home, [], { shell: next });
    expect(second).toMatchObject({ code: 0, stderr: "" });
    expect(second.stdout).toMatch(/ #1\n {2}it's --dry and wet\n {4}user: it's/);
  });

  test("nothing found is no failure", async () => {
    const home = makeHome();
    await garden(home);
    expect(await baton(home, ["sessions", "search", "zebra"])).toEqual({
      code: 0,
      stdout: "No message contains these words.\n",
      stderr: "",
    });
  });

  test("words are marked in colour", async () => {
    const home = makeHome();
    await garden(home);
    const run = await baton(home, ["sessions", "search", "GARDEN"], { env: { FORCE_COLOR: "1" } });
    expect(run.stdout).toContain(`Plan my ${ESC}[7mgarden${ESC}[27m party`);
  });
});

describe.concurrent("title", () => {
  test("set, shown, taken, cleared", async () => {
    const home = makeHome();
    const id = await garden(home);
    await fill(home, async (sessions) => {
      await sessions.reset("agent:main:telegram:dm:99" as Parameters<typeof sessions.reset>[0]);
    });
    expect((await baton(home, ["sessions", "title", id])).stdout).toBe("Garden plans\n");
    expect((await baton(home, ["sessions", "title", id, "Summer", "party"])).stdout).toBe(
      `${id} is now called "Summer party".\n`,
    );
    const { sessions } = json(await baton(home, ["sessions", "list", "--json"])) as {
      sessions: { sessionId: string; title: string | null }[];
    };
    const other = sessions.find((entry) => entry.sessionId !== id)?.sessionId ?? "";
    const taken = await baton(home, ["sessions", "title", other, "Summer", "party", "--json"]);
    expect(taken.code).toBe(1);
    expect(json(taken).error?.code).toBe("title_taken");
    expect(json(await baton(home, ["sessions", "title", id, "--clear", "--json"]))).toEqual({
      sessionId: id,
      title: null,
    });
    expect((await baton(home, ["sessions", "title", id])).stdout).toBe(
      'It has no title. Lists show it as "Alice".\n',
    );
  });

  test("101 characters are refused, and so is nothing at all", async () => {
    const home = makeHome();
    const id = await garden(home);
    const long = await baton(home, ["sessions", "title", id, "x".repeat(101)]);
    expect(long).toEqual({
      code: 1,
      stdout: "",
      stderr: "baton: A title can have at most 100 characters; this one has 101.\n",
    });
    expect(await baton(home, ["sessions", "title", id, "x".repeat(100)])).toMatchObject({ code: 0 });
    expect(await baton(home, ["sessions", "title", id, "\u200b "])).toMatchObject({
      code: 2,
      stderr: "baton: The title is empty. Use --clear to remove a title.\n",
    });
  });
});

describe.concurrent("export and import", () => {
  test("to stdout in each format", async () => {
    const home = makeHome();
    const id = await garden(home);
    const jsonl = await baton(home, ["sessions", "export", id]);
    expect(jsonl).toMatchObject({ code: 0, stderr: "" });
    expect(
      jsonl.stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toHaveLength(5);
    const markdown = await baton(home, ["sessions", "export", id, "--format", "markdown"]);
    expect(markdown.stdout).toMatch(/^# Garden plans\n/);
    const whole = json(await baton(home, ["sessions", "export", id, "--json"]));
    expect(whole.messages).toHaveLength(4);
  });

  test("to a private file, which is not overwritten unless asked", async () => {
    const home = makeHome();
    const id = await garden(home);
    const file = join(home, "..", "work", "out.md");
    const words = ["sessions", "export", id, "--format", "markdown", "--output", "out.md"];
    expect(await baton(home, words)).toEqual({
      code: 0,
      stdout: "Wrote 4 messages to out.md.\n",
      stderr: "",
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    writeFileSync(file, "mine", { mode: 0o644 });
    chmodSync(file, 0o644);
    expect(await baton(home, words)).toMatchObject({
      code: 1,
      stderr: "baton: out.md already exists. Use --force to overwrite it.\n",
    });
    expect(readFileSync(file, "utf8")).toBe("mine");
    expect(await baton(home, [...words, "--force"])).toMatchObject({ code: 0 });
    expect(readFileSync(file, "utf8")).toMatch(/^# Garden plans/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("never over the store, and a place that cannot be written is said", async () => {
    const home = makeHome();
    const id = await garden(home);
    const store = join(home, "baton.db");
    expect(await baton(home, ["sessions", "export", id, "--output", store, "--force"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("is Baton's own database"),
    });
    expect(await baton(home, ["sessions", "show", id])).toMatchObject({ code: 0 });
    expect(await baton(home, ["sessions", "export", id, "--output", "no/such/folder/x"])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^baton: Can't write no\/such\/folder\/x: nothing can be created there\. Choose another path\.\n$/,
      ),
    });
  });

  test("never over a store that a file: URL or a link names", async () => {
    const home = makeHome();
    const id = await garden(home);
    const store = join(home, "baton.db");
    const link = join(home, "link.db");
    symlinkSync("baton.db", link);
    for (const named of [pathToFileURL(store).href, link]) {
      const run = await baton(home, ["sessions", "export", id, "--output", store, "--force"], {
        env: { BATON_STORE: named },
      });
      expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining("is Baton's own database") });
    }
    expect(await baton(home, ["sessions", "show", id])).toMatchObject({ code: 0 });
  });

  test("a session of a platform that only its own program has registered", async () => {
    const home = makeHome();
    const id = await garden(home);
    const key = "agent:main:pigeon:dm:99";
    edit(home, (database) => {
      database.exec(`UPDATE sessions SET key = '${key}', platform = 'pigeon',
        origin = json_set(origin, '$.platform', 'pigeon');
        UPDATE routes SET key = '${key}', origin = json_set(origin, '$.platform', 'pigeon')`);
    });
    const { stdout } = await baton(home, ["sessions", "export", id]);
    expect(JSON.parse(stdout.split("\n")[0] ?? "")).toMatchObject({ key, current: true });
    expect(await baton(home, ["sessions", "export", "--all", "--output", "out"])).toMatchObject({ code: 0 });
    for (const which of [id, key]) {
      expect(await baton(home, ["sessions", "explain", which])).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(`Its key is ${key}.`),
      });
    }
  });

  test("every session out of one store and into another, and twice adds nothing", async () => {
    const home = makeHome();
    const id = await garden(home);
    await fill(home, async (sessions) => {
      await sessions.receive(team("1"), { role: "user", content: "hello" });
    });
    const out = await baton(home, ["sessions", "export", "--all", "--output", "backup", "--json"]);
    const { files } = json(out) as { files: string[] };
    expect(files).toHaveLength(2);
    expect(files).toContain(join("backup", `${id}.jsonl`));

    const other = join(home, "..", "other");
    const env = { BATON_HOME: other };
    const dry = await baton(home, ["sessions", "import", "backup", "--dry-run"], { env });
    expect(dry).toMatchObject({ code: 0, stderr: "" });
    expect(dry.stdout).toContain("Would import: 2 new, 0 extended, 0 already there, 5 messages.");
    expect(existsSync(other)).toBe(false);

    const real = await baton(home, ["sessions", "import", "backup"], { env });
    expect(real.stdout).toContain("Imported: 2 new, 0 extended, 0 already there, 5 messages.");
    expect(real.stdout).toMatch(/Garden plans +agent:main:telegram:dm:99 +4 +4 +new/);
    expect(statSync(other).mode & 0o777).toBe(0o700);
    expect(statSync(join(other, "baton.db")).mode & 0o777).toBe(0o600);
    const again = json(await baton(home, ["sessions", "import", "backup", "--json"], { env }));
    expect(again).toMatchObject({ totals: { new: 0, present: 2, added: 0 }, problems: [] });
    expect((await baton(home, ["sessions", "search", "sunny"], { env })).stdout).toContain("Garden plans");
  });

  test("damaged lines are named and cost only themselves", async () => {
    const home = makeHome();
    const id = await garden(home);
    const { stdout } = await baton(home, ["sessions", "export", id]);
    const lines = stdout.trimEnd().split("\n");
    const file = join(home, "..", "work", "damaged.jsonl");
    writeFileSync(file, [...lines.slice(0, 3), "{broken", ...lines.slice(3)].join("\n"));
    const run = await baton(home, ["sessions", "import", "damaged.jsonl", "--dry-run"], {
      env: { BATON_HOME: join(home, "..", "other") },
    });
    expect(run.code).toBe(0);
    expect(run.stderr).toMatch(/damaged\.jsonl:4: .+\n$/);
    expect(run.stdout).toMatch(/Would import: 1 new, .*, 4 messages, 1 problem /);
  });

  test("another program's folder: what was found, what Baton had to guess, and platforms that it does not know", async () => {
    const home = makeHome();
    const folder = join(home, "..", "work", "nanobot", "workspace", "sessions");
    mkdirSync(folder, { recursive: true });
    for (const key of ["telegram:-1001:topic:7", "discord:55", "pigeon:1", "pigeon:2"]) {
      const lines = [{ _type: "metadata", key }, { role: "user", content: "hello" }, { setting: 1 }];
      writeFileSync(
        join(folder, `${key.replaceAll(":", "_")}.jsonl`),
        lines.map((line) => JSON.stringify(line)).join("\n"),
      );
    }
    const run = await baton(home, ["sessions", "import", "nanobot"]);
    expect(run.code).toBe(0);
    expect(run.stdout).toMatch(/nanobot\/workspace\/sessions: transcripts, one file a session\n/);
    expect(run.stdout).toContain("agent:main:telegram:thread:-1001:7");
    expect(run.stdout).toMatch(/: The source does not say if this was a direct chat or a group\./);
    expect(run.stdout).toContain(
      "Imported: 4 new, 0 extended, 0 already there, 4 messages, 4 lines without a message left out.",
    );
    expect(run.stderr).toMatch(
      /^2 sessions are of "pigeon", a platform that this Baton does not know\. .*--session <id>`\.\n$/,
    );
    const nothing = await baton(home, ["sessions", "import", home]);
    expect(nothing.stderr).toMatch(/holds no sessions that Baton can read\. Give the folder of Hermes/);
  });

  test.each([
    ["missing", "import_unreadable"],
    ["empty.txt", "import_unreadable"],
  ])("%s holds nothing that can be read", async (path, code) => {
    const home = makeHome();
    writeFileSync(join(home, "..", "work", "empty.txt"), "hello\n");
    const run = await baton(home, ["sessions", "import", path]);
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(/^baton: /);
    expect(json(await baton(home, ["sessions", "import", path, "--json"])).error?.code).toBe(code);
  });

  test("the mirror follows what the command line changes", async () => {
    const home = makeHome();
    const id = await garden(home);
    writeFileSync(join(home, "config.yaml"), "mirror: jsonl\n");
    await baton(home, ["sessions", "title", id, "Mirrored"]);
    expect(readFileSync(join(home, "sessions", `${id}.jsonl`), "utf8")).toContain("Mirrored");
  });
});

describe.concurrent("explain", () => {
  test("a session that a policy has ended, before the next message", async () => {
    const home = makeHome();
    writeFileSync(join(home, "config.yaml"), "reset: { default: { mode: idle, idleMinutes: 60 } }\n");
    let now = Date.now() - 3 * 3_600_000;
    const sessions = await openSessions({
      url: join(home, "baton.db"),
      clock: () => now,
      config: { reset: { default: { mode: "idle", idleMinutes: 60 } } },
    });
    const { sessionId } = await sessions.getOrCreate(alice);
    now += 3_600_000 + 1_000;
    const entry = await sessions.get(sessionId);
    expect(entry && (await sessions.expire(entry))).toBe(true);
    await sessions.close();
    const { stdout } = await baton(home, ["sessions", "explain", sessionId]);
    expect(stdout).toMatch(/\nIt ended at .* \(2 h ago\) \(idle\)\. The next message starts a new /);
    expect(stdout).not.toContain("has been due");
  });

  test("without a rule: none, and how to set one", async () => {
    const home = makeHome();
    const id = await garden(home);
    const run = await baton(home, ["sessions", "explain", "Garden plans"]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout).toContain(`"Garden plans" (${id}) is the current session of Telegram, DM with Alice.`);
    expect(run.stdout).toContain("You have set no reset rule for it");
    expect(run.stdout).toContain("default: { mode: daily, atHour: 4 }");
    expect(json(await baton(home, ["sessions", "explain", id, "--json"]))).toMatchObject({
      from: "default",
      policy: { mode: "none" },
      next: null,
      heldBy: [],
    });
  });

  test.each([
    [
      "reset: { default: { mode: idle, idleMinutes: 600 } }",
      "The default rule applies (reset.default).",
      "idle",
    ],
    [
      "reset: { byPlatform: { telegram: { mode: idle, idleMinutes: 600 } } }",
      "(reset.byPlatform.telegram)",
      "idle",
    ],
    ["reset: { byChatType: { dm: { mode: daily, atHour: 5 } } }", "(reset.byChatType.dm)", "daily"],
  ])("with %s", async (config, rule, reason) => {
    const home = makeHome();
    await garden(home);
    writeFileSync(join(home, "config.yaml"), `timezone: Asia/Tokyo\n${config}\n`);
    const { stdout } = await baton(home, ["sessions", "explain", "agent:main:telegram:dm:99"]);
    expect(stdout).toContain(rule);
    expect(stdout).toContain("The time zone is Asia/Tokyo. The last activity was ");
    expect(stdout).toMatch(reason === "idle" ? /after 10 hours without activity/ : /every day at 05:00/);
    const reset = reason === "daily" ? "daily reset" : "reset";
    expect(stdout).toMatch(new RegExp(` ${reset} .*\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d \\(`));
    if (reason === "idle") expect(stdout).toMatch(/is at .* \(in 7 h\), unless there is activity before/);
    expect(stdout).toContain("Right now nothing delays it.");
  });

  test("a reset that is due, and a handoff that holds it off", async () => {
    const home = makeHome();
    const id = await garden(home);
    await fill(home, async (sessions) => {
      await sessions.requestHandoff(id, "discord");
    });
    writeFileSync(join(home, "config.yaml"), "reset: { default: { mode: idle, idleMinutes: 60 } }\n");
    const { stdout } = await baton(home, ["sessions", "explain", id]);
    expect(stdout).toMatch(/A reset has been due since .*\(2 h ago\)/);
    expect(stdout).toContain("Right now a handoff delays it.");
  });

  test("a session that has been replaced, one that ended, and a key nobody has", async () => {
    const home = makeHome();
    const id = await garden(home);
    let fresh = "";
    await fill(home, async (sessions) => {
      const key = "agent:main:telegram:dm:99" as Parameters<typeof sessions.reset>[0];
      fresh = (await sessions.reset(key))?.sessionId ?? "";
    });
    const replaced = await baton(home, ["sessions", "explain", id]);
    expect(replaced.stdout).toContain('"Garden plans" is not the current session of its chat');
    expect(replaced.stdout).toContain(fresh);
    await fill(home, async (sessions) => {
      await sessions.end(fresh as SessionId);
    });
    expect((await baton(home, ["sessions", "explain", id])).stdout).toBe(
      '"Garden plans" has ended (reset), and its chat has no session now. The next message starts one.\n',
    );
    expect(await baton(home, ["sessions", "explain", "agent:main:telegram:dm:1"])).toMatchObject({ code: 1 });
    expect(await baton(home, ["sessions", "explain", "agent:nonsense"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is not a session key"),
    });
  });
});

describe.concurrent("prune", () => {
  test("only what ended long ago, only when told to", async () => {
    const home = makeHome();
    await garden(home);
    await fill(home, async (sessions, at) => {
      for (const [chat, days] of [
        ["old", 100],
        ["recent", 10],
      ] as const) {
        at(Date.now() - days * DAY);
        const { entry } = await sessions.receive(team(chat), { role: "user", content: "x" });
        await sessions.end(entry.sessionId);
      }
    });
    const prune = (...words: string[]) => baton(home, ["sessions", "prune", "--older-than", "90d", ...words]);
    const left = async () =>
      (json(await baton(home, ["sessions", "list", "--json"])) as { sessions: unknown[] }).sessions.length;
    expect((await prune("--dry-run")).stdout).toMatch(
      /^Would delete 1 ended session with 1 message \(1 byte\), after writing them to \S+archive\.\nThe oldest:\n {2}\S+ {2}ended 3 months ago {2}.*\n$/,
    );
    expect(await prune()).toMatchObject({ code: 2, stdout: "" });
    expect(await prune("--json")).toMatchObject({ code: 2, stdout: "" });
    expect(await left()).toBe(3);
    expect(json(await prune("--yes", "--json"))).toEqual({
      sessions: 1,
      messages: 1,
      textBytes: 1,
      files: 0,
      bytes: 0,
      archive: join(home, "archive"),
      removed: true,
    });
    expect(await left()).toBe(2);
    expect((await prune("--yes")).stdout).toBe("There is no ended session to delete.\n");
    const imported = await baton(home, ["sessions", "import", join(home, "archive"), "--json"]);
    expect(json(imported)).toMatchObject({ totals: { new: 1, added: 1 } });
    expect(await left()).toBe(3);
  });

  test("by size, by the settings, into another folder, or without an archive", async () => {
    const home = makeHome();
    await fill(home, async (sessions, at) => {
      for (const days of [30, 20, 10]) {
        at(Date.now() - days * DAY);
        const { entry } = await sessions.receive(team(`${days}`), {
          role: "user",
          content: "x".repeat(2 ** 19),
        });
        await sessions.end(entry.sessionId);
      }
    });
    const prune = (...words: string[]) => baton(home, ["sessions", "prune", "--yes", ...words]);
    const folder = join(home, "..", "work", "old");
    expect((await prune("--max-size", "1", "--archive", "old")).stdout).toBe(
      `Deleted 1 ended session with 1 message (524,288 bytes).\nThey are archived in ${folder}.\n`,
    );
    expect(readdirSync(folder)).toHaveLength(1);
    expect((await prune("--max-size", "0.5", "--no-archive")).stdout).toBe(
      "Deleted 1 ended session with 1 message (524,288 bytes).\n",
    );
    writeFileSync(join(home, "config.yaml"), "retention: { endedAfterDays: 5, archive: none }\n");
    expect((await prune()).stdout).toBe("Deleted 1 ended session with 1 message (524,288 bytes).\n");
    expect(existsSync(join(home, "archive"))).toBe(false);
  });

  test("with the files that only they had", async () => {
    const home = makeHome();
    const names = ["a", "b", "c"].map((letter) => letter.repeat(32));
    mkdirSync(join(home, "media"));
    for (const name of names) writeFileSync(join(home, "media", name), "x".repeat(700_000));
    const { store, sessions } = await openStore({
      url: join(home, "baton.db"),
      clock: () => Date.now() - 100 * DAY,
    });
    await store.files.taking(names, Date.now() - 100 * DAY);
    const see = (files: readonly string[]) => ({
      role: "user" as const,
      content: "see",
      attachments: files.map((file) => ({ file, mediaType: "image/png" })),
    });
    const { entry } = await sessions.receive(team("old"), see(names));
    await sessions.end(entry.sessionId);
    await sessions.receive(team("open"), see(names.slice(2)));
    await sessions.close();
    const prune = (...words: string[]) => baton(home, ["sessions", "prune", "--older-than", "90d", ...words]);
    await prune("--dry-run");
    expect(readdirSync(join(home, "media"))).toHaveLength(3);
    expect((await prune("--yes")).stdout).toBe(
      `Deleted 1 ended session with 1 message (3 bytes).\nThey are archived in ${join(home, "archive")}.\nDeleted 2 files (1.3 MB) that no message uses.\n`,
    );
    expect(readdirSync(join(home, "media"))).toEqual(names.slice(2));
    const archived = readdirSync(join(home, "archive", `${entry.sessionId}.files`));
    expect(archived.sort()).toEqual(["1-1", "1-2", "1-3"]);
  });
});

describe.concurrent("configuration", () => {
  test("a mistake is named with file, line and key, and stops the command", async () => {
    const home = makeHome();
    writeFileSync(join(home, "config.yaml"), "timezone: UTC\nrest: {}\n");
    const run = await baton(home, ["sessions", "list"]);
    expect(run).toEqual({
      code: 1,
      stdout: "",
      stderr: `baton: ${join(home, "config.yaml")}:2: rest: unknown key. Did you mean "reset"?\n`,
    });
    expect(json(await baton(home, ["sessions", "list", "--json"])).error?.code).toBe("invalid_config");
  });

  test("a project's file sets how conversations run, but not where they go", async () => {
    const home = makeHome();
    await garden(home);
    const cwd = join(home, "..", "work");
    writeFileSync(join(cwd, "baton.yaml"), "timezone: Asia/Tokyo\n");
    expect((await baton(home, ["sessions", "explain", "Garden plans"])).stdout).toContain("Asia/Tokyo");
    writeFileSync(join(cwd, "baton.yaml"), "store: /tmp/stolen.db\n");
    expect(await baton(home, ["sessions", "list"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("baton.yaml:1: store: "),
    });
  });

  test("BATON_STORE is another store", async () => {
    const home = makeHome();
    await garden(home);
    const run = await baton(home, ["sessions", "list"], { env: { BATON_STORE: "elsewhere.db" } });
    expect(run.stdout).toContain("no sessions yet");
    const wrong = await baton(home, ["sessions", "list"], { env: { BATON_STORE: "mysql://h/db" } });
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('no store for "mysql:" URLs') });
  });
});

function differences(a: Buffer, b: Buffer): number[] {
  return [...a.keys()].filter((place) => a[place] !== b[place]);
}

describe.concurrent("a store that is not well", () => {
  const corrupt = async (home: string) => {
    await garden(home);
    const file = join(home, "baton.db");
    const bytes = readFileSync(file);
    bytes.fill(0xff, 4096);
    writeFileSync(file, bytes);
  };
  const foreign = async (home: string) => edit(home, (database) => database.exec("CREATE TABLE t (x)"));
  const text = async (home: string) => writeFileSync(join(home, "baton.db"), "not a database ".repeat(100));
  const tooNew = async (home: string) => {
    await garden(home);
    edit(home, (database) => database.exec("INSERT INTO migrations (version, applied_at) VALUES (99, 0)"));
  };

  test.each([
    ["damaged", corrupt, "store_corrupt", "is damaged"],
    ["another program's", foreign, "store_foreign", "is a database of another program"],
    ["no database", text, "store_foreign", "is not a SQLite database"],
    ["too new", tooNew, "schema_too_new", "written by a newer Baton (schema 99"],
  ])("%s: every command says so, doctor too, and the file stays as it is", async (_, spoil, code, words) => {
    const home = makeHome();
    await spoil(home);
    const file = join(home, "baton.db");
    chmodSync(file, 0o600);
    const before = readFileSync(file);
    const run = await baton(home, ["sessions", "list"]);
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(/^baton: .*\n$/);
    expect(run.stderr).toContain(words);
    expect(json(await baton(home, ["sessions", "list", "--json"])).error?.code).toBe(code);

    const doctor = await baton(home, ["doctor"]);
    expect(doctor).toMatchObject({ code: 1, stderr: "baton: Fix the 1 problem above.\n" });
    expect(doctor.stdout).toMatch(/^✗ store .*/m);
    expect(doctor.stdout).toContain(words);
    expect(differences(readFileSync(file), before)).toEqual([]);
  });

  test("read-only: said by list and by doctor", async () => {
    const home = makeHome();
    await garden(home);
    const root = process.getuid?.() === 0;
    if (root) {
      for (const path of [join(home, "baton.db"), home, join(home, "..")]) chownSync(path, NOBODY, NOBODY);
    }
    chmodSync(join(home, "baton.db"), 0o400);
    chmodSync(home, 0o500);
    const as = root ? { uid: NOBODY } : {};
    const run = await baton(home, ["sessions", "list", "--json"], as);
    expect(json(run).error?.code).toBe("store_readonly");
    const doctor = await baton(home, ["doctor"], as);
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toMatch(/✗ store .*baton\.db can't be written/);
    chmodSync(home, 0o700);
  });
});

describe.concurrent("doctor", () => {
  test("all is well", async () => {
    const home = makeHome();
    await garden(home);
    const run = await baton(home, ["doctor"]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    for (const line of run.stdout.trimEnd().split("\n").slice(0, -2))
      expect(line).toMatch(/^(?:✓ |· | +→ (?:baton|apt|sudo) )/);
    expect(run.stdout).toContain(`Node.js    ${process.versions.node}`);
    expect(run.stdout).toContain("journal_mode=wal, synchronous=FULL");
    expect(run.stdout).toContain("is intact (quick_check)");
    expect(run.stdout).toContain(`schema ${SCHEMA_VERSION}, up to date`);
    const report = json(await baton(home, ["doctor", "--json"])) as {
      ok: boolean;
      findings: { check: string }[];
    };
    expect(report.ok).toBe(true);
    expect(report.findings.map((finding) => finding.check)).toEqual(
      expect.arrayContaining(["Node.js", "home", "config", "SQLite", "disk", "store"]),
    );
  });

  test("open modes are named with the command that mends them", async () => {
    const home = makeHome();
    await garden(home);
    chmodSync(home, 0o755);
    chmodSync(join(home, "baton.db"), 0o644);
    const run = await baton(home, ["doctor"]);
    expect(run.code).toBe(0);
    expect(run.stdout).toMatch(/! home .*open to other users \(0755\)/);
    const fixes = [...run.stdout.matchAll(/→ (chmod .*)/g)].map(([, fix = ""]) => fix);
    expect(fixes).toHaveLength(2);
    await baton(home, [], { shell: fixes.join("\n") });
    expect((await baton(home, ["doctor"])).stdout).toContain("Everything is fine.");
  });

  test("a config mistake is a finding, not a crash", async () => {
    const home = makeHome();
    writeFileSync(join(home, "config.yaml"), "reset: { default: { atHour: 24 } }\n");
    const run = await baton(home, ["doctor"]);
    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(/✗ config .*config\.yaml:1: reset\.default\.atHour: use a whole hour/);
  });

  test("a PostgreSQL server that does not answer; its password is not shown", async () => {
    const home = makeHome();
    const env = { BATON_STORE: "postgres://me:hunter2@127.0.0.1:1/db" };
    const run = await baton(home, ["doctor"], { env });
    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(/✗ store .*No PostgreSQL server answers there/);
    expect(run.stdout + run.stderr).not.toContain("hunter2");
  });
});

describe.concurrent("hostile text", () => {
  const evil = `${ESC}]0;pwned\u0007${ESC}[2J${ESC}[31mred\u009b31m\u202eover\r\n${ESC}Pq${ESC}\\`;

  async function hostileHome(): Promise<{ home: string; id: string }> {
    const home = makeHome();
    let id = "" as SessionId;
    await fill(home, async (sessions) => {
      const { entry } = await sessions.receive(
        { ...alice, userName: `Eve ${evil}`, chatName: evil },
        { role: "user", content: `garden ${evil}`, name: evil },
      );
      id = entry.sessionId;
      await sessions.record(id, [
        { role: "assistant", content: evil, toolCalls: [{ id: "c", name: evil, arguments: evil }] },
        { role: "tool", toolCallId: "c", name: evil, content: evil },
      ]);
    });
    edit(home, (database) => {
      database
        .prepare("UPDATE sessions SET title = ?, display_name = ?, key = key || ?")
        .run(`Title ${evil}`, evil, evil);
    });
    return { home, id };
  }

  const commands = (id: string) => [
    ["sessions", "list"],
    ["sessions", "list", "--limit", "1"],
    ["sessions", "show", id, "--superseded"],
    ["sessions", "search", "garden"],
    ["sessions", "title", id],
    ["sessions", "explain", id],
    ["sessions", "export", id, "--format", "markdown"],
    ["sessions", "show", `nope ${evil}`],
    ["sessions", "list", "--platform", evil],
  ];

  test("nothing of it reaches the terminal", async () => {
    const { home, id } = await hostileHome();
    for (const words of commands(id)) {
      const run = await baton(home, words);
      const printed = run.stdout + run.stderr;
      expect(printed.length).toBeGreaterThan(10);
      expect(printed, words.join(" ")).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    }
  });

  test("in colour, only colours of our own", async () => {
    const { home, id } = await hostileHome();
    for (const words of commands(id)) {
      const { stdout, stderr } = await baton(home, words, { env: { FORCE_COLOR: "1" } });
      const printed = (stdout + stderr).replace(/\u001b\[(?:1|2|7|22|27|32|33|36|39)m/g, "");
      expect(printed, words.join(" ")).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    }
    const list = await baton(home, ["sessions", "list"], { env: { FORCE_COLOR: "1" } });
    expect(list.stdout).toContain(`${ESC}[1mTitle`);
  });

  test("as JSON it is whole, and still harmless to look at", async () => {
    const { home, id } = await hostileHome();
    for (const words of commands(id).slice(0, 6)) {
      const { stdout } = await baton(home, [...words, "--json"], { env: { FORCE_COLOR: "1" } });
      expect(stdout, words.join(" ")).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    }
    const shown = json(await baton(home, ["sessions", "show", id, "--json"])) as {
      session: { title: string };
      messages: { content: string }[];
    };
    expect(shown.session.title).toBe(`Title ${evil}`);
    expect(shown.messages[1]?.content).toBe(evil);
  });
});

describe.concurrent("a reader that goes away", () => {
  test("baton … | head -1 ends quietly", async () => {
    const home = makeHome();
    const id = await garden(home);
    await fill(home, async (sessions) => {
      await sessions.appendMany(
        id,
        Array.from({ length: 400 }, () => ({ role: "user" as const, content: "x".repeat(2_000) })),
      );
    });
    for (const words of [`show ${id} --all`, `show ${id} --all --json`, `export ${id}`]) {
      const run = await baton(home, [], {
        shell: `{ baton sessions ${words}; echo "code $?" >&2; } | head -c 10`,
      });
      expect(run.stderr, words).toBe("code 0\n");
      expect(run.stdout).toHaveLength(10);
    }
  });
});

describe("a home that is a file", () => {
  test.each([
    [["logs"], "HOME/logs can't be created: its parent is a file, not a folder."],
    [["backup"], "HOME/baton.db can't be created: its parent is a file, not a folder."],
    [["chat", "--message", "hi"], "HOME/baton.db can't be created: its parent is a file, not a folder."],
    [["service", "install"], "HOME/environment can't be created: its parent is a file, not a folder."],
    [["gateway"], "HOME is a file, not a folder."],
  ])("is told in a sentence by %j", async (words, sentence) => {
    const home = makeHome();
    rmSync(home, { recursive: true });
    writeFileSync(home, "");
    const { code, stdout, stderr } = await baton(home, words, { env: { TELEGRAM_BOT_TOKEN: "1:abc" } });
    expect(stdout).toBe("");
    expect(stderr.replaceAll(home, "HOME")).toBe(
      `baton: ${sentence} Move the file away, or use another path.\n`,
    );
    expect(code).toBe(1);
  });

  test("holds no gateway, and a backup does not go below a file either", async () => {
    const home = makeHome();
    const file = join(home, "a-file");
    writeFileSync(file, "");
    const status = await baton(home, ["gateway", "status"], { env: { BATON_HOME: file } });
    expect(status.stdout + status.stderr).toMatch(/no gateway|not running/i);
    await baton(home, ["chat", "--message", "hi"]);
    const { stderr } = await baton(home, ["backup", join(file, "copy.db")]);
    expect(stderr).toMatch(/^baton: \S+\/a-file\/copy\.db can't be created: [^\n]*\n$/);
  });
});
