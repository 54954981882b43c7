/** `baton people forget --erase`, as a person runs it: afterwards nobody finds a byte of theirs in the home folder. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { openStore } from "../src/open-sessions.js";
import { OWNER } from "../src/session/access.js";
import {
  ANN,
  ANN_FILES,
  ANN_THERE,
  BOB_FILE,
  type ErasureWorld,
  fillErasureWorld,
} from "../src/testing/erasure-world.js";
import { baton, makeHome } from "./support/baton.js";

const CANARY = /canary|7001001(?!2)|8002002|p_a11ce/;

interface Home {
  readonly home: string;
  readonly db: string;
  readonly world: ErasureWorld;
}

/** A home folder with something of Ann's in every place where Baton keeps things. */
async function filledHome(): Promise<Home> {
  const home = makeHome();
  const db = join(home, "baton.db");
  writeFileSync(join(home, "config.yaml"), "mirror: jsonl\n");
  mkdirSync(join(home, "processes"), { mode: 0o700 });
  writeFileSync(join(home, "processes", "name"), "homename");
  const { store, sessions } = await openStore({
    url: db,
    mirror: { folder: join(home, "sessions"), onProblem: expect.unreachable },
  });
  const world = await fillErasureWorld(store, "homename");
  await sessions.close();
  mkdirSync(join(home, "media"));
  for (const file of [...ANN_FILES, BOB_FILE]) writeFileSync(join(home, "media", file), `bytes of ${file}`);
  const [job = "", bobsJob = ""] = world.jobs;
  for (const id of [job, bobsJob]) {
    mkdirSync(join(home, "cron", "output", id), { recursive: true });
    writeFileSync(join(home, "cron", "output", id, "1.md"), id === job ? "canary-output" : "output of Bob");
  }
  for (const id of world.processes) {
    const word = id === world.processes[2] ? "bob" : "canary";
    writeFileSync(join(home, "processes", `${id}.out`), `${word}-process-output`);
    writeFileSync(join(home, "processes", `${id}.json`), recordOf(id));
  }
  return { home, db, world };
}

function recordOf(id: string): string {
  return JSON.stringify({
    id,
    name: null,
    pid: 0,
    startedAt: 1,
    pty: null,
    hasOwnProcesses: false,
    remote: null,
    environment: {},
    end: { kind: "lost", why: "lost" },
    endedAt: Date.now(),
    place: { base: 0, olderFrom: 0 },
  });
}

/** The files below a folder in which this is, by their names or their bytes. */
function filesWith(home: string, pattern: RegExp): string[] {
  return readdirSync(home, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(home, name), { throwIfNoEntry: false })?.isFile())
    .filter((name) => pattern.test(name) || pattern.test(readFileSync(join(home, name), "latin1")))
    .sort();
}

const erase = (home: string, ...words: string[]) =>
  baton(home, ["people", "forget", ANN, "--erase", "--yes", ...words]);

/** What Bob's exports say. */
async function exportsOf(home: string, world: ErasureWorld): Promise<string[]> {
  const ids = [world.bobSession];
  const runs = await Promise.all(ids.map((id) => baton(home, ["sessions", "export", id])));
  return runs.map(({ stdout }) => stdout.split("\n").slice(1).join("\n"));
}

test("shows what would go, asks, and then no byte of it is in the home folder", async () => {
  const { home, world } = await filledHome();
  expect(filesWith(home, CANARY).length).toBeGreaterThan(5);
  const dry = await baton(home, ["people", "forget", ANN_THERE, "--erase", "--dry-run"]);
  expect(dry.stdout).toBe(
    `Would erase ${ANN_THERE}, ${ANN}: 3 sessions with 7 messages, 2 messages in conversations of others, 2 files, 1 job, 2 processes, 2 notes, 1 day of usage.\n`,
  );
  expect(await baton(home, ["people", "forget", ANN, "--erase"])).toMatchObject({ code: 2, stdout: "" });
  const before = await exportsOf(home, world);

  const run = await erase(home);
  expect(run.stderr).toBe("");
  expect(run.stdout).toMatch(
    /^Erased .*: 3 sessions with \d+ messages, 2 messages in conversations of others, 5 files, 1 job, 2 processes\.\nScanned [\d.]+ MB in \d+ files: nothing of theirs is left\.\n$/,
  );
  expect(run.code).toBe(0);
  expect(filesWith(home, CANARY)).toEqual([]);
  expect(readdirSync(join(home, "media"))).toEqual([BOB_FILE]);
  expect(await exportsOf(home, world)).toEqual(before);
  expect(readFileSync(join(home, "sessions", `${world.groupSession}.jsonl`), "utf8")).toMatch(
    /\[erased\].*ladder/s,
  );
  expect(filesWith(home, /output of Bob|bob-process-output/)).toHaveLength(2);
  expect(execFileSync("sh", ["-c", `! grep -rail canary '${home}'`]).toString()).toBe("");
  const { sessions } = await openStore({ url: join(home, "baton.db") });
  expect((await sessions.search("canary*", OWNER)).items).toEqual([]);
  expect((await sessions.search("ladder", OWNER)).items).toHaveLength(1);
  await sessions.close();
}, 120_000);

test("works while another process has the store open and reads it", async () => {
  const { home, db, world } = await filledHome();
  const reader = await openStore({ url: db });
  const read = async () => (await reader.sessions.load(world.groupSession)).length;
  expect(await read()).toBe(5);
  let isOver = false;
  const reading = (async () => {
    while (!isOver) {
      await read();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  const run = await erase(home, "--json");
  isOver = true;
  await reading;
  expect(run).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse(run.stdout)).toMatchObject({ erased: true, left: [], byHand: [], repeated: {} });
  expect(filesWith(home, CANARY)).toEqual([]);
  await reader.sessions.close();
}, 120_000);

/** The steps at which it is killed, in their order; `!` is within the step. */
const STEPS = [
  ...[
    "lockOut!",
    "lockOut",
    "endTurns",
    "eraseShared!",
    "eraseShared",
    "eraseWork!",
    "eraseWork",
    "eraseSession!",
  ],
  ...["eraseSession", "unneeded", "gone", "forgetPerson!", "forgetPerson", "texts!", "scrub"],
];

test("killed at every step, one after the other, and then run once more", async () => {
  const { home, world } = await filledHome();
  const child = fileURLToPath(new URL("./support/erase-child.mjs", import.meta.url));
  for (const dieAt of STEPS) {
    const run = spawnSync(process.execPath, [child, JSON.stringify({ whose: world.ann, dieAt })], {
      env: { PATH: process.env.PATH ?? "", HOME: join(home, ".."), BATON_HOME: home },
      encoding: "utf8",
    });
    expect({ dieAt, signal: run.signal, stderr: run.stderr }).toEqual({
      dieAt,
      signal: "SIGKILL",
      stderr: "",
    });
  }
  for (const identity of [ANN_THERE, ANN]) {
    const last = await baton(home, ["people", "forget", identity, "--erase", "--yes"]);
    expect(last).toMatchObject({ code: 0, stderr: "" });
  }
  expect(filesWith(home, CANARY)).toEqual([]);
}, 120_000);

test("names the backups, archives and logs that still have it", async () => {
  const { home } = await filledHome();
  await baton(home, ["backup"]);
  mkdirSync(join(home, "logs"), { mode: 0o700 });
  writeFileSync(join(home, "logs", "baton.log"), `{"msg":"message from Ann (${ANN})"}\n`);
  mkdirSync(join(home, "archive"));
  writeFileSync(join(home, "archive", "x.jsonl"), "nothing of hers\n");
  writeFileSync(join(home, "archive", "hers.jsonl"), `{"owner":"person:${ANN}"}\n`);
  for (const each of ["x", "hers"]) {
    mkdirSync(join(home, "archive", `${each}.files`));
    writeFileSync(join(home, "archive", `${each}.files`, "1-1.png"), "a picture says no name");
  }
  const { stdout, code } = await erase(home);
  const [backup = ""] = readdirSync(join(home, "backups"));
  expect(code).toBe(0);
  expect(stdout).toContain("Delete them yourself:\n");
  const named = ["archive/hers.files", "archive/hers.jsonl", `backups/${backup}`, "logs/baton.log"];
  expect(stdout).toContain(`yourself:\n${named.map((each) => `  ${join(home, each)}\n`).join("")}`);
}, 60_000);

test("says what others repeat, and does not call that a rest", async () => {
  const { home, db, world } = await filledHome();
  const { sessions } = await openStore({ url: db });
  const quote = "You said: canary-there. I wrote it down for the whole team, as you asked.";
  await sessions.append(world.groupSession, { role: "assistant", content: quote });
  const [own] = (await sessions.list({ platform: ANN_THERE.split(":")[0] ?? "" }, OWNER)).items;
  await sessions.append(own?.sessionId ?? world.annSession, { role: "assistant", content: quote });
  await sessions.close();
  const { stdout, code } = await erase(home);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /repeat \d+ passages? of theirs \(messages\.content\)\. Baton does not change what others said\./,
  );
  expect(filesWith(home, /7001001(?!2)|8002002/)).toEqual([]);
}, 60_000);

test("says what is left, and fails", async () => {
  const { home, db } = await filledHome();
  const { store, sessions } = await openStore({ url: db });
  await store.accounts.write({ platform: "telegram", account: "bot" }, "moves", `{"${ANN}":"-100"}`);
  await sessions.close();
  const run = await erase(home);
  expect(run.code).toBe(1);
  expect(run.stdout).toContain("1 row of account_memory.value still has an id of theirs");
  expect(run.stdout).not.toContain("nothing of theirs is left");
  expect(run.stderr).toMatch(/^baton: Something of theirs is left\./);
}, 60_000);

test("refuses somebody whom config.yaml lets in, and changes nothing", async () => {
  const { home } = await filledHome();
  writeFileSync(join(home, "config.yaml"), "people: { allow: { telegram: [7001001] } }\n");
  const before = filesWith(home, CANARY);
  const run = await erase(home);
  expect(run).toMatchObject({ code: 1, stdout: "" });
  expect(run.stderr).toBe(
    `baton: config.yaml still gives ${ANN} the role member. Remove them there, restart the gateway, and run this command again. Nothing was erased.\n`,
  );
  expect(filesWith(home, CANARY)).toEqual(before);
  expect(await baton(home, ["people", "forget", ANN, "--yes"])).toMatchObject({ code: 2 });
  expect(existsSync(join(home, "media", ANN_FILES[0] ?? ""))).toBe(true);
}, 60_000);
