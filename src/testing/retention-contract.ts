/** What every session store must do so that ended sessions can be archived and removed, as a vitest suite. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SessionId } from "../session/ids.js";
import { platforms } from "../session/platform.js";
import { Retention, type RetentionRules, type SessionArchive } from "../session/retention.js";
import { Sessions } from "../session/sessions.js";
import { parseSource } from "../session/source.js";
import type { SessionStore } from "../session/store.js";
import type { StoreFixture } from "./session-store-contract.js";

const [, HERE = ""] = platforms();
const DAY = 86_400_000;
const in_ = (chat: string) => parseSource({ platform: HERE, chat_id: chat, user_id: chat });

export function retentionContract(name: string, createFixture: () => Promise<StoreFixture>): void {
  describe(`retention: ${name}`, () => {
    let fixture: StoreFixture;
    let store: SessionStore;
    let sessions: Sessions;
    let retention: Retention;
    let now = 0;
    /** The sessions that the archive was given, and those that it discarded again. */
    let kept: SessionId[] = [];
    let discarded: SessionId[] = [];
    const archive: SessionArchive = {
      keep: async ({ sessionId }) => {
        expect(await sessions.get(sessionId)).not.toBeNull();
        kept.push(sessionId);
        return { file: sessionId, discard: async () => void discarded.push(sessionId) };
      },
    };
    const rules = (given: Partial<RetentionRules>): RetentionRules => ({
      endedBeforeMs: null,
      maxBytes: null,
      ...given,
    });

    beforeEach(async () => {
      now = Date.UTC(2026, 0, 1);
      kept = [];
      discarded = [];
      fixture = await createFixture();
      store = await fixture.open();
      sessions = new Sessions(store, { clock: () => now });
      retention = new Retention(store, () => now);
    });
    afterEach(() => fixture.dispose());

    /** A session of one message of so many bytes, which ended that many days ago. */
    const ended = async (days: number, bytes = 100): Promise<SessionId> => {
      const then = now;
      now -= days * DAY;
      const { entry } = await sessions.receive(in_(`c${days}`), { role: "user", content: "x".repeat(bytes) });
      await sessions.end(entry.sessionId);
      now = then;
      return entry.sessionId;
    };
    const left = async (ids: readonly SessionId[]): Promise<SessionId[]> => {
      const found = await Promise.all(ids.map((id) => sessions.get(id)));
      return found.flatMap((entry) => entry?.sessionId ?? []);
    };

    it("removes what ended long ago, oldest first, and each is in the archive before", async () => {
      const [old, older, recent] = [await ended(20), await ended(30), await ended(5)];
      const open = (await sessions.receive(in_("open"), { role: "user", content: "here" })).entry.sessionId;
      const plan = await retention.plan(rules({ endedBeforeMs: 10 * DAY }));
      expect(plan).toMatchObject({ sessions: 2, messages: 2, bytes: 200 });
      expect(plan.oldest.map(({ sessionId }) => sessionId)).toEqual([older, old]);
      expect(await left([old, older, recent, open])).toHaveLength(4);
      const done = await retention.apply(rules({ endedBeforeMs: 10 * DAY }), { archive });
      expect(done).toEqual(plan);
      expect(kept).toEqual([older, old]);
      expect(await left([old, older, recent, open])).toEqual([recent, open]);
      expect(discarded).toEqual([]);
    });

    it("removes the oldest until the texts are small enough, and no open session, whatever its size", async () => {
      const ids = [await ended(30), await ended(20), await ended(10)];
      const open = (await sessions.receive(in_("open"), { role: "user", content: "ö".repeat(50) })).entry;
      await sessions.append(open.sessionId, {
        role: "assistant",
        content: "12345",
        reasoning: "1234567890",
        toolCalls: [{ id: "1", name: "n", arguments: "{}" }],
      });
      const { bytes } = await store.reader.messageBytes(0, 1_000_000);
      expect(bytes).toBe(300 + 100 + 15 + JSON.stringify([{ id: "1", name: "n", arguments: "{}" }]).length);
      expect((await retention.plan(rules({ maxBytes: bytes }))).sessions).toBe(0);
      expect((await retention.plan(rules({ maxBytes: bytes - 1 }))).sessions).toBe(1);
      expect((await retention.apply(rules({ maxBytes: bytes - 101 }), { archive })).sessions).toBe(2);
      expect(await left(ids)).toEqual(ids.slice(2));
      expect((await retention.apply(rules({ maxBytes: 0 }), { archive: null })).sessions).toBe(1);
      expect(await sessions.get(open.sessionId)).not.toBeNull();
    });

    it("measures all messages, in ranges", async () => {
      await ended(1, 10);
      await ended(2, 20);
      let [bytes, ranges] = [0, 0];
      for (let after: number | null = 0; after !== null; ranges++) {
        const part: Awaited<ReturnType<typeof store.reader.messageBytes>> = await store.reader.messageBytes(
          after,
          1,
        );
        bytes += part.bytes;
        after = part.next;
      }
      expect(bytes).toBe(30);
      expect(ranges).toBeGreaterThan(1);
    });

    it("removes nothing without a rule", async () => {
      const id = await ended(1_000);
      expect((await retention.apply(rules({}), { archive })).sessions).toBe(0);
      expect(await left([id])).toEqual([id]);
    });

    it("goes through more than a page, also if all ended at the same time", async () => {
      for (let n = 0; n < 120; n++) {
        const { entry } = await sessions.receive(in_(`same${n}`), { role: "user", content: "x" });
        await sessions.end(entry.sessionId);
      }
      now += DAY;
      expect((await retention.plan(rules({ endedBeforeMs: 1 }))).sessions).toBe(120);
      expect((await retention.apply(rules({ endedBeforeMs: 1 }), { archive: null })).sessions).toBe(120);
    });

    it("leaves a session that somebody went on with while it was archived, and discards its archive", async () => {
      const [first, second, third] = [await ended(40), await ended(30), await ended(20)];
      const going: SessionArchive = {
        keep: async (entry) => {
          const archived = await archive.keep(entry);
          if (entry.sessionId === first) await sessions.switchTo(in_("c40"), first);
          if (entry.sessionId === second) await sessions.append(second, { role: "user", content: "more" });
          return archived;
        },
      };
      const done = await retention.apply(rules({ endedBeforeMs: DAY }), { archive: going });
      expect(done).toMatchObject({ sessions: 1, messages: 1 });
      expect(discarded).toEqual([first, second]);
      expect(await left([first, second, third])).toEqual([first, second]);
    });

    it("removes nothing that could not be archived", async () => {
      const ids = [await ended(40), await ended(30)];
      const broken: SessionArchive = { keep: () => Promise.reject(new Error("The disk is full.")) };
      const applied = retention.apply(rules({ endedBeforeMs: DAY }), { archive: broken });
      await expect(applied).rejects.toThrow("The disk is full.");
      expect(await left(ids)).toEqual(ids);
    });

    it("ends in the middle when it is told to, and the next one goes on", async () => {
      const ids = [await ended(40), await ended(30), await ended(20)];
      const stop = new AbortController();
      const stopping = { archive, signal: stop.signal, onRemoved: () => stop.abort() };
      expect((await retention.apply(rules({ endedBeforeMs: DAY }), stopping)).sessions).toBe(1);
      expect(await left(ids)).toEqual(ids.slice(1));
      expect((await retention.apply(rules({ endedBeforeMs: DAY }), { archive })).sessions).toBe(2);
    });
  });
}
