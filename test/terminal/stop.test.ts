/** Stop means stop: what ends a question for good, and what goes on after a crash. Real processes, and a real PTY for keys. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openStore } from "../../src/open-sessions.js";
import { localSource } from "../../src/session/source.js";
import { baton, makeHome } from "../support/baton.js";
import { ModelServer } from "../support/model-server.js";
import { saidBy } from "../support/said-by.js";
import { killAll, PtyChat, pty } from "./pty-chat.js";
import { realChat, realShell } from "./real-chat.js";

const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const STOPPED = "Stopped. Baton will not ask this again.";

let server: ModelServer;
let home: string;
let env: Record<string, string>;

beforeAll(async () => {
  server = await ModelServer.start();
});
beforeEach(() => {
  home = makeHome();
  writeFileSync(join(home, "config.yaml"), "memory: { titles: words }\n", { mode: 0o600 });
  env = { OPENAI_API_KEY: "sk-canary-0123456789", OPENAI_BASE_URL: server.url };
  server.play({ text: "Well", ending: "silence" });
});
afterEach(killAll);
afterAll(() => server.close());

/** The last message of each request. */
const asked = (): string[] => server.requests.map(({ body }) => body.messages.at(-1).content);

/** The next commands ask what they were given, and nothing else. */
async function expectNothingAgain(): Promise<void> {
  server.play({ text: "Next." });
  for (const words of [["next"], ["-c", "next"]])
    expect(await baton(home, words, { env })).toEqual({ code: 0, stdout: "Next.\n", stderr: "" });
  expect(asked()).toEqual(["next", "next"]);
}

function start(...words: string[]) {
  const child = spawn(process.execPath, [MAIN, ...words], {
    env: { PATH: process.env.PATH ?? "", HOME: join(home, ".."), BATON_HOME: home, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return { child, said: saidBy(child), closed: once(child, "close") };
}

describe("a question is cancelled for good", () => {
  test.each([
    ["SIGINT", 130, []],
    ["SIGTERM", 143, ["-c"]],
    ["SIGHUP", 129, []],
  ] as const)("by %s", async (signal, code, words) => {
    const { child, said, closed } = start(...words, "never mind");
    await expect.poll(said).toContain("Well");
    child.kill(signal);
    expect(await closed).toEqual([code, null]);
    expect(said()).toContain(STOPPED);
    await expectNothingAgain();
  });

  test("before its first word", async () => {
    server.play({ ending: "silence" });
    const { child, closed } = start("-c", "never mind");
    await expect.poll(() => server.requests.length).toBe(1);
    child.kill("SIGINT");
    expect(await closed).toEqual([130, null]);
    await expectNothingAgain();
  });

  test("by two signals at once, which only an impatient person sends", async () => {
    const { child, said, closed } = start("-c", "never mind");
    await expect.poll(said).toContain("Well");
    for (const signal of ["SIGINT", "SIGINT", "SIGTERM"] as const) child.kill(signal);
    const [code] = await closed;
    expect([130, 143]).toContain(code);
    await expectNothingAgain();
  });

  test("by a reader that goes away", async () => {
    server.play({ text: ["Well\n", ...Array<string>(400).fill("and more\n")], pauseMs: 25 });
    const run = await baton(home, [], { env, shell: `baton -c "never mind" | head -1` });
    expect(run).toEqual({ code: 0, stdout: "Well\n", stderr: "" });
    await expectNothingAgain();
  });
});

describe.skipIf(!pty)("with keys", () => {
  test.each([
    ["Ctrl-C", CTRL_C],
    ["Ctrl-D", CTRL_D],
  ])("%s cancels a question", async (_, key) => {
    const shell = realShell(home, `trap : INT; $BATON -c "never mind"; echo "code $?"`, env);
    const chat = new PtyChat({ columns: 100, shell });
    await chat.see("", "Well");
    await chat.see(key, "code 130");
    expect(chat.vt.text()).toContain(STOPPED);
    await expectNothingAgain();
  });

  test("a question in the background of a shell goes on while somebody types there", async () => {
    server.play({ text: ["Well", " done."], pauseMs: 1_000 });
    const shell = realShell(
      home,
      `set -m; $BATON "go on" & read line; echo "read $line"; wait %1; echo "code $?"`,
      env,
    );
    const chat = new PtyChat({ columns: 100, shell });
    await chat.see("", "Well");
    await chat.see("a line\r", "read a line");
    await chat.see("", "code 0");
    expect(chat.vt.text()).toContain("done.");
  });

  test("a second Ctrl-C never drops a draft, and what a Ctrl-C clears comes back", async () => {
    const chat = await realChat(home, "", env);
    const count = (text: string): number => chat.vt.text().split(text).length - 1;
    for (let round = 1; count("Ctrl-C again to clear the line") === 0; round++) {
      chat.type("hello\r");
      await chat.until(() => count("Well") === round);
      await chat.see("a draft", "› a draft");
      chat.type(CTRL_C);
      await chat.until(() => count("■ stopped") === round && count("working, Ctrl-C stops") === 0);
      chat.type(CTRL_C);
      // On a slow machine it comes more than two seconds later and clears the line, so this begins again.
      await chat.until(() => count("Ctrl-C again to clear the line") === 1 || /^› *$/m.test(chat.vt.text()));
    }
    expect(chat.vt.text()).toContain("› a draft\n");
    chat.type(CTRL_C);
    await chat.until(() => /^› *$/m.test(chat.vt.text()));
    await chat.see("\u001b[A", "› a draft\n");
    chat.type(CTRL_C);
    await chat.see(CTRL_C, "Ctrl-C again to leave");
    chat.type(CTRL_C);
    expect(await chat.exited).toBe(0);
  });

  test("what a crash left is continued, with a sentence that says so", async () => {
    const { child, said, closed } = start("-c", "think about it");
    await expect.poll(said).toContain("Well");
    child.kill("SIGKILL");
    await closed;
    server.play({ text: "I have thought." });
    const chat = await realChat(home, "", env);
    await chat.see("", 'Baton ended while I answered "think about it". I continue now.');
    await chat.see("", "I have thought.");
    expect(asked()).toEqual(["think about it"]);
  });

  test("a chat that is closed in the middle of an answer continues with it, and says so", async () => {
    const first = await realChat(home, "", env);
    await first.see("think about it\r", "Well");
    first.type(CTRL_D);
    expect(await first.exited).toBe(0);
    expect(first.vt.text()).toContain("■ not finished: the next `baton` continues it");
    server.play({ text: "I have thought." });
    const second = await realChat(home, "", env);
    await second.see("", 'You left while I answered "think about it". I continue now.');
    await second.see("", "I have thought.");
  });

  test("a file goes with a message also after another message was cancelled", async () => {
    writeFileSync(join(home, "config.yaml"), "memory: { titles: words }\nbusy: { default: queue }\n");
    writeFileSync(join(home, "..", "work", "notes.txt"), "the notes");
    const [one, two] = [await realChat(home, "", env), await realChat(home, "", env)];
    await one.see("one\r", "Well");
    await two.see(`two\r${CTRL_C}`, "It is cancelled: Baton will not answer it.");
    await one.see(CTRL_C, "■ stopped");
    server.play({ text: "I have read them." });
    await two.see("read @notes.txt\r", "I have read them.");
    expect(two.vt.text()).not.toContain("Not sent to the model");
  });

  test("an answer that one of two terminals leaves is continued by the other", async () => {
    const [one, two] = [await realChat(home, "", env), await realChat(home, "", env)];
    await one.see("think about it\r", "Well");
    await two.see("", "another terminal is working");
    server.play({ text: "I have thought." });
    one.type(CTRL_D);
    expect(await one.exited).toBe(0);
    expect(one.vt.text()).toContain("■ not finished: the other terminal continues it");
    await two.see("", "I have thought.");
  });

  test("what waits for another terminal's answer is cancelled by Ctrl-C, and answered after a crash", async () => {
    writeFileSync(join(home, "config.yaml"), "memory: { titles: words }\nbusy: { default: queue }\n");
    const [one, two] = [await realChat(home, "", env), await realChat(home, "", env)];
    await one.see("one\r", "Well");
    await two.see("two\r", "working, Ctrl-C stops");
    two.type("/status\r"); // What is printed meanwhile ends nothing.
    await two.until(() => /1 message\s+waiting\.[\s\S]*\n›\s*\nworking, Ctrl-C stops/.test(two.vt.text()));
    await two.see(CTRL_C, "It is cancelled: Baton will not answer it.");
    await two.until(() => !two.vt.text().includes("working, Ctrl-C stops"));
    await two.see("three\r", "› three");
    await two.until(() => two.vt.text().includes("working, Ctrl-C stops"));
    await expect.poll(() => waitingIn(home)).toBe(1);
    two.kill();
    await two.exited;
    server.play({ text: "Three it is." });
    await one.see(CTRL_C, "■ stopped");
    const next = await realChat(home, "", env);
    await next.see("", 'Baton ended before I answered "three". I answer now.');
    await next.see("", "Three it is.");
    expect(asked()).toEqual(["three"]);
  });

  test("what a terminal left waits in the next one, and Ctrl-C cancels it there", async () => {
    writeFileSync(join(home, "config.yaml"), "memory: { titles: words }\nbusy: { default: queue }\n");
    const [one, two] = [await realChat(home, "", env), await realChat(home, "", env)];
    await one.see("one\r", "Well");
    await two.see("two\r", "working");
    await expect.poll(() => waitingIn(home)).toBe(1);
    two.kill();
    await two.exited;
    const next = await realChat(home, "", env);
    await next.see("", "working, Ctrl-C stops");
    await next.see(CTRL_C, "It is cancelled: Baton will not answer it.");
    await next.until(() => !next.vt.text().includes("working, Ctrl-C stops"));
    expect(await waitingIn(home)).toBe(0);
  });
});

async function waitingIn(folder: string): Promise<number> {
  const { store, sessions } = await openStore({ url: join(folder, "baton.db") });
  try {
    return (await store.inbox.waitingIn(sessions.laneOf(localSource()).key)).length;
  } finally {
    await sessions.close();
  }
}
