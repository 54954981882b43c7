/** A store that cannot write: nothing is acknowledged, whoever writes is told, and work goes on once it is mended. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import type { Agent } from "../agent/agent.js";
import { OWNER } from "../session/access.js";
import { Sessions } from "../session/sessions.js";
import { openSqlStore } from "../store/sql-store.js";
import { openSqlite } from "../store/sqlite/db.js";
import { ScriptedAdapter } from "../testing/scripted-adapter.js";
import { Commands } from "./commands/commands.js";
import { Gateway } from "./gateway.js";
import { processOwner } from "./owner.js";

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

it("acknowledges nothing on a full disk, loses nothing, and goes on when there is room", async () => {
  folder = mkdtempSync(join(tmpdir(), "baton-full-"));
  const db = await openSqlite(join(folder, "baton.db"));
  const store = await openSqlStore(db, 0);
  const sessions = new Sessions(store);
  const adapter = new ScriptedAdapter();
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
    people: { allow: { [adapter.platform]: ["ann"] } },
    busy: { default: "queue", byPlatform: {}, byChat: {} },
    context: { connectedPlatforms: [], homeChannels: {} },
    maxMessages: 50,
    deadlineMs: 60_000,
    leaseMs: 200,
    owner: processOwner(),
    clock: Date.now,
    onProblem: (problem) => problems.push(problem),
  });
  await gateway.start();
  const pages = Number((await db.get("PRAGMA page_count"))?.page_count);
  await db.get(`PRAGMA max_page_count = ${pages + 6}`);

  const accepted: string[] = [];
  let refusal: unknown;
  for (let n = 0; refusal === undefined; n++) {
    const text = `message ${n} ${"x".repeat(2_000)}`;
    refusal = await adapter.write({ userId: "ann" }, text, { messageId: `m${n}` }).then(
      () => void accepted.push(text),
      (error) => error,
    );
  }
  // The platform is not told that it arrived, so it comes again; the sentence says what to do.
  expect(refusal).toMatchObject({ code: "store_full", message: expect.stringMatching(/Free some space/) });

  await db.get("PRAGMA max_page_count = 100000");
  const again = `message ${accepted.length} again`;
  expect(await adapter.write({ userId: "ann" }, again, { messageId: `m${accepted.length}` })).toBe(
    "accepted",
  );
  await adapter.until((sent) => sent.length === accepted.length + 1);
  const [entry] = (await sessions.list({}, OWNER)).items;
  const said = (await sessions.load(entry?.sessionId ?? "")).filter(({ role }) => role === "user");
  expect(said.map(({ content }) => content)).toEqual([...accepted, again]);
  expect(adapter.textsTo("ann").map((text) => text.split("!")[0])).toEqual([...accepted, again]);
  await gateway.stop({ drainMs: 1_000 });
  await sessions.close();
}, 60_000);
