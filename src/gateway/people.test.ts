/** Codes as they are really made, hashed and kept, over a real store. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { openDb } from "../open-sessions.js";
import { identityNamed } from "../session/access.js";
import { parseSource } from "../session/source.js";
import type { Db } from "../store/db.js";
import { openSqlStore } from "../store/sql-store.js";
import type { LimitLists } from "./limits.js";
import { CODE_MS, LOCK_MS } from "./pairing.js";
import { People, type PeopleRules, type PeopleSetting } from "./people.js";

let db: Db;
let store: Awaited<ReturnType<typeof openSqlStore>>;
let now = 0;
beforeEach(async () => {
  db = await openDb("sqlite::memory:");
  store = await openSqlStore(db, 0);
  now = Date.UTC(2026, 0, 1);
});
afterEach(() => store.close());

const people = (rules: PeopleRules = {}, setting: Partial<PeopleSetting> = {}) =>
  new People(store.people, rules, { clock: () => now, ...setting });
const dm = (user_id: string, more = {}) =>
  parseSource({ platform: "telegram", chat_id: user_id, user_id, user_name: "Ann", ...more });
const knock = async (here: People, user: string) => {
  const knocked = await here.knock(dm(user), false);
  if (knocked.kind !== "code") throw new Error(knocked.kind);
  return knocked.code;
};
const as = { role: "guest", name: null } as const;
const identity = (id: string) => identityNamed("telegram", id);

it("keeps no code where anybody could read it", async () => {
  const here = people();
  const code = await knock(here, "1");
  const link = await here.showLink(identity("2"));
  const tables = [
    "pairings",
    "link_codes",
    "people_state",
    "persons",
    "identities",
    "tries",
    "inbox",
    "outbox",
  ];
  const kept = JSON.stringify(await Promise.all(tables.map((table) => db.all(`SELECT * FROM ${table}`))));
  expect(kept).toContain(identity("1"));
  for (const secret of [code, link]) expect(kept.toUpperCase()).not.toContain(secret);
  // Other processes know the code by the salt that is kept, not by the one they would make.
  expect(await people().approve("owner", code, as)).toMatchObject({
    kind: "approved",
    identity: identity("1"),
  });
});

it("looks at five of 2,000 guesses, and makes a hash for no other", async () => {
  let hashes = 0;
  const hash = async (code: string) => `${hashes++} ${code}`;
  const here = people({}, { hash });
  const kinds = new Map<string, number>();
  for (let n = 0; n < 2_000; n++) {
    const { kind } = await here.link("eve", "ABCDEFGH", { seenByOthers: false, role: null });
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  expect([...kinds]).toEqual([
    ["wrong", 5],
    ["locked", 1_995],
  ]);
  expect(hashes).toBe(5);
  now += LOCK_MS;
  expect(await here.link("eve", "ABCDEFGH", { seenByOthers: false, role: null })).toMatchObject({
    kind: "wrong",
  });
});

it("refuses the right code of one who is locked out, a replay, and a code that is over", async () => {
  const here = people();
  const code = await knock(here, "1");
  for (let n = 0; n < 5; n++) await here.approve("eve", "ABCDEFGH", as);
  expect(await here.approve("eve", code, as)).toMatchObject({ kind: "locked" });
  expect(await here.approve("owner", code, as)).toMatchObject({ kind: "approved" });
  expect(await here.approve("owner", code, as)).toMatchObject({ kind: "wrong" });
  const late = await knock(here, "2");
  now += CODE_MS;
  expect(await here.approve("owner", late, as)).toMatchObject({ kind: "wrong" });
  expect((await here.access(dm("2"))).allowed).toBe(false);
});

it("lets in who asked with the code, and nobody who is called the same", async () => {
  const here = people();
  const [ann, other] = [await knock(here, "1"), await knock(here, "2")];
  expect(ann).not.toBe(other);
  await here.approve("owner", other, { role: "member", name: "Ann" });
  expect(await here.access(dm("2"))).toMatchObject({ allowed: true, role: "member" });
  expect((await here.access(dm("1"))).allowed).toBe(false);
  expect((await here.access(dm("3", { user_name: "Ann", chat_id: "2" }))).allowed).toBe(false);
  expect((await here.access(dm("2", { is_bot: true }))).allowed).toBe(false);
});

it("takes only the id that decides: a number that went to somebody else is not them", async () => {
  const here = people();
  const both = dm("+49123", { user_id_alt: "uuid-1" });
  const knocked = await here.knock(both, false);
  await here.approve("owner", knocked.kind === "code" ? knocked.code : "", as);
  expect((await here.access(both)).allowed).toBe(true);
  expect((await here.access(dm("+49123", { user_id_alt: "uuid-2" }))).allowed).toBe(false);
  expect((await here.access(dm("+49123"))).allowed).toBe(false);
});

it("gives no code in a group, to a bot, to nobody, and to no one where pairing is off", async () => {
  const sources = [
    dm("1", { chat_type: "group" }),
    dm("1", { is_bot: true }),
    parseSource({ platform: "telegram", chat_id: "1" }),
  ];
  for (const source of sources) expect(await people().knock(source, true)).toEqual({ kind: "nothing" });
  expect(await people({ pairing: "off" }).knock(dm("1"), true)).toEqual({ kind: "nothing" });
});

it.each([
  ["an unknown one types an owner's code", "owner", null, "linked", "owner"],
  ["a guest types an owner's code", "owner", "guest", "linked", "owner"],
  ["a member types a member's code", "member", "member", "linked", "member"],
  ["an owner is talked into typing a guest's code", "guest", "owner", "refused", "guest"],
  ["a member is talked into typing a guest's code", "guest", "member", "refused", "guest"],
  ["a code outlives who it was shown to", null, "guest", "refused", null],
] as const)("%s", async (_, shown, typed, outcome, role) => {
  const list = (which: string | null, platform: string, id: string) =>
    which === null ? {} : { [which]: { [platform]: [id] } };
  const rules = { owner: "owners", member: "allow", guest: "guests" };
  const here = people({
    ...list(shown && rules[shown], "telegram", "1"),
    ...(shown === typed
      ? { allow: { telegram: ["1"], discord: ["2"] } }
      : list(typed && rules[typed], "discord", "2")),
  });
  const code = await here.showLink(identity("1"));
  expect(await here.link("discord:2", code, { seenByOthers: false, role: null })).toMatchObject({
    kind: outcome,
  });
  const first = await here.access(dm("1"));
  expect(first.allowed ? first.role : null).toBe(role);
  const second = await here.access({ ...dm("2"), platform: "discord" });
  expect(second.allowed ? second.role : null).toBe(outcome === "linked" ? role : typed);
});

it("joins nobody on one platform, nor anybody to less than what a second id makes them", async () => {
  const here = people({ guests: { telegram: ["1", "2"] } });
  const code = await here.showLink(identity("1"));
  expect(await here.link(identity("2"), code, { seenByOthers: false, role: "guest" })).toEqual({
    kind: "refused",
  });
  const again = await here.showLink(identity("1"));
  expect(await here.link("signal:uuid", again, { seenByOthers: false, role: "owner" })).toEqual({
    kind: "refused",
  });
});

it.each([
  ["has looser limits of their own", { "discord:2": { modelCallsPerDay: "none" } }, "refused"],
  [
    "has looser limits in one respect only",
    { "discord:2": { turnsAtOnce: 9, messagesPerMinute: 1 } },
    "refused",
  ],
  ["has stricter limits", { "discord:2": { modelCallsPerDay: 1 } }, "linked"],
  [
    "has looser limits than the role, but not than who shows it",
    { "discord:2": { modelCallsPerDay: 500 }, "telegram:1": { modelCallsPerDay: 500 } },
    "linked",
  ],
] as const)("who shows a code gains nothing if who types it %s", async (_, byPerson, outcome) => {
  const here = people(
    { guests: { telegram: ["1"], discord: ["2"] } },
    { limitLists: { byPerson: byPerson as LimitLists["byPerson"] & {} } },
  );
  const code = await here.showLink(identity("1"));
  const linked = await here.link("discord:2", code, { seenByOthers: false, role: "guest" });
  expect(linked.kind).toBe(outcome);
});

it("takes the role away from all of a person when the configuration does", async () => {
  const owner = people({ owners: { telegram: ["1"] } });
  const code = await owner.showLink(identity("1"));
  await owner.link(identityNamed("discord", "2"), code, { seenByOthers: false, role: null });
  const there = parseSource({ platform: "discord", chat_id: "2", user_id: "2" });
  expect(await owner.access(there)).toMatchObject({ role: "owner" });
  expect((await people().access(there)).allowed).toBe(false);
});

it("makes a code worthless that others have seen", async () => {
  const here = people({ owners: { telegram: ["1"] } });
  const code = await here.showLink(identity("1"));
  expect(await here.link(identity("2"), code, { seenByOthers: true, role: null })).toEqual({
    kind: "refused",
  });
  expect(await here.link(identity("3"), code, { seenByOthers: false, role: null })).toMatchObject({
    kind: "wrong",
  });
});

it("looks at one code of somebody at a time, so that a rush of guesses is counted one by one", async () => {
  let hashes = 0;
  const here = people({}, { hash: async () => `${hashes++}` });
  const guess = () => here.link(identity("9"), "ABCDEFGH", { seenByOthers: false, role: null });
  const kinds = (await Promise.all(Array.from({ length: 500 }, guess))).map(({ kind }) => kind);
  expect(hashes).toBe(1);
  expect(kinds.filter((kind) => kind === "wrong")).toHaveLength(1);
  expect(kinds.filter((kind) => kind === "busy")).toHaveLength(499);
});

it("never has more than one hash made at once, and an owner's code comes before the strangers'", async () => {
  const made: (() => void)[] = [];
  const here = people({}, { hash: (code) => new Promise((resolve) => made.push(() => resolve(code))) });
  const strangers = Array.from({ length: 100 }, (_, n) =>
    here.link(identity(`s${n}`), "ABCDEFGH", { seenByOthers: false, role: null }),
  );
  const owner = here.denyCode("owner", "BCDEFGHJ");
  const ended: string[] = [];
  for (const each of strangers) void each.then(({ kind }) => ended.push(kind));
  void owner.then(() => ended.push("owner"));
  while (ended.length < 101) {
    await new Promise((resolve) => setImmediate(resolve));
    expect(made.length).toBeLessThanOrEqual(1);
    if (ended.filter((kind) => kind === "busy").length === 91) made.shift()?.(); // All have come.
  }
  expect(ended.filter((kind) => kind === "wrong")).toHaveLength(9);
  expect(ended.filter((kind) => kind === "busy")).toHaveLength(91);
  expect(ended.indexOf("owner")).toBeLessThan(ended.lastIndexOf("wrong"));
});

it("a group's list counts in that group with its threads, and never in private", async () => {
  const groups = { "telegram:-100": { people: ["7"] }, "telegram:7": { people: ["8"] }, "telegram:-200": {} };
  const here = people({ allow: { telegram: ["1", "7x"] } }, { groups });
  const write = async (user: string, chat: string, type: string, more = {}) => {
    const source = parseSource({
      platform: "telegram",
      chat_id: chat,
      chat_type: type,
      user_id: user,
      ...more,
    });
    const { access } = await here.lookUp(source);
    expect(here.remembered(source) !== null).toBe(access.allowed);
    expect((await here.access(source)).allowed).toBe(access.allowed);
    return access.allowed ? access.role : null;
  };
  expect(await write("7", "-100", "group")).toBe("guest");
  expect(await write("7", "-100", "thread", { thread_id: "3" })).toBe("guest");
  expect(await write("7", "-1001", "group")).toBeNull();
  expect(await write("7", "7", "dm")).toBeNull();
  expect(await write("8", "7", "dm")).toBeNull(); // The id of a private chat makes no list.
  expect(await write("1", "-100", "group")).toBeNull();
  expect(await write("1", "-200", "group")).toBe("member");
  expect(await write("1", "1", "dm")).toBe("member");
  expect(here.groupLists()).toEqual([
    { chat: "telegram:-100", identities: [identity("7")] },
    { chat: "telegram:7", identities: [identity("8")] },
  ]);
});
