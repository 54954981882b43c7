/** `baton sessions move` and `rescope`: what they say first, what they change, and what they refuse. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { AGENT } from "../src/gateway/shared-accounts.js";
import { type SessionSource, viewerOf } from "../src/index.js";
import { openStore } from "../src/open-sessions.js";
import { newTurnId } from "../src/session/ids.js";
import { buildSessionKey, type SessionScopes } from "../src/session/session-key.js";
import { baton, makeHome, type Run } from "./support/baton.js";

const MAIN = fileURLToPath(new URL("../dist/main.js", import.meta.url));
const alice: SessionSource = {
  platform: "telegram",
  chatId: "99",
  chatType: "dm",
  userId: "99",
  userName: "Alice",
};
const bob: SessionSource = {
  platform: "telegram",
  chatId: "77",
  chatType: "dm",
  userId: "77",
  userName: "Bob",
};
const team: SessionSource = {
  platform: "discord",
  chatId: "500",
  chatName: "Team",
  chatType: "group",
  userId: "u1",
  userName: "Bob",
};

function opened(home: string, scopes: SessionScopes = {}) {
  return openStore({ url: join(home, "baton.db"), config: { scopes } });
}

async function say(home: string, source: SessionSource, content: string, scopes: SessionScopes = {}) {
  const { sessions } = await opened(home, scopes);
  try {
    return (await sessions.receive(source, { role: "user", content })).entry;
  } finally {
    await sessions.close();
  }
}

function json(run: Run): Record<string, unknown> {
  expect(run.stderr).toBe("");
  return JSON.parse(run.stdout);
}

const move = (home: string, ...words: string[]) => baton(home, ["sessions", "move", ...words]);
const rescope = (home: string, env: Record<string, string>, ...words: string[]) =>
  baton(home, ["sessions", "rescope", ...words], { env });

describe.concurrent("baton sessions move", () => {
  test("says what would happen, needs a yes, and does it", async () => {
    const home = makeHome();
    const mine = await say(home, alice, "my secret plans");
    const theirs = await say(home, team, "hello all");
    const dry = await move(home, mine.sessionId, theirs.key, "--dry-run");
    expect(dry).toMatchObject({ code: 0, stderr: "" });
    expect(dry.stdout.split("\n")).toEqual([
      `"Alice" (${mine.sessionId}): 1 message, last active just now.`,
      "It is in Telegram, DM with Alice now (agent:main:telegram:dm:99). That chat starts a new session with the next message.",
      "It goes to Discord, group: Team (agent:main:discord:group:500).",
      `The session that is there now, ${theirs.sessionId}, ends as "switched". /resume brings it back.`,
      "It stays the session of telegram:99.",
      "From then on everybody in discord:500 can read all of it.",
      "Nothing was changed.",
      "",
    ]);
    const refused = await move(home, mine.sessionId, theirs.key);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain("can show it to other people. Add --yes");
    expect(json(await move(home, mine.sessionId, theirs.key, "--yes", "--json"))).toEqual({
      sessionId: mine.sessionId,
      from: mine.key,
      to: theirs.key,
      replaces: theirs.sessionId,
      readers: ["person:telegram:99", "chat:discord:500"],
      newReaders: ["chat:discord:500"],
      waiting: { here: 0, there: 0 },
      moved: true,
    });
    expect((await say(home, team, "and now?")).sessionId).toBe(mine.sessionId);
    expect((await say(home, alice, "fresh")).sessionId).not.toBe(mine.sessionId);
    const again = await move(home, mine.sessionId, theirs.key, "--yes");
    expect(again).toMatchObject({ code: 1, stderr: "baton: The session is already there.\n" });
  });

  test("takes an address with one conversation, and a chat by its key alone", async () => {
    const home = makeHome();
    const mine = await say(home, alice, "plans");
    const there = await say(home, bob, "hello");
    expect(json(await move(home, mine.sessionId, "telegram:77", "--dry-run", "--json"))).toMatchObject({
      to: there.key,
      moved: false,
    });
    const none = await move(home, mine.sessionId, "telegram:55", "--dry-run");
    expect(none.stderr).toContain("No conversation is at telegram:55 now.");
    const unknown = await move(home, mine.sessionId, "agent:main:telegram:dm:55", "--dry-run");
    expect(unknown.stdout).toContain("Baton does not know yet who writes there");
    expect(await move(home, mine.sessionId, "agent:main:telegram:dm:55", "--yes")).toMatchObject({ code: 0 });
    // Their first message finds it, and then it is in their list.
    const carol: SessionSource = { ...alice, chatId: "55", userId: "55", userName: "Carol" };
    expect((await say(home, carol, "hi")).sessionId).toBe(mine.sessionId);
    const { sessions } = await opened(home);
    const listed = async (who: SessionSource) =>
      (await sessions.as(viewerOf(who)).list()).items.map(({ sessionId }) => sessionId);
    expect(await listed(carol)).toEqual([mine.sessionId]);
    expect(await listed(alice)).toEqual([mine.sessionId]);
    expect(await listed(bob)).toEqual([there.sessionId]);
    await sessions.close();
  });

  test("knows the person of a DM by their id, if they have access", async () => {
    const home = makeHome();
    const mine = await say(home, alice, "plans");
    writeFileSync(join(home, "config.yaml"), 'people: { allow: { telegram: ["55"] } }\n', { mode: 0o600 });
    const run = await move(home, mine.sessionId, "agent:main:telegram:dm:55", "--yes", "--json");
    expect(json(run)).toMatchObject({ newReaders: ["person:telegram:55"], moved: true });
  });

  test.each([
    ["x", "neither a session key nor an address. A key looks like agent:main:<platform>:dm:<chat id>"],
    ["agent:main:nowhere:dm:1", "is not a session key. A key looks like agent:<agent>:<platform>"],
    ["agent:main:discord:group:500:u1:", "no message has had this key"],
    ["agent:other:telegram:dm:1", "no message has had this key"],
    ["agent:main:telegram:dm", "no message has had this key"],
    ["agent:main:job:dm:1", "Nobody writes there"],
    ["agent:main:telegram:dm:a b", "is not a chat id on Telegram"],
    ["nowhere:5", "Unknown platform"],
  ])("refuses %s", async (where, message) => {
    const home = makeHome();
    const { sessionId } = await say(home, alice, "plans");
    const run = await move(home, sessionId, where, "--yes");
    expect(run.code).toBeGreaterThan(0);
    expect(run.stderr).toContain(message);
  });

  test("refuses a key that the scopes do not make any more, and says which they make", async () => {
    const home = makeHome();
    const { sessionId } = await say(home, alice, "plans");
    await say(home, bob, "hello");
    const run = await baton(home, ["sessions", "move", sessionId, "agent:main:telegram:dm:77", "--yes"], {
      env: { BATON_SCOPES_DM: "platform" },
    });
    expect(run.stderr).toContain("Messages there have the key agent:main:telegram:dm.");
  });

  test("refuses while the agent answers, and takes along what waits", async () => {
    const home = makeHome();
    const mine = await say(home, alice, "plans");
    const { store, sessions } = await opened(home);
    const item = (messageId: string) => ({
      ...{ platform: "telegram", account: "bot", kind: "message" as const, key: mine.key },
      ...{ source: alice, messageId, text: messageId },
    });
    const first = await store.inbox.accept(item("m1"), "me", Date.now());
    if (!first) throw new Error("It was there already.");
    const begun = await sessions.resolveIn(alice, {}, { role: "user", content: "m1" }, (request) =>
      store.turns.begin(newTurnId(), first, request, { holder: "me", leaseMs: 60_000 }, () => []),
    );
    if (begun.kind !== "begun") throw new Error(begun.kind);
    const there = "agent:main:discord:group:500";
    const busy = await move(home, mine.sessionId, there, "--yes");
    expect(busy.stderr).toContain(
      "The agent is answering in this session. Wait until it is done, or send /stop",
    );
    await store.turns.finish(
      begun.turn,
      "done",
      { messages: [], deliveries: [], steeredIn: [] },
      null,
      Date.now(),
    );
    await store.inbox.accept(item("m2"), "me", Date.now());
    const nobody = await move(home, mine.sessionId, there, "--yes");
    expect(nobody.stderr).toContain("A message waits for an answer in this session");
    await store.accounts.write({ platform: "discord", account: "d" }, AGENT, "main");
    const run = await move(home, mine.sessionId, there, "--yes");
    expect(run).toMatchObject({ code: 0, stderr: "" });
    const waiting = await store.inbox.waiting({ platform: "discord", account: "d" });
    expect(waiting.map(({ item: { key, text } }) => [key, text])).toEqual([[there, "m2"]]);
    await sessions.close();
  });
});

describe.concurrent("baton sessions rescope", () => {
  const WHOLE = { BATON_SCOPES_DM: "platform" };

  test("says what becomes of each conversation, does it once, and doctor is content", async () => {
    const home = makeHome();
    const older = await say(home, alice, "older");
    const newer = await say(home, { ...alice, chatId: "98" }, "newer");
    const own = await say(home, team, "mine alone", { group: "member" });
    const doctor = async () => {
      const run = await baton(home, ["doctor", "--json"], { env: { ...WHOLE, OLLAMA_HOST: "127.0.0.1:1" } });
      const { findings } = JSON.parse(run.stdout) as {
        findings: { check: string; finding: string; fix?: string }[];
      };
      return findings.filter(({ check }) => check === "scopes");
    };
    expect(await doctor()).toEqual([
      expect.objectContaining({
        finding: expect.stringContaining("3 conversations were made with other scopes"),
        fix: "baton sessions rescope --dry-run",
      }),
    ]);
    const dry = await rescope(home, WHOLE, "--dry-run");
    expect(dry).toMatchObject({ code: 0, stderr: "" });
    expect(dry.stdout.split("\n")).toEqual([
      `${own.sessionId} in Discord, group: Team (agent:main:discord:group:500:u1) ends and stays that member's own: the group shares one session now, and starts a new one. /resume brings it back.`,
      `${older.sessionId} in Telegram, DM with Alice (agent:main:telegram:dm:99) ends: a newer session of the same people has the chat. /resume brings it back.`,
      `${newer.sessionId} in Telegram, DM with Alice (agent:main:telegram:dm:98) continues as agent:main:telegram:dm.`,
      "Would carry over: 1 conversation continues, 2 conversations end and can be resumed. Nothing was changed.",
      "",
    ]);
    expect(await rescope(home, WHOLE)).toMatchObject({ code: 2, stdout: "" });
    expect(json(await rescope(home, WHOLE, "--yes", "--json"))).toEqual({
      continue: [
        { sessionId: newer.sessionId, from: newer.key, to: "agent:main:telegram:dm", replaces: null },
      ],
      end: [
        { sessionId: own.sessionId, from: own.key, why: "private" },
        { sessionId: older.sessionId, from: older.key, why: "newer" },
      ],
      unclear: [],
      ofOtherAgents: {},
      busy: [],
      done: true,
    });
    expect((await say(home, alice, "go on", { dm: "platform" })).sessionId).toBe(newer.sessionId);
    expect((await rescope(home, WHOLE, "--yes")).stdout).toBe(
      "All conversations fit the scopes in your configuration.\n",
    );
    expect(await doctor()).toEqual([]);
  });

  test("gives nobody's DM to others who have access, though only one has written", async () => {
    const home = makeHome();
    const { sessionId } = await say(home, alice, "private");
    const people = 'people: { allow: { telegram: ["99", "77"] } }\n';
    writeFileSync(join(home, "config.yaml"), people, { mode: 0o600 });
    expect(json(await rescope(home, WHOLE, "--yes", "--json"))).toMatchObject({
      continue: [],
      end: [{ sessionId, why: "people" }],
    });
  });

  test("carries a renamed agent over if it is named", async () => {
    const home = makeHome();
    const { sessionId } = await say(home, alice, "hello");
    const env = { BATON_SCOPES_AGENT: "bot" };
    expect((await rescope(home, env, "--dry-run")).stdout).toContain("add --from-agent main");
    expect(json(await rescope(home, env, "--from-agent", "main", "--yes", "--json"))).toMatchObject({
      continue: [{ sessionId, to: buildSessionKey(alice, { agent: "bot" }) }],
    });
  });

  test("by several processes at once, one of them killed, loses nothing", async () => {
    const home = makeHome();
    const { sessions } = await opened(home);
    const sources = Array.from({ length: 150 }, (_, n) => ({ ...team, chatId: `${1_000 + n}` }));
    for (const source of sources) await sessions.receive(source, { role: "user", content: "hello" });
    const env = { BATON_SCOPES_AGENT: "bot" };
    const words = ["sessions", "rescope", "--from-agent", "main", "--yes"];
    const child = spawn(process.execPath, [MAIN, ...words], {
      env: { PATH: process.env.PATH ?? "", BATON_HOME: home, ...env },
      stdio: "ignore",
    });
    const gone = once(child, "exit");
    const isMoved = async () => (await sessions.current(buildSessionKey(sources[0] ?? team))) === null;
    while (child.exitCode === null && !(await isMoved())) await new Promise((next) => setImmediate(next));
    child.kill("SIGKILL");
    await gone;
    const runs = await Promise.all([baton(home, words, { env }), baton(home, words, { env })]);
    expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, ""],
      [0, ""],
    ]);
    for (const source of sources) {
      expect(await sessions.current(buildSessionKey(source))).toBeNull();
      expect(await sessions.current(buildSessionKey(source, { agent: "bot" }))).toMatchObject({
        messageCount: 1,
        endedAt: null,
      });
    }
    await sessions.close();
  });
});
