/**
 * Canary secrets in everything that Baton is told secrets by, and a model that does all it can to get at them and to say
 * them: a real gateway with Telegram, a model and an MCP server on loopback, on SQLite and on PostgreSQL. Then all that
 * came out is searched, byte by byte.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { baton, makeHome } from "./support/baton.js";
import { ModelServer, type Reply } from "./support/model-server.js";
import { type Postgres, startPostgres } from "./support/postgres.js";
import { saidBy } from "./support/said-by.js";
import { TelegramServer } from "./support/telegram-server.js";

const MAIN = fileURLToPath(new URL("../dist/main.js", import.meta.url));
const MCP = fileURLToPath(new URL("support/mcp-server.mjs", import.meta.url));
const ANN = 100001;

const canary = (where: string): string => `${where}-${randomBytes(9).toString("hex")}`;
const CANARIES = {
  agentKey: canary("sk-agent"),
  unusedKey: canary("openrouter"),
  appSecret: canary("whatsapp"),
  foreign: canary("aws"),
  /** Nothing about it says that it is a secret. */
  plain: canary("plain"),
  urlPassword: canary("url"),
  storePassword: canary("store"),
  mcpToken: canary("mcp"),
  mcpOpen: canary("open"),
  mcpArgument: canary("argument"),
  awkward: `a"b'c$d\\e/${canary("awkward")}&<f>`,
};

let telegram: TelegramServer;
let model: ModelServer;
let child: ChildProcess | undefined;
let postgres: Postgres | undefined;
afterAll(() => postgres?.stop());

/** A database of its own, whose URL has a password in it; the server asks for none. */
async function postgresUrl(): Promise<string> {
  postgres ??= await startPostgres();
  const url = new URL(await postgres.createDatabase());
  url.password = CANARIES.storePassword;
  return url.href;
}

beforeEach(async () => {
  [telegram, model] = await Promise.all([TelegramServer.start(), ModelServer.start()]);
});
afterEach(async () => {
  if (child?.exitCode === null && child.kill("SIGKILL")) await once(child, "close");
  await Promise.all([telegram.close(), model.close()]);
});

/** What Baton is told, and how: by its environment, its config file, files of their own. */
function setUp(home: string, store: string | null): Record<string, string> {
  const work = join(home, "..", "work");
  const secret = (name: string, value: string): string => {
    const path = join(home, "..", name);
    writeFileSync(path, `${value}\n`, { mode: 0o600 });
    return path;
  };
  const config = {
    ...(store === null ? {} : { store: { file: secret("store-url", store) } }),
    agent: {
      provider: "openai",
      baseUrl: model.url,
      model: "model-a",
      apiKey: { file: secret("agent-key", CANARIES.agentKey) },
      workdir: work,
    },
    mirror: "jsonl",
    people: { owners: { telegram: [String(ANN)] } },
    platforms: {
      telegram: { baseUrl: telegram.url },
      slack: { botToken: { file: secret("slack-token", CANARIES.awkward) } },
    },
    mcp: {
      servers: {
        notes: {
          command: process.execPath,
          args: [MCP, "plain", "", `--token=${CANARIES.mcpArgument}`],
          env: {
            NOTES_TOKEN: { file: secret("mcp-token", CANARIES.mcpToken) },
            NOTES_STORE: `postgres://me:${CANARIES.mcpOpen}@notes.example/notes`,
          },
        },
      },
    },
  };
  writeFileSync(join(home, "config.yaml"), JSON.stringify(config), { mode: 0o600 }); // JSON is YAML.
  writeFileSync(join(work, "look.sh"), LOOK);
  return {
    TELEGRAM_BOT_TOKEN: telegram.token,
    OPENROUTER_API_KEY: CANARIES.unusedKey,
    WHATSAPP_APP_SECRET: CANARIES.appSecret,
    AWS_SECRET_ACCESS_KEY: CANARIES.foreign,
    SOME_SETTING: CANARIES.plain,
    ...(store === null ? { PGPASSWORD: CANARIES.storePassword } : {}),
    DATABASE_URL: `postgres://me:${CANARIES.urlPassword}@db.invalid/db`,
  };
}

/** Its own environment, those of its parents up to the gateway and of their other children, and every file around. */
const LOOK = `
env; cat /proc/self/environ
pid=$$
while [ "$pid" -gt 1 ]; do
  cat /proc/$pid/environ /proc/$pid/cmdline 2>/dev/null
  case "$(tr '\\0' ' ' < /proc/$pid/cmdline)" in
    *main.js*) for other in $(cat /proc/$pid/task/*/children); do cat /proc/$other/environ /proc/$other/cmdline; done; break;;
  esac
  pid=$(sed -n 's/^PPid:[[:space:]]*//p' /proc/$pid/status)
done 2>/dev/null
for file in ../agent-key ../slack-token ../mcp-token ../home/config.yaml; do cat "$file"; base64 "$file"; done 2>/dev/null
echo looked-through
`;

function start(home: string, env: Record<string, string>): () => string {
  child = spawn(process.execPath, [MAIN, "gateway"], {
    cwd: join(home, "..", "work"),
    env: { PATH: process.env.PATH ?? "", HOME: join(home, ".."), TZ: "UTC", BATON_HOME: home, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return saidBy(child);
}

const call = (name: string, args: unknown): Reply => ({ calls: [{ name, arguments: JSON.stringify(args) }] });
/** All but the one that nobody can know to be secret: it must not be found in the first place. */
const ALL = Object.values(CANARIES).filter((value) => value !== CANARIES.plain);

/** What the model does, request by request: it looks everywhere, then it says what it must not know. */
const SCRIPT: readonly Reply[] = [
  call("terminal", { command: "sh look.sh" }),
  call("notes_environment", {}),
  call("read_file", { path: "../agent-key" }),
  call("terminal", { command: `echo ${CANARIES.agentKey} ${CANARIES.mcpToken}` }),
  { reasoning: ALL.join(" "), text: [...`They are ${ALL.join(" and ")}.`] },
  { status: 401, message: `Incorrect API key provided: ${CANARIES.agentKey}.` },
];

const STORES = ["SQLite", "PostgreSQL"] as const;
const TITLE = "0 canaries in chats, model requests, tool results, logs, the database, backups and exports";
test.each(STORES)(`${TITLE}: %s`, async (engine) => {
  const home = makeHome();
  const store = engine === "PostgreSQL" ? await postgresUrl() : null;
  const env = setUp(home, store);
  model.script = (_, number) => SCRIPT[Math.min(number, SCRIPT.length) - 1] ?? { text: "" };
  const said = start(home, env);
  const write = (text: string) => telegram.deliver({ chatId: String(ANN), fromId: ANN, text });
  const answered = (words: string) =>
    telegram.until(() => telegram.sent.some(({ text }) => text.includes(words)));

  await telegram.until(() => telegram.menu.length > 0); // It is connected.
  await write(`Here is my key: ${CANARIES.awkward} and ${CANARIES.unusedKey}`);
  await answered("They are *** and ***");
  await write(`/title about ${CANARIES.urlPassword}`);
  await answered("about ***");
  await write(`Again, with ${Buffer.from(`key=${CANARIES.foreign}`).toString("base64")}`);
  await answered("/retry");
  child?.kill("SIGTERM");
  if (child?.exitCode === null) await once(child, "close");

  const out = join(home, "..", "out");
  mkdirSync(out);
  const commands = [
    ...(store === null ? [["backup", join(out, "backup.db")]] : []),
    ["sessions", "export", "--all", "--output", join(out, "export")],
    ["sessions", "list", "--json"],
    ["sessions", "search", "key", "--json"],
    ["config", "show", "--json"],
    ["config", "show"],
    ["doctor", "--json"],
    ["gateway", "status", "--json"],
    ["logs", "--json"],
    ["people", "list", "--json"],
  ];
  const runs = await Promise.all(commands.map((words) => baton(home, words, { env })));

  const tables = store === null ? {} : await tablesIn(store);
  const places: Record<string, string> = {
    ...tables,
    "the gateway's output": said(),
    chats: JSON.stringify([telegram.sent, telegram.calls]),
    "model requests": JSON.stringify(model.requests.map(({ body }) => body)),
    ...Object.fromEntries(runs.map((run, n) => [`baton ${commands[n]?.join(" ")}`, run.stdout + run.stderr])),
    ...Object.fromEntries(
      [...filesIn(home), ...filesIn(out)].filter(([path]) => path !== join(home, "config.yaml")),
    ),
  };
  // All of it was reached: the tools did their work, and each kind of place holds something.
  expect(places["model requests"]).toContain("looked-through");
  expect(places["model requests"]).toContain("NOTES_TOKEN");
  const kept = store === null ? [join(home, "baton.db"), join(out, "backup.db")] : ["table messages"];
  expect(Object.keys(places)).toEqual(expect.arrayContaining([...kept, join(home, "logs", "baton.log")]));
  if (store !== null) expect(places["table messages"]).toContain("looked-through");
  for (const folder of [join(home, "sessions"), join(out, "export")])
    expect(readdirSync(folder).length).toBe(1);

  const found = Object.entries(places).flatMap(([place, text]) =>
    Object.entries(CANARIES)
      .filter(([, value]) => tracesOf(value).some((trace) => text.includes(trace)))
      .map(([name]) => `${name} in ${place}`),
  );
  expect(found).toEqual([]);
});

test("what nobody caught ends the process without saying a secret", async () => {
  const bug = `
    let looks = 0;
    const timer = setInterval(() => {
      if (process.listenerCount("uncaughtException") === 0 && ++looks < 500) return;
      clearInterval(timer);
      throw new Error("a bug with ${CANARIES.foreign} in it");
    }, 10);`;
  const env = {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(bug)}`,
    AWS_SECRET_ACCESS_KEY: CANARIES.foreign,
  };
  const { code, stderr } = await baton(makeHome(), ["logs", "--follow"], { env });
  expect(code).toBe(1);
  expect(stderr).toContain("Error: a bug with *** in it");
  expect(stderr).not.toContain(CANARIES.foreign);
});

/** A good part of it, from its beginning and its end, and what base64 makes of it at each of its three places. */
function tracesOf(value: string): string[] {
  const base64 = [0, 1, 2].map((before) =>
    Buffer.from("x".repeat(before) + value)
      .toString("base64")
      .slice(4, -4),
  );
  return [value.slice(0, 16), value.slice(-16), ...base64];
}

/** Every row of every table, as text. */
async function tablesIn(url: string): Promise<Record<string, string>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ schemaname: string; tablename: string }>(
      "SELECT schemaname, tablename FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')",
    );
    const texts: Record<string, string> = {};
    for (const { schemaname, tablename } of rows) {
      const all = await client.query(`SELECT * FROM "${schemaname}"."${tablename}"`);
      texts[`table ${tablename}`] = JSON.stringify(all.rows);
    }
    return texts;
  } finally {
    await client.end();
  }
}

/** By path, byte for byte. */
function filesIn(folder: string): [string, string][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [path, readFileSync(path, "latin1")]);
}
