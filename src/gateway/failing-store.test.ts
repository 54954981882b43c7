/** A store that cannot write: nothing is acknowledged, whoever writes is told, and work goes on once it is mended. */

import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import type { Agent } from "../agent/agent.js";
import { OWNER } from "../session/access.js";
import type { SessionId } from "../session/ids.js";
import { Sessions } from "../session/sessions.js";
import type { Db } from "../store/db.js";
import { inspectSqlite } from "../store/inspect.js";
import { openSqlStore } from "../store/sql-store.js";
import { openSqlite } from "../store/sqlite/db.js";
import { ScriptedAdapter, type ScriptedOptions } from "../testing/scripted-adapter.js";
import { processHolder } from "../util/holder.js";
import { Commands } from "./commands/commands.js";
import { Gateway } from "./gateway.js";
import { People } from "./people.js";

const APOLOGY = expect.stringMatching(/^I can't save anything right now\. If I have not.*baton doctor/);
const PROMISE = expect.stringMatching(
  /^I can't save anything right now.*I will answer when I can.*baton doctor/,
);
const ann = { userId: "ann" };

let folder = "";
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const wordy: Agent = {
  name: "wordy",
  async *run(turn) {
    const text = `${turn.history.at(-1)?.content}! ${"so much to say ".repeat(100)}`;
    yield { kind: "text", text };
    yield { kind: "message", message: { role: "assistant", content: text }, results: [] };
    yield { kind: "done", stopped: false };
  },
};

async function world(options: ScriptedOptions = {}, pairing: "on" | "off" = "on") {
  folder = mkdtempSync(join(tmpdir(), "baton-failing-"));
  const path = join(folder, "baton.db");
  const db = await openSqlite(path);
  const store = await openSqlStore(db, 0);
  const sessions = new Sessions(store);
  const adapter = new ScriptedAdapter(options);
  const problems: string[] = [];
  const gateway = new Gateway({
    sessions,
    store,
    agent: wordy,
    adapters: [adapter],
    commands: new Commands([], sessions),
    tools: () => [],
    scopes: {},
    toolLists: {},
    people: { allow: { [adapter.platform]: ["ann", "bob"] }, pairing },
    busy: { default: "queue", byPlatform: {}, byChat: {} },
    maxMessages: 50,
    deadlineMs: 60_000,
    leaseMs: 200,
    holder: processHolder(),
    clock: Date.now,
    elapsed: () => 0, // A machine that is busy loses no lease.
    onProblem: (problem) => problems.push(problem),
  });
  await gateway.start();
  const close = async () => {
    await gateway.stop({ drainMs: 1_000 });
    await sessions.close();
  };
  const asked = async () => {
    const [entry] = (await sessions.list({}, OWNER)).items;
    const messages = await sessions.load((entry?.sessionId ?? "") as SessionId);
    return messages.filter(({ role }) => role === "user").map(({ content }) => content);
  };
  /** As `baton people approve` does. */
  const letIn = async (id: string): Promise<void> => {
    const people = new People(store.people, {}, { clock: Date.now });
    const source = { platform: adapter.platform, chatId: id, chatType: "dm", userId: id } as const;
    const knock = await people.knock(source, false);
    if (knock.kind !== "code") throw new Error("There was no code.");
    await people.approve("local:terminal", knock.code, { role: "member", name: null });
  };
  return { path, db, adapter, problems, asked, letIn, close };
}

it("acknowledges nothing on a full disk, says so, loses nothing, and goes on when there is room", async () => {
  const { db, adapter, problems, asked, close } = await world();
  const pages = Number((await db.get("PRAGMA page_count"))?.page_count);
  await db.get(`PRAGMA max_page_count = ${pages + 6}`);

  const accepted: string[] = [];
  let refusal: unknown;
  for (let n = 0; refusal === undefined; n++) {
    const text = `message ${n} ${"x".repeat(2_000)}`;
    refusal = await adapter.write(ann, text, { messageId: `m${n}` }).then(
      () => void accepted.push(text),
      (error) => error,
    );
  }
  // The platform is not told that it arrived, so it comes again; the sentence says what to do.
  expect(refusal).toMatchObject({ code: "store_full", message: expect.stringMatching(/Free some space/) });
  expect(problems).toContainEqual(expect.stringMatching(/Could not save a message.*Free some space/));
  // There is no room for it, even if others gave theirs back.
  await expect(adapter.write(ann, "x".repeat(40_000), { messageId: "more" })).rejects.toThrow("no room");

  await db.get("PRAGMA max_page_count = 100000");
  const again = `message ${accepted.length} again`;
  expect(await adapter.write(ann, again, { messageId: `m${accepted.length}` })).toBe("accepted");
  const answers = () => adapter.textsTo("ann").filter((text) => text.startsWith("message"));
  await adapter.until(() => answers().length === accepted.length + 1);
  expect(await asked()).toEqual([...accepted, again]);
  const told = adapter.textsTo("ann").map((text) => text.split("!")[0]);
  expect(told.filter((text) => text?.startsWith("message"))).toEqual([...accepted, again]);
  expect(told).toContainEqual(APOLOGY);
  await close();
}, 60_000);

it.each(["inbox", "identities"])(
  "acknowledges nothing where the store is damaged (%s), says so once, and goes on when it is mended",
  async (table) => {
    const { path, db, adapter, problems, asked, close } = await world();
    expect(await adapter.write(ann, "before")).toBe("accepted");
    await adapter.until((sent) => sent.length === 1);

    const patch = await patcher(path, db, table);
    await patch(DAMAGE);
    // Who wrote before is known still; who did not is looked up.
    const writer = table === "inbox" ? ann : { userId: "bob" };
    for (const text of ["during", "and again"]) {
      await expect(adapter.write(writer, text)).rejects.toMatchObject({
        code: "store_corrupt",
        message: expect.stringMatching(/restore a backup/),
      });
    }
    await adapter.until((sent) => sent.length === 2);
    expect(problems.join()).toMatch(
      table === "inbox" ? /Could not save a message/ : /Could not look up the sender/,
    );
    for (const from of [
      { userId: "eve", chatId: "team", chatType: "group" as const },
      { userId: "robot", isBot: true },
    ])
      await adapter.write(from, "psst").catch(() => {});
    expect(adapter.sent).toHaveLength(2); // Whom it does not know, it does not answer.
    expect((await inspectSqlite(path)).map(({ status }) => status)).toContain("broken"); // What doctor asks.

    await patch(MEND);
    expect(await adapter.write(ann, "after")).toBe("accepted");
    await adapter.until((sent) => sent.length === 3);
    const told = adapter.sent.map(({ text }) => text.split("!")[0]);
    expect(told).toEqual(["before", APOLOGY, "after"]);
    expect(await asked()).toEqual(["before", "after"]);
    await close();
  },
  60_000,
);

it("takes nothing more where conversations are damaged, tells each chat once, and answers all of it when it is mended", async () => {
  const { path, db, adapter, problems, asked, close } = await world({ can: ["redelivers"] });
  expect(await adapter.write(ann, "before")).toBe("accepted");
  await adapter.until((sent) => sent.length === 1);
  const patch = await patcher(path, db, "messages");
  await patch(DAMAGE);

  expect(await adapter.write(ann, "during")).toBe("accepted"); // The inbox is whole.
  await adapter.until((sent) => sent.length === 2);
  const bob = { userId: "bob", chatId: "bob" };
  for (const who of [ann, bob, bob]) {
    await expect(adapter.write(who, "more")).rejects.toMatchObject({ code: "store_corrupt" });
  }
  await adapter.until((sent) => sent.length === 3);
  expect(adapter.textsTo("ann").slice(1)).toEqual([PROMISE]);
  expect(adapter.textsTo("bob")).toEqual([PROMISE]);
  expect(problems.filter((problem) => problem.startsWith("Can't continue a conversation"))).toHaveLength(1);

  await patch(MEND);
  await adapter.until((sent) => sent.length === 4);
  expect(await adapter.write(bob, "again")).toBe("accepted");
  await adapter.until((sent) => sent.length === 5);
  expect(adapter.textsTo("ann").map((text) => text.split("!")[0])).toEqual(["before", PROMISE, "during"]);
  expect(adapter.textsTo("bob").map((text) => text.split("!")[0])).toEqual([PROMISE, "again"]);
  expect(await asked()).toEqual(["again"]);
  await close();
}, 60_000);

it.each(["deleted", "replaced"])(
  "acknowledges nothing into a file that was %s, and goes on when it is back",
  async (how) => {
    const { path, adapter, asked, close } = await world();
    expect(await adapter.write(ann, "before")).toBe("accepted");
    await adapter.until((sent) => sent.length === 1);

    renameSync(path, `${path}.away`);
    if (how === "replaced") copyFileSync(`${path}.away`, path);
    for (const text of ["during", "and again"]) {
      await expect(adapter.write(ann, text, { messageId: text })).rejects.toMatchObject({
        code: "store_gone",
        message: expect.stringMatching(/deleted or replaced.*Put it back.*baton restore/),
      });
    }
    await adapter.until((sent) => sent.length === 2);

    renameSync(`${path}.away`, path);
    expect(await adapter.write(ann, "during", { messageId: "during" })).toBe("accepted"); // It comes again, and is new.
    await adapter.until((sent) => sent.length === 3);
    expect(adapter.textsTo("ann").map((text) => text.split("!")[0])).toEqual(["before", APOLOGY, "during"]);
    expect(await asked()).toEqual(["before", "during"]);
    await close();
  },
  60_000,
);

it.each(["message", "edit"] as const)(
  "tells somebody whom only the store knows, if they wrote before it failed, once, and nobody else (%s)",
  async (kind) => {
    const { path, db, adapter, letIn, close } = await world({}, "off");
    for (const id of ["cleo", "dora"]) await letIn(id);
    const cleo = { userId: "cleo" };
    expect(await adapter.write(cleo, "before")).toBe("accepted");
    await adapter.until((sent) => sent.length === 1);

    const patches = [await patcher(path, db, "identities"), await patcher(path, db, "inbox")];
    for (const patch of patches) await patch(DAMAGE);
    for (const userId of ["dora", "eve", "cleo", "cleo"])
      await expect(adapter.write({ userId }, "during", { kind })).rejects.toMatchObject({
        code: "store_corrupt",
      });
    await adapter.until((sent) => sent.length === 2);

    for (const patch of patches) await patch(MEND);
    expect(await adapter.write(cleo, "after")).toBe("accepted");
    await adapter.until((sent) => sent.length === 3);
    expect(adapter.textsTo("cleo").map((text) => text.split("!")[0])).toEqual(["before", APOLOGY, "after"]);
    expect(adapter.sent).toHaveLength(3);
    await close();
  },
  60_000,
);

/** Writes to the pages of a table from outside, as a failing disk would; the store then looks anew. */
async function patcher(path: string, db: Db, table: string): Promise<(script: string) => Promise<void>> {
  const pages = await db.all("SELECT rootpage FROM sqlite_schema WHERE tbl_name = ?", table);
  // Not while the gateway is in the middle of a commit, as when it renews its lease.
  await vi.waitFor(
    async () => expect(await db.get("PRAGMA wal_checkpoint(TRUNCATE)")).toMatchObject({ busy: 0 }),
    {
      timeout: 20_000,
    },
  );
  return async (script) => {
    for (const { rootpage } of pages) {
      const offset = (Number(rootpage) - 1) * 4_096;
      const given = ["-e", script, path, String(offset), `${path}.page.${rootpage}`];
      const { status, stderr } = spawnSync(process.execPath, given);
      expect([status, String(stderr)]).toEqual([0, ""]);
    }
    await db.get("PRAGMA shrink_memory");
  };
}

const DAMAGE = `
  const { openSync, readSync, writeSync, writeFileSync } = require("node:fs");
  const [, path, offset, keep] = process.argv;
  const page = Buffer.alloc(4096);
  const file = openSync(path, "r+");
  readSync(file, page, 0, 4096, Number(offset));
  writeFileSync(keep, page);
  writeSync(file, Buffer.alloc(4096, 0xff), 0, 4096, Number(offset));
`;

const MEND = `
  const { openSync, readFileSync, writeSync } = require("node:fs");
  const [, path, offset, keep] = process.argv;
  writeSync(openSync(path, "r+"), readFileSync(keep), 0, 4096, Number(offset));
`;
