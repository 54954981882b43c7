/** What every store must keep for the page: posts in the order of their changes, devices and links, long work. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { GatewayStore, NewPost, Post } from "../gateway/store.js";
import type { Device, LinkOwner } from "../gateway/web/devices.js";
import { CUT_OFF, WORK_KEPT_MS, WORK_SILENT_MS } from "../gateway/work.js";
import { asSessionId } from "../session/ids.js";
import { Retention } from "../session/retention.js";
import { Sessions } from "../session/sessions.js";
import { localSource } from "../session/source.js";
import type { SessionStore } from "../session/store.js";
import { processHolder } from "../util/holder.js";
import type { GatewayStoreFixture } from "./gateway-store-contract.js";

const CHAT = "somewhere/1";
const NOW = 1_000_000_000;
const ELSEWHERE = JSON.stringify({ host: "elsewhere", pid: 1, start: "1", place: "elsewhere/1" });

function letter(deliveryId: string, more: Partial<NewPost> = {}): NewPost {
  return {
    deliveryId,
    thread: null,
    purpose: "reply",
    text: `text of ${deliveryId}`,
    buttons: [],
    files: [],
    transcript: null,
    ...more,
  };
}

export function webStoreContract(name: string, createFixture: () => Promise<GatewayStoreFixture>): void {
  describe(`what the page needs of a store: ${name}`, () => {
    let fixture: GatewayStoreFixture;
    let store: SessionStore & GatewayStore;

    beforeEach(async () => {
      fixture = await createFixture();
      store = await fixture.open();
    });
    afterEach(() => fixture.dispose());

    describe("posts", () => {
      const add = (id: string, more: Partial<NewPost> = {}, on = store, now = NOW) =>
        on.posts.add(CHAT, letter(id, more), now);
      const ids = (posts: readonly Post[]) => posts.map(({ deliveryId }) => deliveryId);

      it("gives back what was added, mended", async () => {
        const whole = letter("a", {
          thread: "thread-1",
          purpose: "command",
          text: "one\0two",
          buttons: [{ label: "Yes", command: "/approve 1", word: "yes" }],
          files: [{ file: "f1", name: "a.ogg", mediaType: "audio/ogg", size: 3, voice: true }],
          transcript: asSessionId("20260101_000000_0000abcd"),
        });
        const post = await store.posts.add(CHAT, whole, NOW);
        expect(post).toMatchObject({ ...whole, text: expect.not.stringContaining("\0"), at: NOW });
        expect(post).toMatchObject({ position: 1, isGone: false });
        expect(await store.posts.find(CHAT, "a")).toEqual(post);
        expect(await store.posts.at(CHAT, 1)).toEqual(post);
        expect(await store.posts.after(CHAT, 0, 10)).toEqual([post]);
        expect(await store.posts.inThread(CHAT, "thread-1", 0, null, 10)).toEqual([post]);
      });

      it("has each delivery once, however many add it at the same moment", async () => {
        const other = await fixture.open();
        const all = await Promise.all(
          Array.from({ length: 20 }, (_, n) => add("same", { text: `try ${n}` }, n % 2 ? store : other)),
        );
        expect(new Set(all.map((post) => JSON.stringify(post))).size).toBe(1);
        expect(await store.posts.last(CHAT)).toBe(1);
        expect(await store.posts.after(CHAT, 0, 10)).toHaveLength(1);
        expect(await store.posts.add("somewhere/2", letter("same"), NOW)).toMatchObject({ position: 1 });
      });

      it("gives each change the next position, which the post then has", async () => {
        const [first, second] = [await add("a"), await add("b")];
        expect([first.position, second.position]).toEqual([1, 2]);
        const changed = await store.posts.change(CHAT, first.messageId, { text: "new" });
        expect(changed).toEqual({ ...first, text: "new", position: 3 });
        expect(await store.posts.at(CHAT, 1)).toBeNull();
        expect(ids(await store.posts.after(CHAT, 0, 10))).toEqual(["b", "a"]);
        expect(ids(await store.posts.after(CHAT, 2, 10))).toEqual(["a"]);
        expect(ids(await store.posts.after(CHAT, 0, 1))).toEqual(["b"]);
        expect(await store.posts.last(CHAT)).toBe(3);
        const gone = await store.posts.change(CHAT, second.messageId, { isGone: true, buttons: [] });
        expect(gone).toMatchObject({ isGone: true, text: "text of b", position: 4 });
        expect(ids(await store.posts.after(CHAT, 3, 10))).toEqual(["b"]);
        expect(ids(await store.posts.inThread(CHAT, null, 0, null, 10))).toEqual(["a"]);
      });

      it("changes nothing in another chat, and nothing that is not there", async () => {
        const { messageId } = await add("a");
        expect(await store.posts.change("somewhere/2", messageId, { text: "no" })).toBeNull();
        for (const nothing of ["", "0", "999999", "-1", "1 OR 1=1", "9".repeat(40)])
          expect(await store.posts.change(CHAT, nothing, { text: "no" })).toBeNull();
        expect(await store.posts.find("somewhere/2", "a")).toBeNull();
        expect(await store.posts.last("somewhere/2")).toBe(0);
        expect(await store.posts.after(CHAT, 0, 10)).toMatchObject([{ text: "text of a", position: 1 }]);
      });

      it("reads a thread from its end, oldest first", async () => {
        for (let n = 1; n <= 6; n++)
          await add(`p${n}`, { thread: n % 3 === 0 ? "other-thread" : null }, store, NOW + n);
        const newest = await store.posts.inThread(CHAT, null, 0, null, 2);
        expect(ids(newest)).toEqual(["p4", "p5"]);
        const older = await store.posts.inThread(CHAT, null, 0, newest[0]?.position ?? 0, 2);
        expect(ids(older)).toEqual(["p1", "p2"]);
        expect(ids(await store.posts.inThread(CHAT, null, NOW + 2, null, 10))).toEqual(["p2", "p4", "p5"]);
        expect(ids(await store.posts.inThread(CHAT, "other-thread", 0, null, 10))).toEqual(["p3", "p6"]);
      });

      it("forgets old posts of no session, some at a time, and never a position", async () => {
        for (let n = 1; n <= 5; n++) await add(`p${n}`, {}, store, NOW + n);
        await add("said", { transcript: asSessionId("20260101_000000_0000abcd") }, store, NOW);
        expect(await store.routes.forget(NOW + 5, 3)).toBe(3);
        expect(await store.routes.forget(NOW + 5, 3)).toBe(1);
        expect(await store.routes.forget(NOW + 5, 3)).toBe(0);
        expect(ids(await store.posts.after(CHAT, 0, 10))).toEqual(["p5", "said"]);
        expect(await add("next")).toMatchObject({ position: 7 });
      });

      it("forgets those of a session with it", async () => {
        const sessions = new Sessions(store, { clock: () => NOW });
        const { sessionId } = await sessions.getOrCreate(localSource());
        await add("said", { transcript: sessionId });
        await add("other");
        await sessions.end(sessionId);
        await new Retention(store, () => NOW + 1).apply(
          { endedBeforeMs: 0, maxBytes: null },
          { archive: null },
        );
        expect(await sessions.get(sessionId)).toBeNull();
        expect(await store.posts.find(CHAT, "said")).toBeNull();
      });

      it("commits nothing below a position that was read", async () => {
        const other = await fixture.open();
        const reader = await fixture.open();
        const { messageId } = await add("first");
        let isWriting = true;
        const seen: number[] = [];
        const read = (async () => {
          for (let last = 0, isLast = false; !isLast; ) {
            isLast = !isWriting; // What was written before it ended is in one more look.
            const more = (await reader.posts.after(CHAT, last, 100)).map(({ position }) => position);
            seen.push(...more);
            last = more.at(-1) ?? last;
          }
        })();
        await Promise.all(
          Array.from({ length: 60 }, (_, n) => {
            const on = n % 2 ? store : other;
            return n % 5 === 4
              ? on.posts.change(CHAT, messageId, { text: `change ${n}` })
              : add(`p${n}`, {}, on);
          }),
        );
        isWriting = false;
        await read;
        const all = (await store.posts.after(CHAT, 0, 1_000)).map(({ position }) => position);
        expect(all.filter((position) => !seen.includes(position))).toEqual([]);
        expect(seen).toEqual([...new Set(seen)].sort((one, two) => one - two));
        expect(await store.posts.last(CHAT)).toBe(61);
        expect(all.at(-1)).toBe(61);
      });
    });

    describe("devices", () => {
      const offer = (link = "link", identity = "a:1") =>
        store.devices.offer(link, { identity, alias: null, called: null }, NOW + 300_000, NOW);
      const enter = (link = "link", id = "d1", on = store, now = NOW) =>
        on.devices.enter(link, { id, name: "Firefox", tokenHash: `token of ${id}` }, now);

      it("lets somebody in by a link, as whoever it was made for", async () => {
        await offer();
        const device = {
          id: "d1",
          identity: "a:1",
          alias: null,
          called: null,
          name: "Firefox",
          createdAt: NOW,
          seenAt: NOW,
        };
        expect(await enter()).toEqual(device);
        expect(await store.devices.known("token of d1", NOW)).toEqual(device);
        expect(await store.devices.known("link", NOW)).toBeNull();
        expect(await store.devices.list(null)).toEqual([device]);
      });

      it("remembers a second name, and what somebody is called", async () => {
        await store.devices.offer("link", { identity: "a:1", alias: "a:+49", called: "Ann" }, NOW + 1, NOW);
        expect(await enter()).toMatchObject({ identity: "a:1", alias: "a:+49", called: "Ann" });
        expect(await store.devices.known("token of d1", NOW)).toMatchObject({
          alias: "a:+49",
          called: "Ann",
        });
      });

      it("takes a link once, however many try it at the same moment", async () => {
        const other = await fixture.open();
        await offer();
        const all = await Promise.all(
          Array.from({ length: 20 }, (_, n) => enter("link", `d${n}`, n % 2 ? store : other)),
        );
        expect(all.filter(Boolean)).toHaveLength(1);
        expect(await store.devices.list(null)).toHaveLength(1);
        expect(await enter()).toBeNull();
      });

      it("takes no link that is unknown or too old", async () => {
        await offer();
        expect(await enter("another")).toBeNull();
        expect(await enter("link", "d1", store, NOW + 300_000)).toBeNull();
        expect(await store.devices.list(null)).toEqual([]);
        await offer("two links");
        await offer("of one person", "a:1");
        expect(await enter("two links", "d1")).not.toBeNull();
        expect(await enter("of one person", "d2")).not.toBeNull();
      });

      it("notes that a device was seen, at most once an hour", async () => {
        await offer();
        await enter();
        const soon = NOW + 3_599_999;
        expect(await store.devices.known("token of d1", soon)).toMatchObject({ seenAt: NOW });
        const later = NOW + 3_600_000;
        expect(await store.devices.known("token of d1", later)).toMatchObject({ seenAt: later });
        expect(await store.devices.list(null)).toMatchObject([{ createdAt: NOW, seenAt: later }]);
      });

      it("lists and signs out the devices of some identities, or all", async () => {
        for (const [n, identity] of ["a:1", "a:2", "b:1"].entries()) {
          await offer(`link ${n}`, identity);
          await enter(`link ${n}`, `d${n}`, store, NOW + n);
        }
        const ids = async (identities: readonly string[] | null) =>
          (await store.devices.list(identities)).map(({ id }) => id);
        expect(await ids(null)).toEqual(["d2", "d1", "d0"]);
        expect(await ids(["a:1", "b:1"])).toEqual(["d2", "d0"]);
        expect(await ids([])).toEqual([]);
        expect(await store.devices.revoke("d1", ["a:1", "b:1"])).toBe(false);
        expect(await store.devices.revoke("d1", [])).toBe(false);
        expect(await store.devices.revoke("d1", ["a:2"])).toBe(true);
        expect(await store.devices.revoke("d1", null)).toBe(false);
        expect(await store.devices.known("token of d1", NOW)).toBeNull();
        expect(await ids(null)).toEqual(["d2", "d0"]);
      });

      it("signs somebody out everywhere, with the links that they have not used", async () => {
        const [one, two, other] = ["a:1", "a:2", "b:1"].map((identity) => ({
          identity,
          alias: null,
          called: null,
        }));
        for (const [n, whose] of [one, two, other, one, other].entries())
          await store.devices.offer(`link ${n}`, whose as LinkOwner, NOW + 1_000, NOW);
        for (const n of [0, 1, 2])
          await store.devices.enter(`link ${n}`, { id: `d${n}`, name: "x", tokenHash: `t${n}` }, NOW);
        const ids = (devices: readonly Device[]) => devices.map(({ id }) => id).sort();
        expect(await store.devices.revokeAll([])).toEqual([]);
        expect(ids(await store.devices.revokeAll(["a:1", "a:2"]))).toEqual(["d0", "d1"]);
        expect(await store.devices.revokeAll(["a:1", "a:2"])).toEqual([]);
        expect(ids(await store.devices.list(null))).toEqual(["d2"]);
        const spare = { id: "spare", name: "x", tokenHash: "t" };
        expect(await store.devices.enter("link 3", spare, NOW)).toBeNull();
        expect(await store.devices.enter("link 4", spare, NOW)).toMatchObject({ identity: "b:1" });
      });
    });

    it("signs somebody out who is forgotten, on all devices of theirs, and no other", async () => {
      await store.people.join("a:1", "b:1", "p1", NOW);
      for (const identity of ["a:1", "b:1", "c:1"]) {
        const whose = { identity, alias: null, called: null };
        await store.devices.offer(`link ${identity}`, whose, NOW + 1, NOW);
        const device = { id: identity, name: "", tokenHash: identity };
        await store.devices.enter(`link ${identity}`, device, NOW);
        await store.devices.offer(`another ${identity}`, whose, NOW + 1, NOW);
      }
      await store.people.forget({ identity: "a:1" });
      expect((await store.devices.list(null)).map(({ id }) => id)).toEqual(["c:1"]);
      const enter = (link: string) => store.devices.enter(link, { id: link, name: "", tokenHash: link }, NOW);
      expect(await enter("another b:1")).toBeNull();
      expect(await enter("another c:1")).not.toBeNull();
    });

    describe("long work", () => {
      const begin = (what = "Backup", holder = processHolder(), now = NOW) =>
        store.work.begin({ what, unit: "pages", total: null }, holder, now);

      it("is shown as far as it is, with what came of it", async () => {
        const id = await begin();
        const was = { id, what: "Backup", unit: "pages", startedAt: NOW, endedAt: null, outcome: null };
        expect(await store.work.list(NOW)).toEqual([{ ...was, done: 0, total: null, toldAt: NOW }]);
        await store.work.tell(id, { done: 3, total: 10 }, NOW + 1);
        expect(await store.work.list(NOW)).toMatchObject([{ ...was, done: 3, total: 10, toldAt: NOW + 1 }]);
        await store.work.end(id, "Saved 10 pages.", NOW + 2);
        await store.work.end(id, "Failed.", NOW + 3);
        await store.work.tell(id, { done: 4, total: 10 }, NOW + 3);
        const over = { done: 3, endedAt: NOW + 2, outcome: "Saved 10 pages." };
        expect(await store.work.list(NOW)).toMatchObject([over]);
        const other = await begin("Import");
        expect((await store.work.list(NOW)).map((each) => each.id)).toEqual([other, id]);
      });

      it("is cut off if its process ended, or was not heard of for long", async () => {
        await begin("Backup", "");
        await begin("Import", ELSEWHERE);
        await begin("Here");
        const shown = async (now: number) =>
          (await store.work.list(now)).map(({ what, endedAt, outcome }) => [what, endedAt, outcome]);
        const here = ["Here", null, null];
        const backup = ["Backup", NOW, CUT_OFF];
        expect(await shown(NOW)).toEqual([here, ["Import", null, null], backup]);
        expect(await shown(NOW + WORK_SILENT_MS + 1)).toEqual([here, ["Import", NOW, CUT_OFF], backup]);
      });

      it("is forgotten a day after its end", async () => {
        await store.work.end(await begin(), "Done.", NOW);
        await begin("Cut off", "");
        expect(await store.work.list(NOW + WORK_KEPT_MS)).toHaveLength(2);
        expect(await store.work.list(NOW + WORK_KEPT_MS + 1)).toEqual([]);
        await begin("Later", processHolder(), NOW + WORK_KEPT_MS + 1);
        expect(await store.work.list(NOW)).toMatchObject([{ what: "Later" }]);
      });

      it("is told of when it begins, goes on and ends", async () => {
        const heard: string[] = [];
        store.subscribe((fact) => {
          if (fact.kind === "work") heard.push(fact.kind);
        });
        const id = await begin();
        await store.work.tell(id, { done: 1, total: null }, NOW);
        await store.work.end(id, "Done.", NOW);
        expect(heard).toHaveLength(3);
        await store.work.end(id, "Done.", NOW);
        expect(heard).toHaveLength(3);
      });
    });
  });
}
