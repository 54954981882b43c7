/** What every store tells of its commits, as a vitest suite over the same fixtures as the gateway store's. */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Fact } from "../gateway/facts.js";
import type { GatewayStore, NewDelivery, Sending, Turn } from "../gateway/store.js";
import { asHandoffId, type DeliveryId, type SessionId, type TurnId } from "../session/ids.js";
import { platforms } from "../session/platform.js";
import { Sessions } from "../session/sessions.js";
import { addressOf, parseSource } from "../session/source.js";
import type { SessionStore } from "../session/store.js";
import type { GatewayStoreFixture } from "./gateway-store-contract.js";

const [, HERE = "", THERE = ""] = platforms();
const account = { platform: HERE, account: "bot" };
const ann = parseSource({ platform: HERE, chat_id: "1", user_id: "ann", user_name: "Ann" });
const bob = parseSource({ platform: HERE, chat_id: "2", user_id: "bob", user_name: "Bob" });
const there = parseSource({ platform: THERE, chat_id: "9", user_id: "ann", user_name: "Ann" });
const outbox: Fact = { kind: "outbox", ...account };

export function factsContract(name: string, createFixture: () => Promise<GatewayStoreFixture>): void {
  describe(`facts of a store: ${name}`, () => {
    let fixture: GatewayStoreFixture;
    let store: SessionStore & GatewayStore;
    let sessions: Sessions;
    const now = 1_000;
    const heard: Fact[] = [];

    beforeEach(async () => {
      fixture = await createFixture();
      store = await fixture.open();
      sessions = new Sessions(store, { clock: () => now });
      store.subscribe((fact) => {
        if (fact.kind !== "unknown") heard.push(fact);
      });
      heard.length = 0;
    });
    afterEach(() => fixture.dispose());

    /** What was heard of that; all of it, by the time that the call returns. */
    const factsOf = async (work: () => Promise<unknown>): Promise<Fact[]> => {
      heard.length = 0;
      await work();
      return [...heard];
    };
    const delivery = (deliveryId: string, more: Partial<NewDelivery> = {}): NewDelivery => ({
      deliveryId: deliveryId as DeliveryId,
      account: "bot",
      holder: "me",
      address: addressOf(ann),
      purpose: "reply",
      text: deliveryId,
      sessionId: null,
      shown: false,
      ...more,
    });
    const begin = async (messageId: string): Promise<Turn> => {
      const { key } = sessions.laneOf(ann);
      const item = { ...account, kind: "message" as const, key, source: ann, messageId, text: messageId };
      const accepted = await store.inbox.accept(item, "me", now);
      if (!accepted) throw new Error("It was there already.");
      const begun = await sessions.resolveIn(ann, {}, { role: "user", content: messageId }, (request) =>
        store.turns.begin(
          `turn-${messageId}` as TurnId,
          accepted,
          request,
          { holder: "me", leaseMs: 100 },
          () => [],
        ),
      );
      if (begun.kind !== "begun") throw new Error(`It did not begin: ${begun.kind}.`);
      return begun.turn;
    };
    const session = (sessionId: SessionId): Fact => ({ kind: "session", sessionId });

    it("tells of what waits to be sent, and not of what was seen already", async () => {
      expect(await factsOf(() => store.outbox.add([delivery("a"), delivery("b")], now))).toEqual([outbox]);
      expect(await factsOf(() => store.outbox.add([delivery("c", { shown: true })], now))).toEqual([]);
    });

    it("tells of what is left to another process", async () => {
      await store.outbox.add([delivery("a")], now);
      expect(await factsOf(() => store.outbox.release(account, "me"))).toEqual([outbox]);
      expect(await factsOf(() => store.outbox.release(account, "me"))).toEqual([]);
    });

    it("tells of the session in which a message to another chat was said", async () => {
      const { sessionId } = await sessions.getOrCreate(bob);
      const say = () => store.outbox.say(sessionId, "hello", [delivery("a")], now);
      expect(await factsOf(say)).toEqual([
        session(sessionId),
        { kind: "messages", sessionId, first: 1, last: 1 },
        outbox,
      ]);
      expect(await factsOf(say)).toEqual([]); // It was said before.
    });

    it("tells of a message that waits, once", async () => {
      const { key } = sessions.laneOf(ann);
      const item = { ...account, kind: "message" as const, key, source: ann, messageId: "1", text: "hi" };
      const accept = () => store.inbox.accept(item, "me", now);
      expect(await factsOf(accept)).toMatchObject([
        { kind: "inbox", holder: "me", item: { text: "hi", id: expect.any(Number) } },
      ]);
      expect(await factsOf(accept)).toEqual([]);
    });

    it("tells of a turn's session, its messages and what it says", async () => {
      const turn = await begin("1");
      const messages = [{ role: "assistant" as const, content: "hello" }];
      const step = { messages, deliveries: [delivery("a")], steeredIn: [] };
      expect(await factsOf(() => store.turns.step(turn, step, 100, now))).toEqual([
        session(turn.sessionId),
        { kind: "messages", sessionId: turn.sessionId, first: 2, last: 2 },
        outbox,
      ]);
      const none = { messages: [], deliveries: [], steeredIn: [] };
      expect(await factsOf(() => store.turns.finish(turn, "done", none, null, now))).toEqual([]);
    });

    it("tells nothing of what was refused", async () => {
      const turn = await begin("1");
      const stale = { ...turn, fence: 0 };
      const messages = [{ role: "assistant" as const, content: "hello" }];
      const step = { messages, deliveries: [delivery("a")], steeredIn: [] };
      expect(await factsOf(() => store.turns.step(stale, step, 100, now))).toEqual([]);
      const twice = store.outbox.add([delivery("x"), delivery("x")], now);
      expect(await factsOf(() => expect(twice).rejects.toThrow())).toEqual([]);
    });

    it("tells that a turn is to stop", async () => {
      const turn = await begin("1");
      expect(await factsOf(() => store.turns.askToStop(turn, "stopped"))).toEqual([{ kind: "stops" }]);
    });

    it("tells of a handoff, of the end of the turn it waits for, and of the session that it ends", async () => {
      const turn = await begin("1");
      const { sessionId: before } = await sessions.getOrCreate(there);
      const ask = () =>
        store.handoffs.request({ id: asHandoffId("h"), sessionId: turn.sessionId, target: THERE }, now);
      expect(await factsOf(ask)).toContainEqual({ kind: "handoffs" });
      const none = { messages: [], deliveries: [], steeredIn: [] };
      expect(await factsOf(() => store.turns.finish(turn, "done", none, null, now))).toEqual([
        { kind: "handoffs" },
      ]);
      const claim = { kind: "claim", fence: 0, holder: "gw", leaseMs: 100 } as const;
      expect(await factsOf(() => store.handoffs.step(asHandoffId("h"), claim, now))).toEqual([
        { kind: "handoffs" },
      ]);
      const complete = { kind: "complete", fence: 1 } as const;
      const effects = {
        place: sessions.laneOf(there),
        answering: { account: account.account, holder: "gw" },
      };
      const facts = await factsOf(() => store.handoffs.step(asHandoffId("h"), complete, now, effects));
      expect(facts).toEqual(
        expect.arrayContaining([session(turn.sessionId), session(before), { kind: "handoffs" }]),
      );
    });

    it("tells what became of a delivery that a handoff waits for, and of no other", async () => {
      const outcomes: readonly ((which: Sending) => Promise<void>)[] = [
        (which) => store.outbox.sent(which, "m1", now),
        (which) => store.outbox.fail(which, "no", false, 0),
        (which) => store.outbox.doubt(which, "timeout", null, now),
        (which) => store.outbox.retry(which, 10, "not now", now),
      ];
      for (const [n, become] of outcomes.entries())
        for (const handoffId of [asHandoffId("h"), null]) {
          const address = { ...addressOf(ann), chatId: `${n} ${handoffId}` };
          await store.outbox.add([delivery(address.chatId, { handoffId, address })], now);
          const [waiting] = (await store.outbox.pending(account, 10)).filter(
            ({ deliveryId }) => deliveryId === address.chatId,
          );
          if (!waiting || !(await store.outbox.sending(waiting.id, "me"))) throw new Error("Nothing waits.");
          expect(await factsOf(() => become(waiting))).toEqual(handoffId ? [{ kind: "handoffs" }] : []);
        }
    });

    it("tells other processes at once of what is for them", async ({ skip }) => {
      const other = await fixture.open();
      skip(other === store, "There is one connection only.");
      let onHeard = () => {};
      const next = async (act: () => Promise<unknown>): Promise<void> => {
        const told = new Promise<void>((resolve) => {
          onHeard = resolve;
        });
        await act();
        await told;
      };
      other.subscribe(() => onHeard());
      for (const n of [1, 2, 3])
        await next(() => store.outbox.add([delivery(`for you ${n}`, { holder: "" })], now));
    });

    it("goes on telling the others though one throws", async () => {
      store.subscribe(() => {
        throw new Error("not my day");
      });
      const last: string[] = [];
      store.subscribe(({ kind }) => last.push(kind));
      await store.outbox.add([delivery("a")], now);
      expect(last).toContain("outbox");
    });
  });
}
