/** What a message costs on its way in, counted in round trips to the database, on both engines. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { InboundMessage } from "../src/adapter/adapter.js";
import { Intake } from "../src/adapter/intake.js";
import { Allowance } from "../src/gateway/allowance.js";
import { Apologies } from "../src/gateway/apology.js";
import { Approvals } from "../src/gateway/approvals.js";
import { Entrance } from "../src/gateway/entrance.js";
import { Lanes } from "../src/gateway/lanes.js";
import { People } from "../src/gateway/people.js";
import { openDb } from "../src/open-sessions.js";
import { SqlInbox } from "../src/store/sql/inbox.js";
import { SqlPeople } from "../src/store/sql/people.js";
import { openSqlStore } from "../src/store/sql-store.js";
import { ScriptedAdapter } from "../src/testing/scripted-adapter.js";
import { FarDb } from "./support/far-db.js";
import { type Postgres, startPostgres } from "./support/postgres.js";

let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
}, 180_000);
afterAll(() => postgres.stop());

const clock = () => Date.UTC(2026, 0, 10, 12);
const adapter = new ScriptedAdapter({ platform: "telegram" });

describe.each([
  ["SQLite", async () => "sqlite::memory:"],
  ["PostgreSQL", () => postgres.createDatabase()],
])("a message on its way in, on %s", (_, url) => {
  let store: Awaited<ReturnType<typeof openSqlStore>>;
  afterEach(() => store.close());

  const open = async () => {
    const near = await openDb(await url());
    store = await openSqlStore(near, 0);
    const db = new FarDb(near);
    const allow = { telegram: Array.from({ length: 100 }, (_, n) => `${n}`) };
    const people = new People(new SqlPeople(db), { allow, pairing: "off" }, { clock });
    const entrance = new Entrance({
      people,
      inbox: new SqlInbox(db),
      approvals: new Approvals({}, clock, store.accounts),
      takesFiles: false,
      apologies: new Apologies(),
      allowance: new Allowance({ spending: store.spending, usage: store.usage, lists: {}, clock }),
      scopes: {},
      commands: { isCommand: () => false, asksAgent: () => false },
      groups: {},
      ...{ meanings: {}, outbox: store.outbox, lanes: new Lanes() },
      holder: "me",
      clock,
      onProblem: (problem) => expect.unreachable(problem),
    });
    return { db, people, entrance };
  };
  const message = (chat: string, n: number, userId = chat): InboundMessage => ({
    kind: "message",
    source: { platform: "telegram", chatType: "dm", chatId: chat, userId },
    messageId: `${n}`,
    text: `${n}`,
  });

  it("is one round trip, and one more for the first of a person", async () => {
    const { db, entrance } = await open();
    for (let n = 0; n < 10; n += 1)
      expect(await entrance.receive(adapter, message("1", n))).toMatchObject({ kind: "new" });
    expect(db.trips).toBe(11);
  });

  it("waits for nothing of another chat: a hundred chats take as long as one", async () => {
    const { db, entrance } = await open();
    const intake = new Intake<number>();
    for (let n = 0; n < 100; n += 1)
      intake.add(`${n}`, async () => void (await entrance.receive(adapter, message(`${n}`, n))), n);
    expect(await db.roundsOf(intake.fewerThan(1))).toBe(2);
    expect(await store.inbox.waiting(adapter)).toHaveLength(100);
  });

  it("is kept in order within a chat", async () => {
    const { db, entrance } = await open();
    const intake = new Intake<number>();
    for (let n = 0; n < 30; n += 1)
      intake.add(`${n % 3}`, async () => void (await entrance.receive(adapter, message(`${n % 3}`, n))), n);
    expect(await db.roundsOf(intake.fewerThan(1))).toBe(11);
    const kept = (await store.inbox.waiting(adapter)).map(({ item }) => item);
    for (const chat of ["0", "1", "2"]) {
      const ofChat = kept.filter(({ source }) => source.chatId === chat).map(({ text }) => Number(text));
      expect(ofChat).toEqual([...ofChat].sort((one, other) => one - other));
      expect(ofChat).toHaveLength(10);
    }
  });

  it("is refused as soon as its sender was forgotten, whatever is remembered of them", async () => {
    const { entrance, people } = await open();
    await store.people.join("telegram:eve", "telegram:mallory", "p1", clock());
    await store.people.setRole("p1", "member");
    expect(await entrance.receive(adapter, message("9", 1, "eve"))).toMatchObject({ kind: "new" });
    expect(people.remembered(message("9", 2, "eve").source)).not.toBeNull();
    await store.people.forget({ personId: "p1" });
    expect(await entrance.receive(adapter, message("9", 2, "eve"))).toEqual({
      kind: "nothing",
      received: "refused",
    });
    expect((await store.inbox.waiting(adapter)).map(({ item }) => item.text)).toEqual(["1"]);
  });

  it("is told from one that was there already, also when persons were changed in between", async () => {
    const { entrance } = await open();
    expect(await entrance.receive(adapter, message("1", 1))).toMatchObject({ kind: "new" });
    await store.people.join("telegram:eve", "telegram:mallory", "p1", clock());
    const again = { kind: "nothing", received: "duplicate" };
    expect(await entrance.receive(adapter, message("1", 1))).toEqual(again);
    expect(await entrance.receive(adapter, message("1", 2))).toMatchObject({ kind: "new" });
  });
});
