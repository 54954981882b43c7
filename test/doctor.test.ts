/**
 * `baton doctor`: whatever it finds, it says what to do. What it says of a store is in cli.test.ts, too; what it asks the
 * model and the platforms is in doctor-reach.test.ts.
 */
import { chmodSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { describe, expect, test } from "vitest";
import { homeLockFile } from "../src/gateway/home-lock.js";
import { People } from "../src/gateway/people.js";
import { localSource, openSessions, type SessionSource } from "../src/index.js";
import { fileLog } from "../src/log/file-log.js";
import { currentLog, logFolder } from "../src/log/rotating-file.js";
import { openStore } from "../src/open-sessions.js";
import type { Finding } from "../src/util/finding.js";
import { baton, makeHome } from "./support/baton.js";
import { twoBots } from "./support/two-bots.js";

const ENV = { OLLAMA_HOST: "127.0.0.1:1" };
const OFFLINE = { BATON_AGENT_PROVIDER: "offline" };
const WEEK = 7 * 86_400_000;

async function findingsOf(home: string, env: Record<string, string> = {}): Promise<Finding[]> {
  const { stdout } = await baton(home, ["doctor", "--json", "--offline"], { env: { ...ENV, ...env } });
  return JSON.parse(stdout).findings;
}

async function store(home: string): Promise<void> {
  const sessions = await openSessions({ url: join(home, "baton.db") });
  await sessions.receive(localSource(), { role: "user", content: "hello" });
  await sessions.close();
}

function file(home: string, name: string, text = "", mode = 0o600): string {
  const path = join(home, name);
  mkdirSync(join(path, ".."), { recursive: true, mode: 0o700 });
  writeFileSync(path, text, { mode });
  chmodSync(path, mode);
  return path;
}

/** As `baton people approve` does. */
async function letIn(home: string, platform: string, id: string): Promise<void> {
  const { store, sessions } = await openStore({ url: join(home, "baton.db") });
  const people = new People(store.people, {}, { clock: Date.now });
  const source: SessionSource = { platform, chatId: id, chatType: "dm", userId: id };
  const knock = await people.knock(source, false);
  if (knock.kind !== "code") throw new Error("There was no code.");
  await people.approve("local:terminal", knock.code, { role: "guest", name: null });
  await sessions.close();
}

const config = (home: string, text: string) => file(home, "config.yaml", text);

/** What is made wrong, and what is said of it: status, finding, fix. */
const CASES: Record<
  string,
  {
    readonly make: (home: string) => unknown;
    readonly env?: Record<string, string>;
    readonly check: string;
    readonly status: Finding["status"];
    readonly says: RegExp;
    readonly fix?: RegExp;
  }
> = {
  "an open home": {
    make: (home) => chmodSync(home, 0o755),
    check: "home",
    status: "warning",
    says: /open to other users/,
    fix: /^chmod 700 /,
  },
  "a home that is a file": {
    make: (home) => {
      rmSync(home, { recursive: true });
      writeFileSync(home, "");
    },
    check: "home",
    status: "broken",
    says: /is not a folder/,
    fix: /BATON_HOME/,
  },
  "a home in which nothing can be made": {
    make: () => {},
    env: { BATON_HOME: "/proc/self" },
    check: "home",
    status: "broken",
    says: /\/proc\/self can't be written: /,
    fix: /BATON_HOME/,
  },
  "a home below /proc": {
    make: () => {},
    env: { BATON_HOME: "/proc/baton/home" },
    check: "home",
    status: "broken",
    says: /\/proc\/baton\/home can't be created: nothing can be created there/,
    fix: /BATON_HOME/,
  },
  "a store that was there and is gone": {
    make: (home) => file(home, "known-stores.json", JSON.stringify([join(home, "baton.db")])),
    check: "store",
    status: "broken",
    says: /baton\.db is gone, though Baton has used it before.*delete .*known-stores\.json/,
    fix: /baton restore/,
  },
  "a store that was there and is empty": {
    make: (home) => {
      file(home, "known-stores.json", JSON.stringify([join(home, "baton.db")]));
      file(home, "baton.db");
    },
    check: "store",
    status: "broken",
    says: /baton\.db is empty, though Baton has used it before/,
    fix: /baton restore/,
  },
  "a lock that is none": {
    make: (home) => writeFileSync(homeLockFile(home), "?"),
    check: "gateway",
    status: "broken",
    says: /can't read the gateway's lock/,
    fix: /rm .*gateway\.lock/,
  },
  "messages that may not have arrived": {
    make: async (home) => {
      await store(home);
      const database = new DatabaseSync(join(home, "baton.db"));
      const row = "'telegram', 'bot', 'telegram:1', 'reply', 'x', 'unknown', ''";
      const add = database.prepare(
        `INSERT INTO outbox (delivery_id, platform, account, address, kind, text, state, owner, created_at) VALUES (?, ${row}, ?)`,
      );
      for (const [id, age] of Object.entries({ one: 60_000, two: WEEK - 60_000, old: WEEK + 60_000 }))
        add.run(id, Date.now() - age);
      database.close();
    },
    check: "delivery",
    status: "hint",
    says: /^2 messages of the last 7 days may not have arrived/,
    fix: /baton logs/,
  },
  "messages that could not be delivered": {
    make: async (home) => {
      await store(home);
      const database = new DatabaseSync(join(home, "baton.db"));
      const row = "'telegram', 'bot', ?, 'reply', 'x', 'failed', '', 0";
      const add = database.prepare(
        `INSERT INTO outbox (delivery_id, platform, account, address, kind, text, state, owner, created_at, error, failed_at) VALUES (?, ${row}, ?, ?)`,
      );
      const now = Date.now();
      add.run("one", "telegram:1", "blocked", now - 60_000);
      add.run("two", "telegram:2", "kicked", now - WEEK + 60_000);
      add.run("old", "telegram:3", "archived", now - WEEK - 60_000);
      database.close();
    },
    check: "delivery",
    status: "hint",
    says: /^2 messages of the last 7 days could not be delivered, the last to telegram:1 at 20.*Z: blocked$/,
    fix: /baton logs/,
  },
  "two bots that share conversations": {
    make: twoBots,
    check: "accounts",
    status: "warning",
    says: /^2 Telegram accounts \(one, two\) use this store for the agent "main"/,
    fix: /^baton config set scopes\.agent <name>$/,
  },
  "a mistake in the settings": {
    make: (home) => config(home, "timezone: Mars\n"),
    check: "store",
    status: "warning",
    says: /not checked/,
    fix: /fix the configuration/,
  },
  "a folder in the place of the store": {
    make: (home) => mkdirSync(join(home, "baton.db")),
    check: "store",
    status: "broken",
    says: /is a folder, not a file/,
    fix: /^correct that, or set `store` in config\.yaml to another path$/,
  },
  "a link to nowhere in the place of the store": {
    make: (home) => symlinkSync("nowhere/baton.db", join(home, "baton.db")),
    check: "store",
    status: "broken",
    says: /is a link to a file in a folder that does not exist/,
    fix: /^correct that, or set `store`/,
  },
  "a store that another program made": {
    make: (home) => new DatabaseSync(join(home, "baton.db")).exec("CREATE TABLE t (x)"),
    check: "store",
    status: "broken",
    says: /another program/,
    fix: /baton sessions import/,
  },
  "a store of a newer Baton": {
    make: async (home) => {
      await store(home);
      new DatabaseSync(join(home, "baton.db")).exec("INSERT INTO migrations VALUES (999, 0)");
    },
    check: "store",
    status: "broken",
    says: /schema 999/,
    fix: /update Baton/,
  },
  "a store that is damaged": {
    make: (home) => file(home, "baton.db", "SQLite format 3\0 and then nothing of the kind".repeat(200)),
    check: "store",
    status: "broken",
    says: /damaged|not a SQLite/,
    fix: /./,
  },
  "a store whose secret lies open": {
    make: (home) => {
      config(home, "store: { file: store-url }\n");
      file(home, "store-url", "postgres://me:pw@127.0.0.1:1/db\n", 0o644);
    },
    check: "store",
    status: "broken",
    says: /other users can get at the file/,
    fix: /the file it names/,
  },
  "a server that does not answer": {
    make: () => {},
    env: { BATON_STORE: "postgres://me@127.0.0.1:1/db" },
    check: "store",
    status: "broken",
    says: /No PostgreSQL server answers/,
    fix: /can be reached/,
  },
  "a key that others can read": {
    make: (home) => {
      config(home, "agent: { provider: openai, apiKey: { file: secrets/openai.key } }\n");
      file(home, "secrets/openai.key", "x\n", 0o644);
      file(home, "environment", "A=b\n", 0o640);
    },
    check: "secrets",
    status: "warning",
    says: /^other users can read .*openai\.key, .*environment$/,
    fix: /^chmod 600 .*openai\.key .*environment$/,
  },
  "a key that is not there": {
    make: (home) => config(home, "agent: { provider: openai, apiKey: { file: secrets/openai.key } }\n"),
    check: "secrets",
    status: "broken",
    says: /openai\.key cannot be used/,
    fix: /baton setup/,
  },
  "secrets that are private": {
    make: (home) => file(home, "secrets/openai.key", "x\n"),
    check: "secrets",
    status: "ok",
    says: /^1 file, private$/,
  },
  "a log that others can read": {
    make: (home) => {
      fileLog({ home, by: "chat", onProblem: () => {} })("info", "hello");
      chmodSync(currentLog(logFolder(home)), 0o644);
    },
    check: "logs",
    status: "warning",
    says: /^other users can read .*baton\.log$/,
    fix: /^chmod go-rwx /,
  },
  "a secret in a file that the configuration names": {
    make: (home) => {
      file(home, "token", "1:x");
      config(home, "platforms: { telegram: { token: { file: token } } }\n");
    },
    check: "secrets",
    status: "ok",
    says: /^1 file, private$/,
  },
  "people who share their direct messages": {
    make: (home) =>
      config(
        home,
        "scopes: { dm: platform }\npeople: { allow: { telegram: [1], slack: [U1] }, owners: { telegram: [2] } }\n",
      ),
    check: "people",
    status: "warning",
    says: /^scopes\.dm is "platform", so 2 people on Telegram share one conversation/,
    fix: /^set scopes\.dm to chat/,
  },
  "an id that can match nobody": {
    make: (home) => config(home, 'people: { guests: { telegram: ["@alice"] } }\n'),
    check: "people",
    status: "warning",
    says: /^people\.guests\.telegram: "@alice" matches nobody on Telegram/,
    fix: /\/whoami/,
  },
  "one who was let in by a code, and so shares them": {
    make: async (home) => {
      config(home, "scopes: { dm: platform }\npeople: { owners: { telegram: [1] } }\n");
      await letIn(home, "telegram", "2");
    },
    check: "people",
    status: "warning",
    says: /2 people on Telegram share one conversation/,
    fix: /^set scopes\.dm to chat/,
  },
  "an id of a chat that can match none": {
    make: (home) => config(home, "platforms: { slack: { homeChannel: '#general' } }\n"),
    check: "people",
    status: "warning",
    says: /^platforms\.slack\.homeChannel: "#general" is not a chat id on Slack\./,
    fix: /^write the chat's id there/,
  },
  "a variable that is mistyped": {
    make: () => {},
    env: { BATON_BUSY_DEFALT: "queue" },
    check: "config",
    status: "warning",
    says: /^BATON_BUSY_DEFALT: no setting has this variable/,
    fix: /^rename it to BATON_BUSY_DEFAULT, or unset it$/,
  },
  "a variable that is mistyped, beside a mistake in the settings": {
    make: (home) => config(home, "timezone: Mars\n"),
    env: { BATON_BUSY_DEFALT: "queue" },
    check: "config",
    status: "warning",
    says: /^BATON_BUSY_DEFALT: /,
    fix: /BATON_BUSY_DEFAULT/,
  },
  "no backup yet": {
    make: store,
    check: "backup",
    status: "hint",
    says: /^none yet$/,
    fix: /^baton backup$/,
  },
  "an old backup": {
    make: async (home) => {
      await store(home);
      const old = (Date.now() - WEEK - 86_400_000) / 1_000;
      utimesSync(file(home, "backups/baton-1.db"), old, old);
    },
    check: "backup",
    status: "hint",
    says: /^the last one is from 8 days ago$/,
    fix: /^baton backup$/,
  },
  "a fresh backup": {
    make: async (home) => {
      await store(home);
      file(home, "backups/baton-1.db");
    },
    check: "backup",
    status: "ok",
    says: /^the last one is from just now$/,
  },
  "no model": {
    make: () => {},
    env: { BATON_AGENT_PROVIDER: "offline" },
    check: "model",
    status: "hint",
    says: /^none: the offline agent/,
    fix: /^baton setup$/,
  },
  "a model whose key is missing": {
    make: (home) => config(home, "agent: { provider: anthropic, model: m }\n"),
    check: "model",
    status: "broken",
    says: /^anthropic has no API key$/,
    fix: /^baton setup$/,
  },
  "no process host": {
    make: () => {},
    check: "processes",
    status: "ok",
    says: /^no process host runs; (?:processes end with the container; )?programs can have a terminal$/,
  },
  "an environment whose program is missing": {
    make: (home) => config(home, "environments: { box: { kind: docker, image: x, program: no-engine } }\n"),
    check: "environment box",
    status: "warning",
    says: /^no-engine can't be found$/,
    fix: /^install it, or correct `environments\.box` in config\.yaml$/,
  },
  "no service": { make: () => {}, check: "service", status: "ok", says: /^not installed/ },
  "a service that does not run": {
    make: (home) =>
      file(
        join(home, ".."),
        ".config/systemd/user/baton.service",
        "# Written by `baton service install`; `baton service uninstall` removes it.\n",
      ),
    check: "service",
    status: "warning",
    says: /installed, but not running/,
    fix: /baton service install/,
  },
};

describe.concurrent("what is found has a fix", () => {
  test.each(Object.entries(CASES))("%s", async (_, { make, env, check, status, says, fix }) => {
    const home = makeHome();
    await make(home);
    const findings = await findingsOf(home, env);
    const found = findings.find((finding) => finding.check === check && says.test(finding.finding));
    expect(found, JSON.stringify(findings, null, 1)).toMatchObject({ status });
    if (fix) expect(found).toMatchObject({ fix: expect.stringMatching(fix) });
    for (const finding of findings) {
      if (finding.status === "ok") expect(finding).not.toHaveProperty("fix");
      else expect(finding.fix).toMatch(/\S/);
      expect(JSON.stringify(finding)).not.toMatch(/canary|:pw@/);
    }
  });
});

test("nothing is said to be writable that a write fails in", async () => {
  const home = makeHome();
  await store(home);
  const { stdout } = await baton(home, [], {
    shell: "ulimit -f 0; baton doctor --json",
    env: { ...ENV, ...OFFLINE },
  });
  const findings: Finding[] = JSON.parse(stdout).findings;
  expect(findings.filter(({ finding }) => finding === "writable")).toEqual([]);
  for (const check of ["home", "store"]) {
    expect(findings).toContainEqual(expect.objectContaining({ check, status: "broken" }));
  }
});

test("fixes that are commands do what they say", async () => {
  const home = makeHome();
  await store(home);
  chmodSync(home, 0o755);
  chmodSync(join(home, "baton.db"), 0o644);
  file(home, "secrets/it's.key", "x\n", 0o644);
  fileLog({ home, by: "chat", onProblem: () => {} })("info", "hello");
  chmodSync(currentLog(logFolder(home)), 0o644);
  const fixes = (await findingsOf(home)).flatMap((finding) =>
    finding.status !== "ok" && /^(?:chmod|baton backup)/.test(finding.fix) ? [finding.fix] : [],
  );
  expect(fixes).toHaveLength(5);
  expect(await baton(home, [], { shell: fixes.join(" && ") })).toMatchObject({ code: 0, stderr: "" });
  const left = (await findingsOf(home, OFFLINE)).filter(({ status }) => status !== "ok");
  expect(left.map(({ check }) => check)).toEqual(["model"]);
  const { stdout } = await baton(home, ["doctor"], { env: OFFLINE });
  expect(stdout).toMatch(
    /· model {2,}none: the offline agent answers\n +→ baton setup\n\nEverything is fine\.\n$/,
  );
});
