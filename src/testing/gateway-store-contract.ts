/** What every store of the gateway must do, as a vitest suite over the same fixtures as the session store's. */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type {
  GatewayStore,
  InboxItem,
  NewDelivery,
  NewInboxItem,
  Sending,
  Turn,
  TurnStep,
} from "../gateway/store.js";
import type { HomeChannel } from "../session/context.js";
import { asSessionId, type DeliveryId, deliveryIdOf, type InboxId, type TurnId } from "../session/ids.js";
import { platforms } from "../session/platform.js";
import { buildSessionKey } from "../session/session-key.js";
import { Sessions } from "../session/sessions.js";
import { formatAddress, parseSource } from "../session/source.js";
import type { SessionStore } from "../session/store.js";
import type { Message } from "../session/transcript.js";

export interface GatewayStoreFixture {
  /** A connection to the fixture's data; called again, another one where the store has several. */
  open(): Promise<SessionStore & GatewayStore>;
  dispose(): Promise<void>;
}

const [, HERE = "", THERE = ""] = platforms();
const account = { platform: HERE, account: "bot" };
const ann = parseSource({ platform: HERE, chat_id: "1", user_id: "ann", user_name: "Ann" });
const nothing: TurnStep = { messages: [], deliveries: [], steeredIn: [] };
const said = (content: string): Message => ({ role: "assistant", content });

export function gatewayStoreContract(name: string, createFixture: () => Promise<GatewayStoreFixture>): void {
  describe(`gateway store: ${name}`, () => {
    let fixture: GatewayStoreFixture;
    let store: SessionStore & GatewayStore;
    let sessions: Sessions;
    const now = 1_000;

    beforeEach(async () => {
      fixture = await createFixture();
      store = await fixture.open();
      sessions = new Sessions(store, { clock: () => now });
    });
    afterEach(() => fixture.dispose());

    const item = (messageId: string, text = messageId): NewInboxItem => ({
      ...account,
      kind: "message",
      key: buildSessionKey(ann),
      source: ann,
      messageId,
      text,
    });
    const accept = async (messageId: string): Promise<InboxItem> => {
      const accepted = await store.inbox.accept(item(messageId), "me", now);
      if (!accepted) throw new Error("It was there already.");
      return accepted;
    };
    const begin = (accepted: InboxItem, on = store, holder = "me") =>
      sessions.resolveIn(accepted.source, {}, { role: "user", content: accepted.text }, (request) =>
        on.turns.begin(
          `turn-${accepted.id}-${holder}` as TurnId,
          accepted,
          request,
          { holder, leaseMs: 100 },
          () => [],
        ),
      );
    const begun = async (accepted: InboxItem): Promise<Turn> => {
      const outcome = await begin(accepted);
      if (outcome.kind !== "begun") throw new Error(outcome.kind);
      return outcome.turn;
    };
    const delivery = (deliveryId: string): NewDelivery => ({
      deliveryId: deliveryId as DeliveryId,
      account: "bot",
      holder: "me",
      address: { platform: HERE, chatId: "1" },
      purpose: "reply",
      text: deliveryId,
      sessionId: null,
      shown: false,
    });
    const transcript = async (turn: Turn) =>
      (await sessions.load(turn.sessionId)).map((message) => message.content);

    it("accepts a message once, however often and wherever it arrives", async () => {
      const other = await fixture.open();
      const all = await Promise.all(
        Array.from({ length: 20 }, (_, n) => (n % 2 ? store : other).inbox.accept(item("same"), "me", now)),
      );
      expect(all.filter(Boolean)).toHaveLength(1);
      expect(await store.inbox.waiting(account)).toHaveLength(1);
      expect(
        await store.inbox.accept({ ...item("same"), source: { ...ann, chatId: "2" } }, "me", now),
      ).not.toBeNull();
      expect(await store.inbox.accept({ ...item("same"), account: "other bot" }, "me", now)).not.toBeNull();
      expect((await store.inbox.waiting(account)).map(({ item: { source } }) => source.chatId)).toEqual([
        "1",
        "2",
      ]);
    });

    it("accepts a message only while persons are as they were when its sender was looked up", async () => {
      const { version } = await store.people.known("a:1");
      const first = await store.inbox.acceptFrom(version, item("1"), "me", now);
      expect(first).toMatchObject({ messageId: "1", receivedAt: now });
      expect(await store.inbox.acceptFrom(version, item("1"), "me", now)).toBe("duplicate");
      await store.people.join("a:1", "b:2", "p1", now);
      expect(await store.inbox.acceptFrom(version, item("1"), "me", now)).toBe("outdated");
      expect(await store.inbox.acceptFrom(version, item("2"), "me", now)).toBe("outdated");
      expect((await store.inbox.waiting(account)).map(({ item: { messageId } }) => messageId)).toEqual(["1"]);
      const newer = (await store.people.known("a:1")).version;
      expect(await store.inbox.acceptFrom(newer, item("2"), "me", now)).toMatchObject({ messageId: "2" });
    });

    it("gives back what it accepted, in order, hostile text mended", async () => {
      await accept("a");
      await store.inbox.accept(item("b\0:%", "x\0\ud800"), "me", now);
      const waiting = await store.inbox.waiting(account);
      expect(waiting.map(({ item: { text } }) => text)).toEqual(["a", "x\ufffd\ufffd"]);
      expect(waiting[0]?.item).toMatchObject({ source: ann, key: buildSessionKey(ann), receivedAt: now });
    });

    it("begins a turn with its message in the transcript, once, over two connections", async () => {
      const other = await fixture.open();
      const accepted = await accept("hello");
      const outcomes = await Promise.all([
        begin(accepted, store),
        begin(accepted, other),
        begin(accepted, store),
      ]);
      expect(outcomes.map(({ kind }) => kind).sort()).toEqual(["begun", "gone", "gone"]);
      const [running] = await store.turns.running(account, now);
      expect(running).toMatchObject({
        turn: { fence: 1, attempt: 1, address: { chatId: "1" } },
        item: { id: accepted.id },
      });
      expect(await transcript(running?.turn as Turn)).toEqual(["hello"]);
      expect(await store.inbox.waiting(account)).toEqual([]);
    });

    it("begins no message before an older one of its lane that waits for this process, or for none", async () => {
      const [first, second] = [await accept("1"), await accept("2")];
      expect((await begin(second)).kind).toBe("behind");
      await store.inbox.release(account, "me");
      const third = await accept("3");
      expect((await begin(third)).kind).toBe("behind"); // What was left comes first, whoever takes it.
      await store.inbox.adopt(account, "", "you");
      expect((await begin(third)).kind).toBe("begun"); // Another process has them, and may take its time.
      await store.turns.finish(
        (await store.turns.running(account, now))[0]?.turn as Turn,
        "done",
        { messages: [], deliveries: [], steeredIn: [] },
        null,
        now,
      );
      expect((await begin(second, store, "you")).kind).toBe("behind");
      expect((await begin(first, store, "you")).kind).toBe("begun");
    });

    it("begins a message while commands, and messages of other accounts and lanes, wait before it", async () => {
      await store.inbox.accept({ ...item("c", "/undo"), kind: "command" }, "me", now);
      await store.inbox.accept({ ...item("other"), account: "other bot" }, "me", now);
      const bob = { ...ann, chatId: "2", userId: "bob" };
      await store.inbox.accept({ ...item("b"), source: bob, key: buildSessionKey(bob) }, "me", now);
      expect((await begin(await accept("1"))).kind).toBe("begun");
    });

    it("lets a message be begun only by the process that has it, which may be another one later", async () => {
      const message = await accept("hello");
      const command = await store.inbox.accept({ ...item("c", "/undo"), kind: "command" }, "me", now);
      expect((await begin(message, store, "you")).kind).toBe("gone");
      expect(await store.inbox.beginCommand((command?.id ?? 0) as InboxId, "you")).toBe(false);
      await store.inbox.adopt({ ...account, account: "other bot" }, "me", "you");
      await store.inbox.adopt(account, "somebody", "you");
      expect((await store.inbox.waiting(account)).map(({ holder }) => holder)).toEqual(["me", "me"]);
      await store.inbox.adopt(account, "me", "you");
      expect((await begin(message)).kind).toBe("gone"); // Whoever had it before has it no more.
      expect(await store.inbox.beginCommand((command?.id ?? 0) as InboxId, "me")).toBe(false);
      expect((await begin(message, store, "you")).kind).toBe("begun");
      expect(await store.inbox.beginCommand((command?.id ?? 0) as InboxId, "you")).toBe(true);
    });

    it("lets nobody take on the messages of an account that another process has", async () => {
      const message = await accept("hello");
      await store.inbox.release(account, "me");
      await store.accounts.take(account, { holder: "you", leaseMs: 60_000 }, null, now);
      await store.inbox.adopt(account, "", "me"); // It had the account a moment ago, and does not know yet.
      expect((await begin(message)).kind).toBe("gone");
      await store.inbox.adopt(account, "", "you");
      expect((await begin(message, store, "you")).kind).toBe("begun");
    });

    it("gives an account to one process until its lease has run out, and its deliveries with it", async () => {
      const other = await fixture.open();
      const take = (holder: string, leaseMs: number, ended: string | null = null, on = store) =>
        on.accounts.take(account, { holder, leaseMs }, ended, now);
      expect(await store.accounts.lease(account, now)).toBeNull();
      const first = await Promise.all([take("a", 60_000), take("b", 60_000, null, other)]);
      expect(first.filter(Boolean)).toHaveLength(1);
      const [mine, yours] = first[0] ? ["a", "b"] : ["b", "a"];
      expect(await take(yours, 60_000)).toBe(false);
      expect(await take(yours, 60_000, "somebody else")).toBe(false);
      const holder = await store.accounts.lease(account, now);
      expect(holder?.holder).toBe(mine);
      expect(holder?.until).toBeGreaterThan(now + 30_000);
      expect(holder?.until).toBeLessThanOrEqual(now + 60_000);
      expect(holder?.since).toBeLessThanOrEqual(now);

      await store.outbox.add([delivery("x")], now);
      const [x] = await store.outbox.pending(account, 1);
      expect(await store.outbox.sending(x?.id ?? 0, yours)).toBe(false);
      expect(await take(yours, 60_000, mine)).toBe(true); // The one that had it has ended.
      expect(await store.accounts.renew(account, { holder: mine, leaseMs: 60_000 }, now)).toBe(false);
      expect(await store.outbox.sending(x?.id ?? 0, mine)).toBe(false);
      expect(await store.outbox.sending(x?.id ?? 0, yours)).toBe(true);
      expect(await store.accounts.renew(account, { holder: yours, leaseMs: 0 }, now)).toBe(true);
      expect((await store.accounts.lease(account, now))?.until).toBeLessThanOrEqual(now);
      expect(await take(mine, 60_000)).toBe(true);
    });

    it("has a default home channel for each platform, and others with a word, which only one platform has", async () => {
      const other = await fixture.open();
      const home = (platform: string, chatId: string, word?: string): HomeChannel => ({
        address: { platform, chatId },
        name: `chat ${chatId}`,
        ...(word === undefined ? {} : { word }),
      });
      const [a, b] = [HERE, THERE].sort() as [string, string];
      expect(await store.accounts.homes()).toEqual([]);
      for (const each of [
        home(b, "1"),
        home(b, "2", "ops"),
        home(a, "3", "oz"),
        home(a, "3", "o-z"),
        home(a, "4"),
      ])
        expect(await store.accounts.setHome(each)).toBe(true);
      expect(await other.accounts.homes()).toEqual([
        ...[home(a, "4"), home(a, "3", "o-z"), home(a, "3", "oz")],
        ...[home(b, "1"), home(b, "2", "ops")],
      ]);

      expect(await other.accounts.setHome(home(a, "5", "ops"))).toBe(false);
      expect(await other.accounts.setHome(home(b, "6", "ops"))).toBe(true);
      expect(await other.accounts.setHome(home(a, "7"))).toBe(true);
      await other.accounts.removeHome(home(a, "3", "oz"));
      await other.accounts.removeHome(home(b, "1"));
      expect(await store.accounts.homes()).toEqual([home(a, "7"), home(a, "3", "o-z"), home(b, "6", "ops")]);
      const thread = { address: { platform: a, chatId: "3", threadId: "7" }, name: "a thread", word: "ops" };
      await store.accounts.removeHome(home(b, "6", "ops"));
      expect(await store.accounts.setHome(thread)).toBe(true); // It is free again, for any platform.
      expect((await store.accounts.homes()).at(-1)).toEqual(thread);
    });

    it("runs one turn at a time per session", async () => {
      const first = await begun(await accept("one"));
      const second = await accept("two");
      expect(await begin(second)).toMatchObject({
        kind: "busy",
        running: { turn: { id: first.id }, lease: { holder: "me" } },
      });
      expect(await transcript(first)).toEqual(["one"]);
      expect(await store.turns.finish(first, "done", nothing, null, now)).toBe(true);
      expect((await begin(second)).kind).toBe("begun");
    });

    it("does not start fresh in the middle of a turn", async () => {
      const resetting = new Sessions(store, {
        clock: () => now + 10_000_000,
        config: { reset: { default: { mode: "idle", idleMinutes: 1 } } },
      });
      const turn = await begun(await accept("one"));
      const entry = await resetting.getOrCreate(ann, { touch: false });
      expect(entry.sessionId).toBe(turn.sessionId);
      expect((await resetting.explain(entry.key))?.heldBy).toEqual(["turn"]);
      expect(await resetting.isExpired(entry)).toBe(false);
      await store.turns.finish(turn, "done", nothing, null, now);
      expect(await resetting.isExpired(entry)).toBe(true);
      expect((await resetting.getOrCreate(ann)).parentId).toBe(turn.sessionId);
    });

    it("keeps a step whole: messages, usage, what is to be said, what was steered in", async () => {
      const turn = await begun(await accept("one"));
      const steered = await accept("two");
      const step = {
        messages: [{ role: "user", content: "two" } as Message, said("answer")],
        uses: [{ usage: { inputTokens: 7 } }],
        deliveries: [delivery("d1")],
        steeredIn: [steered.id],
      };
      expect(await store.turns.step(turn, step, 600_000, now)).toBe(true);
      expect(await transcript(turn)).toEqual(["one", "two", "answer"]);
      expect(await sessions.get(turn.sessionId)).toMatchObject({ inputTokens: 7, messageCount: 3 });
      expect(await store.inbox.waiting(account)).toEqual([]);
      expect((await store.outbox.pending(account, 10)).map(({ text }) => text)).toEqual(["d1"]);
      expect((await store.turns.running(account, now))[0]?.lease.until).toBeGreaterThan(now + 60_000);
    });

    it("keeps what a command made apart from a message of a platform, whatever ids those have", async () => {
      const own = await accept("one");
      const made = { ...own, made: "command" as const, messageId: "7", text: "made" };
      const asked = await store.inbox.accept(made, "me", now);
      for (const messageId of ["7", "command 7", "command:7"])
        expect(await store.inbox.accept({ ...own, messageId, text: messageId }, "me", now)).not.toBeNull();
      expect(await store.inbox.accept(made, "me", now)).toBeNull();
      const waiting = await store.inbox.waitingIn(own.key);
      expect(waiting.map(({ text, made: by }) => [text, by])).toEqual([
        ["one", undefined],
        ["made", "command"],
        ["7", undefined],
        ["command 7", undefined],
        ["command:7", undefined],
      ]);
      expect(waiting[1]).toEqual(asked);
      await begun(own);
      expect((await store.inbox.waitingIn(own.key)).map(({ id }) => id)).not.toContain(own.id);
      expect(await store.inbox.waitingIn("agent:main:none" as never)).toEqual([]);
    });

    it("keeps who wrote a message, and what is the gateway's own", async () => {
      const turn = await begun(await accept("one"));
      const author = { id: "somewhere:7", alias: "somewhere:+49", role: "owner" };
      const messages: Message[] = [
        { role: "user", content: "two", name: "Ann", author },
        { role: "user", content: "moved", author, note: true },
      ];
      await store.turns.step(turn, { ...nothing, messages }, now + 200, now);
      const kept = await sessions.load(turn.sessionId);
      expect(kept.slice(1)).toMatchObject(messages);
      await sessions.rewrite(turn.sessionId, kept.slice(0, 2));
      expect(await sessions.load(turn.sessionId, { superseded: true })).toHaveLength(3);
      expect(await sessions.history(turn.sessionId)).toMatchObject([{ content: "one" }, messages[0]]);
    });

    it("counts the end of a process for its turn where that was its only one, and once", async () => {
      const begin = async (id: string, chatId: string): Promise<Turn> => {
        const source = { ...ann, chatId, userId: chatId };
        const kept = await store.inbox.accept(
          { ...item(id), source, key: buildSessionKey(source) },
          "me",
          now,
        );
        return begun(kept as InboxItem);
      };
      const [one, two] = [await begin("one", "c1"), await begin("two", "c2")];
      const over = (turn: Turn | null, holder: string) =>
        store.turns.takeOver(turn as Turn, { holder, leaseMs: 500 }, now);
      // Both of one process, in whichever order and by whomever they are taken.
      const other = await fixture.open();
      const oneAgain = await over(one, "second");
      const twoAgain = await other.turns.takeOver(two, { holder: "third", leaseMs: 500 }, now);
      expect([oneAgain?.loneDeaths, twoAgain?.loneDeaths]).toEqual([0, 0]);
      // Now each is alone in its own.
      const oneMore = await over(oneAgain, "fourth");
      expect(oneMore).toMatchObject({ attempt: 3, loneDeaths: 1, messageSeq: 1 });
      // A process that lost its store for a while, or let go by itself, has not ended.
      expect(await over(oneMore, "fourth")).toMatchObject({ attempt: 4, loneDeaths: 1 });
      await store.turns.release(twoAgain as Turn);
      expect(await over(twoAgain, "fourth")).toMatchObject({ loneDeaths: 0 });
      const [running] = await store.turns.running(account, now);
      expect(running?.turn).toMatchObject({ loneDeaths: 1, messageSeq: 1 });
    });

    it("refuses every write of a holder who was replaced, or whose turn is over", async () => {
      const stale = await begun(await accept("one"));
      const fresh = await store.turns.takeOver(stale, { holder: "next", leaseMs: 500 }, now);
      expect(fresh).toMatchObject({ fence: 2, attempt: 2 });
      expect(await store.turns.item(stale.id)).toMatchObject({ id: stale.inboxId, text: "one" });
      expect(await store.turns.item("none" as TurnId)).toBeNull();
      expect(await store.turns.takeOver(stale, { holder: "late", leaseMs: 500 }, now)).toBeNull();
      const write = { ...nothing, messages: [said("stale")], deliveries: [delivery("stale")] };
      expect(await store.turns.step(stale, write, 900, now)).toBe(false);
      expect(await store.turns.renew(stale, 900, now)).toBe("lost");
      expect(await store.turns.askToStop(stale, "stopped")).toBe(false);
      expect(await store.turns.finish(stale, "done", write, null, now)).toBe(false);
      expect(await transcript(stale)).toEqual(["one"]);
      expect(await store.outbox.pending(account, 10)).toEqual([]);

      expect(
        await store.turns.finish(fresh as Turn, "done", { ...nothing, messages: [said("fresh")] }, null, now),
      ).toBe(true);
      expect(await store.turns.step(fresh as Turn, write, 0, now)).toBe(false);
      expect(await store.turns.finish(fresh as Turn, "failed", write, "x", now)).toBe(false);
      expect(await transcript(stale)).toEqual(["one", "fresh"]);
      expect(await store.turns.running(account, now)).toEqual([]);
    });

    describe("the journal of tool calls", () => {
      const call = (id: string) => ({ id, name: "terminal", arguments: '{"command":"ls"}' });
      const open = async (turn: Turn) =>
        (await store.journal.open(turn)).map(({ call: { id }, state, result }) => `${id} ${state} ${result}`);

      it("knows what was planned, what was started and what came of it, until the step is kept", async () => {
        const turn = await begun(await accept("one"));
        expect(await store.journal.planned(turn, call("a"), "Let me look.")).toBe(true);
        for (const id of ["b", "c"]) await store.journal.planned(turn, call(id), "");
        for (const id of ["a", "b"]) await store.journal.started(turn, call(id));
        for (const id of ["a", "b"]) expect(await store.journal.leads(turn, call(id), `p ${id}`)).toBe(true);
        expect((await store.journal.open(turn)).map(({ process }) => process)).toEqual(["p a", "p b", null]);
        await store.journal.finished(turn, call("a"), "files\0");
        expect(await open(turn)).toEqual(["a finished files\ufffd", "b started null", "c planned null"]);
        const [first] = await store.journal.open(turn);
        expect(first).toMatchObject({ call: call("a"), said: "Let me look." });

        const results = ["a", "b"].map((id): Message => ({ role: "tool", toolCallId: id, content: "" }));
        await store.turns.step(turn, { ...nothing, messages: [said(""), ...results] }, 100, now);
        expect(await open(turn)).toEqual([]);
      });

      it("takes calls that share an id one after the other, and one that nobody planned", async () => {
        const turn = await begun(await accept("one"));
        for (const text of ["first", ""]) await store.journal.planned(turn, call("same"), text);
        await store.journal.started(turn, call("same"));
        await store.journal.started(turn, call("unplanned"));
        expect(await open(turn)).toEqual([
          "same started null",
          "same planned null",
          "unplanned started null",
        ]);
        await store.turns.finish(turn, "failed", nothing, "x", now);
        expect(await open(turn)).toEqual([]);
      });

      it("is closed to a holder who was replaced", async () => {
        const stale = await begun(await accept("one"));
        await store.journal.planned(stale, call("a"), "");
        await store.turns.takeOver(stale, { holder: "next", leaseMs: 500 }, now);
        expect(await store.journal.planned(stale, call("b"), "")).toBe(false);
        expect(await store.journal.started(stale, call("a"))).toBe(false);
        expect(await store.journal.finished(stale, call("a"), "late")).toBe(false);
        expect(await open(stale)).toEqual(["a planned null"]);
      });
    });

    it("lets go of a turn for the next process without counting it as a failure", async () => {
      const turn = await begun(await accept("one"));
      await store.turns.release(turn);
      const [running] = await store.turns.running(account, now);
      expect(running?.lease.holder).toBe("");
      expect(running?.lease.until).toBeLessThanOrEqual(0);
      const taken = await store.turns.takeOver(running?.turn as Turn, { holder: "next", leaseMs: 1 }, now);
      expect(taken).toMatchObject({ attempt: 1, fence: 2 });
    });

    it("asks the process that runs a turn to end it, as long as it runs", async () => {
      const turn = await begun(await accept("one"));
      const other = await fixture.open();
      expect(await store.turns.toStop("me")).toEqual([]);
      expect(await store.turns.renew(turn, 200, now)).toBe("held");
      expect(await other.turns.askToStop({ ...turn, fence: 2 }, "stopped")).toBe(false);
      expect(await other.turns.askToStop(turn, "stopped")).toBe(true);
      const asked = { key: turn.key, inboxId: turn.inboxId, wish: "stopped" };
      expect(await store.turns.toStop("me")).toEqual([asked]);
      expect(await store.turns.toStop("next")).toEqual([]);
      expect(await store.turns.renew(turn, 200, now)).toBe("stopped");

      const [running] = await other.turns.running(account, now);
      expect(running).toMatchObject({ wish: "stopped" });
      const taken = await other.turns.takeOver(turn, { holder: "next", leaseMs: 500 }, now);
      expect(await store.turns.toStop("me")).toEqual([]);
      expect(await store.turns.toStop("next")).toEqual([asked]);
      expect(await store.turns.finish(taken as Turn, "stopped", nothing, null, now)).toBe(true);
      expect(await store.turns.toStop("next")).toEqual([]);
      expect(await store.turns.askToStop(taken as Turn, "stopped")).toBe(false);
      const next = await begun(await accept("two"));
      expect(await store.turns.renew(next, 200, now)).toBe("held");
    });

    it("leaves the idle clock alone in a turn that nobody asked for just now", async () => {
      const { sessionId } = await sessions.getOrCreate(ann);
      const background = { ...item("1"), inBackground: true } as const;
      const accepted = (await store.inbox.accept(background, "me", now)) as InboxItem;
      expect((await store.inbox.waiting(account)).map((each) => each.item)).toMatchObject([background]);
      const late = new Sessions(store, { clock: () => now + 500 });
      const begun = await late.resolveIn(ann, { touch: false }, said("go"), (request) =>
        store.turns.begin("t" as TurnId, accepted, request, { holder: "me", leaseMs: 100 }, () => []),
      );
      if (begun.kind !== "begun") throw new Error(begun.kind);
      expect(begun.turn.touches).toBe(false);
      const step = { ...nothing, messages: [said("done")] };
      expect(await store.turns.step(begun.turn, step, 100, now + 600)).toBe(true);
      const [again] = await store.turns.running(account, now + 600);
      expect(again?.turn.touches).toBe(false);
      expect(await store.turns.finish(begun.turn, "done", step, null, now + 700)).toBe(true);
      expect((await sessions.get(sessionId))?.updatedAt).toBe(now);
    });

    it("wakes whoever watches when a turn is to end", async () => {
      const other = await fixture.open();
      if (other === store) return; // One connection has nobody else.
      const turn = await begun(await accept("one"));
      const seen: unknown[] = [];
      let onSeen = () => {};
      const unwatch = store.subscribe(async () => {
        for (const { wish } of await store.turns.toStop("me")) seen.push(wish);
        onSeen();
      });
      // Twice: whoever has just begun to watch looks once in any case.
      for (const wish of ["interrupted", "stopped"] as const) {
        await new Promise<void>((resolve) => {
          onSeen = () => seen.includes(wish) && resolve();
          void other.turns.askToStop(turn, wish);
        });
      }
      unwatch();
    });

    it("carries out a command once, and knows which was interrupted", async () => {
      const command = await store.inbox.accept({ ...item("c", "/undo"), kind: "command" }, "me", now);
      const id = (command?.id ?? 0) as InboxId;
      expect(await store.inbox.beginCommand(id, "me")).toBe(true);
      expect(await store.inbox.beginCommand(id, "you")).toBe(false);
      expect(await store.inbox.interruptedCommands(account)).toMatchObject([
        { item: { id, text: "/undo" }, holder: "me" },
      ]);
      await store.inbox.finishCommand(id, [delivery("done")], now);
      await store.inbox.finishCommand(id, [delivery("done")], now);
      expect(await store.inbox.interruptedCommands(account)).toEqual([]);
      expect(await store.outbox.pending(account, 10)).toHaveLength(1);
    });

    it("moves a delivery from state to state, each only once", async () => {
      await store.outbox.add([delivery("a"), { ...delivery("seen"), shown: true }, delivery("b")], now);
      const [a, b] = await store.outbox.pending(account, 10);
      expect([a?.text, b?.text]).toEqual(["a", "b"]);
      const other = await fixture.open();
      const claims = await Promise.all([
        store.outbox.sending(a?.id ?? 0, "me"),
        other.outbox.sending(a?.id ?? 0, "you"),
      ]);
      expect(claims.filter(Boolean)).toHaveLength(1);
      const id = a?.id ?? 0;
      const mine = { id, holder: claims[0] ? "me" : "you" };
      // Whoever does not send it has nothing to say of it.
      await store.outbox.retry({ id, holder: claims[0] ? "you" : "me" }, 50, "429", now);
      await store.outbox.sent({ id, holder: "" }, "never", now);
      expect(await store.outbox.interrupted(account)).toHaveLength(1);
      await store.outbox.retry(mine, 50, "429", now);
      expect((await store.outbox.pending(account, 10))[0]).toMatchObject({
        text: "a",
        attempts: 1,
        notBefore: now + 50,
      });
      await store.outbox.sending(id, "me");
      expect(await store.outbox.interrupted(account)).toMatchObject([{ text: "a", holder: "me" }]);
      await store.outbox.doubt({ id, holder: "me" }, "timeout", null, now);
      await store.outbox.sent({ id, holder: "me" }, "late", now);
      expect(await store.outbox.interrupted(account)).toEqual([]);
      expect((await store.outbox.pending(account, 10)).map(({ text }) => text)).toEqual(["b"]);
    });

    it("knows which messages have surely been sent, and when", async () => {
      await store.outbox.add([delivery("a"), delivery("b"), delivery("c"), delivery("d")], now);
      const [a, b, c] = (await store.outbox.pending(account, 10)).map(({ id }) => ({ id, holder: "me" }));
      for (const each of [a, b, c]) await store.outbox.sending(each?.id ?? 0, "me");
      expect(await store.outbox.sentAt([deliveryIdOf("a")])).toBeNull();
      await store.outbox.sent(a as Sending, "m1", now + 5);
      await store.outbox.fail(b as Sending, "no", false, 0);
      await store.outbox.doubt(c as Sending, "timeout", null, now);
      await store.outbox.add([{ ...delivery("seen"), shown: true }], now);
      expect(await store.outbox.sentAt([deliveryIdOf("a"), deliveryIdOf("seen")])).toBe(now + 5);
      for (const other of ["b", "c", "d", "never added"])
        expect(await store.outbox.sentAt([deliveryIdOf("a"), other as DeliveryId])).toBeNull();
    });

    it("keeps the buttons of a message, and knows under which id the platform has it", async () => {
      const buttons = [{ label: "Allow once", command: "/approve 1503" }];
      await store.outbox.add([{ ...delivery("a"), buttons }, delivery("b")], now);
      const other = await fixture.open();
      const [a, b] = await other.outbox.pending(account, 10);
      expect([a?.buttons, b?.buttons]).toEqual([buttons, undefined]);
      expect(await other.outbox.messageIdOf(deliveryIdOf("a"))).toBeNull();
      const sending = { id: a?.id ?? 0, holder: "me" } as Sending;
      await store.outbox.sending(sending.id, "me");
      expect(await other.outbox.interrupted(account)).toMatchObject([{ buttons }]);
      await store.outbox.sent(sending, "m1", now);
      expect(await other.outbox.messageIdOf(deliveryIdOf("a"))).toBe("m1");
      expect(await other.outbox.messageIdOf("never added" as DeliveryId)).toBeNull();
    });

    it("finds the turn that sent a message as its answer, while it is the last one of the session there", async () => {
      const answer = async (messageId: string, address = { platform: HERE, chatId: "1" }): Promise<void> => {
        const turn = await begun(await accept(`question ${messageId}`));
        const { id: turnId, sessionId } = turn;
        const deliveries = [{ ...delivery(`answer ${messageId}`), address, sessionId, turnId }];
        await store.turns.finish(turn, "done", { ...nothing, deliveries }, null, now);
        const [waiting] = await store.outbox.pending(account, 1);
        if (!waiting || !(await store.outbox.sending(waiting.id, "me"))) throw new Error("Nothing waits.");
        await store.outbox.sent(waiting, messageId, now);
      };
      const found = (messageId: string, source = ann, on = account) =>
        store.outbox.answerAs(on, { source, messageId });
      await answer("57");
      expect(await found("57")).toEqual({ key: buildSessionKey(ann), source: ann });
      for (const chatId of ["", "11", "1:57", "2"]) expect(await found("57", { ...ann, chatId })).toBeNull();
      expect(await found("57", ann, { ...account, account: "other bot" })).toBeNull();
      for (const messageId of ["5", "", "nowhere", "57\0", "question 57"])
        expect(await found(messageId)).toBeNull();
      await answer("58", { platform: HERE, chatId: "2" });
      expect(await found("57")).toBeNull();
      for (const chatId of ["1", "2"]) expect(await found("58", { ...ann, chatId })).toBeNull();
      await answer("59");
      expect(await found("59")).not.toBeNull();
      await sessions.reset(buildSessionKey(ann));
      expect(await found("59")).toBeNull();
    });

    it("says that a message is in doubt with the doubt, once, and counts it", async () => {
      const doubt = (n: number): NewDelivery => ({ ...delivery(`doubt ${n}`), purpose: "doubt" });
      const { address } = delivery("");
      expect(await store.outbox.isClear(account, address)).toBe(true);
      await store.outbox.add([delivery("a"), delivery("b"), delivery("c")], now);
      expect(await store.outbox.isClear(account, address)).toBe(false);
      expect(await store.outbox.isClear(account, { ...address, chatId: "2" })).toBe(true);
      const [a, b, c] = (await store.outbox.pending(account, 10)).map(({ id }) => ({ id, holder: "me" }));
      for (const each of [a, b, c]) await store.outbox.sending(each?.id ?? 0, "me");
      expect(await store.outbox.isClear(account, address)).toBe(false);
      await store.outbox.doubt(a as Sending, "timeout", doubt(1), now);
      await store.outbox.doubt(a as Sending, "timeout", doubt(2), now);
      await store.outbox.doubt(b as Sending, "timeout", doubt(3), now); // One waits to be said already.
      await store.outbox.fail(c as Sending, "no", false, 0);
      expect(await store.outbox.pending(account, 10)).toMatchObject([{ text: "doubt 1", purpose: "doubt" }]);
      expect(await store.outbox.doubtful(account, address, now)).toEqual({ count: 2, last: now });
      expect((await store.outbox.doubtful(account, address, now + 1)).count).toBe(0);
      expect((await store.outbox.doubtful(account, { ...address, chatId: "2" }, now)).count).toBe(0);
    });

    it("says once that messages failed, if their chat must hear of it, and counts all that did", async () => {
      const told: string[] = [];
      const { address } = delivery("");
      const elsewhere = { ...address, chatId: "2" };
      const tell = (where = address) =>
        store.outbox.tellFailed(
          account,
          where,
          (count, error) => {
            told.push(`${count} ${error}`);
            return { ...delivery(`told ${told.length}`), address: where };
          },
          now,
        );
      const fail = async (name: string, error: string, isMissed: boolean, at: number, where = address) => {
        await store.outbox.add([{ ...delivery(name), address: where }], now);
        const [{ id = 0 } = {}] = await store.outbox.pending(account, 1);
        await store.outbox.sending(id, "me");
        await store.outbox.fail({ id, holder: "me" }, error, isMissed, at);
      };
      await tell();
      await fail("a", "blocked", true, now + 1);
      await fail("b", "kicked", true, now + 3);
      await fail("c", "unseen", false, now + 2);
      await fail("d", "archived", true, now + 5, elsewhere);
      const here = { ...account, address };
      expect(await store.outbox.undelivered(now, here)).toEqual({
        count: 3,
        last: { to: formatAddress(address), error: "kicked", at: now + 3 },
      });
      expect(await store.outbox.undelivered(now + 3, null)).toEqual({
        count: 2,
        last: { to: formatAddress(elsewhere), error: "archived", at: now + 5 },
      });
      expect(await store.outbox.undelivered(now + 6, null)).toEqual({ count: 0, last: null });
      await Promise.all([tell(), tell()]);
      await tell();
      expect(told).toEqual(["2 kicked"]);
      expect(await store.outbox.pending(account, 10)).toMatchObject([{ text: "told 1", createdAt: now }]);
      await tell(elsewhere);
      expect(told).toEqual(["2 kicked", "1 archived"]);
    });

    it("takes back what waits of a turn's replies, or of the last turn's", async () => {
      const reply = (id: string, turnId: string) => ({
        ...delivery(id),
        sessionId: asSessionId("s"),
        turnId: turnId as TurnId,
      });
      const notice = { ...reply("notice", "t2"), purpose: "notice" as const };
      const all = [reply("a1", "t1"), reply("a2", "t1"), reply("b1", "t2"), reply("b2", "t2"), notice];
      await store.outbox.add([...all, { ...reply("other", "t3"), sessionId: asSessionId("s2") }], now);
      const [first] = await store.outbox.pending(account, 1);
      await store.outbox.sending(first?.id ?? 0, "me");
      expect(await store.outbox.unsentTurn(account, asSessionId("s"))).toBe("t2");
      expect(await store.outbox.drop(account, "t1" as TurnId)).toEqual(["a2"]); // The other is on its way.
      expect(await store.outbox.drop(account, "t2" as TurnId)).toEqual(["b1", "b2"]);
      expect(await store.outbox.drop(account, "t2" as TurnId)).toEqual([]);
      expect(await store.outbox.unsentTurn(account, asSessionId("s"))).toBeNull();
      const left = (await store.outbox.pending(account, 10)).map(({ deliveryId }) => deliveryId);
      expect(left).toEqual(["notice", "other"]);
    });

    it("gives each address its share of what is to be sent, however much waits for another", async () => {
      const to = (chatId: string, n: number) => ({
        ...delivery(`${chatId}${n}`),
        address: { platform: HERE, chatId },
      });
      const many = Array.from({ length: 450 }, (_, n) => to("a", n));
      await store.outbox.add([...many, to("b", 0), to("c", 0), to("c", 1)], now);
      await store.outbox.add([{ ...to("z", 0), account: "other bot" }], now);
      const texts = async (limit: number, due?: number) =>
        (await store.outbox.pending(account, limit, due)).map(({ text }) => text);
      const all = await texts(200);
      const ofA = all.filter((text) => text.startsWith("a"));
      expect(all.length).toBeLessThan(200);
      expect(all).toEqual([...ofA, "b0", "c0", "c1"]);
      expect(ofA).toEqual(many.slice(0, ofA.length).map(({ text }) => text));
      expect(await texts(4)).toEqual(["a0", "a1", "b0", "c0"]);

      // One of them has to wait: nothing of that address comes before it, and the others do not wait with it.
      const [first] = await store.outbox.pending(account, 1);
      await store.outbox.sending(first?.id ?? 0, "me");
      expect((await texts(4))[0]).toBe("a1");
      await store.outbox.retry({ id: first?.id ?? 0, holder: "me" }, 50, "429", now);
      expect(await texts(200, now)).toEqual(["b0", "c0", "c1"]);
      expect(await store.outbox.nextDue(account, now)).toBe(now + 50);
      // The clock was set back to before it began to wait: nobody waits longer than was asked for.
      expect((await texts(4, now - 7_200_000))[0]).toBe("a0");
      expect(await store.outbox.nextDue(account, now - 7_200_000)).toBeNull();
      expect((await texts(4, now + 50))[0]).toBe("a0");
      expect(await texts(200)).toEqual(all);
    });

    it("says something in a session once, and has it in the transcript", async () => {
      const { sessionId } = await sessions.getOrCreate(ann);
      const other = await fixture.open();
      const pieces = [delivery("hel"), delivery("lo")];
      expect(await store.outbox.say(sessionId, "hello", pieces, now)).toBe(true);
      expect(await other.outbox.say(sessionId, "hello", pieces, now)).toBe(false);
      expect((await sessions.load(sessionId)).map(({ role, content }) => `${role}: ${content}`)).toEqual([
        "assistant: hello",
      ]);
      expect(await store.outbox.pending(account, 10)).toHaveLength(2);
      const nowhere = asSessionId("20260101_000000_000000000000");
      await expect(store.outbox.say(nowhere, "x", [delivery("x")], now)).rejects.toMatchObject({
        code: "session_not_found",
      });
      expect(await store.outbox.pending(account, 10)).toHaveLength(2);
    });

    it("changes a message that waits, for whoever wrote it", async () => {
      const first = await accept("one");
      const files = { attachments: [{ file: "a", mediaType: "image/png" }], missing: ["b.png: gone"] };
      const bob = { ...ann, userId: "bob" };
      expect(await store.inbox.amend(account, { source: bob, messageId: "one" }, () => "bob's")).toBeNull();
      await store.inbox.complete(first.id, "me", files);
      const amended = await store.inbox.amend(
        account,
        { source: ann, messageId: "one" },
        (was) => `${was}, hers`,
      );
      expect(amended).toMatchObject({ id: first.id, text: `${first.text}, hers`, ...files });
      expect((await store.inbox.waiting(account)).map(({ item }) => item)).toEqual([amended]);
      await begun(amended as InboxItem);
      expect(await store.inbox.amend(account, { source: ann, messageId: "one" }, () => "late")).toBeNull();
    });

    it("withdraws a message that nobody has begun to answer, with its words", async () => {
      const ann = { ...item("x").source, userId: "ann" };
      const first = (await store.inbox.accept({ ...item("one"), source: ann }, "me", now)) as InboxItem;
      const which = { source: { ...ann, userId: "" }, messageId: "one" };
      expect(await store.inbox.withdraw(account, { ...which, messageId: "other" })).toBeNull();
      expect(await store.inbox.withdraw(account, which)).toMatchObject({ id: first.id });
      expect(await store.inbox.waiting(account)).toEqual([]);
      expect(await store.inbox.withdraw(account, which)).toBeNull();
      const files = { attachments: [{ file: "a", mediaType: "image/png" }], missing: [] };
      expect(await store.inbox.complete(first.id, "me", files)).toBeNull();
    });

    it("finds the latest files of a session and of its lane", async () => {
      const attachments = [{ file: "a", mediaType: "image/png" }];
      const waits = (await store.inbox.accept({ ...item("one"), attachments }, "me", now)) as InboxItem;
      expect(await store.files.inSession("none" as never, waits.key)).toEqual(attachments);
      expect(await store.files.inSession("none" as never, "other" as never)).toEqual([]);
    });

    it("puts files to a message that waits, for the process that is to answer it", async () => {
      const { id } = (await store.inbox.accept(
        { ...item("one"), missing: ["a: not here yet"] },
        "me",
        now,
      )) as InboxItem;
      const files = { attachments: [{ file: "a", mediaType: "image/png" }], missing: [] };
      const complete = (holder: string) => store.inbox.complete(id, holder, files);
      expect((await store.inbox.waiting(account))[0]?.item.missing).toEqual(["a: not here yet"]);
      expect(await complete("another")).toBeNull();
      expect(await complete("me")).toMatchObject({ text: "one", attachments: files.attachments });
      const completed = await complete("me"); // Again, because it did not hear that it was done.
      expect(await store.inbox.complete(id, "me", null)).toEqual(completed);
      expect(completed).not.toHaveProperty("missing");
      expect((await store.inbox.waiting(account)).map(({ item }) => item)).toEqual([completed]);
      await begun(completed as InboxItem);
      expect(await complete("me")).toBeNull();
    });

    it("keeps how to fetch what a message awaits until it is here, and counts the processes that begin", async () => {
      const files = [{ ref: "f1", name: "a.png", mediaType: "image/png", answered: true as const }];
      const awaited = { ...account, files, tries: 1 };
      const { id } = (await store.inbox.accept({ ...item("one"), awaited }, "me", now)) as InboxItem;
      const kept = async () => (await store.inbox.waiting(account))[0]?.item.awaited;
      expect(await kept()).toEqual(awaited);
      expect(await store.inbox.fetching(id, "another")).toBeNull();
      await store.inbox.adopt(account, "me", "next");
      expect(await store.inbox.fetching(id, "me")).toBeNull();
      expect(await store.inbox.fetching(id, "next")).toEqual({ ...awaited, tries: 2 });
      expect(await kept()).toEqual({ ...awaited, tries: 2 });
      const completed = await store.inbox.complete(id, "next", { attachments: [], missing: ["a.png: gone"] });
      expect(completed).not.toHaveProperty("awaited");
      expect(await kept()).toBeUndefined();
      expect(await store.inbox.fetching(id, "next")).toBeNull();
    });

    it("knows which files nothing refers to: not those of messages, posts, what waits, or what is to be sent", async () => {
      const file = (name: string) => [{ file: name, mediaType: "image/png" }];
      await store.files.taking(
        ["said", "undone", "waiting", "answered", "to send", "sent", "posted", "nobody's"],
        now,
      );
      await store.files.taking(["young"], now + 10);
      expect(await store.files.unneeded(now)).toEqual([]);
      const { entry } = await sessions.receive(ann, {
        role: "user",
        content: "x",
        attachments: file("said"),
      });
      await sessions.append(entry.sessionId, { role: "user", content: "y", attachments: file("undone") });
      await sessions.rewrite(entry.sessionId, (await sessions.load(entry.sessionId)).slice(0, 1));
      const put = (id: string) => store.inbox.accept({ ...item(id), attachments: file(id) }, "me", now);
      const answered = await put("answered");
      await put("waiting");
      await store.turns.finish(await begun(answered as InboxItem), "done", nothing, null, now);
      const sending = ["to send", "sent"].map((name) => ({
        ...delivery(name),
        files: file(name),
      }));
      await store.outbox.add(sending, now);
      const post = { deliveryId: "p", thread: null, purpose: "reply", text: "", buttons: [] } as const;
      const posted = [{ file: "posted", name: "a.png", mediaType: "image/png", size: 1 }];
      await store.posts.add("somewhere/1", { ...post, files: posted, transcript: null }, now);
      const sent = (await store.outbox.pending(account, 10)).find(({ deliveryId }) => deliveryId === "sent");
      await store.outbox.sending(sent?.id ?? 0, "me");
      await store.outbox.sent({ id: sent?.id ?? 0, holder: "me" }, "m1", now);
      expect((await store.files.unneeded(now + 1)).sort()).toEqual(["answered", "nobody's", "sent"]);
      await store.files.gone(["nobody's"]);
      expect((await store.files.unneeded(now + 1)).sort()).toEqual(["answered", "sent"]);
    });

    it("skips a message that waits, once, and says so", async () => {
      const waits = item("skipped");
      const { id = 0 as InboxId } = (await store.inbox.accept(waits, "a", now)) ?? {};
      await store.inbox.skip(id, "somebody else", [delivery("no")], now);
      expect(await store.inbox.waiting(waits)).toHaveLength(1);
      for (let n = 0; n < 2; n++) await store.inbox.skip(id, "a", [delivery("skipped")], now);
      expect(await store.inbox.waiting(waits)).toEqual([]);
      expect((await store.outbox.pending(waits, 5)).map(({ deliveryId }) => deliveryId)).toEqual(["skipped"]);
    });

    it("grants what a day's limit leaves, once, for all identities of a person together", async () => {
      const [today, tomorrow] = ["2026-01-10", "2026-01-11"];
      const other = await fixture.open();
      const ask = (from: GatewayStore, who: readonly string[], most: number, day = today) =>
        from.spending.grant(who, "modelCalls", most, 10, day);
      expect(await ask(store, ["a"], 4)).toBe(4);
      const both = await Promise.all([1, 2, 3, 4].map((n) => ask(n % 2 ? store : other, ["a", "b"], 3)));
      expect(both.reduce((sum, granted) => sum + granted, 0)).toBe(6);
      expect(await ask(other, ["b"], 3)).toBe(3);
      expect(await ask(store, ["b", "a"], 3)).toBe(0); // Linked since: what the other one used counts.
      await store.spending.giveBack(["a", "b"], "modelCalls", 2, today);
      expect(await store.spending.of(today)).toEqual([
        { identity: "a", modelCalls: 8, mediaBytes: 0, tokens: 0, cost: 0 },
        { identity: "b", modelCalls: 3, mediaBytes: 0, tokens: 0, cost: 0 },
      ]);
      expect(await ask(other, ["a", "b"], 20, tomorrow)).toBe(10);
      expect(await store.spending.grant(["a"], "mediaBytes", 5e9, 8e9, tomorrow)).toBe(5e9);
      await ask(store, ["a"], 1, "2026-03-01");
      expect(await other.spending.of(today)).toEqual([]);
    });

    it("remembers what an owner allowed for good, for one person in one lane, until it is taken back", async () => {
      const other = await fixture.open();
      const [here, there] = [buildSessionKey(ann), buildSessionKey({ ...ann, chatId: "elsewhere" })];
      const approval = { key: here, identity: "test:a", digest: "d1", shown: "act: rm x" };
      await store.standing.add(approval, now);
      await other.standing.add({ ...approval, shown: "twice" }, now);
      await store.standing.add({ ...approval, digest: "d2" }, now);
      expect(await other.standing.has(here, ["test:b", "test:a"], "d1")).toBe(true);
      expect(await store.standing.has(here, ["test:b"], "d1")).toBe(false);
      expect(await store.standing.has(here, [], "d1")).toBe(false);
      expect(await store.standing.has(there, ["test:a"], "d1")).toBe(false);
      expect(await store.standing.has(here, ["test:a"], "d3")).toBe(false);
      const [first, second, ...more] = await other.standing.in(here);
      expect(first).toEqual({ ...approval, id: expect.any(Number) });
      expect(more).toEqual([]);
      expect(await store.standing.in(there)).toEqual([]);
      expect(await store.standing.remove(there, first?.id ?? 0)).toBe(false);
      expect(await store.standing.remove(here, first?.id ?? 0)).toBe(true);
      expect(await other.standing.remove(here, first?.id ?? 0)).toBe(false);
      expect(await other.standing.in(here)).toEqual([second]);
      expect(await other.standing.has(here, ["test:a"], "d1")).toBe(false);
    });

    it("forgets what was asked and said when a session is pruned", async () => {
      const turn = await begun(await accept("secret"));
      await store.turns.finish(
        turn,
        "done",
        { ...nothing, deliveries: [{ ...delivery("d"), sessionId: turn.sessionId }] },
        null,
        now,
      );
      await sessions.end(turn.sessionId);
      const later = new Sessions(store, { clock: () => now + 1 });
      expect((await later.prune({ endedBeforeMs: 0 })).sessions).toBe(1);
      expect(await store.outbox.pending(account, 10)).toEqual([]);
      expect(await store.inbox.accept(item("secret"), "me", now)).not.toBeNull();
    });

    it("forgets commands and what joined another's turn, a day after at the earliest, and nothing that is open", async () => {
      const turn = await begun(await accept("asked"));
      const steered = await accept("steered");
      await store.turns.finish(turn, "done", { ...nothing, steeredIn: [steered.id] }, null, now);
      const command = await store.inbox.accept({ ...item("/usage"), kind: "command" }, "me", now);
      await store.inbox.beginCommand((command?.id ?? 0) as InboxId, "me");
      await store.inbox.finishCommand(
        (command?.id ?? 0) as InboxId,
        [delivery("said"), delivery("unsaid")],
        now,
      );
      const [first] = await store.outbox.pending(account, 1);
      await store.outbox.sending(first?.id ?? 0, "me");
      await store.outbox.sent({ id: first?.id ?? 0, holder: "me" }, "m", now);
      await accept("waiting");
      const forgotten = async (): Promise<string[]> => {
        const came = ["asked", "steered", "/usage", "waiting"].map((id) =>
          store.inbox.accept(item(id), "me", now),
        );
        return (await Promise.all(came)).flatMap((one) => one?.messageId ?? []);
      };
      const pruneAt = (at: number) => new Sessions(store, { clock: () => at }).prune({ endedBeforeMs: 0 });
      await pruneAt(now + 86_400_000);
      expect(await forgotten()).toEqual([]);
      await expect(store.outbox.add([delivery("said")], now)).rejects.toThrow();
      expect(await store.outbox.pending(account, 10)).toMatchObject([{ deliveryId: "unsaid" }]);
      await pruneAt(now + 86_400_001);
      await store.outbox.add([delivery("said")], now);
      expect(await forgotten()).toEqual(["steered", "/usage"]);
      expect(await store.outbox.pending(account, 10)).toMatchObject([
        { deliveryId: "unsaid" },
        { deliveryId: "said" },
      ]);
    });
  });
}
