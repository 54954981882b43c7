/** What every store must do to erase a person, as a vitest suite over the same fixtures as the gateway store's. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Hear } from "../gateway/erasure.js";
import { OWNER } from "../session/access.js";
import { newHandoffId } from "../session/ids.js";
import { platforms } from "../session/platform.js";
import { saidBefore } from "../session/said-before.js";
import { Sessions } from "../session/sessions.js";
import { addressOf, formatAddress, parseSource } from "../session/source.js";
import { chatsSignedIn } from "./erasure-page.js";
import {
  ANN,
  ANN_FILES,
  ANN_THERE,
  BOB,
  BOB_FILE,
  type ErasureWorld,
  fillErasureWorld,
} from "./erasure-world.js";
import type { GatewayStoreFixture } from "./gateway-store-contract.js";

export function erasureStoreContract(name: string, createFixture: () => Promise<GatewayStoreFixture>): void {
  describe(`erasure: ${name}`, () => {
    let fixture: GatewayStoreFixture;
    let store: Awaited<ReturnType<GatewayStoreFixture["open"]>>;
    let sessions: Sessions;
    let world: ErasureWorld;
    const now = Date.UTC(2026, 0, 2);

    beforeEach(async () => {
      fixture = await createFixture();
      store = await fixture.open();
      sessions = new Sessions(store, { clock: () => now });
      world = await fillErasureWorld(store);
    });
    afterEach(() => fixture.dispose());

    const texts = async (): Promise<string[]> => {
      const found: string[] = [];
      await store.erasure.texts((text, table, column) => found.push(`${table}.${column}: ${text}`));
      return found.sort();
    };
    /** Stops after so many steps. */
    const erase = async (hear: Hear = () => {}, steps = Number.POSITIVE_INFINITY): Promise<void> => {
      const { erasure } = store;
      const { ann } = world;
      const work = [
        () => erasure.lockOut(ann, hear),
        () => erasure.endTurns(ann, now),
        () => erasure.eraseShared(ann, now, hear),
        () => erasure.eraseWork(ann, hear),
        async () => {
          for (;;) {
            const [next] = await erasure.sessions(ann, 1);
            if (!next) return;
            await erasure.eraseSession(next, hear);
          }
        },
        () => erasure.forgetPerson(ann, hear),
      ];
      for (const step of work.slice(0, steps)) await step();
    };
    const isTheirs = (text: string): boolean =>
      /canary|7001001(?!2)|8002002|p_a11ce/.test(text) || text.includes(world.annSession);

    it("counts what it has of somebody", async () => {
      expect(await store.erasure.survey(world.ann)).toEqual({
        sessions: 3,
        messages: 7,
        shared: 2,
        files: 2,
        jobs: 1,
        processes: 2,
        notes: 2,
        usage: 1,
      });
      expect(await store.erasure.survey({ id: null, identities: ["nobody:1"] })).toMatchObject({
        sessions: 0,
        messages: 0,
        shared: 0,
      });
    });

    it("leaves nothing of them in any column, and everything of others", async () => {
      const before = await texts();
      expect(before.filter(isTheirs).length).toBeGreaterThan(60);
      await erase();
      const after = await texts();
      expect(after.filter(isTheirs)).toEqual([]);
      const bobs = (all: readonly string[]) =>
        all.filter((text) => /bob|beans|ladder|rain|70010012/i.test(text));
      // Only where a session of his was in her lane does it say that it is his again. Lists of standing requests are shorter.
      const isPlace = (text: string) =>
        /^(sessions\.(origin|key|chat|display_name|standing)|routes\.\w+|summaries\.before_standing): /.test(
          text,
        );
      expect(bobs(before).filter((text) => !after.includes(text) && !isPlace(text))).toEqual([]);
      expect(bobs(after).filter((text) => !before.includes(text) && !isPlace(text))).toEqual([]);
      expect(bobs(before).length).toBeGreaterThan(20);
      expect((await sessions.load(world.groupSession)).map(({ content }) => content)).toEqual([
        "[erased]",
        "Noted for the team.",
        "Bob has the ladder and the saw.",
        "[erased]",
        "Bob asks for rain.",
      ]);
      expect((await sessions.load(world.bobSession)).map(({ content }) => content)).toEqual([
        "Bob plants beans in row nine.",
      ]);
      expect(await store.people.find(ANN)).toBeNull();
      expect(await store.people.find(BOB)).not.toBeNull();
    });

    it("leaves what others asked for in a shared conversation, and forgets what they asked for", async () => {
      const asked = async () => (await sessions.get(world.groupSession))?.standing;
      const bobs = (n: number) => [
        expect.stringMatching(new RegExp(`^\\[Bob #\\w+ member\\] Always greet bob-wish ${n}\\.$`)),
      ];
      await erase();
      expect(await asked()).toEqual(bobs(2));
      await store.consolidations.undo(world.groupSession, now);
      expect(await asked()).toEqual(bobs(1));
    });

    it("takes out what they said before a message of somebody else", async () => {
      const person = (id: string, name: string) => ({ name, author: { id, role: "member" } });
      const said = saidBefore([
        { ...person(ANN, "Ann"), words: "a canary in the mine" },
        { ...person(BOB, "Bob"), words: "rain again" },
      ]);
      const group = parseSource({
        platform: BOB.split(":")[0],
        chat_id: "-200",
        chat_type: "group",
        user_id: "70010012",
      });
      const content = `${said}\nBob asks what to do.`;
      const { entry } = await sessions.receive(group, { role: "user", content, author: { id: BOB } });
      await sessions.indexAll();
      const heard: string[] = [];
      await erase((_, text) => heard.push(text));
      const [message] = await sessions.load(entry.sessionId);
      expect(message?.content.split("\n").slice(1)).toEqual([
        expect.stringMatching(/^\[said before: Bob #\w+ member: "rain again"\]$/),
        "Bob asks what to do.",
      ]);
      expect(heard.some((text) => text.includes("a canary in the mine"))).toBe(true);
      expect((await sessions.search("canary", OWNER)).items).toEqual([]);
    });

    it("takes jobs of others out of their private chat, and pauses them", async () => {
      await erase();
      const [, bobs, lent, group] = await Promise.all(world.jobs.map((id) => store.jobs.find(id)));
      expect(bobs).toMatchObject({ state: "active", origin: { source: { chatId: "70010012" } } });
      expect(lent).toMatchObject({ state: "paused", pausedWhy: expect.any(String), origin: bobs?.origin });
      expect(group).toMatchObject({ state: "active", origin: { source: { chatId: "-100" } } });
    });

    it("finds what went to a chat of theirs, also if an erase ended in the middle", async () => {
      const [, here = "", there = ""] = platforms();
      // Only a session of Bob's tells that this chat is hers.
      const hers = parseSource({ platform: there, chat_id: "canary-dm", user_id: "8002002" });
      await sessions.switchTo(hers, world.bobSession);
      const elsewhere = parseSource({ platform: here, chat_id: "-7", chat_type: "group" });
      const { entry } = await sessions.receive(elsewhere, { role: "user", content: "hello" });
      const target = formatAddress(addressOf(hers));
      await store.handoffs.request({ id: newHandoffId(), sessionId: entry.sessionId, target }, now);
      const cutOff: Hear = (kind, text) => {
        if (kind === "id" && text.startsWith("ho_")) throw new Error("cut off");
      };
      await expect(erase(cutOff)).rejects.toThrow("cut off");
      await erase();
      expect((await texts()).filter(isTheirs)).toEqual([]);
    });

    it("leaves what others used in their conversations, without the conversation", async () => {
      const bob = { kind: "person", identities: [BOB] } as const;
      const used = () => store.usage.sums(bob, "day", { fromDay: "" });
      const spent = { identity: BOB, uses: [{ model: "m", usage: { inputTokens: 50, cost: 0.5 } }] };
      const { items } = await sessions.list({}, { kind: "person", identities: world.ann.identities });
      const hers = items.filter(({ owner }) => owner !== `person:${BOB}`);
      expect(hers).toHaveLength(3);
      for (const { sessionId } of hers) {
        const claim = await store.consolidations.claim(sessionId, { holder: "x", leaseMs: 1_000 }, now);
        if (claim) await store.consolidations.fail(claim, { of: "summary", nextTryAt: now, spent }, now);
      }
      const before = await used();
      expect(before.at(-1)).toMatchObject({ totalTokens: 150, modelCalls: 3, cost: 1.5 });
      await erase();
      expect(await used()).toEqual(before);
      expect(await store.usage.sums({ kind: "owner" }, "identity", { fromDay: "" })).toHaveLength(1);
    });

    it("refuses a summary that was begun before", async () => {
      const claim = await store.consolidations.claim(
        world.groupSession,
        { holder: "x", leaseMs: 60_000 },
        now,
      );
      if (!claim) throw new Error("Nobody else has it.");
      await erase();
      const range = {
        through: 4,
        count: 2,
        summary: { text: "canary-late-summary", standing: [] },
        facts: null,
        spent: { identity: BOB, uses: [] },
      };
      expect(await store.consolidations.record(claim, range, now)).toBe(false);
      expect((await texts()).filter(isTheirs)).toEqual([]);
    });

    it("takes away a title that was made of their words, and no other", async () => {
      expect(await store.titles.nameOnce(world.groupSession, "canary-inbox-group")).not.toBeNull();
      await erase();
      expect((await sessions.get(world.groupSession))?.title).toBeNull();
      expect((await sessions.get(world.bobSession))?.title).toBe("Beans");
    });

    it("signs them out in the first step, and empties their chats where people sign in", async () => {
      const { ann } = world;
      await store.erasure.lockOut(ann, () => {});
      expect(await store.devices.list(ann.identities)).toEqual([]);
      const late = { id: "late", name: "late", tokenHash: "late" };
      expect(await store.devices.enter("another link of canary", late, Date.UTC(2026, 0, 1))).toBeNull();
      await erase();
      for (const chatId of chatsSignedIn(ANN)) {
        expect(await store.posts.after(chatId, 0, 10)).toEqual([]);
        expect(await store.posts.last(chatId)).toBe(0);
      }
      expect(await store.devices.list(null)).toMatchObject([{ identity: BOB }]);
      for (const chatId of chatsSignedIn(BOB)) expect(await store.posts.after(chatId, 0, 10)).toHaveLength(2);
    });

    it("gives a session of others back that was in a lane of theirs", async () => {
      await erase();
      const entry = await sessions.get(world.lentSession);
      expect(entry).toMatchObject({ title: "Beans", owner: `person:${BOB}`, laneOwner: `person:${BOB}` });
      expect(entry?.endedAt).not.toBeNull();
      const seen = await sessions.as({ kind: "person", identities: [BOB] }).list({});
      expect(seen.items.map(({ sessionId }) => sessionId)).toContain(world.lentSession);
    });

    it("finds nothing of them, and what others said", async () => {
      const hits = async (words: string) =>
        (await sessions.search(words, OWNER, { limit: 100 })).items.length;
      expect(await hits("canary*")).toBeGreaterThan(3);
      await erase();
      expect(await hits("canary*")).toBe(0);
      expect(await hits("erased")).toBe(0);
      expect(await hits("ladder")).toBe(1);
    });

    it("does not index what was erased before it was indexed", async () => {
      const late = { role: "user", content: "canary-late", author: { id: ANN } } as const;
      await sessions.append(world.groupSession, late);
      await erase();
      await sessions.indexAll();
      expect((await sessions.search("canary", OWNER)).items).toEqual([]);
    });

    it("lets go of their files, but of no others", async () => {
      await erase();
      expect((await store.files.unneeded(1)).sort()).toEqual(ANN_FILES);
      expect(await store.files.unneeded(now)).not.toContain(BOB_FILE);
    });

    it("shuts them out first, and can be finished by another one, whatever was done", async () => {
      for (const steps of [1, 2, 3, 4, 5]) {
        await erase(() => {}, steps);
        const person = await store.people.find(ANN_THERE);
        expect(person?.identities.map(({ identity }) => identity).sort()).toEqual([ANN, ANN_THERE].sort());
        expect(person?.identities.map(({ role }) => role)).toEqual([null, null]);
      }
      await erase();
      expect((await texts()).filter(isTheirs)).toEqual([]);
    });

    it("takes running turns from the process that has them: it can write nothing more", async () => {
      const [running] = await store.turns.running(
        { platform: ANN_THERE.split(":")[0] ?? "", account: "bot" },
        now,
      );
      if (!running) throw new Error("Nothing runs.");
      await store.turns.release(running.turn);
      expect(await store.erasure.stopTurns(world.ann, now)).toBe(0); // No process has it.
      const turn = await store.turns.takeOver(running.turn, { holder: "other", leaseMs: 60_000 }, now);
      if (!turn) throw new Error("It is another's.");
      expect(await store.erasure.stopTurns(world.ann, now)).toBe(1);
      expect(await store.turns.renew(turn, 60_000, now)).toBe("stopped");
      expect(await store.erasure.endTurns(world.ann, now)).toBe(1);
      expect(await store.erasure.stopTurns(world.ann, now)).toBe(0);
      const late = {
        messages: [{ role: "assistant", content: "late" }],
        deliveries: [],
        steeredIn: [],
      } as const;
      expect(await store.turns.step(turn, late, 1, now)).toBe(false);
      await erase();
      expect(await store.turns.step(turn, late, 1, now)).toBe(false);
    });

    it("what another connection has read of a conversation is read again", async () => {
      const other = new Sessions(await fixture.open(), { clock: () => now });
      const read = async () => JSON.stringify(await other.history(world.groupSession)).includes("canary");
      expect(await read()).toBe(true);
      await erase();
      expect(await read()).toBe(false);
    });

    it("tells what goes, before it goes", async () => {
      const heard = { words: [] as string[], id: new Set<string>() };
      await erase((kind, text) => {
        if (kind === "words") heard.words.push(text);
        else heard.id.add(text);
      });
      for (const name of [ANN, ANN_THERE, world.annSession, "p_a11ce", ...ANN_FILES])
        expect(heard.id).toContain(name);
      const all = heard.words.join("\n");
      for (const word of [
        "own",
        "answer",
        "reasoning",
        "argument",
        "title",
        "summary",
        "metadata",
        "there",
        "group",
      ])
        expect(all.includes(`canary-${word}`), word).toBe(true);
      for (const word of [
        "inbox",
        "inbox-group",
        "command",
        "delivery",
        "prompt",
        "process",
        "shown",
        "called",
        "person",
        "wish",
      ])
        expect(all.includes(`canary-${word}`), word).toBe(true);
      expect(all).not.toMatch(/beans|ladder|bob-/);
    });

    it("scrubs the engine, and everything is still there", async () => {
      await erase();
      const before = await texts();
      expect(await store.erasure.scrub()).toEqual({ problems: [] });
      expect(await texts()).toEqual(before);
      expect((await sessions.search("ladder", OWNER)).items).toHaveLength(1);
    });
  });
}
