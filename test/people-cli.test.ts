/** `baton people` beside a running gateway: two processes over one store, as an owner has them. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { offlineAgent } from "../src/agent/offline.js";
import { commandTable } from "../src/gateway/commands/table.js";
import { type OpenGateway, openGateway } from "../src/open-gateway.js";
import { openStore } from "../src/open-sessions.js";
import { ScriptedAdapter } from "../src/testing/scripted-adapter.js";
import { baton, makeHome } from "./support/baton.js";

let home = makeHome();
let adapter: ScriptedAdapter;
let open: OpenGateway | undefined;

async function openWorld(): Promise<void> {
  home = makeHome();
  adapter = new ScriptedAdapter();
  open = await openGateway({
    url: join(home, "baton.db"),
    agent: offlineAgent(),
    adapters: [adapter],
    commands: commandTable({ agent: "offline", clock: Date.now }),
  });
  await open.gateway.start();
}
afterEach(async () => {
  await open?.close({ drainMs: 0 });
  open = undefined;
});

const people = (...words: string[]) => peopleIn(home, words);
async function peopleIn(place: string, words: readonly string[]) {
  const { code, stdout, stderr } = await baton(place, ["people", ...words]);
  return { code, said: stdout.trim(), problem: stderr.trim() };
}
const json = async (...words: string[]) => JSON.parse((await people(...words, "--json")).said);

async function told(userId: string, text: string): Promise<string> {
  const before = adapter.textsTo(userId).length;
  await adapter.write({ userId, userName: "Mum" }, text);
  await adapter.until(() => adapter.textsTo(userId).length > before);
  return adapter.textsTo(userId)[before] ?? "";
}
const knock = async (userId: string) => /code is (\w{8})/.exec(await told(userId, "hello"))?.[1] ?? "";

test("an unknown one asks, is seen, let in, made more, and forgotten: all at once in the running gateway", async () => {
  await openWorld();
  expect((await people("list")).said).toBe("Only the person at this machine has access.");
  const code = await knock("99");
  const { said } = await people("list");
  expect(said).toContain("approve only a code that the person gave you");
  expect(said).toMatch(/telegram:99 +Mum +just now +in 10 min/);
  expect(said).not.toContain(code);

  const approved = await people("approve", code, "--name", "Ann\u001b[31m", "--role", "guest");
  expect(approved.said).toMatch(
    /^telegram:99 now has access, with the role guest and the name Ann \(p_[0-9a-f]{10}\)\.$/,
  );
  expect(await told("99", "/whoami")).toContain("Role: guest");
  expect(await json("list")).toMatchObject({
    people: [{ name: "Ann", role: "guest", identities: ["telegram:99"] }],
    waiting: [],
    denied: [],
  });

  expect((await people("role", "telegram:99", "member")).said).toBe("Ann now has the role member.");
  expect(await told("99", "/whoami")).toContain("Role: member");
  expect((await people("forget", "telegram:99")).said).toBe("Removed telegram:99.");
  expect(await told("99", "/whoami")).toMatch(/^I don't know you yet/);
});

test("two processes approve one code at once: one wins", async () => {
  await openWorld();
  const code = await knock("99");
  const runs = await Promise.all([people("approve", code), people("approve", code)]);
  expect(runs.map((run) => run.code).sort()).toEqual([0, 1]);
  expect(runs.find((run) => run.code === 1)?.problem).toMatch(/^baton: This code is not valid: /);
  expect((await json("list")).people).toHaveLength(1);
});

test("links and parts identities, and says what they are then", async () => {
  await openWorld();
  writeFileSync(
    join(home, "config.yaml"),
    'people: { owners: { telegram: [1] }, guests: { matrix: ["@a:b.org"] } }\n',
  );
  expect((await people("link", "telegram:1", "matrix:@a:b.org")).said).toMatch(
    /^matrix:@a%3Ab\.org and telegram:1 are now one person, with the role owner \(p_/,
  );
  expect((await json("list")).people).toEqual([
    {
      id: expect.stringMatching(/^p_/),
      name: null,
      role: "owner",
      identities: ["matrix:@a%3Ab.org", "telegram:1"],
    },
  ]);
  const parted = await people("unlink", "matrix:@a%3Ab.org");
  expect(parted.said).toBe("matrix:@a%3Ab.org is now a person of its own and has the role guest.");
  expect((await json("list")).people).toMatchObject([{ id: null }, { id: null }]);

  await people("link", "telegram:1", "discord:7");
  const forgotten = await people("forget", "discord:7");
  expect(forgotten.said).toBe(
    "Removed discord:7, telegram:1. config.yaml still gives telegram:1 the role owner.",
  );
});

test("deny silences, by identity or by code, until it is forgotten", async () => {
  await openWorld();
  await knock("98");
  const code = await knock("99");
  expect((await people("deny", "telegram:98")).said).toBe(
    "Denied telegram:98. Baton does not answer them any more.",
  );
  expect(await json("deny", code)).toEqual({ identity: "telegram:99", denied: true });
  expect((await json("list")).denied).toEqual(["telegram:98", "telegram:99"]);
  expect((await people("forget", "telegram:98")).said).toBe("Removed telegram:98.");
  expect(await knock("98")).toMatch(/^\w{8}$/);
});

test("wrong codes at the command line are counted too", async () => {
  await openWorld();
  const code = await knock("99");
  await Promise.all(Array.from({ length: 5 }, () => people("approve", "ABCDEFGH")));
  expect((await people("approve", code)).problem).toMatch(/^baton: You sent too many wrong codes/);
});

describe.concurrent("what cannot be meant", () => {
  test.each([
    [["approve", "hello"], 2, "That is not a code. A code has 8 letters and digits."],
    [["approve", "ABCDEFGH"], 1, "This code is not valid"],
    [["approve", "ABCDEFGH", "--role", "king"], 2, "Use one of guest, member, owner."],
    [["deny", "telegram:1"], 1, "telegram:1 is not asking for access."],
    [["deny", "telegrm:1"], 2, 'Did you mean "telegram"?'],
    [["link", "telegram:1", "telegram:1"], 2, "Give two different accounts."],
    [["link", "telegram:1", "discord:1"], 1, "telegram:1 has no access."],
    [["unlink", "telegram:1"], 1, "Person not found: telegram:1."],
    [["role", "p_00", "guest"], 1, "Person not found: p_00."],
    [["role", "Ann", "guest"], 2, "Use <platform>:<user id>"],
    [["forget", "telegram:1"], 1, "Person not found: telegram:1."],
    [["deny", "telegram:@alice"], 2, '"@alice" matches nobody on Telegram'],
    [["link", "slack:U1", "discord:alice#1234"], 2, '"alice#1234" matches nobody on Discord'],
  ] as const)("%j is refused", async (words, code, problem) => {
    const run = await peopleIn(makeHome(), words);
    expect(run).toMatchObject({ code, said: "", problem: expect.stringContaining(problem) });
  });

  test.each(["list", "limits", "approve", "deny", "link", "unlink", "role", "forget"])(
    "people %s --help has an example",
    async (verb) => {
      const run = await peopleIn(makeHome(), [verb, "--help"]);
      expect(run.code).toBe(0);
      expect(run.said).toMatch(new RegExp(`\\$ baton people ${verb}`));
      expect(run.said).toContain("--json");
    },
  );
});

test("shows what everybody has used of today's limits, under all their identities", async () => {
  await openWorld();
  writeFileSync(
    join(home, "config.yaml"),
    "people: { owners: { telegram: [1] }, guests: { telegram: [2] } }\nlimits: { guests: { modelCallsPerDay: 7, tokensPerDay: 5000 } }\n",
  );
  const day = new Date().toISOString().slice(0, 10);
  const { store } = await openStore({ url: join(home, "baton.db") });
  await store.spending.grant(["telegram:2"], "modelCalls", 3, 7, day);
  await store.spending.grant(["telegram:2"], "mediaBytes", 1024 * 1024, 1e9, day);
  await store.close();
  const { said } = await people("limits");
  expect(said).toMatch(/telegram:2 +guest +3 of 7 +1\.0 of 50 +0 of 5,000 +no limit +20 +2/);
  expect(said).toMatch(/telegram:1 +owner( +no limit){6}/);
  expect((await json("limits")).people).toContainEqual({
    id: null,
    name: null,
    role: "guest",
    identities: ["telegram:2"],
    today: { modelCalls: 3, mediaBytes: 1024 * 1024, tokens: 0, cost: 0 },
    limits: {
      messagesPerMinute: 20,
      turnsAtOnce: 2,
      modelCallsPerDay: 7,
      mediaBytesPerDay: 50 * 1024 * 1024,
      tokensPerDay: 5_000,
      costPerDay: null,
      tokensPerSession: null,
      costPerSession: null,
    },
  });
});

test("shows the limits of the person at this machine, and of all people together", async () => {
  const place = makeHome();
  const limits = async (...words: string[]) => (await peopleIn(place, ["limits", ...words])).said;
  expect(await limits()).toBe("Only the person at this machine has access.");
  writeFileSync(join(place, "config.yaml"), "limits: { everyone: { costPerDay: 20 } }\n");
  expect((await limits()).split("\n").slice(1)).toEqual(["All people together today: $0.00 of $20.00."]);
  writeFileSync(
    join(place, "config.yaml"),
    "limits: { owners: { tokensPerDay: 5000 }, everyone: { tokensPerDay: 9000 } }\n",
  );
  const { store } = await openStore({ url: join(place, "baton.db") });
  await store.close();
  const said = await limits();
  expect(said).toMatch(/^this machine's terminal +owner +no limit +no limit +0 of 5,000 +no limit/m);
  expect(said).toContain("\nAll people together today: 0 of 9,000 tokens.\n");
  expect(JSON.parse(await limits("--json"))).toMatchObject({
    people: [{ identities: ["local:terminal"], limits: { tokensPerDay: 5_000, costPerDay: null } }],
    everyone: { today: { tokens: 0, cost: 0 }, limits: { tokensPerDay: 9_000, costPerDay: null } },
  });
});

test("says where to remove somebody who has access only by config.yaml", async () => {
  const place = makeHome();
  writeFileSync(join(place, "config.yaml"), "people: { allow: { telegram: [7] } }\n");
  expect((await peopleIn(place, ["forget", "telegram:7"])).problem).toBe(
    "baton: telegram:7 has access by config.yaml only. Remove it there, and restart the gateway.",
  );
});

test("shows who may write in a group that lists people, and erases nobody who still may", async () => {
  const place = makeHome();
  writeFileSync(join(place, "config.yaml"), "groups: { byChat: { 'telegram:-100': { people: [7, 8] } } }\n");
  expect((await peopleIn(place, ["list"])).said).toBe(
    "Only the person at this machine has access.\n\nOnly these may talk to the agent in telegram:-100: telegram:7, telegram:8",
  );
  expect((await peopleIn(place, ["forget", "telegram:7", "--erase", "--yes"])).problem).toBe(
    "baton: config.yaml still lets them into telegram:-100. Remove them there, restart the gateway, and run this command again. Nothing was erased.",
  );
});
