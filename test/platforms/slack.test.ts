/** The whole journey through Slack's own client library: a gateway in a process of its own, people on the other side. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SlackServer } from "../support/slack-server.js";

const CHILD = fileURLToPath(new URL("../support/slack-child.mjs", import.meta.url));

describe("a gateway on Slack", () => {
  let server: SlackServer;
  let folder: string;
  let chat: string;
  const children: ChildProcess[] = [];
  /** What the last one printed. */
  let printed: string;

  beforeEach(async () => {
    server = await SlackServer.start();
    folder = await mkdtemp(join(tmpdir(), "baton-slack-"));
    chat = await server.dm("ann");
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill("SIGKILL");
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function start(options: { isPatient?: boolean } = {}): Promise<ChildProcess> {
    const { url: slackUrl, botToken, appToken } = server;
    const people = [server.idOf("ann"), server.idOf("bob")];
    const setting = { url: join(folder, "baton.db"), slackUrl, botToken, appToken, people, ...options };
    const child = spawn(process.execPath, [CHILD, JSON.stringify(setting)], {
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    children.push(child);
    printed = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        printed += text;
      });
    }
    const [said] = (await Promise.race([
      once(child, "message"),
      once(child, "close").then(() => Promise.reject(new Error(printed))),
    ])) as string[];
    expect(said, printed).toBe("connected");
    return child;
  }

  async function kill(child: ChildProcess): Promise<void> {
    child.kill("SIGKILL");
    await once(child, "close");
  }

  const ask = async (text: string): Promise<string> => {
    const before = (await server.said(chat)).length;
    await server.write({ text });
    const texts = await server.until(chat, (said) => said.length > before && isAnswer(said.at(-1) ?? ""));
    return texts.at(-1) ?? "";
  };
  const isAnswer = (text: string): boolean => /^The answer|\)\.$|session|Back in/.test(text);

  it("answers: with a tool, at length in pieces, in threads, and goes back to an earlier session", async () => {
    const child = await start();
    expect(await ask("hello tool")).toBe('The answer to "hello tool" (1).');
    expect((await server.said(chat)).map(({ text }) => text)).toEqual([
      "I look it up.",
      'The answer to "hello tool" (1).',
    ]);
    const [asked] = await server.messages(chat);
    expect(asked?.text).toBe("hello tool");

    const before = (await server.said(chat)).length;
    await server.write({ text: "long please" });
    const all = await server.until(chat, (texts) => texts.at(-1)?.endsWith('"long please" (2).') === true);
    const pieces = all.slice(before);
    expect(pieces.length).toBeGreaterThan(2);
    for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(3_900);
    const lines = pieces
      .join("\n")
      .split("\n")
      .filter((line) => line.startsWith("Line"));
    expect(lines).toEqual(Array.from({ length: 450 }, (_, n) => `Line *${n}* &amp; more.`));

    await server.command("/new", "");
    await server.until(chat, (texts) => texts.length > all.length);
    expect(await ask("fresh")).toBe('The answer to "fresh" (1).');
    await server.write({ text: "/resume" });
    await server.until(chat, (texts) => /2\. .*long please/s.test(texts.at(-1) ?? ""));
    await server.write({ text: "/resume 2" });
    await server.until(chat, (texts) => texts.at(-1)?.startsWith("Back in") === true);
    expect(await ask("and now")).toBe('The answer to "and now" (3).');

    const { messageId } = await server.write({ text: "in the channel", in: "group", mentions: true });
    await server.until(server.channel, (texts) => texts.length === 1); // Once, though two events told of it.
    await server.write({ text: "not for you", channel: server.channel, replyTo: messageId });
    await server.write({
      text: "more",
      channel: server.channel,
      replyTo: messageId,
      mentions: true,
      from: "bob",
    });
    const said = await server.until(server.channel, (texts) => texts.length === 2);
    expect(said[0]).toContain("in the channel");
    expect(said[1]).toContain('more" (2).');
    expect((await server.said(server.channel)).map(({ thread_ts }) => thread_ts)).toEqual([
      messageId,
      messageId,
    ]);

    child.send("leave");
    const [code, signal] = await once(child, "close");
    expect([code, signal]).toEqual([0, null]);
    expect(printed).toBe("");
  });

  it("lets nobody else in", async () => {
    await start();
    await server.write({ text: "let me in", in: "group", mentions: true, from: "carol" });
    await server.write({ text: "hello" });
    await server.until(chat, (texts) => texts.length === 1);
    expect(await server.said(server.channel)).toEqual([]);
  });

  it("answers once, though it is killed in the middle of the turn", async () => {
    const first = await start({ isPatient: true });
    const thinking = once(first, "message");
    await server.write({ text: "patient please" });
    await thinking;
    const marks = async () => (await server.messages(chat)).flatMap(({ reactions = [] }) => reactions);
    await vi.waitUntil(async () => (await marks())[0]?.name === "eyes", { timeout: 20_000 });
    await kill(first);
    await server.write({ text: "meanwhile" }); // Nobody is there: Slack keeps it for a while.

    await start();
    await server.until(chat, (texts) => texts.some((text) => text.includes('"meanwhile" (2).')));
    const answers = (await server.said(chat)).filter(({ text }) => text.startsWith("The answer"));
    expect(answers.map(({ text }) => text)).toEqual([
      'The answer to "patient please" (1).',
      'The answer to "meanwhile" (2).',
    ]);
  });

  it("answers once, though it is killed after Slack took the answer and before it said so", async () => {
    const first = await start();
    server.trouble("swallowed");
    await server.write({ text: "hello" });
    await server.until(chat, (texts) => texts.length === 1);
    await kill(first);
    await start();
    expect(await ask("again")).toBe('The answer to "again" (2).');
    expect((await server.said(chat)).map(({ text }) => text)).toEqual([
      'The answer to "hello" (1).',
      'The answer to "again" (2).',
    ]);
  });

  it("has sent a file once, and says that it may be missing, though it is killed before Slack said so", async () => {
    const first = await start();
    server.trouble("swallowed");
    await server.write({ text: "the file" });
    await server.until(chat, (texts) => texts.includes("the notes"));
    await kill(first);
    await start();
    await server.until(chat, (texts) =>
      texts.some((text) => text.includes('My file "notes.txt" may be missing')),
    );
    const files = (await server.said(chat)).flatMap((message) => message.files ?? []);
    expect(files.map(({ name }) => name)).toEqual(["notes.txt"]);
    expect(Buffer.from(await server.download(files[0]?.url_private ?? "")).toString()).toBe(
      "what is in it\n",
    );
  });
});
