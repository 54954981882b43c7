import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { AtLeastOnce } from "../support/at-least-once.js";
import { GatewayProcess, type GatewayProcessOptions } from "../support/gateway-process.js";

const CHAT = "shared";

let folder: string;
const processes: GatewayProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "baton-journey-"));
});
afterEach(async () => {
  await Promise.all(processes.splice(0).map((process) => process.kill()));
  await rm(folder, { recursive: true, force: true });
});

/** A gateway with its own account, in the same chat and so in the same session as the others. */
async function start(account: string, options: Partial<GatewayProcessOptions> = {}) {
  const platform = new AtLeastOnce(account);
  const process = new GatewayProcess(
    {
      url: join(folder, "baton.db"),
      account,
      people: [CHAT],
      busy: {},
      leaseMs: 15_000,
      slowMs: 20,
      log: join(folder, "turns.log"),
      ...options,
    },
    platform,
  );
  processes.push(process);
  await process.ready();
  return { process, platform };
}

/** The beginnings and ends of turns, in the order in which they happened. */
async function turnLog(): Promise<string[]> {
  return (await readFile(join(folder, "turns.log"), "utf8")).split("\n").filter(Boolean);
}

function rows(sql: string): Record<string, unknown>[] {
  const database = new DatabaseSync(join(folder, "baton.db"), { timeout: 5_000 });
  try {
    return database.prepare(sql).all() as Record<string, unknown>[];
  } finally {
    database.close();
  }
}

/** Stops it where it is not within a commit: there it would hold the store for all. */
function stopBeside(process: GatewayProcess): void {
  for (;;) {
    process.signal("SIGSTOP");
    const database = new DatabaseSync(join(folder, "baton.db"), { timeout: 50 });
    try {
      database.exec("BEGIN IMMEDIATE; ROLLBACK");
      return;
    } catch (error) {
      if (!/locked/.test(String(error))) throw error;
      process.signal("SIGCONT"); // It, or the other one, is writing.
    } finally {
      database.close();
    }
  }
}

const transcript = () => rows("SELECT role, content FROM messages ORDER BY session_id, seq");
const answersTo = (name: string) =>
  transcript().filter(({ role, content }) => role === "assistant" && `${content}`.endsWith(`answer ${name}`));

describe("two gateways on one store and in one session", () => {
  test("take turns: one at a time, each answered once, each by its own account", async () => {
    const [one, two] = await Promise.all([start("one"), start("two")]);
    for (let n = 0; n < 8; n++) {
      one.platform.write(CHAT, n % 2 ? "slow" : "tool slow");
      two.platform.write(CHAT, "slow");
    }
    await Promise.all([one.process.settle(), two.process.settle()]);

    const log = await turnLog();
    expect(log).toHaveLength(32);
    log.forEach((line, index) => {
      const [what, number, account] = line.split(" ");
      if (what === "begin") expect(log[index + 1]).toBe(`end ${number} ${account}`);
    });
    for (const { platform } of [one, two]) {
      for (const { text } of platform.written) expect(answersTo(text.split(" ")[0] ?? "")).toHaveLength(1);
      const answered = platform.seen.map(({ text }) => text).filter((text) => text.includes("answer"));
      expect(answered).toEqual(platform.written.map(({ text }) => `well, answer ${text.split(" ")[0]}`));
    }
    expect(rows("SELECT DISTINCT session_id FROM messages")).toHaveLength(1);
  });

  test("one that is stopped past its lease is replaced, and can write no more when it goes on", async () => {
    const lease = { leaseMs: 400 };
    const [one, two] = await Promise.all([start("one", { ...lease, slowMs: 2_000 }), start("two", lease)]);
    const begun = one.process.begun();
    const asked = one.platform.write(CHAT, "tool slow");
    const queued = one.platform.write(CHAT, "and then");
    await begun;
    await vi.waitUntil(() => rows("SELECT state FROM outbox").some(({ state }) => state === "sent"), {
      timeout: 20_000,
    });
    stopBeside(one.process);

    const other = two.platform.write(CHAT, "meanwhile");
    await two.platform.until((seen) => seen.some(({ text }) => text.endsWith(`answer two${other}`)));
    expect(answersTo(`one${asked}`)).toHaveLength(1);
    expect(rows("SELECT fence, attempt, state FROM turns ORDER BY started_at LIMIT 1")).toEqual([
      { fence: 2, attempt: 2, state: "done" },
    ]);

    one.process.signal("SIGCONT");
    await Promise.all([one.process.settle(), two.process.settle()]);
    expect(one.process.refused).toEqual(
      expect.arrayContaining([expect.stringMatching(/^turns\.(step|renew|finish)$/)]),
    );
    expect(two.process.refused).toEqual([]);
    expect(transcript().map(({ role, content }) => `${role}: ${content}`)).toEqual([
      `user: one${asked} tool slow`,
      `assistant: looking one${asked}`,
      "tool: found",
      `assistant: well, answer one${asked}`,
      `user: two${other} meanwhile`,
      `assistant: answer two${other}`,
      `user: one${queued} and then`,
      `assistant: answer one${queued}`,
    ]);
    // What the other one made of it still went out through the account that was asked.
    expect(one.platform.seen.map(({ text }) => text)).toEqual([
      `looking one${asked}`,
      `well, answer one${asked}`,
      `answer one${queued}`,
    ]);
    expect(two.platform.seen.map(({ text }) => text)).toEqual([`answer two${other}`]);
  });

  test("goes on with the turn of one that was killed, without being started anew", async () => {
    const lease = { leaseMs: 200, account: "one" };
    const first = await start("one", { ...lease, slowMs: 10_000 });
    const second = await start("one", lease); // Stands by: the first one has the account.
    const begun = first.process.begun();
    const asked = first.platform.write(CHAT, "slow");
    await begun;
    await first.process.kill();
    await second.platform.until((seen) => seen.some(({ text }) => text.endsWith(`answer one${asked}`)));
    await second.process.settle();
    expect(answersTo(`one${asked}`)).toHaveLength(1);
  });
});
