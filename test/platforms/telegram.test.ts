/** Telegram, the whole way: people write, a gateway in a process of its own answers through grammY, and is killed. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TelegramServer } from "../support/telegram-server.js";

const CHILD = fileURLToPath(new URL("../support/telegram-child.mjs", import.meta.url));
const ANN = "100001";
const TEAM = "-1001234567890";

type Said =
  | { readonly kind: "ready" | "begun" | "settled" }
  | { readonly kind: "problem"; readonly problem: string };

let folder: string;
let server: TelegramServer;
let child: ChildProcess;
let complaint = "";
const problems: string[] = [];

/** A gateway; waits until it serves. */
async function start(options: { isQuick?: boolean } = {}): Promise<void> {
  const given = { url: join(folder, "baton.db"), token: server.token, baseUrl: server.url, people: [ANN] };
  child = fork(CHILD, [JSON.stringify({ ...given, ...options })], { silent: true });
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => {
      complaint += text;
    });
  child.on("message", (said: Said) => {
    if (said.kind === "problem") problems.push(said.problem);
  });
  await said("ready");
}

async function said(kind: Said["kind"]): Promise<void> {
  const ended = once(child, "exit").then(() => {
    throw new Error(`The gateway ended: ${complaint}`);
  });
  const heard = new Promise<void>((resolve) => {
    const look = (each: Said): void => {
      if (each.kind !== kind) return;
      child.off("message", look);
      resolve();
    };
    child.on("message", look);
  });
  await Promise.race([heard, ended]);
  ended.catch(() => {}); // It ends later, as it should.
}

async function kill(): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}

/** What was sent is remembered as sent: of anything else the next process says that it may not have arrived. */
async function settled(): Promise<void> {
  const heard = said("settled");
  child.send({ kind: "settle" });
  await heard;
}

const texts = (chat = ANN): string[] => server.sentTo(chat).map(({ text }) => text);

/** Ann writes in private, and this comes back. */
async function ask(text: string, done: (answers: string[]) => boolean = (all) => all.length > 0) {
  const before = texts().length;
  const answers = (): string[] => texts().slice(before);
  const entities = text.startsWith("/")
    ? [{ type: "bot_command", offset: 0, length: text.split(" ")[0]?.length }]
    : [];
  await server.inject({ chatId: ANN, text, ...(entities.length > 0 ? { entities } : {}) });
  await server.until(() => done(answers()));
  return answers();
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "baton-telegram-"));
  server = await TelegramServer.start();
  await start();
});
afterAll(async () => {
  if (child.exitCode === null && child.signalCode === null) await kill();
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

describe.sequential("on Telegram", () => {
  test("a person writes, and the agent answers with a tool call", async () => {
    expect(await ask("look")).toEqual(["I found the <answer>."]);
    expect(server.sent.at(-1)?.html).toBe("I found <i>the &lt;answer&gt;</i>.");
  });

  test("the menu has the commands", () => {
    expect(server.menu).toEqual(expect.arrayContaining(["new", "resume", "status"]));
  });

  test("a long answer comes in pieces that Telegram takes, whole and in order", async () => {
    const pieces = await ask("long", (answers) => answers.some((text) => text.includes("Paragraph 59")));
    expect(pieces.length).toBeGreaterThan(2);
    for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(4_096);
    const numbers = [...pieces.join("\n").matchAll(/Paragraph (\d+)|const n = (\d+)/g)].map(([, a, b]) =>
      Number(a ?? b),
    );
    expect(numbers).toEqual(Array.from({ length: 60 }, (_, n) => n));
  });

  test("/new begins afresh, and /resume goes back", async () => {
    expect(await ask("hello")).toEqual(["I have heard 3."]);
    expect((await ask("/title The first"))[0]).toContain("The first");
    expect((await ask("/new"))[0]).toContain("A new session begins");
    expect(await ask("hello")).toEqual(["I have heard 1."]);
    expect((await ask("/resume The first"))[0]).toContain("The first");
    expect(await ask("hello")).toEqual(["I have heard 4."]);
  });

  test("in a group it answers who speaks to it, as an answer; strangers and bystanders it does not", async () => {
    const mention = { type: "mention", offset: 0, length: 13 };
    const write = (text: string, fromId: number, isMention: boolean) =>
      server.inject({ chatId: TEAM, fromId, text, ...(isMention ? { entities: [mention] } : {}) });
    await write("hello everybody", 100001, false);
    await write("@crabline_bot let me in", 100009, true);
    const { messageId } = await write("@crabline_bot hello", 100001, true);
    await server.until(() => texts(TEAM).length > 0);
    expect(server.sentTo(TEAM)).toMatchObject([{ text: "I have heard 1.", replyTo: messageId }]);
  });

  test("killed -9 in the middle of a turn, the next process answers, once", async () => {
    const begun = said("begun");
    const { told } = await server.inject({ chatId: ANN, text: "slow" });
    await begun;
    expect(await told).toBe(true); // It was kept, so Telegram was told: it does not come again.
    await settled();
    await kill();
    await start({ isQuick: true });
    await server.until(() => texts().includes("Slow, but sure."));
    expect(await ask("hello")).toEqual(["I have heard 6."]);
    expect(texts().filter((text) => text === "Slow, but sure.")).toHaveLength(1);
  });

  test("what is written while nobody is there is answered by the next, once", async () => {
    await settled();
    await kill();
    const before = texts().length;
    await server.inject({ chatId: ANN, text: "is anybody there?" });
    await start({ isQuick: true });
    await server.until(() => texts().length > before);
    expect(texts().slice(before)).toEqual(["I have heard 7."]);
  });

  test("killed -9 while a file is sent, it is there once, and the person is told that it may not be", async () => {
    await settled();
    server.trouble("held");
    await server.inject({ chatId: ANN, text: "the file" });
    const files = () =>
      server.sentTo(ANN).flatMap(({ file }) => (file ? Buffer.from(file.bytes).toString() : []));
    await server.until(() => files().length === 1);
    await kill();
    await start({ isQuick: true });
    await server.until(() => texts().some((text) => text.includes('My file "notes.txt" may be missing')));
    expect(files()).toEqual(["what is in it\n"]);
    expect(problems.splice(0)).toEqual([expect.stringContaining("may not have arrived (unknown)")]);
  });

  test("it ends when it is told to, with nothing printed and the token nowhere", async () => {
    const ended = once(child, "exit");
    child.send({ kind: "stop" });
    expect(await ended).toEqual([0, null]);
    expect(complaint).toBe("");
    expect(problems.join()).not.toContain(server.token);
  });
});
