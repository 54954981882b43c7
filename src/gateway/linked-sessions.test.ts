/** What people find of their conversations when they link accounts, and when they unlink them again. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import "../adapter/platforms.js";
import { openStore } from "../open-sessions.js";
import { identityOf } from "../session/access.js";
import { platforms } from "../session/platform.js";
import type { SessionEntry } from "../session/session.js";
import type { SessionSource } from "../session/source.js";
import { People } from "./people.js";

const [, HERE = "", THERE = ""] = platforms();
const phone: SessionSource = { platform: HERE, chatType: "dm", chatId: "1", userId: "1" };
const desk: SessionSource = { platform: THERE, chatType: "dm", chatId: "d2", userId: "2" };
const other: SessionSource = { platform: HERE, chatType: "dm", chatId: "3", userId: "3" };
const group: SessionSource = { platform: HERE, chatType: "group", chatId: "g", userId: "1" };

describe("linked accounts", () => {
  let open: Awaited<ReturnType<typeof openStore>>;
  let people: People;
  const began = new Map<SessionSource, SessionEntry>();

  beforeEach(async () => {
    open = await openStore({ url: "sqlite::memory:", config: { scopes: { group: "member" } } });
    const allow = { [HERE]: ["1", "3"], [THERE]: ["2"] };
    people = new People(open.store.people, { allow }, { clock: Date.now });
    for (const source of [phone, desk, other, group]) {
      const said = { role: "user", content: `a rose by ${source.platform} ${source.chatId}` } as const;
      began.set(source, (await open.sessions.receive(source, said)).entry);
    }
  });
  afterEach(() => open.sessions.close());

  const idOf = (source: SessionSource) => began.get(source)?.sessionId ?? ("" as SessionEntry["sessionId"]);
  const viewOf = async (source: SessionSource) => {
    const who = await people.access(source);
    if (!who.allowed) throw new Error(who.reason);
    return open.sessions.as(who.viewer);
  };
  const link = () =>
    people.store.join(identityOf(phone) ?? "", identityOf(desk) ?? "", people.newId(), Date.now());
  const unlink = () => people.store.unlink(identityOf(desk) ?? "", people.newId(), Date.now());

  /** The sessions of these, and no others, are listed, found, searched and read from there. */
  const expectFrom = async (from: SessionSource, ...theirs: SessionSource[]): Promise<void> => {
    const view = await viewOf(from);
    const ids = theirs.map(idOf).sort();
    expect((await view.list()).items.map(({ sessionId }) => sessionId).sort()).toEqual(ids);
    const hits = (await view.search("rose")).items.map(({ sessionId }) => sessionId);
    expect(hits.sort()).toEqual(ids);
    for (const source of began.keys()) {
      const sessionId = idOf(source);
      const isTheirs = ids.includes(sessionId);
      const found = await view.find(sessionId).catch(() => null);
      const read = await view.load(sessionId).catch(() => null);
      expect([found !== null, read !== null]).toEqual([isTheirs, isTheirs]);
    }
  };

  it("show the conversations of both from either, and only each its own after they are unlinked", async () => {
    await expectFrom(phone, phone, group);
    await expectFrom(desk, desk);
    await link();
    for (const from of [phone, desk]) await expectFrom(from, phone, group, desk);
    await expectFrom(other, other);
    await expectFrom(group, group);
    await unlink();
    await expectFrom(phone, phone, group);
    await expectFrom(desk, desk);
  });

  it("resume the conversations of both from either, and each can bring its own back afterwards", async () => {
    await expect((await viewOf(desk)).switchTo(desk, idOf(phone))).rejects.toMatchObject({
      code: "session_not_found",
    });
    await link();
    await (await viewOf(desk)).switchTo(desk, idOf(phone));
    expect((await open.sessions.getOrCreate(desk)).sessionId).toBe(idOf(phone));
    await unlink();
    // It is the phone's, and the desk talks in it: both see it until the phone takes it back.
    await expectFrom(phone, phone, group);
    await expectFrom(desk, phone, desk);
    await (await viewOf(phone)).switchTo(phone, idOf(phone));
    await expectFrom(phone, phone, group);
    await expectFrom(desk, desk);
    expect((await open.sessions.getOrCreate(phone)).sessionId).toBe(idOf(phone));
    await (await viewOf(desk)).switchTo(desk, idOf(desk));
    expect((await open.sessions.getOrCreate(desk)).sessionId).toBe(idOf(desk));
  });
});
