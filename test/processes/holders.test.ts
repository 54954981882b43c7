/**
 * Two gateways with one account on one store: what the first had when it froze goes with the account, in order, and when
 * it wakes it says nothing twice. And a PostgreSQL server that is cut off and crashes under load: nothing is lost, nothing
 * doubled, all is answered in order, and goes on by itself.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { AtLeastOnce } from "../support/at-least-once.js";
import { GatewayProcess, type GatewayProcessOptions } from "../support/gateway-process.js";
import { type Postgres, startPostgres } from "../support/postgres.js";
import { PostgresProxy } from "../support/postgres-proxy.js";

const CHATS = ["ann", "bob"];
const WAIT = { timeout: 60_000, interval: 20 };
/** Short enough to be waited for, long enough for a machine that is busy. */
const TIME_OUTS = "?query_timeout=4000";

let folder: string;
let postgres: Postgres;
const processes: GatewayProcess[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "baton-holders-"));
  postgres = await startPostgres();
}, 60_000);
afterEach(async () => {
  await Promise.all(processes.splice(0).map((process) => process.kill()));
});
afterAll(async () => {
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function start(
  platform: AtLeastOnce,
  options: Pick<GatewayProcessOptions, "url" | "leaseMs" | "failing">,
) {
  const given = { account: "bot", people: CHATS, busy: {}, slowMs: 20, ...options };
  const process = new GatewayProcess(given, platform);
  processes.push(process);
  await process.ready();
  return process;
}

const answers = (platform: AtLeastOnce, chat: string): string[] =>
  platform.seen.filter((seen) => seen.chat === chat).map(({ text }) => text);

describe.each([
  { engine: "SQLite", store: async () => join(folder, "frozen.db") },
  { engine: "PostgreSQL", store: async () => `${await postgres.createDatabase()}${TIME_OUTS}` },
])("a gateway that freezes while it has the account, on $engine", ({ store }) => {
  test("loses it with all that it had accepted, in order, and says nothing twice", {
    timeout: 120_000,
  }, async () => {
    const platform = new AtLeastOnce();
    const options = { url: await store(), leaseMs: 2_000 };
    const first = await start(platform, options);
    const second = await start(platform, options); // Stands by.
    const begun = first.begun();
    const [chat = ""] = CHATS;
    platform.write(chat, "patient");
    await begun;
    for (let n = 0; n < 5; n++) platform.write(chat, "and then");
    await vi.waitUntil(() => platform.open === 0, WAIT); // All of it is the first one's.
    first.freeze();

    await second.begun(); // The account is the second one's, which goes on with the turn.
    platform.write(chat, "after it");
    await vi.waitUntil(() => platform.open === 0, WAIT);
    await second.settle();
    const expected = ["well, answer 1", ...[2, 3, 4, 5, 6, 7].map((number) => `answer ${number}`)];
    expect(answers(platform, chat)).toEqual(expected);

    first.signal("SIGCONT");
    await vi.waitUntil(() => first.problems.some((problem) => problem.includes("stands by")), WAIT);
    platform.write(chat, "at last");
    await vi.waitUntil(() => platform.open === 0, WAIT);
    await Promise.all([first.settle(), second.settle()]);
    expect(answers(platform, chat)).toEqual([...expected, "answer 8"]);
  });
});

describe("a PostgreSQL server under load", () => {
  const interruptions: [string, (proxy: PostgresProxy) => Promise<void> | void][] = [
    ["whose connections are cut", (proxy) => proxy.cut()],
    ["whose connections die in silence", (proxy) => proxy.silence()],
    ["that crashes and is started again", () => postgres.crash()],
  ];
  test.each(interruptions)(
    "%s loses nothing, doubles nothing, and answers in order",
    { timeout: 120_000 },
    async (_, interrupt) => {
      const proxy = await PostgresProxy.before(await postgres.createDatabase());
      const platform = new AtLeastOnce();
      // The platform brings its messages in order, each until it is kept; the store fails by itself.
      const options = { url: `${proxy.url}${TIME_OUTS}`, leaseMs: 6_000, failing: 0 };
      const gateway = await start(platform, options);
      const numbers: Record<string, number[]> = Object.fromEntries(CHATS.map((chat) => [chat, []]));
      const write = () => {
        for (const chat of CHATS) numbers[chat]?.push(platform.write(chat, "slow"));
      };
      for (let n = 0; n < 6; n++) write();
      for (let time = 0; time < 3; time++) {
        const before = platform.seen.length;
        await platform.until((seen) => seen.length > before); // In the middle of it.
        write();
        await interrupt(proxy);
        write();
      }
      // Beside the answers, a chat may have been told that nothing can be saved.
      const answered = (seen: readonly { readonly text: string }[]): number[] =>
        seen.flatMap(({ text }) => /^well, answer (\d+)$/.exec(text)?.[1] ?? []).map(Number);
      const wanted = CHATS.flatMap((chat) => numbers[chat] ?? []);
      await platform.until((seen) => new Set(answered(seen)).size === wanted.length);
      await gateway.settle();
      for (const chat of CHATS)
        expect(answered(platform.seen.filter((seen) => seen.chat === chat))).toEqual(numbers[chat]);
      expect(platform.open).toBe(0);
      expect(gateway.isOver).toBe(false);
      await gateway.kill();
      await proxy.close();
    },
  );
});
