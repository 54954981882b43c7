import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openSessions, type SessionSource, Sessions, StoreError } from "../../src/index.js";
import { openDb } from "../../src/open-sessions.js";
import { openSqlStore } from "../../src/store/sql-store.js";
import { inspect } from "../crash/inspect.js";
import { SessionsProcess } from "../support/sessions-process.js";

const SOURCE: SessionSource = { platform: "telegram", chatId: "99", chatType: "dm", userId: "ann" };
const LONG = "a long story ".repeat(2_000);

let folder: string;
let path: string;
let child: SessionsProcess | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "baton-no-room-"));
  path = join(folder, "baton.db");
});
afterEach(async () => {
  await child?.stop();
  child = undefined;
  await rm(folder, { recursive: true, force: true });
});

/** Tells stories until one is refused; returns how many were accepted, and the refusal. */
async function tellUntilFull(tell: (content: string) => Promise<unknown>) {
  for (let told = 0; told < 1_000; told++) {
    try {
      await tell(`story${told} ${LONG}`);
    } catch (error) {
      return { told, error: error as StoreError };
    }
  }
  throw new Error("It never got full.");
}

function storiesIn(file: string): string[] {
  const sessions = Object.values(inspect(file).sessions);
  return sessions.flatMap(({ messages }) => messages.map(({ text }) => JSON.parse(text)[1].split(" ")[0]));
}

const stories = (count: number) => Array.from({ length: count }, (_, number) => `story${number}`);

describe("without room", () => {
  test("a message is refused as store_full, nothing is torn, and it goes on once there is room", async () => {
    const db = await openDb(path);
    const sessions = new Sessions(await openSqlStore(db, Date.now()));
    await sessions.getOrCreate(SOURCE);
    await db.run("PRAGMA max_page_count = 200");

    const tell = (content: string) => sessions.receive(SOURCE, { role: "user", content });
    const { told, error } = await tellUntilFull(tell);
    expect(error).toBeInstanceOf(StoreError);
    expect(error.code).toBe("store_full");
    expect((await sessions.current((await sessions.getOrCreate(SOURCE)).key))?.messageCount).toBe(told);

    await db.run("PRAGMA max_page_count = 100000");
    expect((await tell(`story${told} and on`)).seq).toBe(told + 1);
    await sessions.close();
    expect(storiesIn(path)).toEqual(stories(told + 1));
  });

  test("a limit on the size of files is no room either", async () => {
    child = new SessionsProcess({ command: 'ulimit -S -f 2000 && exec "$0" "$@"' });
    await child.open(path);
    const { told, error } = await tellUntilFull(
      async (content) => await child?.call("receive", SOURCE, { role: "user", content }),
    );
    expect(error).toMatchObject({ name: "StoreError", code: "store_full" });
    await child.stop();

    expect(storiesIn(path)).toEqual(stories(told));
    const sessions = await openSessions({ url: path });
    await sessions.receive(SOURCE, { role: "user", content: `story${told} and on` });
    await sessions.close();
    expect(storiesIn(path)).toEqual(stories(told + 1));
  });

  const canMount = spawnSync("bash", ["-c", `unshare -rm mount -t tmpfs none ${tmpdir()}`]).status === 0;

  test.skipIf(!canMount)("a full disk: the same process goes on when something else is removed", async () => {
    const disk = join(folder, "disk");
    await mkdir(disk);
    // A disk of 4 MB that only this process sees, a quarter of it taken.
    const command = `mount -t tmpfs -o size=4m none ${disk} && head -c 1M /dev/zero > ${disk}/ballast && exec "$0" "$@"`;
    child = new SessionsProcess({ command: `exec unshare -rm bash -c '${command}' "$0" "$@"` });
    const url = join(disk, "baton.db");
    await child.open(url);
    const tell = async (content: string) => await child?.call("receive", SOURCE, { role: "user", content });
    const { told, error } = await tellUntilFull(tell);
    expect(error).toMatchObject({ name: "StoreError", code: "store_full" });
    expect(told).toBeGreaterThan(5);

    await child.remove(join(disk, "ballast"));
    await tell(`story${told} and on`);
    const entry = await child.call("getOrCreate", SOURCE);
    const messages = await child.call("load", entry.sessionId);
    expect(messages.map(({ seq, content }) => [seq, content.split(" ")[0]])).toEqual(
      stories(told + 1).map((story, index) => [index + 1, story]),
    );
  });
});
