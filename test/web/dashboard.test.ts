/**
 * What owners see of the gateway in the page, and decide there, call by call: the real routes over a store of the test, with a
 * clock that it sets. Who may see which words is in rights.test.ts.
 */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { People } from "../../src/gateway/people.js";
import type { NewDelivery } from "../../src/gateway/store.js";
import type { DeliveryId, HandoffId } from "../../src/session/ids.js";
import type { SessionSource } from "../../src/session/source.js";
import { ScriptedAdapter } from "../../src/testing/scripted-adapter.js";
import type { Finding } from "../../src/util/finding.js";
import type { WireDelivery, WireHealth, WirePage, WirePeople } from "../../src/web/wire.js";
import { OF_THE_PAGE } from "../support/page-server.js";
import { ANN, BOB, codeOf, OLGA, SignInWorld } from "../support/sign-in-world.js";
import { webResponse } from "../support/web-call.js";

const TERMINAL = "local:terminal";
const RULES = { owners: { telegram: ["olga"] }, allow: { telegram: ["ann", "bob"] } };
const BOT = { platform: "telegram", account: "bot" };
const SECRET = "correct-horse-battery-staple";
const MINUTE_MS = 60_000;

let world: SignInWorld;
let findings: readonly Finding[];
let bot: ScriptedAdapter;
/** Cookies: the person at this machine, another owner, a member. */
let operator: string;
let olga: string;
let ann: string;
beforeEach(async () => {
  world = await SignInWorld.open();
  findings = [];
  bot = new ScriptedAdapter({ ...BOT, shared: true });
  await world.again({
    gateway: { people: RULES, adapters: [bot] },
    findings: async () => findings,
    redact: (text) => text.replaceAll(SECRET, "***"),
  });
  [operator, olga, ann] = [await world.signIn(TERMINAL), await world.signIn(OLGA), await world.signIn(ANN)];
});
afterEach(async () => {
  await world.page.gateway.stop({ drainMs: 0 });
  await world.close();
});

async function get<Wire>(path: string, cookie = operator): Promise<Wire> {
  const answer = await world.call({ path }, { cookie });
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.json as Wire;
}
const post = (path: string, body: object, cookie = operator) => world.post(path, body, { cookie });
const privately = (userId: string): SessionSource => ({
  ...{ platform: BOT.platform, chatId: userId, chatType: "dm" },
  userId,
});

describe("health", () => {
  const health = () => get<WireHealth>("/api/owner/health");
  const accept = (messageId: string) => {
    const source = privately("ann");
    const { key } = world.sessions.laneOf(source);
    const item = { ...BOT, kind: "message", key, source, messageId, text: "hello" } as const;
    return world.store.inbox.accept(item, "me", world.now);
  };

  test("says how this process is, and how large the store is", async () => {
    const startedAt = world.now;
    world.now += MINUTE_MS;
    const before = await health();
    expect(before).toMatchObject({ version: "test", node: process.version, startedAt, streams: 0 });
    expect(before.rssBytes).toBeGreaterThan(10_000_000);
    for (const delay of Object.values(before.loopDelay)) expect(delay).toBeGreaterThanOrEqual(0);
    expect(Object.keys(before.loopDelay)).toEqual(["mean", "p99", "max"]);
    expect(before.storeBytes).toBeGreaterThan(10_000);
    const { sessionId } = await world.sessions.getOrCreate(privately("ann"));
    for (let n = 0; n < 20; n++)
      await world.sessions.append(sessionId, { role: "user", content: "x".repeat(100_000) });
    expect((await health()).storeBytes).toBeGreaterThan((before.storeBytes ?? 0) + 2_000_000);
  });

  test("counts the pages that are open", async () => {
    const headers = { cookie: ann, ...OF_THE_PAGE, accept: "text/event-stream" };
    const streams = [1, 2].map(() => webResponse(world.page.url, { path: "/api/stream", headers }));
    const [one, two] = await Promise.all(streams);
    expect((await health()).streams).toBe(2);
    one?.destroy();
    await expect.poll(async () => (await health()).streams).toBe(1);
    two?.destroy();
    await expect.poll(async () => (await health()).streams).toBe(0);
  });

  test("says how old what waits is", async () => {
    expect(await health()).toMatchObject({ oldestInboxMs: null, oldestOutboxMs: null });
    await accept("1");
    world.now += 90_000;
    await accept("2");
    await world.store.outbox.add([letter()], world.now);
    world.now += 5_000;
    expect(await health()).toMatchObject({ oldestInboxMs: 95_000, oldestOutboxMs: 5_000 });
    world.now -= 10 * MINUTE_MS; // The clock is set back: nothing is younger than now.
    expect(await health()).toMatchObject({ oldestInboxMs: 0, oldestOutboxMs: 0 });
  });

  test("shows what a check found, without secrets, and what to do", async () => {
    findings = [
      { check: "sandbox", finding: "bubblewrap", status: "ok" },
      { check: "tools", finding: `can't use\n${SECRET}`, status: "warning", fix: "Run `x`." },
    ];
    expect((await health()).findings).toEqual([
      { level: "ok", title: "sandbox", text: "bubblewrap" },
      { level: "warning", title: "tools", text: "can't use ***. To fix it: Run `x`." },
    ]);
  });
});

let letters = 0;
function letter(more: Partial<NewDelivery> = {}): NewDelivery {
  letters += 1;
  return {
    ...{ deliveryId: `d${letters}` as DeliveryId, account: BOT.account, holder: "me" },
    ...{ address: { platform: BOT.platform, chatId: "ann" }, purpose: "reply", text: `text ${letters}` },
    ...{ sessionId: null, shown: false },
    ...more,
  };
}

describe("the outbox", () => {
  /** One that failed, or of which nobody knows whether it arrived. */
  async function unsent(became: "failed" | "unknown", more: Partial<NewDelivery> = {}) {
    const { outbox } = world.store;
    await outbox.add([letter(more)], world.now);
    const sending = (await outbox.pending(BOT, 100)).at(-1) ?? expect.unreachable();
    await outbox.sending(sending.id, "me");
    const which = { ...sending, holder: "me" };
    if (became === "failed") await outbox.fail(which, `no such chat: ${SECRET}`, true, world.now);
    else await outbox.doubt(which, "no answer", null, world.now);
    return { id: `${sending.id}`, text: sending.text };
  }
  const listed = async (state: string, cookie = operator) =>
    (await get<WirePage<WireDelivery>>(`/api/owner/outbox?state=${state}`, cookie)).items;
  const ids = async (state: string) => (await listed(state)).map(({ id }) => id);
  const decide = async (id: string, decision: string, cookie = operator) => {
    const { status, json } = await post("/api/owner/outbox", { id, decision }, cookie);
    expect(status).toBe(200);
    return (json as { readonly done: boolean }).done;
  };

  test.each(["failed", "unknown"] as const)(
    "shows what is %s, to others without its words",
    async (became) => {
      const { sessionId } = await world.sessions.getOrCreate(privately("ann"));
      const { id, text } = await unsent(became, { sessionId });
      const error = became === "failed" ? "no such chat: ***" : "no answer";
      const shown = {
        id,
        state: became,
        to: "telegram:ann",
        purpose: "reply",
        at: world.now,
        attempts: 1,
        error,
      };
      expect(await listed(became)).toEqual([{ ...shown, text, isOthers: false }]);
      expect(await listed(became, olga)).toEqual([{ ...shown, text: "", isOthers: true }]);
      expect(await listed(became === "failed" ? "unknown" : "failed")).toEqual([]);
      expect(await listed("waiting")).toEqual([]);
    },
  );

  test("what is sent again goes out once, also if many decide at once", async () => {
    const all = [await unsent("failed"), await unsent("unknown")];
    await world.page.gateway.start();
    for (const { id, text } of all) {
      const decided = await Promise.all(
        [operator, olga, operator, olga].map((cookie) => decide(id, "send", cookie)),
      );
      expect(decided.filter(Boolean)).toHaveLength(1);
      await bot.until(() => bot.textsTo("ann").includes(text));
      expect([await ids("failed"), await ids("unknown")].flat()).not.toContain(id);
      expect(await decide(id, "send")).toBe(false);
      expect(await decide(id, "drop")).toBe(false);
    }
    expect(bot.textsTo("ann")).toEqual(all.map(({ text }) => text));
  });

  test("what is dropped is gone, and never sent", async () => {
    const [dropped, sent] = [await unsent("failed"), await unsent("unknown")];
    expect(await decide(dropped.id, "drop")).toBe(true);
    expect([await ids("failed"), await ids("waiting"), await ids("unknown")]).toEqual([[], [], [sent.id]]);
    expect(await decide(dropped.id, "send")).toBe(false);
    await world.page.gateway.start();
    await decide(sent.id, "send");
    await bot.until(() => bot.textsTo("ann").length > 0);
    expect(bot.textsTo("ann")).toEqual([sent.text]);
  });

  test("of two who decide differently at once, one wins", async () => {
    for (let round = 0; round < 10; round++) {
      const { id } = await unsent(round % 2 === 0 ? "failed" : "unknown");
      const send = () => decide(id, "send", operator);
      const drop = () => decide(id, "drop", olga);
      const isFirst = round % 3 === 0;
      const [one, other] = await Promise.all(isFirst ? [send(), drop()] : [drop(), send()]);
      const [isSent, isDropped] = isFirst ? [one, other] : [other, one];
      expect([isSent, isDropped].filter(Boolean)).toHaveLength(1);
      const again = (await listed("waiting")).find((each) => each.id === id);
      expect(again).toEqual(isSent ? expect.objectContaining({ attempts: 0, error: null }) : undefined);
      expect([await ids("failed"), await ids("unknown")]).toEqual([[], []]);
    }
  });

  test("what announces a move that is over can only be dropped", async () => {
    const { id } = await unsent("failed", { handoffId: "ho_1" as HandoffId });
    const refused = await post("/api/owner/outbox", { id, decision: "send" });
    expect([refused.status, codeOf(refused)]).toEqual([409, "handoff_over"]);
    expect(await ids("failed")).toEqual([id]);
    expect(await decide(id, "drop")).toBe(true);
  });

  test("what waits, was sent or is not there is nobody's to decide", async () => {
    await world.store.outbox.add([letter()], world.now);
    const [waiting = ""] = await ids("waiting");
    for (const decision of ["send", "drop"])
      for (const id of [waiting, "999999"]) expect(await decide(id, decision)).toBe(false);
    expect(await ids("waiting")).toEqual([waiting]);
  });

  test("a decision of a member, or one that is none, changes nothing", async () => {
    const { id } = await unsent("failed");
    const asked = await post("/api/owner/outbox", { id, decision: "drop" }, ann);
    expect([asked.status, codeOf(asked)]).toEqual([403, "owners_only"]);
    for (const body of [
      { id },
      { id, decision: "x" },
      { id: Number(id), decision: "drop" },
      { decision: "drop" },
    ]) {
      const refused = await post("/api/owner/outbox", body);
      expect([refused.status, codeOf(refused)]).toEqual([400, "bad_request"]);
    }
    expect(await ids("failed")).toEqual([id]);
  });
});

describe("people", () => {
  const EVE = "telegram:eve";
  const seen = () => get<WirePeople>("/api/owner/people");
  const deny = async (identity: unknown) => post("/api/owner/people/deny", { identity });
  let people: People;
  beforeEach(() => {
    people = new People(world.store.people, RULES, { clock: () => world.now });
  });
  /** Somebody unknown writes: the code that they get, if they get one. */
  const knock = async (userId: string): Promise<string | null> => {
    const answer = await people.knock({ ...privately(userId), userName: "Eve\u001b[31m\nthe first" }, false);
    return answer.kind === "code" ? answer.code : null;
  };

  test("are those in the settings and those who were let in, with their accounts", async () => {
    await people.store.join(ANN, "discord:7", "p_00000000a1", world.now);
    expect(await seen()).toEqual({
      people: [
        { id: "p_00000000a1", name: null, role: "member", identities: ["discord:7", ANN], isListed: true },
        { id: BOB, name: null, role: "member", identities: [BOB], isListed: true },
        { id: OLGA, name: null, role: "owner", identities: [OLGA], isListed: true },
      ],
      requests: [],
    });
  });

  test("who ask for access are shown without their code, and are let in by it", async () => {
    const code = (await knock("eve")) ?? expect.unreachable();
    const { requests, people: before } = await seen();
    expect(requests).toEqual([
      {
        ...{ identity: EVE, called: "Eve the first", askedAt: world.now, isDenied: false },
        expiresAt: world.now + 10 * MINUTE_MS,
      },
    ]);
    expect(JSON.stringify(requests)).not.toContain(code);
    expect(before.flatMap(({ identities }) => identities)).not.toContain(EVE);
    await people.approve(TERMINAL, code, { role: "guest", name: null });
    const after = await seen();
    expect(after.requests).toEqual([]);
    expect(after.people).toContainEqual(
      expect.objectContaining({ role: "guest", identities: [EVE], isListed: false }),
    );
    world.now += 1;
    expect(await world.whoIs(await world.signIn(EVE))).toBe(EVE);
  });

  test("who are denied get no other code, and the one that they have lets nobody in", async () => {
    const code = (await knock("eve")) ?? expect.unreachable();
    expect((await deny(EVE)).json).toEqual({ done: true });
    expect((await seen()).requests).toMatchObject([{ identity: EVE, isDenied: true }]);
    expect(await people.approve(TERMINAL, code, { role: "guest", name: null })).not.toMatchObject({
      kind: "approved",
    });
    world.now += 11 * MINUTE_MS;
    expect(await knock("eve")).toBeNull();
    expect((await seen()).people.flatMap(({ identities }) => identities)).not.toContain(EVE);
  });

  test("are denied once, and only if they ask", async () => {
    await knock("eve");
    const both = await Promise.all([deny(EVE), deny(EVE)]);
    expect(both.map(({ json }) => (json as { done: boolean }).done).sort()).toEqual([false, true]);
    expect((await deny("telegram:nobody")).json).toEqual({ done: false });
    expect((await deny(ANN)).json).toEqual({ done: false });
    expect(await world.whoIs(ann)).toBe(ANN);
    for (const wrong of ["eve", "", 7, null, ["telegram:eve"]]) {
      const refused = await deny(wrong);
      expect([refused.status, codeOf(refused)]).toEqual([400, "bad_request"]);
    }
  });
});
