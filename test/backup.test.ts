/** `baton backup` and `baton restore`: nothing acknowledged is missing, nothing is lost on the way back. */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterAll, describe, expect, test } from "vitest";
import { takeHome } from "../src/gateway/home-lock.js";
import { localSource, OWNER } from "../src/index.js";
import { processHolder } from "../src/util/holder.js";
import { baton, makeHome } from "./support/baton.js";
import { endedHolder } from "./support/ended-holder.js";
import { SessionsProcess, type Written } from "./support/sessions-process.js";

const RESTORE = fileURLToPath(new URL("./support/restore-child.mjs", import.meta.url));

const processes: SessionsProcess[] = [];
afterAll(() => Promise.all(processes.map((one) => one.stop())));

/** In a process of its own: the driver lets go of a database only with the process that had it. */
async function inStore<Result>(
  path: string,
  work: (store: SessionsProcess) => Promise<Result>,
): Promise<Result> {
  const store = await SessionsProcess.open(path);
  processes.push(store);
  const result = await work(store);
  await store.call("close");
  await store.stop();
  return result;
}

async function withStore(home: string, ...contents: string[]): Promise<void> {
  await inStore(join(home, "baton.db"), async (store) => {
    for (const content of contents) await store.call("receive", localSource(), { role: "user", content });
  });
}

/** What the messages of a store say, read as Baton reads them. */
function messagesIn(path: string): Promise<string[]> {
  return inStore(path, async (store) => {
    const { items } = await store.call("list", {}, OWNER);
    const all: string[] = [];
    for (const { sessionId } of items) {
      for (const { content } of await store.call("load", sessionId)) all.push(String(content));
    }
    return all;
  });
}

function withDatabase<Result>(
  path: string,
  work: (database: InstanceType<typeof DatabaseSync>) => Result,
): Result {
  const database = new DatabaseSync(path);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

const integrity = (path: string) =>
  withDatabase(path, (database) => database.prepare("PRAGMA integrity_check").get()) as {
    integrity_check: string;
  };

describe("a backup", () => {
  test("made while a process writes all the time is whole and has all that was acknowledged before", {
    timeout: 60_000,
  }, async () => {
    const home = makeHome();
    const path = join(home, "baton.db");
    const writer = await SessionsProcess.open(path);
    processes.push(writer);
    const acknowledged: Written[] = [];
    let stop = false;
    const writing = (async () => {
      for (let round = 0; !stop; round++) {
        acknowledged.push(...(await writer.turns(10, `r${round}`, ["1", "2", "3"])));
      }
    })();
    for (let made = 0; made < 5; made++) {
      const begun = acknowledged.length + 20;
      while (acknowledged.length < begun) await new Promise(setImmediate);
      const before = [...acknowledged];
      const file = join(home, `backup-${made}.db`);
      const run = await baton(home, ["backup", file, "--json"]);
      expect(run).toMatchObject({ code: 0, stderr: "" });
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(readdirSync(home).filter((name) => name.startsWith(`backup-${made}`))).toHaveLength(1);
      expect(integrity(file)).toEqual({ integrity_check: "ok" });
      const kept = withDatabase(file, (database) =>
        database.prepare("SELECT session_id, seq, content FROM messages").all(),
      ) as { session_id: string; seq: number; content: string }[];
      const found = new Set(kept.map(({ session_id, seq, content }) => `${session_id} ${seq} ${content}`));
      const missing = before.filter(
        ({ sessionId, seq, content }) => !found.has(`${sessionId} ${seq} ${content}`),
      );
      expect(missing).toEqual([]);
      expect(JSON.parse(run.stdout)).toMatchObject({ file, rows: { messages: kept.length } });
    }
    stop = true;
    await writing;
    expect((await baton(home, ["doctor"])).code).toBe(0);
  });

  test("goes into the home folder unless told where, and is described", async () => {
    const home = makeHome();
    await withStore(home, "one", "two");
    const run = await baton(home, ["backup"]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    const [name = ""] = readdirSync(join(home, "backups"));
    expect(name).toMatch(/^baton-\d{8}T\d{6}Z\.db$/);
    expect(statSync(join(home, "backups")).mode & 0o777).toBe(0o700);
    const file = join(home, "backups", name);
    expect(run.stdout).toMatch(
      new RegExp(`^Saved 1 session with 2 messages \\(0\\.\\d MB\\) in ${file}, and checked the file\\.\n$`),
    );
    const folder = join(home, "..", "work");
    expect((await baton(home, ["backup", "."])).code).toBe(0);
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/^baton-.*\.db$/)]);
  });

  test("replaces nothing, and leaves nothing behind where it fails", async () => {
    const home = makeHome();
    await withStore(home, "one");
    const file = join(home, "mine.txt");
    writeFileSync(file, "my file");
    const run = await baton(home, ["backup", file]);
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toContain(`${file} is there already, and a backup replaces nothing.`);
    expect(readFileSync(file, "utf8")).toBe("my file");
    const missing = await baton(makeHome(), ["backup"]);
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain("There is nothing to back up yet");
    expect(readdirSync(home).filter((name) => !name.startsWith("baton.db"))).toEqual(["mine.txt"]);
  });

  test("of a damaged store is not kept", async () => {
    const home = makeHome();
    await withStore(home, ...Array.from({ length: 50 }, (_, n) => `${n} ${"words ".repeat(200)}`));
    const path = join(home, "baton.db");
    const bytes = readFileSync(path);
    bytes.fill(0x5a, 4096 * 12, 4096 * 14);
    writeFileSync(path, bytes);
    const run = await baton(home, ["backup", join(home, "copy.db")]);
    expect(run.code).toBe(1);
    expect(run.stderr).toContain("baton doctor");
    expect(readdirSync(home).filter((name) => name.startsWith("copy"))).toEqual([]);
  });

  test.each([
    [["backup"], "pg_dump --format=custom"],
    [["restore", "x.dump", "--yes"], "pg_restore --clean"],
  ])("of PostgreSQL is left to its tools: %j", async (words, command) => {
    const env = { BATON_STORE: "postgres://me:hunter2@127.0.0.1:1/db" };
    const run = await baton(makeHome(), words, { env });
    expect(run.code).toBe(1);
    expect(run.stderr).toContain(command);
    expect(run.stderr).toContain('"$BATON_STORE"');
    expect(run.stderr).not.toContain("hunter2");
  });
});

describe("a restore", () => {
  /** A store, a backup of it, and what was said since. */
  let model: Promise<string> | undefined;
  async function restorable(): Promise<{ home: string; path: string; file: string }> {
    model ??= (async () => {
      const made = makeHome();
      await withStore(made, "before 1", "before 2");
      expect((await baton(made, ["backup", join(made, "kept.db")])).code).toBe(0);
      await withStore(made, "after");
      return made;
    })();
    const home = makeHome();
    cpSync(await model, home, { recursive: true });
    return { home, path: join(home, "baton.db"), file: join(home, "kept.db") };
  }

  test("brings back what was kept, and keeps what was there", async () => {
    const { home, path, file } = await restorable();
    const run = await baton(home, ["restore", file, "--yes"]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    const [, aside = ""] = /The old store is in (.*)\.\n$/.exec(run.stdout) ?? [];
    expect(run.stdout).toContain("Restored 1 session with 2 messages");
    expect(await messagesIn(path)).toEqual(["before 1", "before 2"]);
    expect(await messagesIn(aside)).toEqual(["before 1", "before 2", "after"]);
    for (const name of [path, aside]) expect(statSync(name).mode & 0o777).toBe(0o600);
    const back = JSON.parse((await baton(home, ["restore", aside, "--yes", "--json"])).stdout);
    expect(back).toMatchObject({ file: aside, rows: { messages: 3 } });
    expect(await messagesIn(path)).toEqual(["before 1", "before 2", "after"]);
    expect((await baton(home, ["doctor"])).code).toBe(0);
  });

  test("works where there is no store, and where it is past reading", async () => {
    const { home, path, file } = await restorable();
    for (const end of ["", "-wal", "-shm"]) rmSync(`${path}${end}`, { force: true });
    expect((await baton(home, ["restore", file, "--yes", "--json"])).stdout).toContain('"aside": null');
    expect(await messagesIn(path)).toEqual(["before 1", "before 2"]);

    writeFileSync(path, "this is no database at all, and long enough to be sure of it ".repeat(50));
    writeFileSync(`${path}-wal`, "left over");
    const { aside } = JSON.parse((await baton(home, ["restore", file, "--yes", "--json"])).stdout);
    expect(await messagesIn(path)).toEqual(["before 1", "before 2"]);
    expect(readFileSync(aside, "utf8")).toContain("no database at all");
    expect(readFileSync(`${aside}-wal`, "utf8")).toBe("left over");
  });

  test("refuses a backup that was cut off, and changes nothing", async () => {
    const { home, path, file } = await restorable();
    truncateSync(file, statSync(file).size - 6_000);
    const run = await baton(home, ["restore", file, "--yes"]);
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toContain("is damaged or was cut off. Give another backup; nothing was changed.");
    expect(await messagesIn(path)).toEqual(["before 1", "before 2", "after"]);
    expect(readdirSync(home).filter((name) => name.includes("restor"))).toEqual([]);
  });

  test("refuses while a process has the store, or a gateway the home folder", async () => {
    const { home, path, file } = await restorable();
    const chat = await SessionsProcess.open(path);
    processes.push(chat);
    const run = await baton(home, ["restore", file, "--yes"]);
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toContain(`${path} is in use. Stop the gateway and leave every chat`);
    await chat.turns(1, "still", ["1"]);
    await chat.stop();
    expect(await messagesIn(path)).toEqual(expect.arrayContaining(["after", "stillq0"]));

    const lock = takeHome(home, Date.now());
    const served = await baton(home, ["restore", file, "--yes"]);
    expect(served.stderr).toContain(
      `A gateway is running for ${home} (process ${process.pid} on ${hostname()})`,
    );
    if (lock.kind === "taken") lock.release();
    expect((await baton(home, ["restore", path, "--yes"])).stderr).toContain("is the store itself");
  });

  test("asks, and does nothing without an answer", async () => {
    const { home, path, file } = await restorable();
    const run = await baton(home, ["restore", file]);
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toContain("Add --yes to confirm.");
    expect(await messagesIn(path)).toHaveLength(3);
  });

  test("whoever opens the store during one is told, unless the one who began it is dead", async () => {
    const { home, path } = await restorable();
    writeFileSync(`${path}.restoring`, processHolder());
    const run = await baton(home, ["sessions", "list"]);
    expect(run.code).toBe(1);
    expect(run.stderr).toContain("is being restored from a backup");
    writeFileSync(`${path}.restoring`, endedHolder());
    expect((await baton(home, ["sessions", "list"])).code).toBe(0);
    // Of another container or machine its signs of life tell.
    writeFileSync(`${path}.restoring`, "elsewhere 1 1 x y");
    expect((await baton(home, ["sessions", "list"])).code).toBe(1);
    utimesSync(`${path}.restoring`, 0, 0);
    expect((await baton(home, ["sessions", "list"])).code).toBe(0);
  });

  test("killed at any step, the store is as it was, and can be restored again", {
    timeout: 60_000,
  }, async () => {
    const home = makeHome();
    const path = join(home, "baton.db");
    await withStore(home, ...Array.from({ length: 24 }, (_, n) => `old ${n} ${"o".repeat(500_000)}`));
    const file = join(home, "kept.db");
    expect((await baton(home, ["backup", file])).code).toBe(0);
    await withStore(home, "new 1", "new 2");
    let midway = 0;
    for (const step of ["1", "2"]) {
      const killed = spawnSync(process.execPath, [RESTORE, path, file, step], { encoding: "utf8" });
      expect(killed).toMatchObject({ signal: "SIGKILL", stderr: "" });
      if (existsSync(`${path}-journal`)) midway += 1;
      expect((await messagesIn(path)).slice(-2)).toEqual(["new 1", "new 2"]);
      expect((await baton(home, ["doctor"])).stdout).toContain("is intact");
    }
    expect(midway).toBeGreaterThan(0);
    expect((await baton(home, ["restore", file, "--yes"])).code).toBe(0);
    const messages = await messagesIn(path);
    expect(messages).toHaveLength(24);
    expect(messages.at(-1)).toMatch(/^old 23 /);
  });
});
