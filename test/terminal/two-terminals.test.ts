/** Two terminals on one store: each keeps its conversation, and on one session they see each other's words. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { OWNER, openSessions } from "../../src/index.js";
import { openStore } from "../../src/open-sessions.js";
import { asHandoffId } from "../../src/session/ids.js";
import { baton, makeHome } from "../support/baton.js";
import { killAll, type PtyChat, pty } from "./pty-chat.js";
import { realChat } from "./real-chat.js";

const env = { BATON_AGENT_PROVIDER: "offline" };
const THERE = { platform: "telegram", chatId: "99", chatType: "dm", userId: "99", userName: "Ann" } as const;
const count = (chat: PtyChat, text: string): number => chat.vt.text().split(text).length - 1;

afterEach(killAll);

async function withSessions<Result>(
  home: string,
  work: (sessions: Awaited<ReturnType<typeof openSessions>>) => Promise<Result>,
): Promise<Result> {
  const sessions = await openSessions({ url: join(home, "baton.db") });
  try {
    return await work(sessions);
  } finally {
    await sessions.close();
  }
}

describe.skipIf(!pty)("two terminals", () => {
  test("see each other's words on one session, once, until one of them begins another", async () => {
    const home = makeHome();
    const one = await realChat(home, "", env);
    await one.see("roses are red\r", "You said “roses are red”");
    const two = await realChat(home, "", env);
    await two.see("", "Another terminal is in this conversation too");
    await two.see("what did I say first?\r", "First you said “roses are red”");
    await one.see("", "First you said “roses are red”");
    expect(count(one, "what did I say first?")).toBe(1);
    await one.see("slow 1\r", "Slowly:");
    await two.see("", "another terminal is working");
    await two.see("", "Done.");
    await two.until(() => !two.vt.text().includes("another terminal is working"));
    expect([count(one, "Slowly:"), count(two, "Slowly:")]).toEqual([1, 1]);

    await two.see("/new\r", "The other terminal keeps this conversation. A new one opens here.");
    await two.see("violets are blue\r", "You said “violets are blue”");
    await one.see("tulips\r", "You said “tulips”");
    expect([count(one, "violets"), count(two, "tulips")]).toEqual([0, 0]);
  });

  test("what is typed behind /new is for the new conversation, however soon, with the draft", async () => {
    const home = makeHome();
    const one = await realChat(home, "", env);
    await one.see("roses are red\r", "You said “roses are red”");
    const two = await realChat(home, "", env);
    await two.see("", "Another terminal is in this conversation too");
    await two.see("slow 60\r", "Slowly:");
    await two.see("/new Violets\rviolets are blue\rand a dra", "You said “violets are blue”");
    expect(two.vt.text()).toContain(
      "The other terminal keeps this conversation. I stopped what I was doing. A new one opens here.",
    );
    await two.see("ft\r", "You said “and a draft”");
    await one.see("tulips\r", "You said “tulips”");
    expect(one.vt.text()).not.toMatch(/violets|draft/i);
    const titles = withSessions(home, async (sessions) => (await sessions.list({}, OWNER)).items);
    expect((await titles).map(({ title }) => title)).toContain("Violets");
  });

  test("what waits behind one's own answer goes along, and another's answer goes on", async () => {
    const home = makeHome();
    writeFileSync(join(home, "config.yaml"), JSON.stringify({ busy: { default: "queue" } }), { mode: 0o600 });
    const one = await realChat(home, "", env);
    await one.see("roses are red\r", "You said “roses are red”");
    const two = await realChat(home, "", env);
    await two.see("", "Another terminal is in this conversation too");
    await two.see("slow 60\r", "Slowly:");
    two.type("violets are blue\r/new\rwhat did I say first?\r");
    await two.see("", "First you said “violets are blue”");
    await one.see("slow 2\r", "Slowly: 1");
    const three = await realChat(home, "", env);
    await three.see("/new\rtulips\r", "You said “tulips”");
    await one.see("", "Done.");
    expect(one.vt.text()).not.toMatch(/violets|tulips/);
  });

  test("what is typed behind /resume is for that conversation", async () => {
    const home = makeHome();
    const one = await realChat(home, "", env);
    await one.see("roses are red\r", "You said “roses are red”");
    await one.see("/title Roses\r", "Roses");
    await one.see("/new Tulips\rtulips\r", "You said “tulips”");
    const two = await realChat(home, "", env);
    await two.see("", "Another terminal is in this conversation too");
    await two.see("slow 60\r/resume Roses\rwhat did I say first?\r", "First you said “roses are red”");
    expect(two.vt.text()).toContain('Opening "Roses" here.');
    expect(one.vt.text()).not.toContain("First you said");
  });

  test("if the conversation can't be opened, one stays where one was, and nothing that waited goes without a word", async () => {
    const home = makeHome();
    writeFileSync(join(home, "config.yaml"), JSON.stringify({ busy: { default: "queue" } }), { mode: 0o600 });
    const one = await realChat(home, "", env);
    await one.see("tulips\r", "You said “tulips”");
    const two = await realChat(home, "", env);
    await two.see("", "Another terminal is in this conversation too");
    await two.see("slow 60\r", "Slowly:");
    const { store, sessions } = await openStore({ url: join(home, "baton.db") });
    const { sessionId } = await sessions.getOrCreate(THERE);
    await store.handoffs.request({ id: asHandoffId("h"), sessionId, target: "telegram:1" }, Date.now());
    await sessions.close();
    await two.see(
      `violets are blue\r/resume ${sessionId}\rwhat did I say first?\r`,
      "First you said “tulips”",
    );
    const text = two.vt.text().replace(/\s+/g, " ");
    expect(text).toContain("Not sent: violets are blue");
    expect(text).toContain("This session is being handed off");
    expect(one.vt.text()).not.toContain("violets");
  });

  test("what one of them asks is told in the other, and answered where it was asked", async () => {
    const home = makeHome();
    const tools = { terminal: { sandbox: "off" }, ask: ["terminal"] };
    writeFileSync(join(home, "config.yaml"), JSON.stringify({ tools }), { mode: 0o600 });
    const one = await realChat(home, "", env);
    await one.see("roses are red\r", "You said “roses are red”");
    const two = await realChat(home, "", env);
    await two.see("", "Another terminal is in this conversation too");
    const gone = await realChat(home, "", env);
    gone.kill();
    await gone.exited;
    await one.see("run touch made.txt\r", "waiting for you: y / n");
    await two.see("", 'Another terminal asks: allow terminal command: "touch made.txt"? Answer it there.');
    expect(two.vt.text()).not.toContain("waiting for you");
    one.type("y");
    await two.see("", "The terminal says");
    expect([count(one, "Another terminal asks"), count(two, "Another terminal asks")]).toEqual([0, 1]);
  });

  test("a script beside a chat moves it not, and may talk in it", async () => {
    const home = makeHome();
    const chat = await realChat(home, "", env);
    await chat.see("roses are red\r", "You said “roses are red”");
    for (const words of [
      ["--new", "apart"],
      ["-m", "/new"],
      ["-c", "together"],
    ])
      await baton(home, words, { env });
    await chat.see("", "You said “together”");
    expect(count(chat, "apart")).toBe(0);
    await chat.see("what did I say first?\r", "First you said “roses are red”");
  });

  test("a session that was taken away is said at once, with how to bring it back", async () => {
    const home = makeHome();
    const chat = await realChat(home, "", env);
    await chat.see("roses are red\r", "You said “roses are red”");
    const sessionId = await withSessions(home, async (sessions) => {
      const [entry] = (await sessions.list({}, OWNER)).items;
      return (await sessions.switchTo(THERE, entry?.sessionId ?? expect.fail("no session"))).sessionId;
    });
    const bringBack = `/resume ${sessionId}`;
    await chat.see("", `To bring it back, send`);
    expect(chat.vt.text().replace(/\s+/g, " ")).toContain(
      `moved to Telegram, DM with Ann (telegram:99). To bring it back, send ${bringBack}; /new starts another one.`,
    );
    await chat.see("more\r", "This conversation is no longer in this terminal, so I did not answer that.");
    await chat.see(`${bringBack}\r`, "Back in");
    await chat.see("what did I say first?\r", "First you said “roses are red”");
    const saved = () => withSessions(home, async (sessions) => (await sessions.load(sessionId)).length);
    await expect.poll(saved).toBe(4);
  });
});
