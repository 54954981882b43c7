/** What an owner does in the page with a real gateway, without a browser: lets people in, and sees it all but the secrets. */
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { WirePeople, WireSetting } from "../../src/web/wire.js";
import { ANN, BOB, PageGateway } from "../support/page-gateway.js";
import { type SignedInPage, signInBy } from "../support/page-sign-in.js";

const [EVE, MALLORY] = [100_003, 100_004];
const canary = (where: string): string => `canary${where}0123456789`;

let gateway: PageGateway;
let ann: SignedInPage;
beforeAll(async () => {
  gateway = await PageGateway.start({
    voice: { speak: { apiKey: { file: "speak-key" } } }, // It is not there yet: nobody needs it.
    mcp: {
      servers: {
        notes: {
          ...{ command: "notes", args: [`--token=${canary("argument")}`], enabled: false },
          env: { NOTES_STORE: `postgres://me:${canary("password")}@notes.example/notes` },
        },
      },
    },
  });
  writeFileSync(join(gateway.home, "speak-key"), canary("file"), { mode: 0o600 });
  ann = await signInBy(await gateway.linkFor(ANN));
});
afterAll(() => gateway?.close());

const people = async () => (await ann.get("/api/owner/people")).json as WirePeople;
/** Somebody unknown writes, and gets a code. */
async function codeOf(person: number): Promise<string> {
  await gateway.writes(person, "hello", { name: "Eve" });
  const code = () => /code is (\w{8})/.exec(gateway.told(person).join())?.[1];
  await gateway.telegram.until(() => code() !== undefined);
  return code() ?? "";
}
/** What Baton says to an owner in the page. */
async function told(text: string): Promise<string> {
  const events = await ann.listen();
  await events.until((heard) => heard.includes('"kind":"hello"'));
  expect((await ann.say(text)).status).toBe(200);
  const answer = () => /"kind":"post","post":.*"text":"([^"]+)"/.exec(events.text)?.[1];
  await events.until(() => answer() !== undefined);
  events.close();
  return answer() ?? "";
}

test("somebody who asks is let in by their code, which goes through the chat, and by no other", async () => {
  const code = await codeOf(EVE);
  const { requests } = await people();
  expect(requests).toMatchObject([{ identity: `telegram:${EVE}`, called: "Eve", isDenied: false }]);
  const wrong = code.replace(/^./, (first) => (first === "A" ? "B" : "A"));
  expect(await told(`/pair approve ${wrong}`)).toMatch(/not valid/);
  expect((await people()).requests).toHaveLength(1);
  expect(await told(`/pair approve ${code}`)).toContain(`telegram:${EVE}`);
  const after = await people();
  expect(after.requests).toEqual([]);
  expect(after.people).toContainEqual(
    expect.objectContaining({ role: "guest", identities: [`telegram:${EVE}`] }),
  );
  await gateway.writes(EVE, "Am I in?", { name: "Eve" });
  await gateway.telegram.until(() => gateway.told(EVE).includes("heard: Am I in?"));
  const eve = await signInBy(await gateway.linkFor(EVE));
  expect((await eve.get("/api/owner/people")).status).toBe(403);
});

test("somebody who is denied is not let in, also not by their code", async () => {
  const code = await codeOf(MALLORY);
  const identity = `telegram:${MALLORY}`;
  expect((await ann.post("/api/owner/people/deny", { identity })).json).toEqual({ done: true });
  expect((await people()).requests).toMatchObject([{ identity, isDenied: true }]);
  expect(await told(`/pair approve ${code}`)).toMatch(/not valid/);
  const identities = (await people()).people.flatMap((person) => person.identities);
  expect(identities).not.toContain(identity);
  expect(identities).toContain(`telegram:${BOB}`);
});

test("who may see a conversation hears that it changed, and nobody else", async () => {
  const bob = await signInBy(await gateway.linkFor(BOB));
  const [annHears, bobHears] = [await ann.listen(), await bob.listen()];
  const changedIn = (text: string) => [
    ...new Set([...text.matchAll(/"kind":"changed","what":"session","id":"([^"]+)"/g)].map(([, id]) => id)),
  ];
  await bob.say("Something of Bob's.");
  await bobHears.until((text) => text.includes("heard: Something of Bob's.") && changedIn(text).length > 0);
  await ann.say("Something of Ann's.");
  await annHears.until((text) => text.includes("heard: Something of Ann's.") && changedIn(text).length > 0);
  expect(annHears.text).toContain('"what":"waiting"'); // She looks after the gateway: that something waits, not what.
  for (const [text, words] of [
    [annHears.text, "Bob's"],
    [bobHears.text, "Ann's"],
  ] as const)
    expect(text).not.toContain(words);
  for (const id of changedIn(bobHears.text)) {
    expect((await bob.get(`/api/conversations/${id}`)).status).toBe(200);
    expect((await ann.get(`/api/conversations/${id}`)).status).toBe(404);
    expect(annHears.text).not.toContain(id);
  }
  for (const id of changedIn(annHears.text)) expect(bobHears.text).not.toContain(id);
  for (const each of [annHears, bobHears]) each.close();
});

test("no secret of the settings, the environment or the log is shown to anybody", async () => {
  const { token } = gateway.telegram;
  const time = new Date().toISOString();
  const msg = `${token} key-of-the-model ${canary("argument")} api_key=${canary("shape")}`;
  const line = { level: "error", time, by: "gateway", pid: 1, msg, cause: msg };
  appendFileSync(join(gateway.home, "logs", "baton.log"), `${JSON.stringify(line)}\n`);
  const { items } = (await ann.get("/api/owner/settings")).json as { readonly items: WireSetting[] };
  const at = (key: string) => items.find((item) => item.key === key);
  for (const key of ["platforms.telegram.token", "agent.apiKey"])
    expect([key, at(key)?.value]).toEqual([key, "(set)"]);
  expect(at("platforms.telegram.token")?.origin).toBe("TELEGRAM_BOT_TOKEN");
  expect(at("mcp.servers.notes.args")?.value).toContain("***");
  expect(at("voice.speak.apiKey")?.value).toBe("(set)");
  const operator = await signInBy(await gateway.ownersLink());
  const what = ["platforms", "people", "turns", "inbox", "outbox", "logs", "settings", "health"];
  for (const page of [ann, operator])
    for (const name of what) {
      const { status, text } = await page.get(`/api/owner/${name}`);
      expect([name, status]).toEqual([name, 200]);
      for (const secret of [token, "key-of-the-model", "canary"]) expect(text).not.toContain(secret);
    }
  const { text } = await operator.get("/api/owner/logs?level=error");
  expect(text).toContain("***");
});
