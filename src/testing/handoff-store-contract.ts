/** What every store must do for handoffs as the gateway carries them out, over the same fixtures. */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { GatewayEffects, GatewayStore, InboxItem, NewDelivery, NewInboxItem } from "../gateway/store.js";
import { type Asker, HANDOFF_WAIT_MS, type Handoff, type HandoffStep } from "../session/handoff.js";
import {
  asHandoffId,
  type DeliveryId,
  deliveryIdOf,
  type HandoffId,
  type SessionId,
  type TurnId,
} from "../session/ids.js";
import { LOCAL, platforms } from "../session/platform.js";
import type { SessionEntry } from "../session/session.js";
import { Sessions } from "../session/sessions.js";
import { addressOf, parseSource, type SessionSource } from "../session/source.js";
import type { SessionStore } from "../session/store.js";
import type { GatewayStoreFixture } from "./gateway-store-contract.js";

const H1 = asHandoffId("h1");
const H2 = asHandoffId("h2");
const [, HERE = "", THERE = ""] = platforms();
const ann = parseSource({ platform: HERE, chat_id: "1", user_id: "ann", user_name: "Ann" });
const thread: SessionSource = { platform: THERE, chatId: "g", chatType: "thread", threadId: "t" };
const asker: Asker = { source: ann, account: "bot", holder: "" };
const there = { platform: THERE, account: "bot there" };

export function handoffStoreContract(name: string, createFixture: () => Promise<GatewayStoreFixture>): void {
  describe(`store of handoffs under way: ${name}`, () => {
    let fixture: GatewayStoreFixture;
    let store: SessionStore & GatewayStore;
    let sessions: Sessions;
    let entry: SessionEntry;
    let now: number;

    beforeEach(async () => {
      now = 100_000;
      fixture = await createFixture();
      store = await fixture.open();
      sessions = new Sessions(store, { clock: () => now });
      entry = (await sessions.receive(ann, { role: "user", content: "hello" })).entry;
    });
    afterEach(() => fixture.dispose());

    const delivery = (deliveryId: string, source: SessionSource): NewDelivery => ({
      deliveryId: deliveryId as DeliveryId,
      account: "bot",
      holder: "",
      address: addressOf(source),
      purpose: "notice",
      text: deliveryId,
      sessionId: null,
      shown: false,
    });
    const ask = async (target = `${THERE}:g`, id = H1) => {
      const handoff = await store.handoffs.request({ id, sessionId: entry.sessionId, target, asker }, now);
      if (!handoff) throw new Error("There is one already.");
      return handoff;
    };
    /** The handoff after this step; null if the step was refused. */
    const step = async (
      id: HandoffId,
      next: HandoffStep,
      effects?: GatewayEffects,
    ): Promise<Handoff | null> => {
      const outcome = await store.handoffs.step(id, next, now, effects);
      return outcome?.ok ? outcome.handoff : null;
    };
    const take = ({ id, fence }: Handoff, holder: string, left = false) =>
      step(id, { kind: "claim", fence, holder, leaseMs: 1_000, left });
    const claim = async (holder = "gw"): Promise<Handoff> => {
      const [open] = await store.handoffs.open(now);
      const held = open && (await take(open, holder));
      if (!held) throw new Error("It is not to be had.");
      return held;
    };
    const aim = ({ id, fence }: Handoff) =>
      step(id, { kind: "aim", fence, destination: sessions.laneOf(thread) });
    const announce = ({ id, fence }: Handoff, deliveries: NewDelivery[]) =>
      step(id, { kind: "announce", fence }, { deliveries });
    const bring = (to: SessionSource, account: string, holder: string) =>
      sessions.switchTo(to, entry.sessionId, { account, holder });
    /** What makes the agent confirm, in the new place. */
    const question = (): NewInboxItem => ({
      ...there,
      kind: "message",
      key: sessions.laneOf(thread).key,
      source: thread,
      messageId: "h1",
      made: "handoff",
      text: "confirm",
      by: ann,
    });
    const complete = ({ id, fence }: Handoff, more: Pick<GatewayEffects, "first" | "deliveries"> = {}) =>
      step(
        id,
        { kind: "complete", fence },
        { place: sessions.laneOf(thread), answering: { account: there.account, holder: "gw" }, ...more },
      );
    const accept = async (messageId: string, more: Partial<NewInboxItem> = {}) => {
      const { source = ann } = more;
      const { key } = sessions.laneOf(source);
      const account = { platform: source.platform, account: "bot" };
      const item = { ...account, kind: "message" as const, key, source, messageId, text: messageId, ...more };
      const accepted = await store.inbox.accept(item, "me", now);
      if (!accepted) throw new Error("It was there already.");
      return accepted;
    };
    const begin = (item: Awaited<ReturnType<typeof accept>>, holder = "me") =>
      sessions.resolveIn(item.source, {}, { role: "user", content: item.text }, (request) =>
        store.turns.begin(`turn-${item.id}` as TurnId, item, request, { holder, leaseMs: 100 }, () => []),
      );

    const announcement = (handoffId: string): NewDelivery => ({
      ...delivery(`${handoffId} is here`, thread),
      purpose: "announcement",
      handoffId: handoffId as HandoffId,
    });
    /** What that put into the inbox, as subscribers hear of it. */
    const placedBy = async (work: () => Promise<unknown>): Promise<InboxItem[]> => {
      const items: InboxItem[] = [];
      const end = store.subscribe((fact) => {
        if (fact.kind === "inbox") items.push(fact.item);
      });
      await work();
      end();
      return items;
    };

    it("keeps how far one has got, for whoever goes on with it", async () => {
      const asked = await ask();
      expect(asked).toMatchObject({ state: "pending", target: `${THERE}:g`, fromKey: entry.key });
      expect(await store.handoffs.request({ ...asked, id: H2, asker: null }, now)).toBeNull();
      const held = await claim();
      expect(held).toMatchObject({ asker, isThreadBegun: false, destination: null, isBusy: false, fence: 1 });
      await step(H1, { kind: "begin thread", fence: held.fence });
      expect(await store.handoffs.find(H1, now)).toMatchObject({
        isThreadBegun: true,
        destination: null,
      });
      await aim(held);
      expect(await store.handoffs.find(H1, now)).toMatchObject({
        isThreadBegun: true,
        destination: thread,
      });
      for (let twice = 0; twice < 2; twice++)
        expect(await announce(held, [announcement("h1")])).toMatchObject({ state: "running", fence: 1 });
      expect(await store.outbox.announcement(H1, addressOf(thread))).toEqual({
        state: "pending",
        error: null,
      });
      now += 900;
      expect(await step(H1, { kind: "renew", fence: held.fence, leaseMs: 600_000 })).not.toBeNull();
      expect((await store.handoffs.find(H1, now))?.leaseUntil).toBeGreaterThan(now + 300_000);
    });

    it("lets a program ask, and keeps the same of that", async () => {
      await sessions.requestHandoff(entry.sessionId, `${THERE}:g`);
      const held = await claim();
      expect(held.asker).toBeNull();
      await aim(held);
      expect((await store.handoffs.find(held.id, now))?.destination).toEqual(thread);
      expect(await placedBy(() => complete(held))).toEqual([]);
      expect((await sessions.current(sessions.laneOf(thread).key))?.sessionId).toBe(entry.sessionId);
    });

    it("refuses every write of a holder who was replaced", async () => {
      await ask();
      const first = await claim("a");
      expect(await take(first, "b")).toBeNull();
      const second = await take(first, "b", true);
      expect(second).toMatchObject({ fence: 2, claimedBy: "b" });
      expect(await take(first, "c", true)).toBeNull();
      const { fence } = first;
      expect(await step(H1, { kind: "renew", fence, leaseMs: 1_000 })).toBeNull();
      expect(await step(H1, { kind: "begin thread", fence })).toBeNull();
      expect(await aim(first)).toBeNull();
      expect(await announce(first, [delivery("x", thread)])).toBeNull();
      const told = { deliveries: [delivery("told", ann)] };
      expect(await complete(first, told)).toBeNull();
      expect(await step(H1, { kind: "fail", fence, error: "x" }, told)).toBeNull();
      expect(await store.outbox.pending({ platform: HERE, account: "bot" }, 10)).toEqual([]);
      expect((await sessions.current(entry.key))?.sessionId).toBe(entry.sessionId);
      expect(await store.handoffs.find(H1, now)).toMatchObject({
        state: "running",
        isThreadBegun: false,
      });
    });

    it("moves the session, what waits in its lane, and tells who asked, at once", async () => {
      await ask();
      const held = await claim();
      const waiting = [await accept("one"), await accept("two")];
      expect((await begin(waiting[0] as never)).kind).toBe("moving");
      const items = await placedBy(() =>
        complete(held, {
          first: question(),
          deliveries: [delivery("told", ann)],
        }),
      );
      expect(items.map(({ text, by, source }) => [text, by, source])).toEqual([
        ["confirm", ann, thread],
        ["one", ann, thread],
        ["two", ann, thread],
      ]);
      expect(await store.handoffs.find(H1, now)).toMatchObject({
        state: "completed",
        finishedAt: now,
      });
      expect((await sessions.current(sessions.laneOf(thread).key))?.sessionId).toBe(entry.sessionId);
      expect(await sessions.current(entry.key)).toBeNull();
      expect((await begin(waiting[0] as never)).kind).toBe("gone");
      expect((await store.inbox.waiting(there)).map(({ item }) => item.text)).toEqual([
        "confirm",
        "one",
        "two",
      ]);
      expect(await store.inbox.accept({ ...(waiting[0] as NewInboxItem) }, "me", now)).toBeNull();
      const told = await store.outbox.pending({ platform: HERE, account: "bot" }, 10);
      expect(told.map(({ deliveryId }) => deliveryId)).toEqual(["told"]);
      expect(await store.handoffs.lastFrom(entry.key)).toMatchObject({ id: "h1" });
      expect(await complete(held)).toBeNull();
    });

    it("puts files to a message where it was moved to, however often", async () => {
      const { id } = await accept("one");
      const files = { attachments: [{ file: "a", mediaType: "image/png" }], missing: ["b.png: gone"] };
      const put = (holder: string) => store.inbox.complete(id, holder, files);
      await bring(thread, there.account, "gw");
      await bring(ann, "bot", "gw");
      expect(await put("me")).toBeNull();
      const completed = await put("gw");
      expect(completed).toMatchObject({ text: "one", ...files, source: ann, made: "moved" });
      expect((await store.inbox.waiting({ platform: HERE, account: "bot" })).map(({ item }) => item)).toEqual(
        [completed],
      );
    });

    it("says where to fetch the files of a message that was moved", async () => {
      const files = [{ ref: "f1", mediaType: "image/png" }];
      const awaited = { platform: HERE, account: "bot", files, tries: 1 };
      const { id } = await accept("one", { awaited });
      await bring(thread, there.account, "gw");
      expect((await store.inbox.waiting(there)).map(({ item }) => item.awaited)).toEqual([awaited]);
      expect(await store.inbox.fetching(id, "gw")).toEqual({ ...awaited, tries: 2 });
    });

    it("leaves what waits in a lane that has begun another session since", async () => {
      await ask();
      const held = await claim();
      await sessions.reset(entry.key);
      await accept("for the new one");
      expect(await placedBy(() => complete(held))).toEqual([]);
      const left = await store.inbox.waiting({ platform: HERE, account: "bot" });
      expect(left.map(({ item }) => item.text)).toEqual(["for the new one"]);
      expect((await sessions.get(entry.sessionId))?.endedAt).toBeNull();
    });

    it("brings back what waits with the session, behind the turn that still runs in the other place", async () => {
      await ask();
      await complete(await claim(), { first: question() });
      const bob = { ...thread, userId: "bob" };
      const running = await accept("one", { source: bob });
      const begun = await begin(running);
      if (begun.kind !== "begun") throw new Error("It was to begin.");
      const [steered, queued] = [
        await accept("two", { source: bob }),
        await accept("three", { source: bob }),
      ];
      const here = { platform: HERE, account: "bot" };
      let back: SessionEntry | undefined;
      const moved = await placedBy(async () => {
        back = await bring(ann, "bot", "mine");
      });
      expect(back).toMatchObject({ sessionId: entry.sessionId, key: entry.key });
      expect(moved.map(({ text, by, source }) => [text, by, source])).toEqual([
        ["two", bob, ann],
        ["three", bob, ann],
      ]);
      expect(await store.inbox.waiting(there)).toEqual([]);
      expect((await store.inbox.waiting(here)).map(({ item, holder }) => [item.text, holder])).toEqual([
        ["two", "mine"],
        ["three", "mine"],
      ]);
      expect((await begin(queued)).kind).toBe("gone");
      expect((await begin(moved[0] as never, "mine")).kind).toBe("busy");
      const step = { messages: [], deliveries: [], steeredIn: [steered.id] };
      expect(await store.turns.finish(begun.turn, "done", step, null, now)).toBe(true);
      expect((await begin(moved[0] as never, "mine")).kind).toBe("gone");
      const next = await begin(moved[1] as never, "mine");
      expect(next).toMatchObject({ kind: "begun", entry: { sessionId: entry.sessionId } });
      expect(await placedBy(() => bring(ann, "bot", "mine"))).toEqual([]);
    });

    it("brings nothing along from a lane that the session is not in any more", async () => {
      await sessions.reset(entry.key);
      await accept("for the new one");
      expect(await placedBy(() => bring(thread, there.account, "mine"))).toEqual([]);
      const left = await store.inbox.waiting({ platform: HERE, account: "bot" });
      expect(left.map(({ item }) => item.text)).toEqual(["for the new one"]);
    });

    it("takes back what the destination was to be told, and retracts what it was", async () => {
      const fail = (fence: number) =>
        step(
          H1,
          { kind: "fail", fence, error: "no" },
          { deliveries: [delivery("told", ann)], retraction: ["not after all"] },
        );
      await ask();
      const held = await claim();
      await announce(held, [announcement("h1")]);
      expect(await fail(held.fence)).toMatchObject({ state: "failed", error: "no" });
      expect(await store.outbox.announcement(H1, addressOf(thread))).toMatchObject({ state: "failed" });
      expect(await store.outbox.pending({ platform: THERE, account: "bot" }, 10)).toEqual([]);
      expect(await fail(held.fence)).toBeNull();
      expect(await store.outbox.pending({ platform: HERE, account: "bot" }, 10)).toHaveLength(1);

      await ask(`${THERE}:g`, H2);
      const again = await claim();
      await announce(again, [announcement("h2")]);
      const [pending] = await store.outbox.pending({ platform: THERE, account: "bot" }, 10);
      await store.outbox.sending(pending?.id ?? 0, "gw");
      const retraction = ["not after all", "nor this"];
      await step(H2, { kind: "fail", fence: again.fence, error: "no" }, { retraction });
      const said = await store.outbox.pending({ platform: THERE, account: "bot" }, 10);
      const back = { address: addressOf(thread), holder: "", purpose: "retraction", handoffId: "h2" };
      expect(said).toMatchObject([
        { ...back, text: "not after all" },
        { ...back, text: "nor this" },
      ]);
    });

    it("tells another place, if the first one can't be written to", async () => {
      await ask();
      const held = await claim();
      await announce(held, [announcement("h1")]);
      const [first] = await store.outbox.pending({ platform: THERE, account: "bot" }, 10);
      await store.outbox.sending(first?.id ?? 0, "gw");
      await store.outbox.fail({ id: first?.id ?? 0, holder: "gw" }, "It is gone.", false, now);
      const elsewhere = { ...announcement("h1"), deliveryId: deliveryIdOf("h1", "again") };
      const other = { ...addressOf(thread), threadId: "other" };
      for (let twice = 0; twice < 2; twice++) await announce(held, [{ ...elsewhere, address: other }]);
      expect(await store.outbox.announcement(H1, addressOf(thread))).toMatchObject({ state: "failed" });
      expect(await store.outbox.announcement(H1, other)).toEqual({ state: "pending", error: null });
      expect(await store.outbox.pending({ platform: THERE, account: "bot" }, 10)).toHaveLength(1);
    });

    it("finds the last one of a session to a target, and none of another", async () => {
      expect(await store.handoffs.lastTo(entry.sessionId, `${THERE}:g`)).toBeNull();
      await ask();
      const held = await claim();
      await aim(held);
      expect(await store.handoffs.lastTo(entry.sessionId, `${THERE}:g`)).toBeNull();
      await complete(held);
      expect(await store.handoffs.lastTo(entry.sessionId, `${THERE}:g`)).toMatchObject({
        id: H1,
        destination: thread,
      });
      expect(await store.handoffs.lastTo(entry.sessionId, `${THERE}:h`)).toBeNull();
      expect(
        await store.handoffs.lastTo("20200101_000000_000000000000" as SessionId, `${THERE}:g`),
      ).toBeNull();
    });

    it("knows for each lane what left it last, also without a handoff", async () => {
      const elsewhere = { ...ann, chatId: "elsewhere" };
      await sessions.switchTo(elsewhere, entry.sessionId);
      expect(await store.handoffs.lastFrom(entry.key)).toMatchObject({
        sessionId: entry.sessionId,
        state: "completed",
        finishedAt: now,
        destination: null,
      });
      now += 1;
      await sessions.switchTo(ann, entry.sessionId);
      expect(await store.handoffs.lastFrom(sessions.laneOf(elsewhere).key)).toMatchObject({
        sessionId: entry.sessionId,
        finishedAt: now,
      });
      expect(await store.handoffs.open(now)).toEqual([]);
    });

    it("finds what a process of the version before has announced, which gave it only an id", async () => {
      await ask();
      const held = await claim();
      await store.outbox.add([delivery("h1.here", thread)], now);
      expect(await announce(held, [announcement("h1")])).toMatchObject({ state: "running", fence: 1 });
      expect(await store.outbox.pending({ platform: THERE, account: "bot" }, 10)).toHaveLength(1);
      expect(await store.outbox.announcement(H1, addressOf(thread))).toEqual({
        state: "pending",
        error: null,
      });
    });

    it("is not claimed while a turn runs, and no turn begins while it is under way", async () => {
      const running = await begin(await accept("one"));
      if (running.kind !== "begun") throw new Error(running.kind);
      await ask();
      const [open] = await store.handoffs.open(now);
      expect(open).toMatchObject({ isBusy: true });
      expect(await take(open as Handoff, "gw")).toBeNull();
      now += 5_000;
      await store.turns.finish(
        running.turn,
        "done",
        { messages: [], deliveries: [], steeredIn: [] },
        null,
        now,
      );
      expect((await store.handoffs.open(now))[0]).toMatchObject({ isBusy: false, readySince: now });
      const next = await accept("two");
      expect((await begin(next)).kind).toBe("moving");
      now += HANDOFF_WAIT_MS + 1; // Nobody came: whoever waits is answered here.
      expect((await begin(next)).kind).toBe("begun");
    });

    it("holds messages in the lane that it comes to, and none for an offer to the terminal", async () => {
      await ask();
      const held = await claim();
      await aim(held);
      const early = await accept("early", { source: thread });
      expect((await begin(early)).kind).toBe("moving");
      await step(H1, { kind: "fail", fence: held.fence, error: "no" });
      expect((await begin(early)).kind).toBe("begun");
      await ask(LOCAL, H2);
      expect((await begin(await accept("meanwhile"))).kind).toBe("begun");
    });

    it("is asked for once by many at once, and won by one of many", async () => {
      const other = await fixture.open();
      const asked = await Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          (n % 2 ? store : other).handoffs.request(
            { id: asHandoffId(`h${n}`), sessionId: entry.sessionId, target: `${THERE}:g`, asker },
            now,
          ),
        ),
      );
      expect(asked.filter(Boolean)).toHaveLength(1);
      const [open] = await store.handoffs.open(now);
      const claims = await Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          (n % 2 ? store : other).handoffs.step(
            asHandoffId(open?.id ?? ""),
            { kind: "claim", fence: 0, holder: `gw${n}`, leaseMs: 1_000 },
            now,
          ),
        ),
      );
      expect(claims.filter((outcome) => outcome?.ok)).toHaveLength(1);
    });

    it("tells other connections soon", async ({ skip }) => {
      const other = await fixture.open();
      skip(other === store, "There is one connection only.");
      let told = 0;
      const unwatch = other.subscribe(() => {
        told += 1;
      });
      const next = async (change: () => Promise<unknown>) => {
        const before = told;
        await change();
        await expect.poll(() => told).toBeGreaterThan(before);
      };
      await next(() => ask());
      await next(() => claim());
      unwatch();
    });

    it("is forgotten with its session", async () => {
      await ask();
      await step(H1, { kind: "cancel", error: "cancelled" });
      await sessions.end(entry.sessionId);
      now += 1;
      expect((await sessions.prune({ endedBeforeMs: 0 })).sessions).toBe(1);
      expect(await store.handoffs.find(H1, now)).toBeNull();
    });
  });
}
