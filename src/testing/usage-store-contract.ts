/** What every store must keep of the usage of models: once, with its step, and for its reader only. */
import { describe, expect, it } from "vitest";
import type { InboxItem, Turn, TurnStep } from "../gateway/store.js";
import type { Spend, UsageBy, UsageReader } from "../gateway/usage-store.js";
import { asSessionId } from "../session/ids.js";
import type { ModelUse } from "../session/session.js";
import type { SessionSource } from "../session/source.js";
import type { GatewayStoreFixture } from "./gateway-store-contract.js";
import { OWNER as ANN, ann, bot, HERE, JobStoreWorld, nothing } from "./job-store-world.js";

const DAY_MS = 24 * 60 * 60 * 1_000;
const ALL: UsageReader = { kind: "owner" };
const bob: SessionSource = { ...ann, chatId: "2", userId: "bob" };
const BOB = `${HERE}:bob`;
const person = (...identities: string[]): UsageReader => ({ kind: "person", identities });
const use = (inputTokens: number, cost?: number, model?: string): ModelUse => ({
  ...(model === undefined ? {} : { model }),
  usage: { inputTokens, ...(cost === undefined ? {} : { cost }) },
});
const step = (...uses: ModelUse[]): TurnStep => ({ ...nothing, uses });

export function usageStoreContract(name: string, createFixture: () => Promise<GatewayStoreFixture>): void {
  describe(`usage store: ${name}`, () => {
    const world = new JobStoreWorld(createFixture);
    let messages = 0;

    const accepted = async (source: SessionSource): Promise<InboxItem> => {
      const item = await world.store.inbox.accept(
        {
          ...bot,
          kind: "message",
          key: world.sessions.laneOf(source).key,
          source,
          messageId: `u${++messages}`,
          text: "hi",
        },
        "me",
        world.now,
      );
      if (!item) throw new Error("It was there already.");
      return item;
    };
    /** A turn of that person in their private chat, or elsewhere. */
    const turnOf = async (source: SessionSource = ann): Promise<Turn> => world.turnOf(await accepted(source));
    const finish = (turn: Turn, ...uses: ModelUse[]) =>
      world.store.turns.finish(turn, "done", step(...uses), null, world.now);
    const today = () => new Date(world.now).toISOString().slice(0, 10);
    const spent = (...identities: string[]): Promise<Spend> =>
      world.store.usage.measure({ kind: "person", identities, day: today() });
    const sums = async (reader: UsageReader, by: UsageBy, fromDay = today()) =>
      (await world.store.usage.sums(reader, by, { fromDay })).map(({ key, totalTokens }) => [
        key,
        totalTokens,
      ]);

    it("counts what a step adds to the session, for the author, the day and the model", async () => {
      const turn = await turnOf();
      const cached: ModelUse = {
        model: "big",
        usage: { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4, cost: 0.5 },
      };
      await world.store.turns.step(turn, step(cached, use(10, undefined, "small")), 1_000, world.now);
      await finish(turn, cached);
      const session = await world.sessions.get(turn.sessionId);
      expect(session).toMatchObject({ totalTokens: 30, cost: 1 });
      const inSession = { kind: "session", sessionId: turn.sessionId } as const;
      for (const measured of [
        await spent(ANN),
        await world.store.usage.measure(inSession),
        await world.store.usage.measure({ kind: "everyone", day: today() }),
      ])
        expect(measured).toEqual({ tokens: 30, cost: 1 });
      expect(await world.store.usage.sums(person(ANN), "model", { fromDay: today() })).toEqual([
        {
          key: "big",
          modelCalls: 2,
          unpricedCalls: 0,
          inputTokens: 2,
          outputTokens: 4,
          cacheReadTokens: 6,
          cacheWriteTokens: 8,
          totalTokens: 20,
          cost: 1,
        },
        expect.objectContaining({ key: "small", modelCalls: 1, unpricedCalls: 1, totalTokens: 10, cost: 0 }),
      ]);
      expect(await sums(ALL, "session")).toEqual([[turn.sessionId, 30]]);
      expect(await sums(ALL, "job")).toEqual([["", 30]]);
    });

    it("counts nothing of a step that is refused, and a step that is tried again once", async () => {
      const turn = await turnOf();
      await world.store.turns.step(turn, step(use(5)), 1, world.now);
      const heir = await world.store.turns.takeOver(turn, { holder: "heir", leaseMs: 1 }, world.now);
      expect(await finish(turn, use(100))).toBe(false);
      expect(await spent(ANN)).toEqual({ tokens: 5, cost: 0 });
      expect(heir && (await finish(heir, use(7)))).toBe(true);
      expect(heir && (await finish(heir, use(7)))).toBe(false);
      expect(await spent(ANN)).toEqual({ tokens: 12, cost: 0 });
      expect(await sums(ALL, "day")).toEqual([[today(), 12]]);
    });

    it("loses nothing if several processes add at once", async () => {
      const turns = await Promise.all(
        Array.from({ length: 10 }, (_, n) => turnOf({ ...ann, chatType: "group", chatId: `g${n}` })),
      );
      await world.race(50, (store, n) =>
        store.turns.step(turns[n % 10] as Turn, step(use(1, 0.25, "m"), use(2)), 1_000, world.now),
      );
      expect(await spent(ANN)).toEqual({ tokens: 150, cost: 12.5 });
      expect(await sums(ALL, "identity")).toEqual([[ANN, 150]]);
      expect((await sums(ALL, "session")).map(([, tokens]) => tokens)).toEqual(Array(10).fill(15));
    });

    it("counts for the author, in a group and if somebody else repeats it, and a job's turn for the job too", async () => {
      const group = { ...ann, chatType: "group", chatId: "room" } as const;
      await finish(await turnOf(group), use(1));
      await finish(await turnOf({ ...group, userId: "bob" }), use(20));
      const repeated = await accepted(group);
      await world.store.inbox.skip(repeated.id, "me", [], world.now);
      const { id: _, receivedAt: __, ...again } = repeated;
      const item = await world.store.inbox.accept(
        { ...again, messageId: "again", source: { ...group, userId: "bob" }, by: group },
        "me",
        world.now,
      );
      await finish(await world.turnOf(item as InboxItem), use(300));
      expect(await sums(ALL, "identity")).toEqual([
        [ANN, 301],
        [BOB, 20],
      ]);
      const run = await world.begun();
      await finish(await world.turnOf(run.item), use(4_000));
      expect(await sums(person(ANN), "job")).toEqual([
        [run.job.id, 4_000],
        ["", 301],
      ]);
      expect(await spent(ANN)).toEqual({ tokens: 4_301, cost: 0 });
    });

    it("counts the identities of a person together, and shows nobody what another used", async () => {
      await finish(await turnOf(ann), use(1));
      await finish(await turnOf(bob), use(20));
      expect(await spent(ANN, BOB)).toEqual({ tokens: 21, cost: 0 });
      expect(await sums(person(ANN), "identity")).toEqual([[ANN, 1]]);
      for (const by of ["day", "identity", "session", "job", "model"] as const) {
        expect((await sums(person(BOB), by)).map(([, tokens]) => tokens)).toEqual([20]);
        expect(await sums(person(`${HERE}:carl`), by)).toEqual([]);
        expect(await sums(person(), by)).toEqual([]);
      }
      const { sessionId } = world.entry;
      const range = { fromDay: today(), sessionId };
      expect(await world.store.usage.sums(person(BOB), "day", range)).toEqual([]);
      expect(await world.store.usage.sums(person(ANN), "day", range)).toHaveLength(1);
      expect(await spent()).toEqual({ tokens: 0, cost: 0 });
    });

    it("starts afresh each day, keeps the days, and keeps the totals for a month", async () => {
      const first = today();
      await finish(await turnOf(), use(1));
      world.now += DAY_MS;
      expect(await spent(ANN)).toEqual({ tokens: 0, cost: 0 });
      await finish(await turnOf(), use(20));
      expect(await sums(ALL, "day", first)).toEqual([
        [first, 1],
        [today(), 20],
      ]);
      expect(await sums(ALL, "day")).toEqual([[today(), 20]]);
      world.now += 40 * DAY_MS;
      await finish(await turnOf(), use(300));
      expect(await world.store.spending.of(first)).toEqual([]);
      expect(await sums(ALL, "day", first)).toHaveLength(3);
    });

    it("outlives its session", async () => {
      const turn = await turnOf();
      await finish(turn, use(1));
      await world.sessions.end(turn.sessionId, "ended");
      world.now += DAY_MS;
      await world.store.routes.prune(world.now, 10);
      expect(await world.sessions.get(turn.sessionId)).toBeNull();
      expect(await sums(ALL, "session", "2026-01-01")).toEqual([[turn.sessionId, 1]]);
    });

    it("tells a person once of a limit, a day or a session, in any process and under any identity", async () => {
      const day = { identities: [ANN], limit: "tokensPerDay", of: { day: today() } };
      const tell = (notice: Parameters<typeof world.store.usage.tell>[0]) =>
        world.store.usage.tell(notice, [world.delivery()], world.now);
      const told = await world.race(6, (store) => store.usage.tell(day, [world.delivery()], world.now));
      expect(told.filter(Boolean)).toHaveLength(1);
      expect(await tell({ ...day, identities: [BOB, ANN] })).toBe(false);
      expect(await tell({ ...day, identities: [BOB] })).toBe(true);
      expect(await tell({ ...day, limit: "costPerDay" })).toBe(true);
      expect(await tell({ ...day, of: { day: "2026-01-02" } })).toBe(true);
      expect(await tell({ ...day, of: { sessionId: asSessionId("s1") } })).toBe(true);
      expect(await tell({ ...day, of: { sessionId: asSessionId("s1") } })).toBe(false);
      expect(await tell({ ...day, of: { sessionId: asSessionId("s2") } })).toBe(true);
      expect(await world.store.outbox.pending(bot, 100)).toHaveLength(6);
    });
  });
}
