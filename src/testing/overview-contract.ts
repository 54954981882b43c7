/** What every store must show of what is open, and what becomes of deliveries that somebody decides about. */
import { describe, expect, it } from "vitest";
import type { DeliveryDecision, DeliveryList } from "../gateway/deliveries.js";
import type { Delivery, InboxItem, NewDelivery } from "../gateway/store.js";
import type { DeliveryId, HandoffId, SessionId } from "../session/ids.js";
import { formatAddress } from "../session/source.js";
import type { GatewayStoreFixture } from "./gateway-store-contract.js";
import { ann, bot, HERE, JobStoreWorld, quiet, well } from "./job-store-world.js";

const PLACE = { platform: HERE, chatId: "1" };

export function overviewContract(name: string, createFixture: () => Promise<GatewayStoreFixture>): void {
  describe(`overview: ${name}`, () => {
    const world = new JobStoreWorld(createFixture);
    let count = 0;

    const accepted = async (chatId = "1"): Promise<InboxItem> => {
      count += 1;
      const source = { ...ann, chatId, userId: chatId };
      const { key } = world.sessions.laneOf(source);
      const item = {
        ...bot,
        kind: "message" as const,
        key,
        source,
        messageId: `o${count}`,
        text: `t${count}`,
      };
      const kept = await world.store.inbox.accept(item, "me", world.now);
      if (!kept) throw new Error("It was there already.");
      return kept;
    };
    const delivery = (given: Partial<NewDelivery> = {}): NewDelivery => {
      count += 1;
      return {
        deliveryId: `d${count}` as DeliveryId,
        account: bot.account,
        holder: "me",
        address: PLACE,
        purpose: "reply",
        text: `text ${count}`,
        sessionId: world.entry.sessionId,
        shown: false,
        ...given,
      };
    };
    /** One that failed, or is in doubt. */
    const unsent = async (
      became: "failed" | "unknown",
      given: Partial<NewDelivery> = {},
    ): Promise<Delivery> => {
      const { outbox } = world.store;
      await outbox.add([delivery(given)], world.now);
      const sending = (await outbox.pending(bot, 100)).at(-1);
      if (!sending || !(await outbox.sending(sending.id, "me"))) throw new Error("It can't be sent.");
      const which = { ...sending, holder: "me" };
      if (became === "failed") await outbox.fail(which, "no such chat", true, world.now);
      else await outbox.doubt(which, "no answer", null, world.now);
      return sending;
    };
    const listed = async (which: DeliveryList) =>
      (await world.store.deliveries.list(which, 10)).items.map(({ id }) => id);
    const decide = (id: number, decision: DeliveryDecision) => world.store.deliveries.decide(id, decision);

    it("reads the messages next to a number, without those that were taken back", async () => {
      const { sessionId } = world.entry;
      const said = (content: string) => ({ role: "user" as const, content });
      await world.sessions.appendMany(sessionId, ["a", "b", "c", "d"].map(said));
      const part = async (side: "before" | "after", seq: number, limit: number) =>
        (await world.sessions.part(sessionId, { side, seq, limit })).map(({ content }) => content);
      expect(await part("before", 4, 2)).toEqual(["b", "c"]);
      expect(await part("before", 2, 9)).toEqual(["a"]);
      expect(await part("before", 1, 9)).toEqual([]);
      expect(await part("before", Number.MAX_SAFE_INTEGER, 3)).toEqual(["b", "c", "d"]);
      expect(await part("after", 1, 2)).toEqual(["b", "c"]);
      await world.sessions.rewrite(sessionId, [said("a"), said("e")]);
      expect(await part("before", 9, 9)).toEqual(["a", "e"]);
      expect(await part("after", 0, 9)).toEqual(["a", "e"]);
      await world.sessions.rewrite(sessionId, [said("new")]);
      expect(await part("before", 9, 9)).toEqual(["new"]);
      expect(await part("before", 9, 0)).toEqual([]);
    });

    it("knows which turns run, in which sessions, and who was asked to stop", async () => {
      const { overview, turns } = world.store;
      const { sessionId } = world.entry;
      const other = (await world.sessions.getOrCreate({ ...ann, chatId: "2", userId: "2" })).sessionId;
      expect(await overview.turns(5)).toEqual([]);
      const turn = await world.turnOf(await accepted("2"));
      expect(await overview.working([sessionId, other])).toEqual(new Set([other]));
      expect(await overview.working([])).toEqual(new Set());
      expect(await overview.working(["gone" as SessionId])).toEqual(new Set());
      const [running] = await overview.turns(5);
      expect(running).toMatchObject({ startedAt: world.now, isStopping: false });
      expect(running?.entry.sessionId).toBe(other);
      await turns.askToStop(turn, "stopped");
      expect((await overview.turns(5))[0]?.isStopping).toBe(true);
      await turns.finish(turn, "done", { messages: [], deliveries: [], steeredIn: [] }, null, world.now);
      expect(await overview.turns(5)).toEqual([]);
      expect(await overview.working([other])).toEqual(new Set());
    });

    it("shows what was accepted and is not answered, in pages, and how old it is", async () => {
      const { overview } = world.store;
      expect(await overview.waitingSince()).toEqual({ inbox: null, outbox: null });
      const [first] = [await accepted("1"), await accepted("2")];
      world.now += 5;
      const last = await accepted("3");
      await world.store.outbox.add([delivery()], world.now);
      await world.turnOf(first);
      const page = await overview.open(2);
      expect(page.items).toMatchObject([
        { id: first.id, text: first.text, at: first.receivedAt, isBegun: true, kind: "message", made: null },
        { isBegun: false },
      ]);
      const rest = await overview.open(2, page.nextCursor ?? "");
      expect(rest).toMatchObject({ items: [{ id: last.id, source: { chatId: "3" } }], nextCursor: null });
      expect(await overview.waitingSince()).toEqual({ inbox: world.now - 5, outbox: world.now });
      await expect(overview.open(2, "x' OR 1")).rejects.toThrow(/cursor/);
    });

    it("knows the last handoff of each session, and how large the store is", async () => {
      const { overview, handoffs } = world.store;
      const { sessionId } = world.entry;
      expect(await overview.lastHandoffs([sessionId], world.now)).toEqual([]);
      for (const id of ["ho_1", "ho_2"]) {
        await handoffs.request({ id: id as HandoffId, sessionId, target: HERE }, world.now);
        await handoffs.step(id as HandoffId, { kind: "cancel", error: "no" }, world.now);
        world.now += 1;
      }
      const found = await overview.lastHandoffs([sessionId, "other" as SessionId], world.now);
      expect(found.map(({ id, state }) => [id, state])).toEqual([["ho_2", "failed"]]);
      expect(await overview.bytes()).toBeGreaterThan(10_000);
    });

    it("lists what waits, failed or is in doubt, with whose it is", async () => {
      const failed = await unsent("failed");
      const later = await unsent("failed", { sessionId: null });
      const unknown = await unsent("unknown");
      await world.store.outbox.add([delivery()], world.now);
      expect(await listed("waiting")).toHaveLength(1);
      expect(await listed("failed")).toEqual([later.id, failed.id]);
      expect(await listed("unknown")).toEqual([unknown.id]);
      const { items, nextCursor } = await world.store.deliveries.list("failed", 1);
      expect(items).toMatchObject([{ id: later.id, belongs: null, error: "no such chat", attempts: 1 }]);
      const rest = await world.store.deliveries.list("failed", 1, nextCursor ?? "");
      const { owner, laneOwner, chat } = world.entry;
      expect(rest).toMatchObject({ items: [{ id: failed.id, belongs: { owner, laneOwner, chat } }] });
      expect(rest.nextCursor).toBeNull();
    });

    it("sends one again that failed or is in doubt, or drops it: once, whoever decides first", async () => {
      const { outbox } = world.store;
      for (const became of ["failed", "unknown"] as const) {
        const { id, text } = await unsent(became);
        const decided = await world.race(6, (store) => store.deliveries.decide(id, "send"));
        expect(decided.filter((each) => each === "done")).toHaveLength(1);
        const [waiting] = await outbox.pending(bot, 5);
        expect(waiting).toMatchObject({ id, text, state: "pending", attempts: 0, holder: "" });
        expect(await decide(id, "drop")).toBe("changed");
        expect(await outbox.sending(id, "other")).toBe(true);
        await outbox.sent({ ...(waiting as Delivery), holder: "other" }, "m1", world.now);
        expect(await decide(id, "send")).toBe("changed");
      }
      const { id } = await unsent("failed");
      expect(await decide(id, "drop")).toBe("done");
      expect(await decide(id, "send")).toBe("changed");
      expect(await decide(99_999, "send")).toBe("changed");
      expect(await outbox.pending(bot, 5)).toEqual([]);
      // Its chat need not hear of it any more.
      await outbox.tellFailed(bot, PLACE, () => delivery({ purpose: "notice" }), world.now);
      expect(await outbox.pending(bot, 5)).toEqual([]);
    });

    it("wakes who sends it, and nobody when it is dropped", async () => {
      const [first, second] = [await unsent("failed"), await unsent("unknown")];
      const facts: string[] = [];
      const end = world.store.subscribe(({ kind }) => void facts.push(kind));
      await decide(first.id, "drop");
      expect(facts).not.toContain("outbox");
      await decide(second.id, "send");
      end();
      expect(facts).toContain("outbox");
    });

    it("does not announce a handoff again that is over", async () => {
      const { id } = await unsent("failed", { handoffId: "ho_1" as HandoffId });
      expect(await decide(id, "send")).toBe("handoff");
      expect(await listed("failed")).toEqual([id]);
      expect(await decide(id, "drop")).toBe("done");
    });

    it("says of the result of a job that it waits again, once none of its parts is left unsent", async () => {
      const over = await world.ended();
      const result = {
        target: "origin",
        address: formatAddress(PLACE),
        state: "waiting" as const,
        error: null,
      };
      const runId = over.run.id;
      const deliveries = [delivery({ runId }), delivery({ runId })];
      const effects = { ...quiet, state: "done" as const, results: [result], deliveries };
      await world.store.jobRuns.settle(over, effects, well, world.now);
      const { outbox } = world.store;
      for (const sending of await outbox.pending(bot, 5)) {
        await outbox.sending(sending.id, "me");
        await outbox.fail({ ...sending, holder: "me" }, "no such chat", false, world.now);
      }
      const resultNow = async () => (await world.store.jobs.runs(over.job.id, 1))[0]?.results[0]?.state;
      const [second = 0, first = 0] = await listed("failed");
      expect(await resultNow()).toBe("failed");
      await decide(first, "send");
      expect(await resultNow()).toBe("failed");
      await decide(second, "send");
      expect(await resultNow()).toBe("waiting");
    });
  });
}
